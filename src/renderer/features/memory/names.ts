import { fieldOf, identifierOf, isPlain, textOf } from '../resources/lookup'
import type { Identifier, Json, ResourceColumn } from '../resources/resource'

/** How a memory is named in a path. */
export const memoryIdentifier: Identifier = { names: ['id', 'uuid', 'memoryId', 'name'], param: 'id' }

/** How an actor is named in a path. */
export const actorIdentifier: Identifier = { names: ['actorId', 'id', 'uuid', 'userId', 'name'], param: 'actorId' }

/** Where an actor tells of its sessions: the spec has no list of them (decisions 5). */
export const sessionsNames = ['sessions', 'sessionIds', 'sessionList', 'threads', 'threadIds', 'conversations']

/** How a session is named. */
export const sessionIdentifier: Identifier = {
  names: ['sessionId', 'id', 'uuid', 'threadId', 'conversationId', 'name'],
  param: 'sessionId',
}

/** How a strategy is named. */
export const strategyIdentifier: Identifier = {
  names: ['id', 'longTermMemoryStrategyId', 'strategyId', 'uuid', 'name'],
  param: 'longTermMemoryStrategyId',
}

/** How a record is named. */
const recordIdentifier: Identifier = {
  names: ['id', 'recordId', 'memoryRecordId', 'uuid', 'key'],
  param: 'id',
}

export const countNames = {
  actors: ['actorCount', 'actors', 'totalActors', 'numActors'],
  sessions: ['sessionCount', 'sessions', 'totalSessions', 'numSessions'],
  events: ['eventCount', 'events', 'totalEvents', 'numEvents', 'messageCount'],
  records: ['recordCount', 'records', 'memoryRecordCount', 'totalRecords', 'numRecords'],
} as const

export const lastNames = ['lastEventAt', 'lastActiveAt', 'lastSeenAt', 'updatedAt', 'createdAt']
export const roleNames = ['role', 'type', 'author', 'sender', 'kind', 'eventType']
export const timeNames = ['createdAt', 'timestamp', 'eventTimestamp', 'time', 'created', 'date', 'at']
const contentNames = ['content', 'text', 'message', 'payload', 'memory', 'fact', 'body', 'value', 'data', 'summary']
export const namespaceNames = ['namespace', 'namespaces', 'namespaceTemplate', 'namespacePattern', 'path']
const scoreNames = ['score', 'similarity', 'relevance', 'relevanceScore', 'similarityScore', '_score']
const actorNames = ['actorId', 'actor.id', 'actor.actorId', 'userId', 'source.actorId', 'metadata.actorId', 'actor']
const sessionNames = [
  ...['sessionId', 'session.id', 'session.sessionId', 'threadId', 'source.sessionId', 'metadata.sessionId', 'session'],
]

/** One session of an actor. */
export interface SessionKey {
  readonly actorId: string
  readonly sessionId: string
}

const plainText = (row: Json, names: readonly string[]): string | undefined => {
  const value = fieldOf(row, names)
  return isPlain(value) && value !== '' ? String(value) : undefined
}

/** The session that a record or an event says it comes from; nothing when it does not say. */
export function sessionOf(row: Json): SessionKey | undefined {
  const actorId = plainText(row, actorNames)
  const sessionId = plainText(row, sessionNames)
  return actorId === undefined || sessionId === undefined ? undefined : { actorId, sessionId }
}

/** The words in what a row says: a text, or what parts and envelopes around it hold. */
function wordsIn(value: Json): string {
  if (Array.isArray(value)) return value.map(wordsIn).join(' ')
  const inner = fieldOf(value, contentNames)
  return inner === undefined ? textOf(value) : wordsIn(inner)
}

/** What a record or an event says; all of it as JSON when none of the known fields is there. */
export const contentOf = (row: Json): string => wordsIn(row)

/** Which namespaces a row names. */
export function namespacesOf(row: Json): readonly string[] {
  const value = fieldOf(row, namespaceNames)
  const all = Array.isArray(value) ? value : [value]
  return all.filter((one): one is string => typeof one === 'string' && one !== '')
}

/** The score of a found record, as the server wrote it. */
export function scoreOf(row: Json): number | undefined {
  const value = fieldOf(row, scoreNames)
  const score = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof score === 'number' && Number.isFinite(score) ? score : undefined
}

/** By what a record is told from others: its identifier, or all it says but its score. */
export function recordKey(row: Json): string {
  const id = identifierOf(row, recordIdentifier)
  if (id !== undefined) return id
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return JSON.stringify(row)
  const { ...rest } = row
  for (const name of scoreNames) delete rest[name]
  return JSON.stringify(rest)
}

/** When something was made, for a column. */
export const createdColumn: ResourceColumn = {
  id: 'created',
  header: (t) => t('memory:fields.created'),
  names: ['createdAt', 'created', 'creationTime', 'createdDate', 'timestamp'],
  format: 'date',
  width: '120px',
  from: 840,
}
