import { allJournals, type Journal } from './journal'

/** What this app did to one tool, at every site. */
export function journalsOf(toolId: string, dataDir: string): readonly Journal[] {
  return allJournals(dataDir).filter((journal) => journal.toolId === toolId)
}
