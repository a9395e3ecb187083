import { randomUUID } from 'node:crypto'
import type { Memory, MemoryEvent, MemoryRecord, Strategy, StrategyType } from '../../state/memory-state'
import { type Call, created, ok, type Reply } from '../operation'
import { required } from '../query'
import { notFound } from '../refusals'
import { appendRecords, findSession, type SessionKey, withMemory } from './contents'
import { factsIn } from './facts'
import { memoryOf } from './memories'
import { fillNamespace } from './namespace'
import { preferencesIn } from './preferences'
import { summaryOf } from './summary'

interface Source {
  readonly strategy: Strategy
  readonly key: SessionKey
}

type Maker = (events: readonly MemoryEvent[]) => readonly string[]

const fromUser =
  (read: (content: string) => readonly string[]): Maker =>
  (events) =>
    events.filter(({ role }) => role === 'user').flatMap(({ content }) => read(content))

/** Ours: what each type of strategy makes of a session's events. */
const makers: Readonly<Record<StrategyType, Maker>> = {
  SEMANTIC: fromUser(factsIn),
  SUMMARY: (events) => [summaryOf(events)],
  USER_PREFERENCE: fromUser(preferencesIn),
}

/** What the strategy makes of the events and has not made of this session before. */
function newContents(memory: Memory, { strategy, key }: Source, events: readonly MemoryEvent[]): readonly string[] {
  const known = memory.records
    .filter(({ longTermMemoryStrategyId }) => longTermMemoryStrategyId === strategy.id)
    .filter(({ actorId, sessionId }) => actorId === key.actorId && sessionId === key.sessionId)
    .map(({ content }) => content)
  const knownContents = new Set(known)
  return [...new Set(makers[strategy.type](events))].filter((content) => !knownContents.has(content))
}

const recordOf = ({ strategy, key }: Source, content: string, createdAt: string): MemoryRecord => ({
  id: `record-${randomUUID()}`,
  namespace: fillNamespace(strategy, key),
  content,
  longTermMemoryStrategyId: strategy.id,
  ...key,
  createdAt,
})

function sourceOf({ query }: Call, { strategies }: Memory): Source {
  const key = { actorId: required(query, 'actorId'), sessionId: required(query, 'sessionId') }
  const strategyId = required(query, 'longTermMemoryStrategyId')
  const strategy = strategies.find(({ id }) => id === strategyId)
  if (strategy) return { strategy, key }
  throw notFound(
    `The memory has no strategy "${strategyId.slice(0, 80)}". List its long-term memory strategies to see their ids.`,
  )
}

/** Makes records of a session; answers those that are new: 201, or 200 and an empty list when there are none (ours). */
export function generateRecords(call: Call): Reply {
  const { store } = call
  const memory = memoryOf(call)
  const source = sourceOf(call, memory)
  const nowMs = store.nowMs()
  const session = findSession(memory, source.key, nowMs)
  if (session === undefined) {
    const { actorId, sessionId } = source.key
    throw notFound(
      `The actor "${actorId.slice(0, 80)}" has no session "${sessionId.slice(0, 80)}" with events in this memory.`,
    )
  }
  const at = new Date(nowMs).toISOString()
  const records = newContents(memory, source, session.events).map((content) => recordOf(source, content, at))
  if (records.length === 0) return ok([])
  store.replace(withMemory(store.world(), appendRecords(memory, records, nowMs)))
  return created(records)
}
