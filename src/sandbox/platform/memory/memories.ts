import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { type Memory, type MemoryEvent, type Session, type Strategy, StrategyType } from '../../state/world'
import { dayMs } from '../../timing'
import {
  type Call,
  createCollection,
  integerBetween,
  invalidName,
  numberBetween,
  type Reply,
  toCreatedReply,
  withoutFields,
} from '../operation'

/** Identifies a session. Its id is scoped to an actor. */
export interface SessionKey {
  readonly actorId: string
  readonly sessionId: string
}

const isSession =
  ({ actorId, sessionId }: SessionKey) =>
  (session: Session): boolean =>
    session.sessionId === sessionId && session.actorId === actorId

/** Sessions without their expired events (spec, "Limits"). Omits sessions without events. */
export function liveSessions({ sessions, eventExpiryDuration }: Memory, nowMs: number): readonly Session[] {
  const firstEventMs = nowMs - eventExpiryDuration * dayMs
  return sessions.flatMap((session) => {
    const firstLiveIndex = session.events.findIndex(({ createdAt }) => Date.parse(createdAt) >= firstEventMs)
    if (firstLiveIndex < 0) return []
    return firstLiveIndex === 0 ? session : { ...session, events: session.events.slice(firstLiveIndex) }
  })
}

/** A session with its live events, or `undefined`. */
export const findSession = (memory: Memory, key: SessionKey, nowMs: number): Session | undefined =>
  liveSessions(memory, nowMs).find(isSession(key))

/** Changes the contents of a memory and drops its expired events. */
export const changeMemory = (
  memory: Memory,
  change: Partial<Pick<Memory, 'sessions' | 'records'>>,
  nowMs: number,
): Memory => ({
  ...memory,
  sessions: liveSessions(memory, nowMs),
  ...change,
  updatedAt: new Date(nowMs).toISOString(),
})

/** Appends an event and creates the session if needed. Other sessions keep their object identity. */
export function appendEvent(memory: Memory, key: SessionKey, event: MemoryEvent): Memory {
  const nowMs = Date.parse(event.createdAt)
  const sessions = liveSessions(memory, nowMs)
  const index = sessions.findIndex(isSession(key))
  const session: Session = { ...key, events: [...(sessions[index]?.events ?? []), event] }
  return changeMemory(memory, { sessions: index < 0 ? [...sessions, session] : sessions.with(index, session) }, nowMs)
}

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

const enumValue = <Values extends Readonly<Record<string, string>>>({ enum: values }: z.ZodEnum<Values>) =>
  z.enum(values, { error: `must be one of ${Object.values(values).join(', ')}` })

const object = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z.looseObject(shape, { error: 'must be a JSON object' })

const StrategyBody = object({
  name: buildTextSchema(100),
  type: enumValue(StrategyType),
  namespace: buildTextSchema(500).optional(),
})
type StrategyBody = z.infer<typeof StrategyBody>

const actorNamespace = '/strategies/{strategyId}/actors/{actorId}'

/** Default namespace per strategy type (not in the spec). */
const defaultNamespaces: Readonly<Record<StrategyType, string>> = {
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
export const EventBody = object({
  role: enumValue(Role).default('user'),
  content: buildTextSchema(100_000),
})

/** Search request. `limit` and `scoreThreshold` are in the spec ("Limits"), `query` and the defaults are not. */
export const SearchBody = object({
  query: buildTextSchema(2_000),
  limit: integerBetween(5, 200).default(10),
  scoreThreshold: numberBetween(0, 1).default(0),
})

const namePattern = /^[a-zA-Z0-9._-]*$/
const maxNameLength = 50

const serverOwnedFields = [
  ...['id', 'status', 'readyAt', 'createdAt', 'updatedAt', 'strategies', 'sessions', 'records'],
  ...['actorCount', 'sessionCount', 'eventCount', 'recordCount'],
  ...Object.keys(MemoryBody.shape),
]

export const memories = createCollection<'id', Memory>({
  key: 'id',
  noun: 'memory',
  rows: ({ memory }) => memory.memories,
  withRows: (world, memories) => ({ ...world, memory: { memories } }),
  // The spec has no status and counts.
  view(memory, { store }) {
    const { id, name, description, eventExpiryDuration, readyAt, createdAt, updatedAt, ...rest } = memory
    const { strategies, sessions, records, ...extras } = rest
    const nowMs = store.nowMs()
    const usedSessions = liveSessions(memory, nowMs)
    return {
      id,
      name,
      description,
      eventExpiryDuration,
      status: Date.parse(readyAt) <= nowMs ? 'ACTIVE' : 'CREATING',
      actorCount: new Set(usedSessions.map(({ actorId }) => actorId)).size,
      sessionCount: usedSessions.length,
      eventCount: usedSessions.reduce((sum, { events }) => sum + events.length, 0),
      recordCount: records.length,
      createdAt,
      updatedAt,
      ...extras,
    }
  },
})

/** Creates a memory. Usable immediately, `ACTIVE` after a delay (not in the spec). */
export async function createMemory(call: Call): Promise<Reply> {
  const body = await call.body(MemoryBody)
  const { store, timing } = call
  if (body.name.length > maxNameLength || !namePattern.test(body.name))
    throw invalidName(
      `name: must have at most ${maxNameLength} characters, each a letter (a-z, A-Z), a digit, ".", "_" or "-".`,
    )
  const nowMs = store.nowMs()
  const createdAt = new Date(nowMs).toISOString()
  const memory: Memory = {
    id: `memory-${randomUUID()}`,
    name: body.name,
    ...(body.description === undefined ? {} : { description: body.description }),
    eventExpiryDuration: body.eventExpiryDuration,
    readyAt: new Date(nowMs + timing().asyncMs).toISOString(),
    strategies: body.longTermMemoryStrategies.map(
      ({ name, type, namespace = defaultNamespaces[type], ...rest }): Strategy => ({
        id: `strategy-${randomUUID()}`,
        name,
        type,
        namespace,
        ...withoutFields(rest, ['id']),
      }),
    ),
    sessions: [],
    records: [],
    createdAt,
    updatedAt: createdAt,
    ...withoutFields(body, serverOwnedFields),
  }
  memories.add(store, memory)
  return toCreatedReply(memories.view(memory, call))
}
