import type { Site } from '@shared/contract'
import { readHistory } from '../tools/history'
import { damagedJournals } from '../tools/journal'
import { setupIdOf, userSite } from '../tools/sites'
import { writtenTargets } from '../tools/targets'
import type { Machine } from './sites'

/** A tool of which it cannot be known what it was given: the record of that is damaged. */
export interface UnknownSetup {
  readonly toolId: string
  readonly toolName: string
  readonly site: Site
  readonly recordPath: string
}

/** The tools whose records cannot be read; where such a tool is set up is known as far as the history tells. */
export async function unknownSetups({ place }: Pick<Machine, 'place'>): Promise<UnknownSetup[]> {
  const damaged = damagedJournals(place.dataDir)
  if (damaged.length === 0) return []
  const past = (await readHistory(place)).flatMap(({ tools }) => tools)
  return damaged.map(({ toolId, setupId, path }) => {
    const known = past.find((tool) => setupIdOf(tool.toolId, tool.site) === setupId)
    const [, where] = setupId.split('@')
    const site: Site = known?.site ?? (where === undefined ? userSite : { kind: 'project', folder: where })
    return { toolId, toolName: writtenTargets.find(({ id }) => id === toolId)?.name ?? toolId, site, recordPath: path }
  })
}
