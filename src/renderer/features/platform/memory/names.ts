import { useCallback } from 'react'
import { useWindowState } from '../../../window-state'
import { findIdentifier, isPrimitive, type Json, readField, toText } from '../resources'

export const strategyIdNames = ['id', 'longTermMemoryStrategyId', 'strategyId', 'uuid', 'name']
const recordIdNames = ['id', 'recordId', 'memoryRecordId', 'uuid', 'key']

export const countFields = {
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
const sessionNames =
  'sessionId session.id session.sessionId threadId source.sessionId metadata.sessionId session'.split(' ')

export interface SessionKey {
  readonly actorId: string
  readonly sessionId: string
}

const plainText = (row: Json, names: readonly string[]): string | undefined => {
  const value = readField(row, names)
  return isPrimitive(value) && value !== '' ? String(value) : undefined
}

export function readSession(row: Json): SessionKey | undefined {
  const actorId = plainText(row, actorNames)
  const sessionId = plainText(row, sessionNames)
  return actorId === undefined || sessionId === undefined ? undefined : { actorId, sessionId }
}

/** All text inside a record, including nested objects and lists, or its JSON if it has no known text field. */
export function readContent(value: Json): string {
  if (Array.isArray(value)) return value.map(readContent).join(' ')
  const innerContent = readField(value, contentNames)
  return innerContent === undefined ? toText(value) : readContent(innerContent)
}

export function listNamespaces(row: Json): readonly string[] {
  const value = readField(row, namespaceNames)
  const allValues = Array.isArray(value) ? value : [value]
  return allValues.filter((text): text is string => typeof text === 'string' && text !== '')
}

/** Score as returned by the server. */
export function readScore(row: Json): number | undefined {
  const value = readField(row, scoreNames)
  const score = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof score === 'number' && Number.isFinite(score) ? score : undefined
}

/** Text that identifies a record: its identifier, or all of its content except the score. */
export function recordKey(row: Json): string {
  const id = findIdentifier(row, recordIdNames)
  if (id !== undefined) return id
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return JSON.stringify(row)
  return JSON.stringify(Object.entries(row).filter(([name]) => !scoreNames.includes(name)))
}

export interface KeyedRow {
  readonly key: string
  readonly row: Json
}

/** React keys of rows. Rows with equal content are numbered, so that keys are unique. */
export function keyRows(rows: readonly Json[]): readonly KeyedRow[] {
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const key = recordKey(row)
    const count = counts.get(key) ?? 0
    counts.set(key, count + 1)
    return { key: count === 0 ? key : `${key} ${count}`, row }
  })
}

export interface OpenMemory {
  readonly memoryId: string
}

/** Replaces placeholders in the namespace of a strategy, in common spellings. The spec defines none (decision 5). */
function fillNamespace(strategy: Json, session?: SessionKey): string | undefined {
  const [namespace] = listNamespaces(strategy)
  const values: readonly (readonly [RegExp, string | undefined])[] = [
    [/^(longterm)?(memory)?strategy(id)?$/, findIdentifier(strategy, strategyIdNames) ?? ''],
    [/^(actor|user)(id)?$/, session?.actorId],
    [/^(session|thread)(id)?$/, session?.sessionId],
  ]
  return namespace?.replaceAll(/\{([^{}]*)\}/g, (placeholder, name: string) => {
    const lettersOnly = name.replaceAll(/[^a-z]/gi, '').toLowerCase()
    return values.find(([pattern]) => pattern.test(lettersOnly))?.[1] ?? placeholder
  })
}

/** Namespace of a strategy for a session. Undefined if it has none, or one with unknown placeholders. */
export function resolveNamespace(strategy: Json, session: SessionKey): string | undefined {
  const namespace = fillNamespace(strategy, session)
  return namespace?.includes('{') ? undefined : namespace
}

/** The part of a strategy's namespace before its first placeholder. */
export function namespacePrefix(strategy: Json): string | undefined {
  const namespace = fillNamespace(strategy)
  if (namespace === undefined) return undefined
  const openBrace = namespace.indexOf('{')
  if (openBrace < 0) return namespace
  const sharedPrefix = namespace.slice(0, openBrace).replace(/\/+$/, '')
  return sharedPrefix === '' ? '/' : sharedPrefix
}

const maxSeenValues = 50

const noValues: readonly never[] = []

/** Values that no operation of the API can list: typed by the user or seen in a response. Newest first. */
function useSeenValues<T>(key: string) {
  const [values, setValues] = useWindowState<readonly T[]>(key, noValues)
  const addSeenValue = useCallback(
    (newValues: readonly T[]): void =>
      setValues((knownValues) => {
        const valuesByText = new Map([...knownValues, ...newValues].map((value) => [JSON.stringify(value), value]))
        if (valuesByText.size === knownValues.length) return knownValues
        return [...[...valuesByText.values()].slice(knownValues.length), ...knownValues].slice(0, maxSeenValues)
      }),
    [setValues],
  )
  return [values, addSeenValue] as const
}

export const useSeenNamespaces = (memoryId: string) => useSeenValues<string>(`memory.namespaces.${memoryId}`)
export const useSeenSessions = (memoryId: string) => useSeenValues<SessionKey>(`memory.sessions.${memoryId}`)

/** Name of the request field that contains the search text. The spec does not define it. */
export const useQueryField = () => useWindowState('memory.queryField', 'query')
