import type { Tally, UsageBook } from './world'

/** To whom and when something is booked. A request that failed before its model was known has an empty `modelCode`. */
export interface UsageEntry {
  readonly atMs: number
  readonly planId: string
  readonly keyId: string
  readonly modelCode: string
}

/** Parts of a tally that are added; what is left out is 0. */
export interface UsageAmounts {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheTokens?: number
  readonly requests?: number
  readonly errors?: number
}

const zero: Tally = [0, 0, 0, 0, 0]

/** The book's day and the key within it of an entry. */
export function bucketOf({ atMs, planId, keyId, modelCode }: UsageEntry): {
  readonly day: string
  readonly bucket: string
} {
  const at = new Date(atMs).toISOString()
  return { day: at.slice(0, 10), bucket: `${Number(at.slice(11, 13))}|${planId}|${keyId}|${modelCode}` }
}

const hourMs = 3_600_000

/** What a bucket of a day stands for: `bucketOf` backwards, to the hour. */
export function entryOf(dayAtMs: number, bucket: string): UsageEntry {
  const [hour, planId = '', keyId = '', modelCode = ''] = bucket.split('|')
  return { atMs: dayAtMs + Number(hour) * hourMs, planId, keyId, modelCode }
}

/** Adds to a book; usage is never taken back, also not when a plan is deleted ("usage history retained for audit"). */
export function addUsage(book: UsageBook, entry: UsageEntry, amounts: UsageAmounts): UsageBook {
  const { day, bucket } = bucketOf(entry)
  const [input, output, cache, requests, errors] = book[day]?.[bucket] ?? zero
  const { inputTokens = 0, outputTokens = 0, cacheTokens = 0 } = amounts
  const sum: Tally = [
    input + inputTokens,
    output + outputTokens,
    cache + cacheTokens,
    requests + (amounts.requests ?? 0),
    errors + (amounts.errors ?? 0),
  ]
  return { ...book, [day]: { ...book[day], [bucket]: sum } }
}
