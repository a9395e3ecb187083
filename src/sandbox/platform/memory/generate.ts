import { randomUUID } from 'node:crypto'
import type { Memory, MemoryEvent, MemoryRecord, Strategy, StrategyType } from '../../state/world'
import { type Call, notFound, okReply, type Reply, requireParameter, toCreatedReply } from '../operation'
import { appendRecords, findSession, requireMemory, type SessionKey, withMemory } from './memories'

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

interface Source {
  readonly strategy: Strategy
  readonly key: SessionKey
}

/** Extracted texts that this strategy has not yet stored for this session. */
function newContents(memory: Memory, { strategy, key }: Source, events: readonly MemoryEvent[]): readonly string[] {
  const storedContents = memory.records
    .filter(({ longTermMemoryStrategyId }) => longTermMemoryStrategyId === strategy.id)
    .filter(({ actorId, sessionId }) => actorId === key.actorId && sessionId === key.sessionId)
    .map(({ content }) => content)
  const storedContentSet = new Set(storedContents)
  return [...new Set(recordMakers[strategy.type](events))].filter((content) => !storedContentSet.has(content))
}

const toRecord = ({ strategy, key }: Source, content: string, createdAt: string): MemoryRecord => ({
  id: `record-${randomUUID()}`,
  namespace: fillNamespace(strategy, key),
  content,
  longTermMemoryStrategyId: strategy.id,
  ...key,
  createdAt,
})

function readSource({ query }: Call, { strategies }: Memory): Source {
  const key = { actorId: requireParameter(query, 'actorId'), sessionId: requireParameter(query, 'sessionId') }
  const strategyId = requireParameter(query, 'longTermMemoryStrategyId')
  const strategy = strategies.find(({ id }) => id === strategyId)
  if (strategy) return { strategy, key }
  throw notFound(
    `The memory has no strategy "${strategyId.slice(0, 80)}". List its long-term memory strategies to see their ids.`,
  )
}

/** Extracts records of a session and returns the new ones: 201, or 200 with an empty list (not in the spec). */
export function generateRecords(call: Call): Reply {
  const { store } = call
  const memory = requireMemory(call)
  const source = readSource(call, memory)
  const nowMs = store.nowMs()
  const session = findSession(memory, source.key, nowMs)
  if (session === undefined) {
    const { actorId, sessionId } = source.key
    throw notFound(
      `The actor "${actorId.slice(0, 80)}" has no session "${sessionId.slice(0, 80)}" with events in this memory.`,
    )
  }
  const createdAt = new Date(nowMs).toISOString()
  const records = newContents(memory, source, session.events).map((content) => toRecord(source, content, createdAt))
  if (records.length === 0) return okReply([])
  store.replace(withMemory(store.world(), appendRecords(memory, records, nowMs)))
  return toCreatedReply(records)
}

/** Fills a namespace template. Keeps unknown placeholders. */
function fillNamespace({ id, namespace }: Strategy, { actorId, sessionId }: SessionKey): string {
  const values: Readonly<Record<string, string>> = { strategyId: id, actorId, sessionId }
  return namespace.replace(/\{(strategyId|actorId|sessionId)\}/g, (placeholder, name) => values[name] ?? placeholder)
}
