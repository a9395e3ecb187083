import { hash } from '../../text-model/hash'
import { type Call, ok, type Reply } from '../operation'
import { findEndpoint, findRuntime } from './kept'

const minuteMs = 60_000
const dayMs = 86_400_000
const points = 60
/** The day's rhythm is that of Việt Nam (UTC+7): most is done at three in the afternoon. */
const busiestMs = 8 * 3_600_000
const memoryRoundMs = 5 * 3_600_000

/** From 0 up to, not including, 1. */
const share = (text: string): number => (hash(text) % 10_000) / 10_000

const wave = (atMs: number, periodMs: number, phase: number): number =>
  Math.sin(2 * Math.PI * (atMs / periodMs + phase))

const percent = (value: number): number => Math.round(Math.min(Math.max(value, 1), 99) * 10) / 10

/** Percent of the processor at a moment: the day's rhythm with a few smaller waves on it. */
function cpuAt(id: string, atMs: number): number {
  const daily = Math.cos((2 * Math.PI * (atMs - busiestMs)) / dayMs)
  const ripple = 4 * wave(atMs, 47 * minuteMs, share(`${id}|47`)) + 3 * wave(atMs, 19 * minuteMs, share(`${id}|19`))
  return percent(28 + 14 * share(`${id}|cpu`) + 16 * daily + ripple)
}

/** Percent of the memory at a moment: it fills for some hours and is freed in a shorter time. */
function memoryAt(id: string, atMs: number): number {
  const round = (atMs / memoryRoundMs + share(`${id}|round`)) % 1
  const filled = round < 0.8 ? round / 0.8 : (1 - round) / 0.2
  return percent(38 + 12 * share(`${id}|memory`) + 22 * filled + 1.2 * wave(atMs, 23 * minuteMs, share(`${id}|23`)))
}

/** Processor and memory in percent, a point for each minute of the last hour in which there was the endpoint, oldest first (ours). */
export function endpointMetrics({ store, params }: Call): Reply {
  const { id, createdAt } = findEndpoint(findRuntime(store, params.id), params.endpointId)
  const thisMinute = Math.floor(store.nowMs() / minuteMs)
  const firstMinute = Math.max(thisMinute - points + 1, Math.floor(Date.parse(createdAt) / minuteMs))
  const minutes = Array.from({ length: thisMinute - firstMinute + 1 }, (_, index) => firstMinute + index)
  const series = (valueAt: (id: string, atMs: number) => number) =>
    minutes.map((minute) => ({ at: new Date(minute * minuteMs).toISOString(), value: valueAt(id, minute * minuteMs) }))
  return ok({ cpu: series(cpuAt), memory: series(memoryAt) })
}
