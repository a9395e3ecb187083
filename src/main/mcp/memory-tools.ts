import { AppError } from '@shared/failure'
import { z } from 'zod'
import { type CallContext, defineTool, encodeCursor, readCursor } from './calls'

const Id = z.string().min(1).max(200)
const Memory = Id.optional().describe('Name or ID of the memory. Not needed where there is only one.')
const Namespace = z.string().min(1).max(500).default('/').describe('Namespace whose records are meant.')
const Records = z.array(z.unknown()).describe('The records as the platform returns them, secrets masked.')

interface MemoryRef {
  readonly connectionId: string
  readonly id: string
  readonly name: string
}

/** Lists the memories of a connection. Fails with `connection.notFound`, or as the platform does. */
export async function listMemories({
  services,
  signal,
}: Pick<CallContext, 'services' | 'signal'>): Promise<MemoryRef[]> {
  const connection = services.connection()
  if (connection === undefined) {
    const message = 'No connection is active. Choose one in the app, or with "companion connection use NAME".'
    throw new AppError('connection.notFound', message)
  }
  const { rows } = await services.platform.every(
    { connectionId: connection.id, operation: 'memory.memories.list' },
    signal,
  )
  return rows.flatMap((row) => {
    const { data } = PlatformRow.safeParse(row)
    const id = data?.id ?? data?.memoryId ?? data?.uuid ?? data?.name
    return id === undefined ? [] : [{ connectionId: connection.id, id, name: data?.name ?? id }]
  })
}

const text = z.string().min(1).optional()
const PlatformRow = z.looseObject({ id: text, memoryId: text, strategyId: text, uuid: text, name: text })

async function findMemory(nameOrId: string | undefined, context: CallContext): Promise<MemoryRef> {
  const memories = await listMemories(context)
  const matchingMemories = memories.filter(
    ({ id, name }) => nameOrId === undefined || id === nameOrId || name === nameOrId,
  )
  const [only] = matchingMemories
  if (only && matchingMemories.length === 1) return only
  const names = memories.map(({ id, name }) => `${name} (${id})`).join(', ') || 'none'
  const message =
    nameOrId === undefined || matchingMemories.length > 1 ? 'Name the memory' : `There is no memory ${nameOrId}`
  throw new AppError('input.invalid', `${message}. There are: ${names}.`, { field: 'memory' })
}

const searchTool = defineTool({
  name: 'memory_search',
  title: 'Search a memory',
  description: 'Finds records of a memory of the agent platform by meaning, best first.',
  input: z.object({
    query: z.string().min(1).max(4000),
    memory: Memory,
    namespace: Namespace,
    limit: z.number().int().min(5).max(200).default(10),
    scoreThreshold: z.number().min(0).max(1).optional(),
  }),
  output: z.object({ memory: z.string(), records: Records }),
  isOpenWorld: true,
  isForeignText: true,
  run: async ({ query, memory, namespace, limit, scoreThreshold }, context) => {
    const { connectionId, id, name } = await findMemory(memory, context)
    const body = { query, limit, ...(scoreThreshold === undefined ? {} : { scoreThreshold }) }
    const call = { connectionId, operation: 'memory.records.search', path: { id }, query: { namespace }, body }
    const { rows } = await context.services.platform.rows(call, context.signal)
    return { memory: name, records: rows.slice(0, maxRecords) }
  },
})

/** The platform returns the first records of a namespace without pages, so request one more page than needed. */
const maxRecords = 1000

const recordsTool = defineTool({
  name: 'memory_records',
  title: 'Records of a memory',
  description: 'Lists records of a memory of the agent platform, page by page.',
  input: z.object({
    memory: Memory,
    namespace: Namespace,
    cursor: z.string().max(100).optional().describe('The "nextCursor" of the page before.'),
    limit: z.number().int().min(1).max(100).default(20),
  }),
  output: z.object({ memory: z.string(), records: Records, nextCursor: z.string().optional() }),
  isOpenWorld: true,
  isForeignText: true,
  run: async ({ memory, namespace, cursor, limit }, context) => {
    const startIndex = readCursor(cursor)
    const end = startIndex + limit
    if (end > maxRecords) throw new AppError('input.invalid', `Only the first ${maxRecords} records can be listed.`)
    const { connectionId, id, name } = await findMemory(memory, context)
    const query = { namespace, limit: Math.min(end + 1, maxRecords) }
    const call = { connectionId, operation: 'memory.records.list', path: { id }, query }
    const { rows } = await context.services.platform.rows(call, context.signal)
    const hasMoreRecords = rows.length > end && end < maxRecords
    return {
      memory: name,
      records: rows.slice(startIndex, end),
      ...(hasMoreRecords ? { nextCursor: encodeCursor(end) } : {}),
    }
  },
})

const rememberTool = defineTool({
  name: 'memory_remember',
  title: 'Remember in a memory',
  description:
    'Adds an event to a session of a memory of the agent platform. With "strategy", records are made of the session as well. Writes, so the user must switch it on for each coding tool.',
  input: z.object({
    text: z.string().min(1).max(100_000),
    actor: Id.describe('ID of the actor, such as the name of the user.'),
    session: Id.describe('ID of the session.'),
    role: z.enum(['user', 'assistant', 'system', 'tool']).default('user'),
    memory: Memory,
    strategy: Id.optional().describe('ID of the long-term memory strategy by which records are made.'),
  }),
  output: z.object({ memory: z.string(), event: z.unknown(), records: z.unknown().optional() }),
  permission: 'memory_remember',
  isOpenWorld: true,
  isForeignText: true,
  run: async ({ text: content, actor: actorId, session: sessionId, role, memory, strategy }, context) => {
    const { platform } = context.services
    const { connectionId, id, name } = await findMemory(memory, context)
    if (strategy !== undefined) await requireStrategy({ connectionId, id, name, strategy }, context)
    const event = await platform.call(
      {
        connectionId,
        operation: 'memory.events.create',
        path: { id, actorId, sessionId },
        body: { role, content },
      },
      context.signal,
    )
    const written = { memory: name, event: event.data ?? null }
    if (strategy === undefined) return written
    const query = { actorId, sessionId, longTermMemoryStrategyId: strategy }
    const call = { connectionId, operation: 'memory.records.generateFromSession', path: { id }, query }
    return { ...written, records: (await platform.call(call, context.signal)).data ?? null }
  },
})

/** Checks that a memory has the strategy. Fails with `input.invalid` before writing. */
async function requireStrategy(
  { connectionId, id, name, strategy }: MemoryRef & { readonly strategy: string },
  { services, signal }: CallContext,
): Promise<void> {
  const call = { connectionId, operation: 'memory.strategies.list', path: { id } }
  const { rows } = await services.platform.rows(call, signal)
  const strategyIds = rows.flatMap((row) => {
    const { data } = PlatformRow.safeParse(row)
    return data?.id ?? data?.strategyId ?? data?.uuid ?? []
  })
  if (strategyIds.includes(strategy)) return
  const message = `The memory ${name} has no strategy ${strategy}. Nothing was written. There are: ${strategyIds.join(', ') || 'none'}.`
  throw new AppError('input.invalid', message, { field: 'strategy' })
}

export const memoryTools = [searchTool, recordsTool, rememberTool]
