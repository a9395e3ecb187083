import type { UsageCounts, UsageSeries, UsageStep } from '@shared/contract'
import { getStepStart, nextStep, type Span } from './usage-query'

/** Width of the right margin of a chart in px. */
export const rightMarginPx = 10

/** Four or five round axis values from 0 to just above the highest value. */
export function valueTicks(highest: number): readonly number[] {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, highest / 4)))
  const step =
    [1, 2, 2.5, 5, 10]
      .map((candidate) => candidate * size)
      .find((candidate) => candidate % 1 === 0 && candidate * 4 >= highest) ?? size
  return Array.from({ length: Math.max(1, Math.ceil(highest / step)) + 1 }, (_, index) => index * step)
}

/** A time step of a chart. It has no counts if its state is `unknown` or `future`. */
export interface Point {
  readonly start: Date
  readonly end: Date
  readonly state: 'known' | 'unknown' | 'future'
  readonly counts?: UsageCounts
  /** Usage in the same step of the previous period. */
  readonly previous?: UsageCounts
}

/** Tokens consumed = input + output + cache (spec, "What the service does"). */
export const sumTokens = ({ inputTokens, outputTokens, cacheTokens }: UsageCounts): number =>
  inputTokens + outputTokens + cacheTokens

type Bucket = UsageSeries['buckets'][number]

const mapByStart = (step: UsageStep, buckets: readonly Bucket[]): ReadonlyMap<number, UsageCounts> =>
  new Map(buckets.map(({ start, ...counts }) => [getStepStart(step, new Date(start)).getTime(), counts]))

export function listStarts(step: UsageStep, { from, to }: Span): readonly Date[] {
  const starts: Date[] = []
  for (let start = getStepStart(step, from); start < to; start = nextStep(step, start)) starts.push(start)
  return starts
}

/** Points of a chart: one per step of the period, with the usage in the same step of the previous period. */
export function buildPoints(series: UsageSeries, span: Span): readonly Point[] {
  const { step, previous } = series
  const seriesTime = new Date(series.at)
  const counts = mapByStart(step, series.buckets)
  const previousStarts = previous ? listStarts(step, { from: new Date(previous.from), to: new Date(previous.to) }) : []
  const countsBefore = mapByStart(step, previous?.buckets ?? [])
  return listStarts(step, span).map((start, index): Point => {
    const existingCounts = counts.get(start.getTime())
    const previousCounts = countsBefore.get(previousStarts[index]?.getTime() ?? Number.NaN)
    // A step with counts is not in the future, even if the server clock is ahead of this computer's.
    const isFuture = start > seriesTime && !existingCounts
    return {
      start,
      end: nextStep(step, start),
      state: isFuture ? 'future' : existingCounts ? 'known' : 'unknown',
      ...(existingCounts && { counts: existingCounts }),
      ...(previousCounts && { previous: previousCounts }),
    }
  })
}

/** Sum of values, of which unknown ones count as 0. */
export const sumValues = (values: Iterable<number | undefined>): number =>
  [...values].reduce<number>((sum, value) => sum + (value ?? 0), 0)

/** Number of time steps at the start of the chart for which usage is unknown. */
export function countLeadingUnknown(points: readonly Pick<Point, 'state'>[]): number {
  const firstKnownIndex = points.findIndex(({ state }) => state !== 'unknown')
  return firstKnownIndex < 0 ? points.length : firstKnownIndex
}

/** A segment of each stacked bar. */
interface CountSeries {
  readonly id: 'requests' | 'input' | 'output' | 'cache' | 'errors'
  /** Semantic CSS color. */
  readonly colour: string
  readonly of: (counts: UsageCounts) => number
}

/** A quantity that a chart can show over time. `parts`: segments of the bars, from bottom to top. */
export interface UsageMeasure {
  readonly id: 'tokens' | 'requests' | 'errors'
  readonly parts: readonly CountSeries[]
  readonly total: (counts: UsageCounts) => number
}

const requests = (counts: UsageCounts): number => counts.requests
const errors = (counts: UsageCounts): number => counts.errors

/** Quantities that charts can show, in display order. */
export const usageMeasures: Readonly<Record<UsageMeasure['id'], UsageMeasure>> = {
  tokens: {
    id: 'tokens',
    total: sumTokens,
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
