import type { UsageCounts, UsageSeries, UsageStep } from '@shared/contract'
import { nextStep, type Span, stepStart } from './spans'

/** One step of the time axis. No counts: nobody knows of it (`unknown`), or it is still to come (`future`). */
export interface Point {
  readonly start: Date
  readonly end: Date
  readonly state: 'known' | 'unknown' | 'future'
  readonly counts?: UsageCounts
  /** The step at the same place of the span before. */
  readonly previous?: UsageCounts
}

/** Tokens consumed = input + output + cache (spec, "What the service does"). */
export const tokensOf = ({ inputTokens, outputTokens, cacheTokens }: UsageCounts): number =>
  inputTokens + outputTokens + cacheTokens

type Bucket = UsageSeries['buckets'][number]

const byStart = (step: UsageStep, buckets: readonly Bucket[]): ReadonlyMap<number, UsageCounts> =>
  new Map(buckets.map(({ start, ...counts }) => [stepStart(step, new Date(start)).getTime(), counts]))

/** The starts of the steps of a span. */
function startsOf(step: UsageStep, { from, to }: Span): readonly Date[] {
  const starts: Date[] = []
  for (let at = stepStart(step, from); at < to; at = nextStep(step, at)) starts.push(at)
  return starts
}

/** The whole time axis of a span: what is known, what is not, and what is to come, each with its counterpart before. */
export function pointsOf(series: UsageSeries, span: Span): readonly Point[] {
  const { step, previous } = series
  const now = new Date(series.at)
  const counts = byStart(step, series.buckets)
  const before = previous
    ? startsOf(step, { from: new Date(previous.from), to: new Date(previous.to) }).map((at) => at.getTime())
    : []
  const countsBefore = byStart(step, previous?.buckets ?? [])
  return startsOf(step, span).map((start, index): Point => {
    const known = counts.get(start.getTime())
    const earlier = countsBefore.get(before[index] ?? Number.NaN)
    const isFuture = start > now
    return {
      start,
      end: nextStep(step, start),
      state: isFuture ? 'future' : known ? 'known' : 'unknown',
      ...(known && !isFuture && { counts: known }),
      ...(earlier && { previous: earlier }),
    }
  })
}
