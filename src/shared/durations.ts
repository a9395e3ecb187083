/** Durations in milliseconds. Use calendar functions for calendar days, which may differ from 24 hours. */
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** Default grace period of a rotation in ms, to notice forgotten uses. */
export const defaultGraceMs = dayMs

/** Default overlap of a rotation in ms when a tool keeps its key in memory. */
export const memoryOverlapMs = hourMs

/** Calendar days in the local time zone. "Tomorrow" is the next day, not 24 hours later. */
function calendarDays(from: Date, to: Date): number {
  const toUtcDay = (date: Date): number => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate())
  return Math.round((toUtcDay(to) - toUtcDay(from)) / dayMs)
}

/** Count and unit of a relative time, for `Intl.RelativeTimeFormat`. Window and command line state the same. */
export function relativeParts(from: Date, to: Date): [number, Intl.RelativeTimeFormatUnit] {
  const diff = to.getTime() - from.getTime()
  const size = Math.abs(diff)
  if (size < 45_000) return [0, 'second']
  if (size < 59.5 * minuteMs) return [Math.round(diff / minuteMs), 'minute']
  if (size < 23.5 * hourMs) return [Math.round(diff / hourMs), 'hour']
  const days = calendarDays(from, to)
  if (Math.abs(days) < 45) return [days, 'day']
  if (Math.abs(days) < 345) return [Math.round(days / 30.44), 'month']
  return [Math.round(days / 365.25), 'year']
}
