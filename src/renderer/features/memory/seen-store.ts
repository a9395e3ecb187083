import { create } from 'zustand'
import type { SessionKey } from './names'

/** How many of each are remembered. */
const most = 50

interface SeenStore {
  /** By memory. */
  readonly namespaces: Readonly<Record<string, readonly string[]>>
  readonly sessions: Readonly<Record<string, readonly SessionKey[]>>
  /** By memory: actors that were typed. */
  readonly actors: Readonly<Record<string, readonly string[]>>
  /** Under which name a search sends its text; the spec does not give it. */
  readonly queryField: string
  readonly noteNamespaces: (memoryId: string, found: readonly string[]) => void
  readonly noteSession: (memoryId: string, session: SessionKey) => void
  readonly noteActor: (memoryId: string, actorId: string) => void
  readonly setQueryField: (name: string) => void
}

/** What a search sends its text as, unless said otherwise (ours). */
const usualQueryField = 'query'

const added = <T>(known: readonly T[], found: readonly T[], keyOf: (one: T) => string): readonly T[] => {
  const keys = new Set(known.map(keyOf))
  const fresh = found.filter((one) => !keys.has(keyOf(one)))
  return fresh.length === 0 ? known : [...fresh, ...known].slice(0, most)
}

const same = (text: string): string => text
const sessionKey = ({ actorId, sessionId }: SessionKey): string => JSON.stringify([actorId, sessionId])

/** What was typed or came along, and no operation lists; kept while the window lives. Memories of two connections do not share ids. */
export const useSeen = create<SeenStore>((set) => ({
  namespaces: {},
  sessions: {},
  actors: {},
  queryField: usualQueryField,
  noteNamespaces: (memoryId, found) =>
    set(({ namespaces }) => {
      const known = namespaces[memoryId] ?? []
      const next = added(known, [...new Set(found)], same)
      return next === known ? {} : { namespaces: { ...namespaces, [memoryId]: next } }
    }),
  noteSession: (memoryId, session) =>
    set(({ sessions }) => {
      const known = sessions[memoryId] ?? []
      const next = added(known, [session], sessionKey)
      return next === known ? {} : { sessions: { ...sessions, [memoryId]: next } }
    }),
  noteActor: (memoryId, actorId) =>
    set(({ actors }) => {
      const known = actors[memoryId] ?? []
      const next = added(known, [actorId], same)
      return next === known ? {} : { actors: { ...actors, [memoryId]: next } }
    }),
  setQueryField: (queryField) => set({ queryField }),
}))
