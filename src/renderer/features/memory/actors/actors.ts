import { Users } from 'lucide-react'
import { fieldOf, identifierOf, isPlain } from '../../resources/lookup'
import type { Json, Resource } from '../../resources/resource'
import { actorIdentifier, countNames, lastNames, type SessionKey, sessionIdentifier, sessionsNames } from '../names'

/** The actors of a memory (spec, "Memory"). */
export const actors: Resource = {
  id: 'memory-actors',
  address: 'memoryApiUrl',
  icon: Users,
  at: '/memory/:id/sessions',
  words: {
    title: (t) => t('memory:actors.title'),
    name: (t) => t('memory:fields.actor'),
    empty: (t) => t('memory:actors.empty'),
    emptyText: (t) => t('memory:actors.emptyText'),
  },
  list: { operation: 'memory.actors.list' },
  identifier: actorIdentifier,
  naming: actorIdentifier.names,
  columns: [],
  actions: [],
}

/** A session, with what is told of it. */
export interface SessionView extends SessionKey {
  readonly events: number | undefined
  readonly last: string | undefined
  /** What the platform said of it; nothing when it was typed here. */
  readonly row: Json | undefined
}

const numberOf = (row: Json, names: readonly string[]): number | undefined => {
  const value = fieldOf(row, names)
  return typeof value === 'number' ? value : undefined
}

const momentOf = (row: Json): string | undefined => {
  const value = fieldOf(row, lastNames)
  return typeof value === 'string' && !Number.isNaN(Date.parse(value)) ? new Date(value).toISOString() : undefined
}

/** What is told of an actor in a line. */
export const actorFacts = (row: Json) => {
  const sessions = numberOf(row, countNames.sessions)
  const listed = fieldOf(row, sessionsNames)
  return {
    sessions: sessions ?? (Array.isArray(listed) ? listed.length : undefined),
    events: numberOf(row, countNames.events),
    last: momentOf(row),
  }
}

const viewOf = (actorId: string, row: Json): readonly SessionView[] => {
  const sessionId = identifierOf(row, sessionIdentifier)
  if (sessionId === undefined) return []
  return [
    isPlain(row)
      ? { actorId, sessionId, events: undefined, last: undefined, row: undefined }
      : { actorId, sessionId, events: numberOf(row, countNames.events), last: momentOf(row), row },
  ]
}

/** The sessions that an actor's row tells of, and those that were typed or seen here. */
export function sessionsOf(
  actorId: string,
  row: Json | undefined,
  seen: readonly SessionKey[],
): readonly SessionView[] {
  const listed = row === undefined ? undefined : fieldOf(row, sessionsNames)
  const told = Array.isArray(listed) ? listed.flatMap((one) => viewOf(actorId, one)) : []
  const known = new Set(told.map(({ sessionId }) => sessionId))
  const mine = seen.filter((one) => one.actorId === actorId && !known.has(one.sessionId))
  return [...told, ...mine.map((key) => ({ ...key, events: undefined, last: undefined, row: undefined }))]
}
