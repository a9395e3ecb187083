import type { UsageCounts, UsageSeries, UsageStep } from '@shared/contract'
import { nextStep, type Span, stepStart } from './usage-query'

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
export function startsOf(step: UsageStep, { from, to }: Span): readonly Date[] {
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

/** A part of a chart: one stack of each bar. */
interface Part {
  readonly id: 'requests' | 'input' | 'output' | 'cache' | 'errors'
  /** A colour by its meaning. */
  readonly colour: string
  readonly of: (counts: UsageCounts) => number
}

/** A chart over time: its parts from the bottom up, and what they make together. */
export interface Measure {
  readonly id: 'tokens' | 'requests' | 'errors'
  readonly parts: readonly Part[]
  readonly total: (counts: UsageCounts) => number
}

const requests = (counts: UsageCounts): number => counts.requests
const errors = (counts: UsageCounts): number => counts.errors

/** The charts over time, in their order. */
export const measures: Readonly<Record<Measure['id'], Measure>> = {
  tokens: {
    id: 'tokens',
    total: tokensOf,
    parts: [
      { id: 'input', colour: 'var(--chart-input)', of: ({ inputTokens }) => inputTokens },
      { id: 'output', colour: 'var(--chart-output)', of: ({ outputTokens }) => outputTokens },
      { id: 'cache', colour: 'var(--chart-cache)', of: ({ cacheTokens }) => cacheTokens },
    ],
  },
  requests: {
    id: 'requests',
    total: requests,
    parts: [{ id: 'requests', colour: 'var(--chart-requests)', of: requests }],
  },
  errors: { id: 'errors', total: errors, parts: [{ id: 'errors', colour: 'var(--chart-errors)', of: errors }] },
}
