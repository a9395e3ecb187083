import type { Forecast } from '@shared/contract/quota'
import { dayMs, hourMs } from '@shared/durations'
import { type Calendar, getCycle, type Span } from './ledger/calendar'

/** Forecast input for one allowance of one model. Times in ms since 1970. */
interface ForecastInput {
  /** Hourly usage since `getRhythmStart`, as far as known. */
  readonly hours: readonly HourCount[]
  readonly used: number
  /** Allowance per cycle. Undefined or 0 means that there is no limit. */
  readonly quota: number | undefined
  readonly cycle: Span | undefined
  readonly nowMs: number
  /** Calendar of the user's time zone. */
  readonly calendar: Calendar
}

const minDays = 3

/** Start of the history that a forecast needs: the sampled days, and one more to see whether usage began earlier. */
export const getRhythmStart = (nowMs: number): number => nowMs - (patternDays + 2) * dayMs

/**
 * Forecasts whether an allowance lasts until its cycle ends. Continues the weekday means of recent days. The range
 * around it contains the actual use in about 80 % of cases. Deterministic.
 */
export function forecast({ hours, used, quota, cycle, nowMs, calendar }: ForecastInput): Forecast {
  if (quota === undefined || quota <= 0) return { kind: 'notEnough', reason: 'noAllowance' }
  if (used >= quota) return buildExhaustedForecast(hours, used - quota, cycle)
  if (cycle === undefined || nowMs < cycle.from || nowMs >= cycle.to) return { kind: 'notEnough', reason: 'noCycle' }
  const usagePattern = buildUsagePattern(hours, nowMs, calendar)
  if (usagePattern.days.length < minDays) {
    return { kind: 'notEnough', reason: hours.some(({ amount }) => amount > 0) ? 'tooShort' : 'noHistory' }
  }
  const { expected, low, high, weekdayAmounts } = project(usagePattern, { nowMs, cycle, left: quota - used, calendar })
  const share = ({ amount }: Projection): number => (used + amount) / quota
  const weekdays = weekdayAmounts.map((amount) => amount / quota)
  if (expected.runsOutAt === undefined) {
    return { kind: 'lasts', used: share(expected), low: share(low), high: share(high), weekdays }
  }
  return {
    kind: 'runsOut',
    used: share(expected),
    weekdays,
    at: new Date(expected.runsOutAt).toISOString(),
    earliest: new Date(high.runsOutAt ?? expected.runsOutAt).toISOString(),
    ...(low.runsOutAt === undefined ? {} : { latest: new Date(low.runsOutAt).toISOString() }),
    daysBeforeRenewal: (cycle.to - expected.runsOutAt) / dayMs,
  }
}

/** Forecast for an allowance that is used up, with the hour in which it ran out if known. */
function buildExhaustedForecast(hours: readonly HourCount[], excess: number, cycle: Span | undefined): Forecast {
  let sum = 0
  for (const { start, amount } of hours.toSorted((a, b) => b.start - a.start)) {
    if (cycle && start < cycle.from) break
    sum += amount
    if (sum > excess) return { kind: 'exhausted', since: new Date(start).toISOString() }
  }
  return { kind: 'exhausted' }
}

interface Projection {
  /** Expected usage until the end of the cycle if the allowance had no limit. */
  amount: number
  /** Time in ms since 1970 at which the allowance is used up. Undefined when it lasts. */
  runsOutAt: number | undefined
}

/** 80 % of a normal distribution is within this many standard deviations of the mean. */
const bandStandardDeviations = 1.28

/** Increases the error of a sum of days, because high or low usage lasts several days. */
const dayErrorFactor = 1.2

/** Maximum number of days for which growth is extrapolated. */
const maxGrowthDays = 14

function project(
  { days, shareByHour }: ReturnType<typeof buildUsagePattern>,
  { nowMs, cycle: { to }, left, calendar }: Pick<ForecastInput, 'nowMs' | 'calendar'> & { cycle: Span; left: number },
) {
  const dayError = dayErrorFactor * getPastError(days)
  const growthEstimate = readGrowth(days, dayError)
  const weekdayAmounts = Array.from({ length: 7 }, (_, weekday) =>
    computeExpectedAmount(days, weekday, growthEstimate.perDay),
  )
  const [start, end] = [calendar.toLocal(nowMs), calendar.toLocal(to)]
  const [firstDay, lastDay] = [toDay(start), toDay(end)]
  const projections = { expected: createProjection(), low: createProjection(), high: createProjection() }
  let amount = 0
  let dayCount = 0
  let growthDrift = 0
  for (let day = firstDay; day <= lastDay; day += 1) {
    const fromShare = day === firstDay ? getShareBefore(shareByHour, start - day * dayMs) : 0
    const toShare = day === lastDay ? getShareBefore(shareByHour, end - day * dayMs) : 1
    const elapsedGrowthDays = Math.min(day - firstDay, maxGrowthDays)
    const dayAmount =
      (weekdayAmounts[toWeekday(day)] ?? 0) *
      Math.exp(growthEstimate.perDay * elapsedGrowthDays) *
      (toShare - fromShare)
    amount += dayAmount
    dayCount += toShare - fromShare
    growthDrift += dayAmount * growthEstimate.deviation * (elapsedGrowthDays + days.length / 3)
    // Combine three errors: of single days, of their mean, and of the growth.
    const deviation = Math.hypot(dayError * Math.sqrt(dayCount + dayCount ** 2 / days.length), growthDrift)
    const nextAmounts = {
      expected: amount,
      low: Math.max(projections.low.amount, amount - bandStandardDeviations * deviation),
      high: amount + bandStandardDeviations * deviation,
    }
    for (const name of ['expected', 'low', 'high'] as const) {
      const previousAmount = projections[name].amount
      projections[name].amount = nextAmounts[name]
      if (projections[name].runsOutAt !== undefined || nextAmounts[name] < left) continue
      const share = fromShare + ((left - previousAmount) / (nextAmounts[name] - previousAmount)) * (toShare - fromShare)
      const runsOutMs = calendar.fromLocal(day * dayMs + findTimeOfDay(shareByHour, share))
      projections[name].runsOutAt = Math.min(to, Math.max(nowMs, runsOutMs))
    }
  }
  return { ...projections, weekdayAmounts }
}

const createProjection = (): Projection => ({ amount: 0, runsOutAt: undefined })

/** Age in days at which a day has half the weight in the mean. */
const halfLifeDays = 20

/** Weight of a different weekday of the same kind (working day or weekend). The same weekday has weight 1. */
const sameKindWeight = 0.5

/** Weighted mean usage of a weekday. Without data on working days or weekends, takes half the mean of all days. */
function computeExpectedAmount(days: readonly DayUsage[], weekday: number, growthPerDay = 0): number {
  const kind = days.filter((day) => isWeekend(day.weekday) === isWeekend(weekday))
  const hasSameKindDays = kind.length > 0
  let [sum, weights] = [0, 0]
  for (const day of hasSameKindDays ? kind : days) {
    const dayWeight = (day.weekday === weekday ? 1 : sameKindWeight) * 0.5 ** (day.age / halfLifeDays)
    sum += dayWeight * day.amount * Math.exp(growthPerDay * day.age)
    weights += dayWeight
  }
  return weights === 0 ? 0 : (hasSameKindDays ? 1 : 0.5) * (sum / weights)
}

/** Standard error of the daily forecast: compares each past day with the forecast from the days before it. */
function getPastError(days: readonly DayUsage[]): number {
  const errors = days
    .slice(0, -minDays)
    .map((day, index) => day.amount - computeExpectedAmount(days.slice(index + 1), day.weekday))
  const meanAmount = getMeanAmount(days)
  // With few samples the error is unreliable. So add the default error as two more samples.
  const squares = errors.reduce((sum, error) => sum + error ** 2, 2 * (defaultSpread * meanAmount) ** 2)
  return Math.sqrt(squares / (errors.length + 2))
}

const week = 7

/** Default and maximum growth per day, in either direction (logarithm). */
const defaultGrowthRate = 0.03
const maxGrowthPerDay = 0.05

/** Growth per day (logarithm) of the last week over earlier weeks, and its standard error. Ignores normal variation. */
function readGrowth(days: readonly DayUsage[], dayError: number) {
  const recentDays = days.slice(0, week)
  const olderDays = days.slice(week, week * Math.floor(days.length / week))
  const [recentMean, olderMean] = [getMeanAmount(recentDays), getMeanAmount(olderDays)]
  if (olderDays.length === 0 || !(recentMean > 0) || !(olderMean > 0))
    return { perDay: 0, deviation: defaultGrowthRate }
  const daysApart = (recentDays.length + olderDays.length) / 2
  const noise = ((dayError / getMeanAmount(days)) * Math.sqrt(1 / recentDays.length + 1 / olderDays.length)) / daysApart
  const growthWeight = defaultGrowthRate ** 2 / (defaultGrowthRate ** 2 + noise ** 2)
  const dailyGrowth = (Math.log(recentMean / olderMean) / daysApart) * growthWeight
  return {
    perDay: Math.min(maxGrowthPerDay, Math.max(-maxGrowthPerDay, dailyGrowth)),
    deviation: Math.sqrt(growthWeight) * noise,
  }
}

const getMeanAmount = (days: readonly DayUsage[]): number =>
  days.reduce((sum, { amount }) => sum + amount, 0) / days.length

/** Assumed standard deviation of daily usage, relative to the mean. */
const defaultSpread = 0.25

const isWeekend = (weekday: number): boolean => weekday === 0 || weekday === 6

/** History in full days: four of each weekday. */
const patternDays = 28

/** Usage in the hour starting at `start` (ms since 1970). Hours without usage are omitted. */
interface HourCount {
  readonly start: number
  readonly amount: number
}

/** Usage of one full day. `weekday`: 0 is Sunday. */
interface DayUsage {
  /** Age in whole days. Yesterday is 1. */
  readonly age: number
  readonly weekday: number
  readonly amount: number
}

const toDay = (localMs: number): number => Math.floor(localMs / dayMs)

/** Weekday of a day number, 0 for Sunday. 1970-01-01 was a Thursday. */
const toWeekday = (day: number): number => (day + 4) % 7

/**
 * Usage pattern of the last 28 days by day and by hour of day, in local time. Idle days after the first use count.
 * `days`: days with complete data, newest first, without today and the first day of usage.
 */
function buildUsagePattern(hours: readonly HourCount[], nowMs: number, calendar: Calendar) {
  const todayNumber = toDay(calendar.toLocal(nowMs))
  const usageByDay = new Map<number, number>()
  const usageByHour = Array.from({ length: 24 }, () => 0)
  let observedFirstDay = todayNumber
  for (const { start, amount } of hours) {
    if (amount <= 0 || start >= nowMs) continue
    const localTime = calendar.toLocal(start)
    const day = toDay(localTime)
    observedFirstDay = Math.min(observedFirstDay, day)
    if (day >= todayNumber || day < todayNumber - patternDays) continue
    usageByDay.set(day, (usageByDay.get(day) ?? 0) + amount)
    const hour = Math.floor((localTime - day * dayMs) / hourMs)
    usageByHour[hour] = (usageByHour[hour] ?? 0) + amount
  }
  const count = Math.min(patternDays, Math.max(0, todayNumber - observedFirstDay - 1))
  const days = Array.from({ length: count }, (_, index): DayUsage => {
    const day = todayNumber - 1 - index
    return { age: index + 1, weekday: toWeekday(day), amount: usageByDay.get(day) ?? 0 }
  })
  return { days, shareByHour: computeCumulativeShares(usageByHour) }
}

/** Evenly distributed share of the daily usage, because a user who worked by day may also work in the evening. */
const uniformWeight = 0.05

/** Cumulative share of a day's usage at each hour: 25 values from 0 to 1. */
function computeCumulativeShares(byHour: readonly number[]): readonly number[] {
  const total = byHour.reduce((sum, amount) => sum + amount, 0)
  const shares = [0]
  let sum = 0
  for (const amount of byHour) {
    sum += total > 0 ? (1 - uniformWeight) * (amount / total) + uniformWeight / 24 : 1 / 24
    shares.push(Math.min(1, sum))
  }
  return shares
}

/** Share of a day's usage before a local time in ms since midnight. */
function getShareBefore(shareByHour: readonly number[], timeMs: number): number {
  const fractionalHour = Math.min(24, Math.max(0, timeMs / hourMs))
  const hour = Math.min(23, Math.floor(fractionalHour))
  const shareAtHour = shareByHour[hour] ?? 0
  return shareAtHour + ((shareByHour[hour + 1] ?? 1) - shareAtHour) * (fractionalHour - hour)
}

/** Inverse of `getShareBefore`: the local time in ms since midnight at which a share of the day's usage is reached. */
function findTimeOfDay(shareByHour: readonly number[], share: number): number {
  let hour = 0
  while (hour < 23 && (shareByHour[hour + 1] ?? 1) < share) hour += 1
  const shareAtHour = shareByHour[hour] ?? 0
  const hourShare = (shareByHour[hour + 1] ?? 1) - shareAtHour
  return (hour + (hourShare > 0 ? Math.min(1, (share - shareAtHour) / hourShare) : 1)) * hourMs
}

/** Default cycle length (spec, "Limits"). */
export const defaultCycleDays = 30

/** Cycle that contains a moment, counted back from the end, which an early renewal moves. Undefined after the end. */
export const findCycle = (endsAt: number, cycleDays: number, nowMs: number): Span | undefined =>
  cycleDays > 0 && nowMs < endsAt ? getCycle(endsAt, cycleDays, nowMs) : undefined

/** Fraction of the allowance that even usage would have consumed by now, 0 to 1. */
export const getEvenPace = ({ from, to }: Span, nowMs: number): number =>
  Math.min(1, Math.max(0, (nowMs - from) / (to - from)))
