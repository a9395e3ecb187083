import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Memory, MemoryEvent, MemoryRecord, Session } from '../../state/world'
import { createEmbedding, similarity } from '../../text-model/embed'
import {
  type Call,
  invalidInput,
  okReply,
  type Reply,
  requireParameter,
  respondWithPage,
  type Service,
  toCreatedReply,
  wholeNumber,
  withoutFields,
} from '../operation'
import { generateRecords } from './generate'
import {
  appendEvent,
  createMemory,
  deleteMemory,
  EventBody,
  findSession,
  getMemory,
  listMemories,
  liveSessions,
  requireMemory,
  SearchBody,
  type SessionKey,
  withMemory,
} from './memories'

const listStrategies = (call: Call): Reply => okReply(requireMemory(call).strategies)

const viewSession = ({ sessionId, events }: Session) => ({
  sessionId,
  eventCount: events.length,
  lastEventAt: events.at(-1)?.createdAt ?? '',
})

const compareNewestFirst = (a: { lastEventAt: string }, b: { lastEventAt: string }): number =>
  Date.parse(b.lastEventAt) - Date.parse(a.lastEventAt)

function toActorView([actorId, ownSessions]: readonly [string, readonly Session[]]) {
  const sessions = ownSessions.map(viewSession).toSorted(compareNewestFirst)
  return {
    actorId,
    sessionCount: sessions.length,
    eventCount: sessions.reduce((sum, { eventCount }) => sum + eventCount, 0),
    lastEventAt: sessions[0]?.lastEventAt ?? '',
    sessions,
  }
}

function groupByActor(sessions: readonly Session[]): ReadonlyMap<string, readonly Session[]> {
  const actors = new Map<string, Session[]>()
  for (const session of sessions) {
    actors.set(session.actorId, [...(actors.get(session.actorId) ?? []), session])
  }
  return actors
}

/**
 * Returns a page of actors with their sessions, most recent first. Not in the spec, but no other operation lists
 * sessions.
 */
function listActors(call: Call): Reply {
  const actors = [...groupByActor(liveSessions(requireMemory(call), call.store.nowMs()))]
    .map(toActorView)
    .toSorted(compareNewestFirst)
  return respondWithPage(call.query, actors)
}

/** Accepted actor and session ids. The spec defines no format. */
const maxIdLength = 200

const serverFields = ['id', 'actorId', 'sessionId', 'createdAt', ...Object.keys(EventBody.shape)]

function checkId(params: Call['params'], name: 'actorId' | 'sessionId'): string {
  const id = params[name] ?? ''
  if (id.length > 0 && id.length <= maxIdLength) return id
  throw invalidInput(`The ${name} in the path must have 1 to ${maxIdLength} characters; it has ${id.length}.`)
}

const toSessionKey = ({ params }: Call): SessionKey => ({
  actorId: checkId(params, 'actorId'),
  sessionId: checkId(params, 'sessionId'),
})

const view = ({ actorId, sessionId }: SessionKey, { id, ...event }: MemoryEvent) => ({
  id,
  actorId,
  sessionId,
  ...event,
})

/** Adds an event. The first one creates the actor and session (not in the spec). */
async function createEvent(call: Call): Promise<Reply> {
  const { body, memory } = await readBodyAndMemory(call, EventBody)
  const key = toSessionKey(call)
  const { role, content } = body
  const createdAt = call.store.nowIso()
  const event: MemoryEvent = {
    id: `event-${randomUUID()}`,
    role,
    content,
    createdAt,
    ...withoutFields(body, serverFields),
  }
  call.store.replace(withMemory(call.store.world(), appendEvent(memory, key, event)))
  return toCreatedReply(view(key, event))
}

/**
 * A page of events, newest first. Empty for an unknown session, because agents read before they write (not in the
 * spec).
 */
function listEvents(call: Call): Reply {
  const key = toSessionKey(call)
  const events = findSession(requireMemory(call), key, call.store.nowMs())?.events ?? []
  return respondWithPage(call.query, events.toReversed(), (event) => view(key, event))
}

/** Limits of the number of requested records. Our choice, because the spec only has an example of 100. */
const browseLimits = { least: 1, max: 1_000, fallback: 100 }

// Timestamps have a fixed format, so they sort as text.
const compareRecordsNewestFirst = (a: MemoryRecord, b: MemoryRecord): number =>
  Number(a.createdAt < b.createdAt) - Number(a.createdAt > b.createdAt)

function listRecordsIn({ records }: Memory, parentNamespace: string): readonly MemoryRecord[] {
  const isInNamespace = createNamespaceFilter(parentNamespace)
  return records.filter(({ namespace }) => isInNamespace(namespace)).toSorted(compareRecordsNewestFirst)
}

/** Newest records of a namespace and its children. */
function listRecords(call: Call): Reply {
  const memory = requireMemory(call)
  const namespace = requireParameter(call.query, 'namespace')
  const limit = wholeNumber(call.query, 'limit', browseLimits)
  return okReply(listRecordsIn(memory, namespace).slice(0, limit))
}

/** Searches a namespace by semantic similarity. */
async function searchRecords(call: Call): Promise<Reply> {
  requireMemory(call)
  const namespace = requireParameter(call.query, 'namespace')
  const { body, memory } = await readBodyAndMemory(call, SearchBody)
  return okReply(searchNearestRecords(listRecordsIn(memory, namespace), body))
}

const events = '/memories/{id}/actors/{actorId}/sessions/{sessionId}/events'
const records = '/memories/{id}/memory-records'

/** Memory (spec, "Endpoints", B). */
export const memory: Service = {
  base: '/memory',
  access: 'iam',
  operations: [
    { id: 'memory.memories.create', method: 'POST', path: '/memories', run: createMemory },
    { id: 'memory.memories.list', method: 'GET', path: '/memories', run: listMemories },
    { id: 'memory.memories.get', method: 'GET', path: '/memories/{id}', run: getMemory },
    { id: 'memory.memories.delete', method: 'DELETE', path: '/memories/{id}', run: deleteMemory },
    {
      id: 'memory.strategies.list',
      method: 'GET',
      path: '/memories/{id}/long-term-memory-strategies',
      run: listStrategies,
    },
    { id: 'memory.events.create', method: 'POST', path: events, run: createEvent },
    { id: 'memory.events.list', method: 'GET', path: events, run: listEvents },
    { id: 'memory.actors.list', method: 'GET', path: '/memories/{id}/actors', run: listActors },
    { id: 'memory.records.list', method: 'GET', path: records, run: listRecords },
    { id: 'memory.records.search', method: 'POST', path: `${records}:search`, run: searchRecords },
    {
      id: 'memory.records.generateFromSession',
      method: 'POST',
      path: `${records}:generate-from-session`,
      run: generateRecords,
    },
  ],
}

// Cached embeddings of records. An embedding depends only on the content of its record.
const embeddings = new WeakMap<MemoryRecord, Float32Array>()

function getEmbedding(record: MemoryRecord): Float32Array {
  const cachedEmbedding = embeddings.get(record)
  if (cachedEmbedding) return cachedEmbedding
  const embedding = createEmbedding(record.content)
  embeddings.set(record, embedding)
  return embedding
}

const roundScore = (score: number): number => Math.round(score * 10_000) / 10_000

/** Nearest records, best first, with a `score` from 0 to 1 rounded to four digits. */
function searchNearestRecords(
  records: readonly MemoryRecord[],
  { query, limit, scoreThreshold }: { query: string; limit: number; scoreThreshold: number },
): readonly (MemoryRecord & { readonly score: number })[] {
  const queryEmbedding = createEmbedding(query)
  return records
    .map((record) => ({ record, score: roundScore(similarity(queryEmbedding, getEmbedding(record))) }))
    .filter(({ score }) => score >= scoreThreshold)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ record, score }) => ({ ...record, score }))
}

/** Reads the body and finds the memory. Throws 404 before 400. */
async function readBodyAndMemory<Schema extends z.ZodType>(call: Call, schema: Schema) {
  requireMemory(call)
  const body = await call.body(schema)
  return { body, memory: requireMemory(call) }
}

const trimTrailingSlash = (namespace: string): string => {
  let end = namespace.length
  while (namespace[end - 1] === '/') end -= 1
  return namespace.slice(0, end)
}

/** Matches the namespace and its children at a `/`. `/` matches all. A trailing `/` is ignored (not in the spec). */
function createNamespaceFilter(parentNamespace: string): (namespace: string) => boolean {
  const root = trimTrailingSlash(parentNamespace)
  return (namespace) => root === '' || trimTrailingSlash(namespace) === root || namespace.startsWith(`${root}/`)
}
