import { dayMs, hourMs } from '../timing'
import type { UsageBook, UsageTally } from './world'

/** Plan, key, model and time of recorded usage. `modelCode` is empty if a request failed before its model was known. */
export interface UsageEntry {
  readonly atMs: number
  readonly planId: string
  readonly keyId: string
  readonly modelCode: string
}

/** Token and request counts to add. Omitted counts are 0. */
export interface UsageAmounts {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheTokens?: number
  readonly requests?: number
  readonly errors?: number
}

const zero: UsageTally = [0, 0, 0, 0, 0]

export function toBucket({ atMs, planId, keyId, modelCode }: UsageEntry): {
  readonly day: string
  readonly bucket: string
} {
  const bookedAt = new Date(atMs).toISOString()
  return { day: bookedAt.slice(0, 10), bucket: `${Number(bookedAt.slice(11, 13))}|${planId}|${keyId}|${modelCode}` }
}

/** Converts a key of the usage book back to an entry. Its time is exact to the hour. */
function toEntry(dayAtMs: number, bucket: string): UsageEntry {
  const [hour, planId = '', keyId = '', modelCode = ''] = bucket.split('|')
  return { atMs: dayAtMs + Number(hour) * hourMs, planId, keyId, modelCode }
}

/** Adds amounts to the usage book. Usage survives plan deletion (spec: "usage history retained for audit"). */
export function addUsage(book: UsageBook, entry: UsageEntry, amounts: UsageAmounts): UsageBook {
  const { day, bucket } = toBucket(entry)
  const [input, output, cache, requests, errors] = book[day]?.[bucket] ?? zero
  const { inputTokens = 0, outputTokens = 0, cacheTokens = 0 } = amounts
  const sum: UsageTally = [
    input + inputTokens,
    output + outputTokens,
    cache + cacheTokens,
    requests + (amounts.requests ?? 0),
    errors + (amounts.errors ?? 0),
  ]
  return { ...book, [day]: { ...book[day], [bucket]: sum } }
}

/** Length of the intervals of a series, in ms. */
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
export interface UsageSums {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheTokens: number
  readonly requests: number
  readonly errors: number
}

interface UsageReport {
  readonly totals: UsageSums
  /** Sums per interval, without gaps. `start` is ISO 8601 UTC. */
  readonly series: readonly (UsageSums & { readonly start: string })[]
  readonly byModel: ReadonlyMap<string, UsageSums>
}

interface BookedUsage {
  readonly atMs: number
  readonly modelCode: string
  readonly tally: UsageTally
}

type Sum = [number, number, number, number, number]

const noUsage = (): Sum => [0, 0, 0, 0, 0]

/** Mutates `sum`: a busy month has tens of thousands of entries. */
function addTo(sum: Sum, tally: UsageTally): Sum {
  sum[0] += tally[0]
  sum[1] += tally[1]
  sum[2] += tally[2]
  sum[3] += tally[3]
  sum[4] += tally[4]
  return sum
}

function getSum<Place>(sums: Map<Place, Sum>, place: Place): Sum {
  const bucketUsage = sums.get(place) ?? noUsage()
  sums.set(place, bucketUsage)
  return bucketUsage
}

const floorTo = (ms: number, lengthMs: number): number => Math.floor(ms / lengthMs) * lengthMs

function toSums([inputTokens, outputTokens, cacheTokens, requests, errors]: UsageTally): UsageSums {
  return { inputTokens, outputTokens, cacheTokens, requests, errors }
}

function* iterateBooked(
  book: UsageBook,
  { planId, fromMs, toMs, modelCode, keyId }: UsageQuery,
): Iterable<BookedUsage> {
  const firstMs = floorTo(fromMs, hourMs)
  for (let dayAtMs = floorTo(fromMs, dayMs); dayAtMs < toMs; dayAtMs += dayMs) {
    const day = book[new Date(dayAtMs).toISOString().slice(0, 10)] ?? {}
    for (const [bucket, tally] of Object.entries(day)) {
      const entry = toEntry(dayAtMs, bucket)
      const isAsked =
        entry.planId === planId &&
        (keyId === undefined || entry.keyId === keyId) &&
        (modelCode === undefined || entry.modelCode === modelCode) &&
        entry.atMs >= firstMs &&
        entry.atMs < toMs
      if (isAsked) yield { atMs: entry.atMs, modelCode: entry.modelCode, tally }
    }
  }
}

function emptySeries({ fromMs, toMs, interval }: UsageQuery): Map<number, Sum> {
  const lengthMs = intervalMs[interval]
  const series = new Map<number, Sum>()
  for (let startMs = floorTo(fromMs, lengthMs); startMs < toMs; startMs += lengthMs) series.set(startMs, noUsage())
  return series
}

/** Usage of a plan, including deleted ones: totals, a series without gaps, and sums per model. */
export function reportUsage(book: UsageBook, query: UsageQuery): UsageReport {
  const series = emptySeries(query)
  const byModel = new Map<string, Sum>()
  for (const { atMs, modelCode, tally } of iterateBooked(book, query)) {
    const startMs = floorTo(atMs, intervalMs[query.interval])
    addTo(getSum(series, startMs), tally)
    addTo(getSum(byModel, modelCode), tally)
  }
  return {
    totals: toSums([...series.values()].reduce(addTo, noUsage())),
    series: [...series].map(([startMs, tally]) => ({ start: new Date(startMs).toISOString(), ...toSums(tally) })),
    byModel: new Map([...byModel].map(([modelCode, tally]) => [modelCode, toSums(tally)])),
  }
}
