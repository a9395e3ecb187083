import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import {
  type Memory,
  type MemoryEvent,
  type MemoryRecord,
  type Session,
  type Strategy,
  StrategyType,
} from '../state/world'
import { createEmbedding, similarity } from '../text-model'
import { dayMs } from '../timing'
import {
  type Call,
  createCollection,
  createOperation,
  createTimestamps,
  integerBetween,
  integerText,
  invalidInput,
  invalidName,
  nonEmptyText,
  notFound,
  numberBetween,
  okReply,
  parseQuery,
  type Reply,
  respondWithPage,
  type Service,
  toCreatedReply,
} from './operation'

/** Identifies a session. Its id is scoped to an actor. */
interface SessionKey {
  readonly actorId: string
  readonly sessionId: string
}

/** Drops expired events (spec, "Limits"), and sessions without events. Events are sorted by time. */
function dropExpiredEvents(memory: Memory, nowMs: number): void {
  const firstEventMs = nowMs - memory.eventExpiryDuration * dayMs
  for (const { events } of memory.sessions) {
    const firstLiveIndex = events.findIndex(({ createdAt }) => Date.parse(createdAt) >= firstEventMs)
    events.splice(0, firstLiveIndex < 0 ? events.length : firstLiveIndex)
  }
  memory.sessions = memory.sessions.filter(({ events }) => events.length > 0)
}

const findSession = ({ sessions }: Memory, { actorId, sessionId }: SessionKey): Session | undefined =>
  sessions.find((session) => session.sessionId === sessionId && session.actorId === actorId)

/** Fills a namespace template. Keeps unknown placeholders. */
export function fillNamespace({ id, namespace }: Strategy, { actorId, sessionId }: SessionKey): string {
  const values: Readonly<Record<string, string>> = { strategyId: id, actorId, sessionId }
  return namespace.replace(/\{(strategyId|actorId|sessionId)\}/g, (placeholder, name) => values[name] ?? placeholder)
}

const text = z.string({ error: 'must be a text' })

const buildTextSchema = (max: number) => {
  const error = `must be a text of 1 to ${max} characters`
  return z.string({ error }).min(1, { error }).max(max, { error })
}

const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.looseObject(shape, { error: 'must be a JSON object' })

const StrategyBody = object({
  name: buildTextSchema(100),
  type: StrategyType,
  namespace: buildTextSchema(500).optional(),
})
type StrategyBody = z.infer<typeof StrategyBody>

const actorNamespace = '/strategies/{strategyId}/actors/{actorId}'

/** Default namespace per strategy type (not in the spec). */
export const defaultNamespaces: Readonly<Record<StrategyType, string>> = {
  SEMANTIC: actorNamespace,
  SUMMARY: `${actorNamespace}/sessions/{sessionId}`,
  USER_PREFERENCE: actorNamespace,
}

/** Strategies of a memory that is created without any (not in the spec). */
const defaultStrategies: readonly StrategyBody[] = [
  { name: 'semantic', type: 'SEMANTIC' },
  { name: 'summary', type: 'SUMMARY' },
  { name: 'user-preference', type: 'USER_PREFERENCE' },
]

/**
 * Body of a new memory. The name pattern and 1 to 365 days are in the spec ("Limits"). Other fields and the default of
 * 90 days are not. The name is checked separately, because it has its own error code.
 */
const MemoryBody = object({
  name: text,
  description: text.optional(),
  eventExpiryDuration: integerBetween(1, 365).default(90),
  longTermMemoryStrategies: z
    .array(StrategyBody, { error: 'must be a list of strategies' })
    .default(() => [...defaultStrategies]),
})

const Role = z.enum(['user', 'assistant', 'system', 'tool'])

/** Body of a new event (not in the spec). */
const EventBody = object({
  role: Role.default('user'),
  content: buildTextSchema(100_000),
})

/** Search request. `limit` and `scoreThreshold` are in the spec ("Limits"), `query` and the defaults are not. */
const SearchBody = object({
  query: buildTextSchema(2_000),
  limit: integerBetween(5, 200).default(10),
  scoreThreshold: numberBetween(0, 1).default(0),
})

const namePattern = /^[a-zA-Z0-9._-]*$/
const maxNameLength = 50

const memories = createCollection<'id', Memory>({
  key: 'id',
  noun: 'memory',
  rows({ store }) {
    const { memories } = store.world().memory
    for (const memory of memories) dropExpiredEvents(memory, store.nowMs())
    return memories
  },
  // The spec has no status and counts.
  view: ({ readyAt, strategies: _, sessions, records, ...fields }, { store }) => ({
    ...fields,
    status: Date.parse(readyAt) <= store.nowMs() ? 'ACTIVE' : 'CREATING',
    actorCount: new Set(sessions.map(({ actorId }) => actorId)).size,
    sessionCount: sessions.length,
    eventCount: sessions.reduce((sum, { events }) => sum + events.length, 0),
    recordCount: records.length,
  }),
})

/** Creates a memory. Usable immediately, `ACTIVE` after a delay (not in the spec). */
function createMemory({ longTermMemoryStrategies, ...fields }: z.infer<typeof MemoryBody>, call: Call): Memory {
  if (fields.name.length > maxNameLength || !namePattern.test(fields.name))
    throw invalidName(
      `name: must have at most ${maxNameLength} characters, each a letter (a-z, A-Z), a digit, ".", "_" or "-".`,
    )
  return {
    ...fields,
    id: `memory-${randomUUID()}`,
    readyAt: call.store.nowIso(call.timing().asyncMs),
    strategies: longTermMemoryStrategies.map(
      (strategy): Strategy => ({
        ...strategy,
        id: `strategy-${randomUUID()}`,
        namespace: strategy.namespace ?? defaultNamespaces[strategy.type],
      }),
    ),
    sessions: [],
    records: [],
    ...createTimestamps(call),
  }
}

const compareNewestFirst = (a: { lastEventAt: string }, b: { lastEventAt: string }): number =>
  Date.parse(b.lastEventAt) - Date.parse(a.lastEventAt)

/**
 * Returns a page of actors with their sessions, most recent first. Not in the spec, but no other operation lists
 * sessions.
 */
function listActors(call: Call): Reply {
  const sessionsByActor = new Map<string, Session[]>()
  for (const session of memories.find(call).sessions)
    sessionsByActor.set(session.actorId, [...(sessionsByActor.get(session.actorId) ?? []), session])
  const actors = [...sessionsByActor].map(([actorId, ownSessions]) => {
    const sessions = ownSessions
      .map(({ sessionId, events }) => ({
        sessionId,
        eventCount: events.length,
        lastEventAt: events.at(-1)?.createdAt ?? '',
      }))
      .toSorted(compareNewestFirst)
    return {
      actorId,
      sessionCount: sessions.length,
      eventCount: sessions.reduce((sum, { eventCount }) => sum + eventCount, 0),
      lastEventAt: sessions[0]?.lastEventAt ?? '',
      sessions,
    }
  })
  return respondWithPage(call.query, actors.toSorted(compareNewestFirst))
}

/** Accepted actor and session ids. The spec defines no format. */
const maxIdLength = 200

function checkId(params: Call['params'], name: 'actorId' | 'sessionId'): string {
  const id = params[name] ?? ''
  if (id.length > 0 && id.length <= maxIdLength) return id
  throw invalidInput(`The ${name} in the path must have 1 to ${maxIdLength} characters; it has ${id.length}.`)
}

const toSessionKey = ({ params }: Call): SessionKey => ({
  actorId: checkId(params, 'actorId'),
  sessionId: checkId(params, 'sessionId'),
})

const view = (key: SessionKey, event: MemoryEvent) => ({ ...event, ...key })

/** Adds an event. The first one creates the actor and session (not in the spec). */
async function createEvent(call: Call): Promise<Reply> {
  const { row: memory, body } = await memories.findWithBody(call, EventBody)
  const key = toSessionKey(call)
  const createdAt = call.store.nowIso()
  const event: MemoryEvent = { ...body, id: `event-${randomUUID()}`, createdAt }
  const session = findSession(memory, key)
  if (session) session.events.push(event)
  else memory.sessions.push({ ...key, events: [event] })
  memory.updatedAt = createdAt
  call.store.changed()
  return toCreatedReply(view(key, event))
}

/**
 * A page of events, newest first. Empty for an unknown session, because agents read before they write (not in the
 * spec).
 */
function listEvents(call: Call): Reply {
  const key = toSessionKey(call)
  const events = findSession(memories.find(call), key)?.events ?? []
  return respondWithPage(call.query, events.toReversed(), (event) => view(key, event))
}

/**
 * Records of the namespace and its children at a `/`, newest first. `/` matches all. A trailing `/` is ignored (not in
 * the spec).
 */
function listRecordsIn({ records }: Memory, parentNamespace: string): readonly MemoryRecord[] {
  const root = trimTrailingSlash(parentNamespace)
  return (
    records
      .filter(
        ({ namespace }) => root === '' || trimTrailingSlash(namespace) === root || namespace.startsWith(`${root}/`),
      )
      // Timestamps have a fixed format, so they sort as text.
      .toSorted((a, b) => Number(a.createdAt < b.createdAt) - Number(a.createdAt > b.createdAt))
  )
}

/** Newest records of a namespace and its children. */
function listRecords(call: Call): Reply {
  const memory = memories.find(call)
  // The limits of the number of records are our choice, because the spec only has an example of 100.
  const fields = { namespace: nonEmptyText, limit: integerText(1, 1_000).default(100) }
  const { namespace, limit } = parseQuery(call.query, fields)
  return okReply(listRecordsIn(memory, namespace).slice(0, limit))
}

/** Searches a namespace by semantic similarity. */
async function searchRecords(call: Call): Promise<Reply> {
  memories.find(call)
  const { namespace } = parseQuery(call.query, { namespace: nonEmptyText })
  const { row: memory, body } = await memories.findWithBody(call, SearchBody)
  return okReply(searchNearestRecords(listRecordsIn(memory, namespace), body))
}

const minWords = 3
const maxQuoteLength = 160
const maxSentenceLength = 500

const preferencePattern =
  /(?<!\p{L})(?:prefer|like|love|enjoy|dislike|hate|favou?rite|always|never|thích|ưa|ghét|ưu tiên|luôn|đừng)(?!\p{L})/iu

const shorten = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1).trimEnd()}…`

/** Statements of the user. Skips questions and greetings. */
const listStatements = (events: readonly MemoryEvent[]): readonly string[] =>
  events
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => content.normalize('NFC').split(/(?<=[.!?…])\s+|\n+/u))
    .map((sentence) => shorten(sentence.trim(), maxSentenceLength))
    .filter((sentence) => !sentence.endsWith('?') && sentence.split(/\s+/).length >= minWords)

/** Quotes the first message of the user and the last answer. */
function summarizeSession(events: readonly MemoryEvent[]): string {
  const quote = (intro: string, event: MemoryEvent | undefined): string =>
    event ? ` ${intro} “${shorten(event.content, maxQuoteLength)}”` : ''
  const userQuote = quote(
    'The user said:',
    events.find(({ role }) => role === 'user'),
  )
  const answerQuote = quote(
    'The assistant last said:',
    events.findLast(({ role }) => role === 'assistant'),
  )
  return `A conversation of ${events.length} ${events.length === 1 ? 'message' : 'messages'}.${userQuote}${answerQuote}`
}

/** Extraction per strategy type (not in the spec). */
const recordMakers: Readonly<Record<StrategyType, (events: readonly MemoryEvent[]) => readonly string[]>> = {
  SEMANTIC: listStatements,
  SUMMARY: (events) => [summarizeSession(events)],
  USER_PREFERENCE: (events) => listStatements(events).filter((sentence) => preferencePattern.test(sentence)),
}

/** Extracts records of a session and returns the new ones: 201, or 200 with an empty list (not in the spec). */
function generateRecords(call: Call): Reply {
  const { store, query } = call
  const memory = memories.find(call)
  const source = parseQuery(query, {
    actorId: nonEmptyText,
    sessionId: nonEmptyText,
    longTermMemoryStrategyId: nonEmptyText,
  })
  const { actorId, sessionId, longTermMemoryStrategyId: strategyId } = source
  const strategy = memory.strategies.find(({ id }) => id === strategyId)
  if (strategy === undefined)
    throw notFound(
      `The memory has no strategy "${strategyId.slice(0, 80)}". List its long-term memory strategies to see their ids.`,
    )
  const session = findSession(memory, { actorId, sessionId })
  if (session === undefined)
    throw notFound(
      `The actor "${actorId.slice(0, 80)}" has no session "${sessionId.slice(0, 80)}" with events in this memory.`,
    )
  const storedContents = new Set(
    memory.records
      .filter((record) => record.actorId === actorId && record.sessionId === sessionId)
      .filter(({ longTermMemoryStrategyId }) => longTermMemoryStrategyId === strategyId)
      .map(({ content }) => content),
  )
  const createdAt = store.nowIso()
  const contents = new Set(recordMakers[strategy.type](session.events))
  const records = [...contents]
    .filter((content) => !storedContents.has(content))
    .map((content) => ({
      id: `record-${randomUUID()}`,
      namespace: fillNamespace(strategy, { actorId, sessionId }),
      content,
      ...source,
      createdAt,
    }))
  if (records.length === 0) return okReply([])
  memory.records.push(...records)
  memory.updatedAt = createdAt
  store.changed()
  return toCreatedReply(records)
}

const events = '/memories/{id}/actors/{actorId}/sessions/{sessionId}/events'
const records = '/memories/{id}/memory-records'

/** Memory (spec, "Endpoints", B). */
export const memory: Service = {
  base: '/memory',
  access: 'iam',
  operations: [
    memories.createAt('/memories', 'memory.memories.create', MemoryBody, createMemory),
    memories.listAt('/memories', 'memory.memories.list'),
    memories.getAt('/memories/{id}', 'memory.memories.get'),
    memories.removeAt('/memories/{id}', 'memory.memories.delete'),
    createOperation('memory.strategies.list', 'GET', '/memories/{id}/long-term-memory-strategies', (call) =>
      okReply(memories.find(call).strategies),
    ),
    createOperation('memory.events.create', 'POST', events, createEvent),
    createOperation('memory.events.list', 'GET', events, listEvents),
    createOperation('memory.actors.list', 'GET', '/memories/{id}/actors', listActors),
    createOperation('memory.records.list', 'GET', records, listRecords),
    createOperation('memory.records.search', 'POST', `${records}:search`, searchRecords),
    createOperation('memory.records.generateFromSession', 'POST', `${records}:generate-from-session`, generateRecords),
  ],
}

// Cached embeddings of records. An embedding depends only on the content of its record.
const embeddings = new WeakMap<MemoryRecord, Float32Array>()

/** Nearest records, best first, with a `score` from 0 to 1 rounded to four digits. */
function searchNearestRecords(
  records: readonly MemoryRecord[],
  { query, limit, scoreThreshold }: { query: string; limit: number; scoreThreshold: number },
): readonly (MemoryRecord & { readonly score: number })[] {
  const queryEmbedding = createEmbedding(query)
  return records
    .map((record) => {
      const embedding = embeddings.get(record) ?? createEmbedding(record.content)
      embeddings.set(record, embedding)
      return { record, score: Math.round(similarity(queryEmbedding, embedding) * 10_000) / 10_000 }
    })
    .filter(({ score }) => score >= scoreThreshold)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ record, score }) => ({ ...record, score }))
}

const trimTrailingSlash = (namespace: string): string => {
  let end = namespace.length
  while (namespace[end - 1] === '/') end -= 1
  return namespace.slice(0, end)
}
