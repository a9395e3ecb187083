import { dayMs, hourMs } from '../timing'
import type { UsageByDay, UsageCountsTuple } from './world'

/** Plan, key, model and time of recorded usage. `modelCode` is empty if a request failed before its model was known. */
export interface UsageEntry {
  readonly atMs: number
  readonly planId: string
  readonly keyId: string
  readonly modelCode: string
}

/** Token and request counts to add. Omitted counts are 0. */
export type UsageAmounts = Partial<UsageTotals>

export function toBucket({ atMs, planId, keyId, modelCode }: UsageEntry) {
  const bookedAt = new Date(atMs).toISOString()
  return { day: bookedAt.slice(0, 10), bucket: `${Number(bookedAt.slice(11, 13))}|${planId}|${keyId}|${modelCode}` }
}

/** Adds amounts to the usage book. Usage survives plan deletion (spec: "usage history retained for audit"). */
export function addUsage(book: UsageByDay, entry: UsageEntry, amounts: UsageAmounts): UsageByDay {
  const { day, bucket } = toBucket(entry)
  const [input, output, cache, requests, errors] = book[day]?.[bucket] ?? [0, 0, 0, 0, 0]
  const sum: UsageCountsTuple = [
    input + (amounts.inputTokens ?? 0),
    output + (amounts.outputTokens ?? 0),
    cache + (amounts.cacheTokens ?? 0),
    requests + (amounts.requests ?? 0),
    errors + (amounts.errors ?? 0),
  ]
  return { ...book, [day]: { ...book[day], [bucket]: sum } }
}

const intervalMs = { hour: hourMs, day: dayMs } as const
export type Interval = keyof typeof intervalMs

/** `fromMs` is rounded down to its hour. `toMs` is exclusive. */
export interface UsageQuery {
  readonly planId: string
  readonly fromMs: number
  readonly toMs: number
  readonly interval: Interval
  readonly modelCode?: string | undefined
  readonly keyId?: string | undefined
}

/** Sums of tokens by kind, of served requests and of failed requests. */
export interface UsageTotals {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheTokens: number
  readonly requests: number
  readonly errors: number
}

type UsageSum = { -readonly [Count in keyof UsageTotals]: number }

const createSum = (): UsageSum => ({ inputTokens: 0, outputTokens: 0, cacheTokens: 0, requests: 0, errors: 0 })

/** Mutates `sum`: a busy month has tens of thousands of entries. */
function addTally(sum: UsageSum, [input, output, cache, requests, errors]: UsageCountsTuple): void {
  sum.inputTokens += input
  sum.outputTokens += output
  sum.cacheTokens += cache
  sum.requests += requests
  sum.errors += errors
}

const floorToMultiple = (ms: number, lengthMs: number): number => Math.floor(ms / lengthMs) * lengthMs

function* iterateBookings(book: UsageByDay, { planId, fromMs, toMs, modelCode, keyId }: UsageQuery) {
  const firstMs = floorToMultiple(fromMs, hourMs)
  for (let dayAtMs = floorToMultiple(fromMs, dayMs); dayAtMs < toMs; dayAtMs += dayMs) {
    const day = book[new Date(dayAtMs).toISOString().slice(0, 10)] ?? {}
    for (const [bucket, tally] of Object.entries(day)) {
      const [hour, bookedPlanId, bookedKeyId, bookedModel = ''] = bucket.split('|')
      const atMs = dayAtMs + Number(hour) * hourMs
      const matchesFilter =
        bookedPlanId === planId &&
        (keyId === undefined || bookedKeyId === keyId) &&
        (modelCode === undefined || bookedModel === modelCode) &&
        atMs >= firstMs &&
        atMs < toMs
      if (matchesFilter) yield { atMs, modelCode: bookedModel, tally }
    }
  }
}

/** Usage of a plan, including deleted ones: totals, a series without gaps (ISO 8601 UTC), and sums per model. */
export function reportUsage(book: UsageByDay, query: UsageQuery) {
  const lengthMs = intervalMs[query.interval]
  const series = new Map<number, UsageSum>()
  for (let startMs = floorToMultiple(query.fromMs, lengthMs); startMs < query.toMs; startMs += lengthMs)
    series.set(startMs, createSum())
  const byModel = new Map<string, UsageSum>()
  const totals = createSum()
  for (const { atMs, modelCode, tally } of iterateBookings(book, query)) {
    const modelSum = byModel.get(modelCode) ?? createSum()
    byModel.set(modelCode, modelSum)
    for (const sum of [series.get(floorToMultiple(atMs, lengthMs)), modelSum, totals]) if (sum) addTally(sum, tally)
  }
  const points = [...series].map(([startMs, sum]) => ({ start: new Date(startMs).toISOString(), ...sum }))
  return { totals, series: points, byModel }
}
