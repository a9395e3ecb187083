import type { ConnectionView } from '@shared/contract'
import { useCallback } from 'react'
import { useWindowState } from '../../../window-state'
import type { Identifier, Json, ResourceColumn } from '../resources'
import { findIdentifier, isPlain, readField, toText } from '../resources'

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
  const value = readField(row, names)
  return isPlain(value) && value !== '' ? String(value) : undefined
}

/** The session that a record or an event says it comes from; nothing when it does not say. */
export function readSession(row: Json): SessionKey | undefined {
  const actorId = plainText(row, actorNames)
  const sessionId = plainText(row, sessionNames)
  return actorId === undefined || sessionId === undefined ? undefined : { actorId, sessionId }
}

/** The words in what a row says: a text, or what parts and envelopes around it hold. */
function wordsIn(value: Json): string {
  if (Array.isArray(value)) return value.map(wordsIn).join(' ')
  const inner = readField(value, contentNames)
  return inner === undefined ? toText(value) : wordsIn(inner)
}

/** What a record or an event says; all of it as JSON when none of the known fields is there. */
export const readContent = (row: Json): string => wordsIn(row)

/** Which namespaces a row names. */
export function listNamespaces(row: Json): readonly string[] {
  const value = readField(row, namespaceNames)
  const all = Array.isArray(value) ? value : [value]
  return all.filter((one): one is string => typeof one === 'string' && one !== '')
}

/** The score of a found record, as the server wrote it. */
export function readScore(row: Json): number | undefined {
  const value = readField(row, scoreNames)
  const score = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof score === 'number' && Number.isFinite(score) ? score : undefined
}

/** Identifies a record: by its identifier, or by all its content except the score. */
export function recordKey(row: Json): string {
  const id = findIdentifier(row, recordIdentifier)
  if (id !== undefined) return id
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return JSON.stringify(row)
  const { ...rest } = row
  for (const name of scoreNames) delete rest[name]
  return JSON.stringify(rest)
}

/** A row with a key that is unique in its list. */
export interface KeyedRow {
  readonly key: string
  readonly row: Json
}

/** Gives rows unique keys; equal rows are numbered. */
export function keyRows(rows: readonly Json[]): readonly KeyedRow[] {
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const key = recordKey(row)
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    return { key: count === 0 ? key : `${key} ${count}`, row }
  })
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

/** A memory whose contents a tab shows. */
export interface OpenMemory {
  readonly connection: ConnectionView
  readonly memoryId: string
}

/** What may stand in braces in a strategy's namespace, in any spelling: a list of ours (decisions 5). */
const places: readonly (readonly [
  RegExp,
  (strategyId: string, session: SessionKey | undefined) => string | undefined,
])[] = [
  [/^(longterm)?(memory)?strategy(id)?$/, (strategyId) => strategyId],
  [/^(actor|user)(id)?$/, (_, session) => session?.actorId],
  [/^(session|thread)(id)?$/, (_, session) => session?.sessionId],
]

const valueFor = (name: string, strategyId: string, session: SessionKey | undefined): string | undefined => {
  const bare = name.replaceAll(/[^a-z]/gi, '').toLowerCase()
  return places.find(([pattern]) => pattern.test(bare))?.[1](strategyId, session)
}

function filled(strategy: Json, session: SessionKey | undefined): string | undefined {
  const [namespace] = listNamespaces(strategy)
  const id = findIdentifier(strategy, strategyIdentifier) ?? ''
  return namespace?.replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => valueFor(name, id, session) ?? whole)
}

/** The namespace that a strategy's records of a session lie in; nothing when the strategy does not say, or leaves something open. */
export function namespaceFor(strategy: Json, session: SessionKey): string | undefined {
  const namespace = filled(strategy, session)
  return namespace?.includes('{') ? undefined : namespace
}

/** The part of a strategy's namespace that all its records share: up to the first place that something else stands in. */
export function namespacePrefix(strategy: Json): string | undefined {
  const namespace = filled(strategy, undefined)
  if (namespace === undefined) return undefined
  const open = namespace.indexOf('{')
  if (open < 0) return namespace
  const shared = namespace.slice(0, open).replace(/\/+$/, '')
  return shared === '' ? '/' : shared
}

/** Remembered values per list. */
const maxSeen = 50

const noValues: readonly never[] = []

/** Values that the user entered or the platform mentioned and that no operation lists, newest first. */
function useSeen<T>(key: string) {
  const [values, setValues] = useWindowState<readonly T[]>(key, noValues)
  const note = useCallback(
    (found: readonly T[]): void =>
      setValues((known) => {
        const byText = new Map([...known, ...found].map((value) => [JSON.stringify(value), value]))
        if (byText.size === known.length) return known
        return [...[...byText.values()].slice(known.length), ...known].slice(0, maxSeen)
      }),
    [setValues],
  )
  return [values, note] as const
}

export const useSeenNamespaces = (memoryId: string) => useSeen<string>(`memory.namespaces.${memoryId}`)
export const useSeenSessions = (memoryId: string) => useSeen<SessionKey>(`memory.sessions.${memoryId}`)

/** The name of the body's field that a search sends its text in; the spec does not give it. */
export const useQueryField = () => useWindowState('memory.queryField', 'query')
