import { randomUUID } from 'node:crypto'
import type { z } from 'zod'
import type { Memory } from '../../state/world'
import { type Call, created, invalidName, listPaging, notFound, nothing, ok, pageOf, type Reply } from '../operation'
import { countContents, extrasOf, MemoryBody, newStrategy, withMemories } from './contents'

const namePattern = /^[a-zA-Z0-9._-]*$/
const longestName = 50

const owned = ['id', 'status', 'readyAt', 'createdAt', 'updatedAt', 'strategies', 'sessions', 'records'].concat(
  ['actorCount', 'sessionCount', 'eventCount', 'recordCount'],
  Object.keys(MemoryBody.shape),
)

/** The memory that the path names. Throws 404. */
export function memoryOf({ store, params }: Call): Memory {
  const memory = store.world().memory.memories.find(({ id }) => id === params.id)
  if (memory) return memory
  throw notFound(
    `There is no memory with the id "${(params.id ?? '').slice(0, 80)}". List the memories to see their ids.`,
  )
}

/** The body of a call on a memory, and the memory as it is once the body is there. Throws 404 before 400. */
export async function memoryAndBody<Schema extends z.ZodType>(
  call: Call,
  schema: Schema,
): Promise<{ readonly body: z.infer<Schema>; readonly memory: Memory }> {
  memoryOf(call)
  const body = await call.body(schema)
  return { body, memory: memoryOf(call) }
}

/** What is told of a memory, never its contents; status and counts are ours. */
function view(memory: Memory, nowMs: number): unknown {
  const { id, name, description, eventExpiryDuration, readyAt, createdAt, updatedAt, ...rest } = memory
  const { strategies, sessions, records, ...extras } = rest
  return {
    id,
    name,
    description,
    eventExpiryDuration,
    status: Date.parse(readyAt) <= nowMs ? 'ACTIVE' : 'CREATING',
    ...countContents(memory, nowMs),
    createdAt,
    updatedAt,
    ...extras,
  }
}

function checkName(name: string): string {
  if (name.length <= longestName && namePattern.test(name)) return name
  throw invalidName(
    `name: must have at most ${longestName} characters, each a letter (a-z, A-Z), a digit, ".", "_" or "-".`,
  )
}

/** Makes a memory; it can be used at once, and is `ACTIVE` a little later (ours). */
export async function createMemory(call: Call): Promise<Reply> {
  const body = await call.body(MemoryBody)
  const { store, timing } = call
  const nowMs = store.nowMs()
  const at = new Date(nowMs).toISOString()
  const memory: Memory = {
    id: `memory-${randomUUID()}`,
    name: checkName(body.name),
    ...(body.description === undefined ? {} : { description: body.description }),
    eventExpiryDuration: body.eventExpiryDuration,
    readyAt: new Date(nowMs + timing().asyncMs).toISOString(),
    strategies: body.longTermMemoryStrategies.map(newStrategy),
    sessions: [],
    records: [],
    createdAt: at,
    updatedAt: at,
    ...extrasOf(body, owned),
  }
  const world = store.world()
  store.replace(withMemories(world, [...world.memory.memories, memory]))
  return created(view(memory, nowMs))
}

/** A page of memories, in the order of their creation. */
export function listMemories({ store, query }: Call): Reply {
  const nowMs = store.nowMs()
  return pageOf({ query, paging: listPaging }, store.world().memory.memories, (memory) => view(memory, nowMs))
}

/** One memory. */
export const getMemory = (call: Call): Reply => ok(view(memoryOf(call), call.store.nowMs()))

/** Takes a memory away with everything in it. */
export function deleteMemory(call: Call): Reply {
  const gone = memoryOf(call)
  const world = call.store.world()
  call.store.replace(
    withMemories(
      world,
      world.memory.memories.filter(({ id }) => id !== gone.id),
    ),
  )
  return nothing
}

/** All strategies of a memory. */
export const listStrategies = (call: Call): Reply => ok(memoryOf(call).strategies)
