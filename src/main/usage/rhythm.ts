import type { LocalClock } from './rhythm-hours'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** So many full days before today make the rhythm: four of each weekday. */
export const rhythmDays = 28

/** What was used in the hour that begins at `start` (ms since 1970); hours that are not there used nothing. */
export interface HourCount {
  readonly start: number
  readonly amount: number
}

/** What was used on one full day. `weekday`: 0 is Sunday. */
export interface RhythmDay {
  /** Whole days before today, from 1. */
  readonly age: number
  readonly weekday: number
  readonly amount: number
}

/** How something was used lately, day by day and over the hours of a day, by the clocks of the person's zone. */
export interface Rhythm {
  /** The newest first; not today, and not the day on which use began, of which only a part is known. */
  readonly days: readonly RhythmDay[]
  /** The share of a day that is used by the beginning of each hour: 25 values from 0 to 1. */
  readonly shareByHour: readonly number[]
}

/** The number of a local day since 1970. */
export const dayOf = (localMs: number): number => Math.floor(localMs / dayMs)

/** The weekday of a numbered day, 0 for Sunday: 1970-01-01 was a Thursday. */
export const weekdayOf = (day: number): number => (day + 4) % 7

/** The rhythm of the 28 days before today; days without use after the first one count as such. */
export function rhythmOf(hours: readonly HourCount[], now: number, clock: LocalClock): Rhythm {
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

/** A little of an even day in it: who worked by day so far may still work in the evening. */
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

/** The share of a day's use that comes before a local time of day, in ms since midnight. */
export function shareBefore(shareByHour: readonly number[], timeMs: number): number {
  const at = Math.min(24, Math.max(0, timeMs / hourMs))
  const hour = Math.min(23, Math.floor(at))
  const before = shareByHour[hour] ?? 0
  return before + ((shareByHour[hour + 1] ?? 1) - before) * (at - hour)
}

/** The local time of day, in ms since midnight, by which a share of a day's use has come. */
export function timeOfShare(shareByHour: readonly number[], share: number): number {
  let hour = 0
  while (hour < 23 && (shareByHour[hour + 1] ?? 1) < share) hour += 1
  const before = shareByHour[hour] ?? 0
  const within = (shareByHour[hour + 1] ?? 1) - before
  return (hour + (within > 0 ? Math.min(1, (share - before) / within) : 1)) * hourMs
}
