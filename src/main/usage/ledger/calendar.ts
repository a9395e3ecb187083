import type { UsageStep } from '@shared/contract/usage'
import { dayMs, hourMs } from '@shared/durations'
import { zoneOffset } from '../../core/local-time'

/** A quarter of an hour in ms. All UTC offsets are multiples of it, so hours and days consist of whole slots. */
export const slotMs = 900_000
const slotsOfDay = dayMs / slotMs
const maxCachedValues = 50_000

export const getSlot = (ms: number): number => Math.floor(ms / slotMs)

/** Calendar of one time zone. Days are numbered from 1970-01-01 as 0. */
export class Calendar {
  readonly #offsetAt: (ms: number) => number
  readonly #offsets = new Map<number, number>()
  readonly #firstSlots = new Map<number, number>()

  /** Throws a RangeError for an unknown zone. */
  constructor(readonly zone: string) {
    this.#offsetAt = zoneOffset(zone)
  }

  /** Local day number at the start of a slot. */
  toDay(slot: number): number {
    return Math.floor((slot * slotMs + this.#zoneOffset(slot)) / dayMs)
  }

  /** Converts a time in ms to local wall-clock time. */
  toLocal(ms: number): number {
    return ms + this.#zoneOffset(getSlot(ms))
  }

  /** Converts from local time. Ambiguous times use the offset of half a day before. */
  fromLocal(localMs: number): number {
    const offsetAt = (ms: number): number => this.#zoneOffset(getSlot(ms))
    return localMs - offsetAt(localMs - offsetAt(localMs - dayMs / 2))
  }

  /** First slot of a local day. If the time zone skipped that day, the first slot after it. */
  firstSlot(day: number): number {
    return getCached(this.#firstSlots, day, () => this.#searchFirstSlot(day))
  }

  /** Start times in ms of all steps in `[from, to)`. The first step contains `from`. */
  starts(step: UsageStep, from: number, to: number): readonly number[] {
    if (from >= to) return []
    const starts: number[] = []
    for (let start = this.startOfStep(step, from); start < to; start = this.nextStep(step, start)) starts.push(start)
    return starts
  }

  /** Start in ms of the step that contains a time. */
  startOfStep(step: UsageStep, ms: number): number {
    if (step !== 'hour') return this.moveStep(step, ms, 0)
    let start = this.moveStep('day', ms, 0)
    for (let nextStart = start; nextStart <= ms; nextStart = this.nextStep('hour', nextStart)) start = nextStart
    return start
  }

  /** End in ms of the step that contains a time. */
  endOfStep(step: UsageStep, ms: number): number {
    return this.nextStep(step, this.startOfStep(step, ms))
  }

  /** Start in ms of the step that is `count` steps after the one that contains a time. */
  moveStep(step: Exclude<UsageStep, 'hour'>, ms: number, count: number): number {
    return this.firstSlot(moveDay[step](this.toDay(getSlot(ms)), count)) * slotMs
  }

  /** Start in ms of the step after the one that starts at a time. */
  nextStep(step: UsageStep, start: number): number {
    if (step === 'hour') return start + hourMs - ((start + this.#zoneOffset(getSlot(start))) % hourMs)
    let nextStart = start
    // Repeat if the time zone skipped the next local day.
    for (let count = 1; nextStart <= start; count += 1) nextStart = this.moveStep(step, start, count)
    return nextStart
  }

  #searchFirstSlot(day: number): number {
    const utc = day * slotsOfDay
    const guessedSlot = utc - Math.round(this.#zoneOffset(utc) / slotMs)
    if (this.toDay(guessedSlot) === day && this.toDay(guessedSlot - 1) === day - 1) return guessedSlot
    let [low, high] = [utc - slotsOfDay, utc + slotsOfDay]
    while (low < high) {
      const middleSlot = Math.floor((low + high) / 2)
      if (this.toDay(middleSlot) >= day) high = middleSlot
      else low = middleSlot + 1
    }
    return low
  }

  /** UTC offset at the start of a slot, in ms. */
  #zoneOffset(slot: number): number {
    return getCached(this.#offsets, slot, () => this.#offsetAt(slot * slotMs))
  }
}

const getWeekStart = (day: number): number => day - ((day + 3) % 7)

/** Number of a day's month, counted from January 1970. */
const getMonth = (day: number): number => {
  const date = new Date(day * dayMs)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

/** First day of the step that is `count` steps after the step of `day`. */
const moveDay = {
  day: (day: number, count: number) => day + count,
  week: (day: number, count: number) => getWeekStart(day) + 7 * count,
  month: (day: number, count: number) => Date.UTC(1970, getMonth(day) + count, 1) / dayMs,
}

/** Returns a cached value, or computes and caches it. Clears the cache when it is full. */
export function getCached<T>(cache: Map<number, T>, key: number, compute: () => T): T {
  const cachedValue = cache.get(key)
  if (cachedValue !== undefined) return cachedValue
  const value = compute()
  if (cache.size >= maxCachedValues) cache.clear()
  cache.set(key, value)
  return value
}

/** Half-open time range in ms. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Cycle that contains a time. All cycles have this length, and one of them ends at `endsAt`. */
export function getCycle(endsAt: number, days: number, ms: number): Span {
  const lengthMs = days * dayMs
  const from = endsAt + Math.floor((ms - endsAt) / lengthMs) * lengthMs
  return { from, to: from + lengthMs }
}

/** Preceding period of equal length, in whole months or days if possible. */
export function getPreviousSpan(calendar: Calendar, { from, to }: Span): Span {
  const step = (['month', 'day'] as const).find((candidate) =>
    [from, to].every((ms) => calendar.startOfStep(candidate, ms) === ms),
  )
  if (step === undefined) return { from: 2 * from - to, to: from }
  const countSteps = (ms: number): number => {
    const day = calendar.toDay(getSlot(ms))
    return step === 'day' ? day : getMonth(day)
  }
  return { from: calendar.moveStep(step, from, countSteps(from) - countSteps(to)), to: from }
}
