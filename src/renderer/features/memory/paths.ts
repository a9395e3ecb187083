import type { SessionKey } from './names'

/** The tabs of a memory, in their order. */
export const tabs = ['sessions', 'events', 'strategies', 'records', 'details'] as const
export type MemoryTab = (typeof tabs)[number]

/** What is done with the records of a memory. */
export const recordModes = ['browse', 'search', 'generate'] as const

/** The place of the list of memories. */
export const memoriesPath = '/memory'

type Query = Readonly<Record<string, string | undefined>>

/** The place of a memory's tab in the window. */
export function memoryPath(memoryId: string, tab: MemoryTab, query: Query = {}): string {
  const said = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const search = new URLSearchParams(said).toString()
  return `${memoriesPath}/${encodeURIComponent(memoryId)}/${tab}${search === '' ? '' : `?${search}`}`
}

/** The place of a session's events. */
export const eventsPath = (memoryId: string, { actorId, sessionId }: SessionKey): string =>
  memoryPath(memoryId, 'events', { actor: actorId, session: sessionId })

/** The place where records are made from a session. */
export const generatePath = (memoryId: string, { actorId, sessionId }: SessionKey): string =>
  memoryPath(memoryId, 'records', { mode: 'generate', actor: actorId, session: sessionId })
