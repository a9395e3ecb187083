import type { UsageStep } from '@shared/contract/usage'
import { dayMs, hourMs } from '@shared/durations'
import { zoneOffset } from '../../core/local-time'

/** A quarter of an hour in ms. All UTC offsets are multiples of it, so hours and days consist of whole slots. */
export const slotMs = 900_000
const slotsOfDay = dayMs / slotMs
const maxCachedDays = 50_000

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

  /** First slot of a local day. If the time zone skipped that day, the first slot after it. */
  firstSlot(day: number): number {
    const cachedSlot = this.#firstSlots.get(day)
    if (cachedSlot !== undefined) return cachedSlot
    const searchedSlot = this.#searchFirstSlot(day)
    cacheValue(this.#firstSlots, day, searchedSlot)
    return searchedSlot
  }

  /** Start times in ms of all steps in `[from, to)`. The first step contains `from`. */
  starts(step: UsageStep, from: number, to: number): readonly number[] {
    const startSlots: number[] = []
    if (from >= to) return startSlots
    for (let start = this.#startOfStep(step, from); start < to; start = this.#next(step, start)) startSlots.push(start)
    return startSlots
  }

  #startOfStep(step: UsageStep, ms: number): number {
    const day = this.toDay(getSlot(ms))
    if (step !== 'hour') return this.firstSlot(firstDay[step](day)) * slotMs
    let start = this.firstSlot(day) * slotMs
    for (let nextStart = start; nextStart <= ms; nextStart = this.#next('hour', nextStart)) start = nextStart
    return start
  }

  #next(step: UsageStep, start: number): number {
    if (step === 'hour') return start + hourMs - ((start + this.#zoneOffset(getSlot(start))) % hourMs)
    let day = this.toDay(getSlot(start))
    let nextStart = start
    // Repeat if the time zone skipped the next local day.
    while (nextStart <= start) {
      day = nextStep[step](day)
      nextStart = this.firstSlot(day) * slotMs
    }
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
    const cachedOffset = this.#offsets.get(slot)
    if (cachedOffset !== undefined) return cachedOffset
    const offset = this.#offsetAt(slot * slotMs)
    cacheValue(this.#offsets, slot, offset)
    return offset
  }
}

const firstDayOfMonth = (day: number, addedMonths = 0): number => {
  const date = new Date(day * dayMs)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + addedMonths, 1) / dayMs
}

const getWeekStart = (day: number): number => day - ((day + 3) % 7)

const firstDay = { day: (day: number) => day, week: getWeekStart, month: (day: number) => firstDayOfMonth(day) }

const nextStep = {
  day: (day: number) => day + 1,
  week: (day: number) => getWeekStart(day) + 7,
  month: (day: number) => firstDayOfMonth(day, 1),
}

function cacheValue(map: Map<number, number>, key: number, value: number): void {
  if (map.size >= maxCachedDays) map.clear()
  map.set(key, value)
}

/** Half-open time range in ms. */
export interface Span {
  readonly from: number
  readonly to: number
}

const maxSpanMs: Readonly<Record<UsageStep, number>> = {
  hour: 2 * hourMs,
  day: 2 * dayMs,
  week: 8 * dayMs,
  month: 32 * dayMs,
}

/** Start of the step that contains a point in time. Can be the start of an earlier step. */
export function getStepStart(
  calendar: Calendar,
  ms: number,
  { step, back = 0 }: { step: UsageStep; back?: number },
): number {
  return calendar.starts(step, ms - (back + 1) * maxSpanMs[step], ms + 1).at(-1 - back) ?? ms
}

export function getStepEnd(calendar: Calendar, ms: number, step: UsageStep): number {
  return calendar.starts(step, ms, ms + 2 * maxSpanMs[step])[1] ?? ms
}

/** Preceding period of equal length, in whole months or days if possible. */
export function getPreviousSpan(calendar: Calendar, { from, to }: Span): Span {
  const isStepStart = (ms: number, step: UsageStep): boolean => getStepStart(calendar, ms, { step }) === ms
  const step = (['month', 'day'] as const).find(
    (candidate) => isStepStart(from, candidate) && isStepStart(to, candidate),
  )
  if (step === undefined) return { from: 2 * from - to, to: from }
  return { from: getStepStart(calendar, from, { step, back: calendar.starts(step, from, to).length }), to: from }
}
