import type { Forecast, Gauge, PlanQuota, UsageSeries } from '@shared/contract'

export type BurnKind = 'tokens' | 'requests'

/** A point of the chart: remaining quota in the past, or forecast with its range in the future. */
export interface BurnPoint {
  readonly at: number
  /** Usage since the previous point. */
  readonly used?: number
  readonly left?: number
  readonly likely?: number
  readonly range?: readonly [low: number, high: number]
}

/** Times in ms on the server's clock. */
export interface BurnDown {
  readonly quota: number
  readonly from: number
  readonly to: number
  readonly nowMs: number
  readonly points: readonly BurnPoint[]
  /** Expected time at which the quota is used up. */
  readonly runsOutAt: number | undefined
}

type NoBurnDown = 'noCycle' | 'noQuota'

interface BurnInput {
  readonly plan: Pick<PlanQuota, 'cycle' | 'at' | 'aheadMs'>
  readonly gauge: Gauge
  readonly kind: BurnKind
  readonly series: Pick<UsageSeries, 'buckets'>
}

const getAmount = (kind: BurnKind, bucket: UsageSeries['buckets'][number]): number =>
  kind === 'tokens' ? bucket.inputTokens + bucket.outputTokens + bucket.cacheTokens : bucket.requests

/** Remaining quota at an even pace. */
export const getEvenRemaining = ({ quota, from, to }: BurnDown, timeMs: number): number =>
  quota * (1 - Math.min(1, Math.max(0, (timeMs - from) / (to - from))))

/** Computes the chart from daily usage and forecast. If cycle or quota is unknown, returns that reason. */
export function computeBurnDown({ plan, gauge, kind, series }: BurnInput): BurnDown | NoBurnDown {
  const { quota, used, forecast } = gauge
  if (!plan.cycle) return 'noCycle'
  if (quota === undefined || quota === 0) return 'noQuota'
  const [from, to] = [Date.parse(plan.cycle.from), Date.parse(plan.cycle.to)]
  const nowMs = Math.min(to, Math.max(from, Date.parse(plan.at) + (plan.aheadMs ?? 0)))
  const remainingAmount = Math.max(0, quota - used)
  const pastUsageLine = pastPoints({ series, kind, from, nowMs, quota, left: remainingAmount })
  const forecastLine = nowMs < to ? forecastPoints({ forecast, quota, left: remainingAmount, nowMs, to }) : []
  const [lastPoint, ...earlierPoints] = pastUsageLine.toReversed()
  const [firstPoint, ...laterPoints] = forecastLine
  // Add the current point to the past and to the forecast, so that their lines meet.
  const points = [
    ...earlierPoints.toReversed(),
    ...(lastPoint ? [{ ...firstPoint, ...lastPoint }] : []),
    ...laterPoints,
  ]
  return {
    quota,
    from,
    to,
    nowMs,
    points,
    runsOutAt: forecast.kind === 'runsOut' ? Date.parse(forecast.at) : undefined,
  }
}

interface ActualUsage {
  readonly series: BurnInput['series']
  readonly kind: BurnKind
  readonly from: number
  readonly nowMs: number
  readonly quota: number
  readonly left: number
}

/**
 * Remaining quota at each step in the past. If the sum of the steps differs from the current usage, the current usage
 * is correct.
 */
function pastPoints({ series, kind, from, nowMs, quota, left }: ActualUsage): readonly BurnPoint[] {
  const steps = series.buckets
    .map((bucket) => ({ start: Math.max(from, Date.parse(bucket.start)), amount: getAmount(kind, bucket) }))
    .filter(({ start }) => start < nowMs)
  const total = steps.reduce((sum, { amount }) => sum + amount, 0)
  // Treat usage that no known step contains as used at the start of the cycle.
  let usedAmount = Math.max(0, quota - left - total)
  const points: BurnPoint[] = [{ at: from, left: quota }]
  for (const [index, { amount }] of steps.entries()) {
    usedAmount += amount
    const end = steps[index + 1]?.start ?? nowMs
    points.push({ at: end, used: amount, left: end === nowMs ? left : Math.max(0, quota - usedAmount) })
  }
  return points.at(-1)?.at === nowMs ? points : [...points, { at: nowMs, left }]
}

interface ForecastLineInput {
  readonly forecast: Forecast
  readonly quota: number
  readonly left: number
  readonly nowMs: number
  readonly to: number
}

/** Points of the forecast lines. The lines are straight between two points. */
function forecastPoints({ forecast, quota, left, nowMs, to }: ForecastLineInput): readonly BurnPoint[] {
  if (forecast.kind === 'lasts') {
    const getRemaining = (share: number): number => Math.max(0, quota * (1 - share))
    const { used, low, high } = forecast
    return [
      { at: nowMs, likely: left, range: [left, left] },
      {
        at: to,
        likely: getRemaining(used),
        range: [getRemaining(Math.max(low, high)), getRemaining(Math.min(low, high))],
      },
    ]
  }
  if (forecast.kind !== 'runsOut') return []
  const [likelyMs, earliestMs] = [Date.parse(forecast.at), Date.parse(forecast.earliest)]
  const latestMs = forecast.latest === undefined ? to : Date.parse(forecast.latest)
  const computeRemaining = (zeroAt: number, moment: number): number =>
    zeroAt <= nowMs ? 0 : left * Math.max(0, 1 - (moment - nowMs) / (zeroAt - nowMs))
  const forecastTimes = [...new Set([nowMs, earliestMs, likelyMs, latestMs, to])].filter(
    (moment) => moment >= nowMs && moment <= to,
  )
  return forecastTimes
    .sort((a, b) => a - b)
    .map((moment) => ({
      at: moment,
      likely: computeRemaining(likelyMs, moment),
      range: [computeRemaining(earliestMs, moment), computeRemaining(Math.max(likelyMs, latestMs), moment)],
    }))
}
