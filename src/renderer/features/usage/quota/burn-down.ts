import type { Forecast, Gauge, PlanQuota, UsageSeries } from '@shared/contract'
import { sumTokens } from '../usage-query'

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

interface BurnInput {
  readonly plan: Pick<PlanQuota, 'cycle' | 'at' | 'aheadMs'>
  readonly gauge: Gauge
  readonly kind: BurnKind
  readonly series: Pick<UsageSeries, 'buckets'>
}

/** Remaining quota at an even pace. */
export const getEvenRemaining = ({ quota, from, to }: BurnDown, timeMs: number): number =>
  quota * (1 - Math.min(1, Math.max(0, (timeMs - from) / (to - from))))

/** Computes the chart from daily usage and forecast. Undefined without a cycle or a quota. */
export function computeBurnDown(input: BurnInput): BurnDown | undefined {
  const { plan } = input
  const { quota, used, forecast } = input.gauge
  if (!plan.cycle || !quota) return undefined
  const [from, to] = [Date.parse(plan.cycle.from), Date.parse(plan.cycle.to)]
  const nowMs = Math.min(to, Math.max(from, Date.parse(plan.at) + (plan.aheadMs ?? 0)))
  const cycle = { quota, from, to, nowMs }
  const state = { ...cycle, left: Math.max(0, quota - used) }
  const pastLine = pastPoints(input, state)
  const [firstPoint, ...laterPoints] = nowMs < to ? forecastPoints(forecast, state) : []
  // The current point belongs to the past and to the forecast, so that their lines meet.
  const points = [...pastLine.slice(0, -1), ...pastLine.slice(-1).map((point) => ({ ...firstPoint, ...point }))]
  const runsOutAt = forecast.kind === 'runsOut' ? Date.parse(forecast.at) : undefined
  return { ...cycle, points: [...points, ...laterPoints], runsOutAt }
}

/** Remaining quota `left` at `nowMs`, and the cycle. */
interface CurrentState extends Pick<BurnDown, 'quota' | 'from' | 'to' | 'nowMs'> {
  readonly left: number
}

/** Remaining quota at each past step. The current usage is correct even if the sum of the steps differs. */
function pastPoints({ series, kind }: BurnInput, { from, nowMs, quota, left }: CurrentState): readonly BurnPoint[] {
  const steps = series.buckets
    .map((bucket) => ({
      start: Math.max(from, Date.parse(bucket.start)),
      amount: kind === 'tokens' ? sumTokens(bucket) : bucket.requests,
    }))
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

/** Sunday first, like `Date.getDay`. */
const evenWeek = Array.from({ length: 7 }, () => 1)

/** Expected use until a time, in weekday amounts, so that the line is flat on days without use. */
function createProgress(nowMs: number, weekdays: readonly number[] = evenWeek) {
  const weights = weekdays.some((weight) => weight > 0) ? weekdays : evenWeek
  return (timeMs: number): number => {
    let sum = 0
    for (let start = nowMs; start < timeMs; start = getNextMidnight(start)) {
      const lengthMs = getNextMidnight(start) - new Date(start).setHours(0, 0, 0, 0)
      const partMs = Math.min(timeMs, getNextMidnight(start)) - start
      sum += ((weights[new Date(start).getDay()] ?? 0) * partMs) / lengthMs
    }
    return sum
  }
}

const getNextMidnight = (timeMs: number): number => new Date(timeMs).setHours(24, 0, 0, 0)

/** Points of the forecast lines: now, each midnight, the days on which the quota may run out, and the end. */
function forecastPoints(forecast: Forecast, { quota, left, nowMs, to }: CurrentState): readonly BurnPoint[] {
  if (forecast.kind !== 'lasts' && forecast.kind !== 'runsOut') return []
  const getProgress = createProgress(nowMs, forecast.weekdays)
  const midnights: number[] = []
  for (let time = getNextMidnight(nowMs); time < to; time = getNextMidnight(time)) midnights.push(time)
  const toPoints = (turns: readonly number[], toPoint: (timeMs: number) => Omit<BurnPoint, 'at'>): BurnPoint[] =>
    [...new Set([nowMs, ...midnights, ...turns, to])]
      .filter((time) => time >= nowMs && time <= to)
      .sort((a, b) => a - b)
      .map((at) => ({ at, ...toPoint(at) }))
  if (forecast.kind === 'lasts') {
    const { used, low, high } = forecast
    const total = getProgress(to)
    const getRemaining = (share: number, timeMs: number): number =>
      left + (Math.max(0, quota * (1 - share)) - left) * (getProgress(timeMs) / total)
    return toPoints([], (time) => ({
      likely: getRemaining(used, time),
      range: [getRemaining(Math.max(low, high), time), getRemaining(Math.min(low, high), time)],
    }))
  }
  const [likelyMs, earliestMs] = [Date.parse(forecast.at), Date.parse(forecast.earliest)]
  const latestMs = forecast.latest === undefined ? to : Date.parse(forecast.latest)
  const computeRemaining = (zeroAt: number, time: number): number =>
    time >= zeroAt ? 0 : left * (1 - getProgress(time) / getProgress(zeroAt))
  return toPoints([earliestMs, likelyMs, latestMs], (time) => ({
    likely: computeRemaining(likelyMs, time),
    range: [computeRemaining(earliestMs, time), computeRemaining(Math.max(likelyMs, latestMs), time)],
  }))
}
