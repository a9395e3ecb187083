import { randomUUID } from 'node:crypto'
import type { MemoryEvent } from '../../state/memory-state'
import { type Call, created, type Reply } from '../operation'
import { listPaging, pageOf } from '../paging'
import { invalidInput } from '../refusals'
import { appendEvent, findSession, type SessionKey, withMemory } from './contents'
import { memoryAndBody, memoryOf } from './memories'
import { EventBody, extrasOf } from './memory-body'

/** Ours: the spec says nothing of what an actor or session id may be. */
const longestId = 200

const owned = ['id', 'actorId', 'sessionId', 'createdAt', ...Object.keys(EventBody.shape)]

function checkId(params: Call['params'], name: 'actorId' | 'sessionId'): string {
  const id = params[name] ?? ''
  if (id.length > 0 && id.length <= longestId) return id
  throw invalidInput(`The ${name} in the path must have 1 to ${longestId} characters; it has ${id.length}.`)
}

const sessionKeyOf = ({ params }: Call): SessionKey => ({
  actorId: checkId(params, 'actorId'),
  sessionId: checkId(params, 'sessionId'),
})

const view = ({ actorId, sessionId }: SessionKey, { id, ...event }: MemoryEvent) => ({
  id,
  actorId,
  sessionId,
  ...event,
})

/** Adds an event to a session; actor and session come into being with their first (ours). */
export async function createEvent(call: Call): Promise<Reply> {
  const { body, memory } = await memoryAndBody(call, EventBody)
  const key = sessionKeyOf(call)
  const { role, content } = body
  const createdAt = new Date(call.store.nowMs()).toISOString()
  const event: MemoryEvent = { id: `event-${randomUUID()}`, role, content, createdAt, ...extrasOf(body, owned) }
  call.store.replace(withMemory(call.store.world(), appendEvent(memory, key, event)))
  return created(view(key, event))
}

/**
 * A page of a session's events, newest first. A session that has none is an empty list, because an agent reads what was
 * said before it says the first thing (both ours).
 */
export function listEvents(call: Call): Reply {
  const key = sessionKeyOf(call)
  const events = findSession(memoryOf(call), key, call.store.nowMs())?.events ?? []
  return pageOf({ query: call.query, paging: listPaging }, events.toReversed(), (event) => view(key, event))
}
