import type { Forecast } from '@shared/contract/quota'
import { dayMs, hourMs } from '@shared/durations'
import { zoneOffset } from '../local-time'

/** Forecast input for one allowance of one model. Times in ms since 1970. */
interface ForecastInput {
  /** Hourly usage since `rhythmFrom`, as far as known. */
  readonly hours: readonly HourCount[]
  readonly used: number
  /** Absent, or 0: there is no allowance to run out of. */
  readonly quota: number | undefined
  readonly cycle: Cycle | undefined
  readonly now: number
  /** Of the person's time zone. */
  readonly clock: LocalClock
}

/** Minimum number of full days for a forecast. */
const leastDays = 3

/** Start of the required history: the sampled days plus one day to see whether usage began earlier. */
export const rhythmFrom = (now: number): number => now - (rhythmDays + 2) * dayMs

/**
 * Forecast of an allowance at the end of its cycle: median and middle 80 percent of simulated paths. It runs out if
 * half of them do. Deterministic.
 */
export function forecast({ hours, used, quota, cycle, now, clock }: ForecastInput): Forecast {
  if (quota === undefined || quota <= 0) return { kind: 'notEnough', reason: 'noAllowance' }
  if (used >= quota) return exhausted(hours, used - quota, cycle)
  if (cycle === undefined || now < cycle.from || now >= cycle.to) return { kind: 'notEnough', reason: 'noCycle' }
  const rhythm = buildRhythm(hours, now, clock)
  if (rhythm.days.length < leastDays) {
    return { kind: 'notEnough', reason: hours.some(({ amount }) => amount > 0) ? 'tooShort' : 'noHistory' }
  }
  const paths = pathsAhead(rhythm, { now, to: cycle.to, left: quota - used, clock })
  return runsOut(paths, cycle.to) ?? lasts(paths, { used, quota })
}

/** Hour in which the allowance ran out, if known. */
function exhausted(hours: readonly HourCount[], over: number, cycle: Cycle | undefined): Forecast {
  let sum = 0
  for (const { start, amount } of hours.toSorted((a, b) => b.start - a.start)) {
    if (cycle && start < cycle.from) break
    sum += amount
    if (sum > over) return { kind: 'exhausted', since: new Date(start).toISOString() }
  }
  return { kind: 'exhausted' }
}

function runsOut(paths: readonly Path[], to: number): Forecast | undefined {
  const times = paths.map(({ runsOutAt }) => runsOutAt).sort((a, b) => a - b)
  const [earliest, at, latest] = [quantile(times, 0.1), quantile(times, 0.5), quantile(times, 0.9)]
  if (!Number.isFinite(at)) return undefined
  return {
    kind: 'runsOut',
    at: new Date(at).toISOString(),
    earliest: new Date(earliest).toISOString(),
    ...(Number.isFinite(latest) ? { latest: new Date(latest).toISOString() } : {}),
    daysBeforeRenewal: (to - at) / dayMs,
  }
}

function lasts(paths: readonly Path[], { used, quota }: { readonly used: number; readonly quota: number }): Forecast {
  const ends = paths.map(({ amount }) => (used + amount) / quota).sort((a, b) => a - b)
  return { kind: 'lasts', used: quantile(ends, 0.5), low: quantile(ends, 0.1), high: quantile(ends, 0.9) }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0

/** From now to the end of a cycle. */
interface Ahead {
  readonly now: number
  readonly to: number
  /** Remaining allowance. */
  readonly left: number
  readonly clock: LocalClock
}

/** One way in which the rest of a cycle may go. */
interface Path {
  /** Unlimited usage until the end of the cycle. */
  readonly amount: number
  /** Time when the allowance runs out, in ms since 1970, or infinity. */
  readonly runsOutAt: number
}

const mostPaths = 200
const leastPaths = 80

/** Maximum number of sampled days, to limit the time for long cycles. The minimum number of paths takes precedence. */
const mostDraws = 6000

/** Number of days ahead to extrapolate growth. */
const growthDays = 14

/** Growth limit of 5 percent a day, which is fourfold in a month. */
const mostGrowth = 0.05

/** Simulates the rest of a cycle by sampling past days, weighted by weekday and age. Deterministic. */
function pathsAhead(rhythm: Rhythm, ahead: Ahead): readonly Path[] {
  const random = seededRandom(20_260_301)
  const growth = growthOf(rhythm.days)
  const legs = legsOf(rhythm, ahead)
  const count = Math.max(leastPaths, Math.min(mostPaths, Math.floor(mostDraws / legs.length)))
  return Array.from({ length: count }, () => {
    const draw = dayDrawer(rhythm.days, random)
    const drawn = growth.perDay + growth.uncertainty * normal(random)
    const perDay = Math.min(mostGrowth, Math.max(-mostGrowth, drawn))
    const dayAmount = (weekday: number, daysAhead: number): number => {
      const at = draw(weekday)
      const day = at === undefined ? undefined : rhythm.days[at]
      return day ? day.amount * Math.exp(perDay * (day.age + Math.min(daysAhead, growthDays))) : 0
    }
    return walk(legs, ahead, { rhythm, dayAmount })
  })
}

/** A future day, or part of one between two shares of its usage. */
interface Leg {
  readonly day: number
  readonly daysAhead: number
  readonly fromShare: number
  readonly toShare: number
}

function legsOf({ shareByHour }: Rhythm, { now, to, clock }: Ahead): readonly Leg[] {
  const [start, end] = [clock.toLocal(now), clock.toLocal(to)]
  const [first, last] = [dayOf(start), dayOf(end)]
  return Array.from({ length: last - first + 1 }, (_, daysAhead) => {
    const day = first + daysAhead
    const fromShare = daysAhead === 0 ? shareBefore(shareByHour, start - day * dayMs) : 0
    return { day, daysAhead, fromShare, toShare: day === last ? shareBefore(shareByHour, end - day * dayMs) : 1 }
  })
}

interface Steps {
  readonly rhythm: Rhythm
  readonly dayAmount: (weekday: number, daysAhead: number) => number
}

function walk(legs: readonly Leg[], { now, to, left, clock }: Ahead, { rhythm, dayAmount }: Steps): Path {
  let amount = 0
  let runsOutAt = Number.POSITIVE_INFINITY
  for (const { day, daysAhead, fromShare, toShare } of legs) {
    const whole = dayAmount(weekdayOf(day), daysAhead)
    const next = amount + whole * (toShare - fromShare)
    if (amount < left && next >= left) {
      const time = timeOfShare(rhythm.shareByHour, fromShare + (left - amount) / whole)
      runsOutAt = Math.min(to, Math.max(now, clock.fromLocal(day * dayMs + time)))
    }
    amount = next
  }
  return { amount, runsOutAt }
}

const normal = (random: () => number): number =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())

/** Deterministic pseudo-random numbers from 0 to 1 (mulberry32), so that forecasts do not flicker. */
function seededRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Half-life of a day's weight in days. */
const halfLifeDays = 20

/** Weight of a day of the same kind (workday or weekend), relative to the same weekday. */
const sameKind = 0.5

/** Probability that a day's successor is sampled next. High and low usage come in runs. */
const goesOn = 0.6

/** Days per block with a common weight. */
const block = 4

/** Returns the index of a sampled day for a weekday. Undefined: a day without usage. */
type DayDrawer = (weekday: number) => number | undefined

/**
 * Samples days for one path, preferring the same weekday, kind and recent days. Randomizes weights per path
 * (bootstrap), because few days are uncertain evidence.
 */
function dayDrawer(days: readonly RhythmDay[], random: () => number): DayDrawer {
  const kinds = [new Pool(), new Pool()]
  const all = new Pool()
  let count = 0
  for (const [at, { age, weekday }] of days.entries()) {
    if (at % block === 0) count = -Math.log(1 - random())
    const weight = count * 0.5 ** (age / halfLifeDays)
    kinds[kindOf(weekday)]?.add(at, weight)
    all.add(at, weight)
  }
  // A kind of day not seen yet may equal the others or be idle.
  const isUnseenIdle = random() < 0.5
  let last: number | undefined
  return (weekday) => {
    const following = last === undefined ? undefined : days[last - 1]
    if (last !== undefined && following && kindOf(following.weekday) === kindOf(weekday) && random() < goesOn) {
      last -= 1
      return last
    }
    const pool = kinds[kindOf(weekday)]
    const isSeen = pool !== undefined && pool.size > 0
    if (!isSeen && isUnseenIdle) return undefined
    const from = isSeen ? pool : all
    do last = from.draw(random)
    while (days[last]?.weekday !== weekday && random() >= sameKind)
    return last
  }
}

const kindOf = (weekday: number): 0 | 1 => (isRestDay(weekday) ? 1 : 0)

/** Places with weights, to draw from. */
class Pool {
  readonly #places: number[] = []
  readonly #sums: number[] = []
  #sum = 0

  get size(): number {
    return this.#places.length
  }

  add(place: number, weight: number): void {
    this.#sum += weight
    this.#places.push(place)
    this.#sums.push(this.#sum)
  }

  draw(random: () => number): number {
    const value = random() * this.#sum
    let at = 0
    while (at < this.#sums.length - 1 && (this.#sums[at] ?? 0) <= value) at += 1
    return this.#places[at] ?? 0
  }
}

/** Growth rate as logarithm per day, with its standard deviation. */
interface Growth {
  readonly perDay: number
  readonly uncertainty: number
}

const week = 7

/** Prior standard deviation of growth: 2.5 percent a day. */
const usual = 0.025

/** Variance inflation, because high and low days come in runs and average out slowly. */
const rows = 1.4

/** Growth of the last week over previous weeks, beyond the noise of single days. */
function growthOf(days: readonly RhythmDay[]): Growth {
  const recent = days.slice(0, week)
  const older = days.slice(week, week * Math.floor(days.length / week))
  const [now, before] = [meanOf(recent), meanOf(older)]
  if (older.length === 0 || !(now > 0) || !(before > 0)) return { perDay: 0, uncertainty: usual }
  const apartDays = (recent.length + older.length) / 2
  const seen = Math.log(now / before) / apartDays
  const squares = squaresIn(recent) + squaresIn(older)
  const spread = Math.sqrt(squares / (recent.length + older.length)) / meanOf([...recent, ...older])
  const noise = (rows * spread * Math.sqrt(1 / recent.length + 1 / older.length)) / apartDays
  const trust = usual ** 2 / (usual ** 2 + noise ** 2)
  return { perDay: seen * trust, uncertainty: Math.sqrt(trust) * noise }
}

const meanOf = (days: readonly RhythmDay[]): number =>
  days.length === 0 ? 0 : days.reduce((sum, { amount }) => sum + amount, 0) / days.length

/** Sum of squared deviations from the mean of each kind of day. */
function squaresIn(days: readonly RhythmDay[]): number {
  return [true, false].reduce((sum, isRest) => {
    const alike = days.filter((day) => isRestDay(day.weekday) === isRest)
    const own = meanOf(alike)
    return sum + alike.reduce((squares, { amount }) => squares + (amount - own) ** 2, 0)
  }, 0)
}

/** Saturday and Sunday. */
const isRestDay = (weekday: number): boolean => weekday === 0 || weekday === 6

/** History in full days: four of each weekday. */
const rhythmDays = 28

/** Usage in the hour starting at `start` (ms since 1970). Missing hours have none. */
interface HourCount {
  readonly start: number
  readonly amount: number
}

/** Usage of one full day. `weekday`: 0 is Sunday. */
interface RhythmDay {
  /** Whole days before today, from 1. */
  readonly age: number
  readonly weekday: number
  readonly amount: number
}

/** Recent usage pattern by day and by hour of day, in local time. */
interface Rhythm {
  /** Newest first. Excludes the incomplete days: today and the first day of usage. */
  readonly days: readonly RhythmDay[]
  /** Cumulative share of a day's usage at each hour: 25 values from 0 to 1. */
  readonly shareByHour: readonly number[]
}

/** The number of a local day since 1970. */
const dayOf = (localMs: number): number => Math.floor(localMs / dayMs)

/** Weekday of a day number, 0 for Sunday. 1970-01-01 was a Thursday. */
const weekdayOf = (day: number): number => (day + 4) % 7

/** Usage pattern of the last 28 days. Idle days after the first use count. */
export function buildRhythm(hours: readonly HourCount[], now: number, clock: LocalClock): Rhythm {
  const today = dayOf(clock.toLocal(now))
  const byDay = new Map<number, number>()
  const byHour = Array.from({ length: 24 }, () => 0)
  let began = today
  for (const { start, amount } of hours) {
    if (amount <= 0 || start >= now) continue
    const local = clock.toLocal(start)
    const day = dayOf(local)
    began = Math.min(began, day)
    if (day >= today || day < today - rhythmDays) continue
    byDay.set(day, (byDay.get(day) ?? 0) + amount)
    const hour = Math.floor((local - day * dayMs) / hourMs)
    byHour[hour] = (byHour[hour] ?? 0) + amount
  }
  const count = Math.min(rhythmDays, Math.max(0, today - began - 1))
  const days = Array.from({ length: count }, (_, index): RhythmDay => {
    const day = today - 1 - index
    return { age: index + 1, weekday: weekdayOf(day), amount: byDay.get(day) ?? 0 }
  })
  return { days, shareByHour: sharesOf(byHour) }
}

/** Uniform share mixed in, because daytime users may work in the evening. */
const evenPart = 0.05

function sharesOf(byHour: readonly number[]): readonly number[] {
  const total = byHour.reduce((sum, amount) => sum + amount, 0)
  const shares = [0]
  let sum = 0
  for (const amount of byHour) {
    sum += total > 0 ? (1 - evenPart) * (amount / total) + evenPart / 24 : 1 / 24
    shares.push(Math.min(1, sum))
  }
  return shares
}

/** Share of a day's usage before a local time in ms since midnight. */
function shareBefore(shareByHour: readonly number[], timeMs: number): number {
  const at = Math.min(24, Math.max(0, timeMs / hourMs))
  const hour = Math.min(23, Math.floor(at))
  const before = shareByHour[hour] ?? 0
  return before + ((shareByHour[hour + 1] ?? 1) - before) * (at - hour)
}

/** Inverse: local time in ms since midnight that reaches a share of usage. */
function timeOfShare(shareByHour: readonly number[], share: number): number {
  let hour = 0
  while (hour < 23 && (shareByHour[hour + 1] ?? 1) < share) hour += 1
  const before = shareByHour[hour] ?? 0
  const within = (shareByHour[hour + 1] ?? 1) - before
  return (hour + (within > 0 ? Math.min(1, (share - before) / within) : 1)) * hourMs
}

/** The clock of a time zone, as days and hours count there. */
export interface LocalClock {
  /** Converts to local wall-clock time, in ms since 1970. */
  toLocal(ms: number): number
  /** Converts from local time. Ambiguous times use the offset of half a day before. */
  fromLocal(localMs: number): number
}

/** Caches offsets at two points a day, and hourly only when they change. Time zone lookups are slow. */
export function localClock(zone: string): LocalClock {
  const offsetOf = zoneOffset(zone)
  const asked = new Map<number, number>()
  const ask = (ms: number): number => {
    const known = asked.get(ms)
    if (known !== undefined) return known
    const offset = offsetOf(ms)
    asked.set(ms, offset)
    return offset
  }
  const offsetAt = (ms: number): number => {
    const start = Math.floor(ms / dayMs) * dayMs
    const offset = ask(start)
    return offset === ask(start + dayMs) ? offset : ask(Math.floor(ms / hourMs) * hourMs)
  }
  return {
    toLocal: (ms) => ms + offsetAt(ms),
    fromLocal: (localMs) => localMs - offsetAt(localMs - offsetAt(localMs - dayMs / 2)),
  }
}

/** A cycle of a plan, `[from, to)` in ms since 1970. */
export interface Cycle {
  readonly from: number
  readonly to: number
}

/**
 * Cycle that contains a moment, counted back from the last prepaid end, because renewals move that early. Undefined
 * after the end.
 */
export function cycleAt(endsAt: number, cycleDays: number, now: number): Cycle | undefined {
  const lengthMs = cycleDays * dayMs
  if (!(lengthMs > 0) || !(now < endsAt)) return undefined
  const wholeAhead = Math.ceil((endsAt - now) / lengthMs) - 1
  const to = endsAt - wholeAhead * lengthMs
  return { from: to - lengthMs, to }
}

/** Fraction of the allowance that even usage would have consumed by now, 0 to 1. */
export function evenPace({ from, to }: Cycle, now: number): number {
  return Math.min(1, Math.max(0, (now - from) / (to - from)))
}
