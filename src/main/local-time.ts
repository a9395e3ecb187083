import { dayMs, hourMs, minuteMs } from '@shared/durations'

const two = { year: 'numeric', month: '2-digit', day: '2-digit' } as const

/** A day of this computer's clock, as the window tells it: `2026-12-31`. */
export const formatDay = (iso: string): string => new Intl.DateTimeFormat('sv', two).format(new Date(iso))

/** A moment to the second by this computer's clock: `2026-12-31 23:59:59 GMT+7`. */
export function exactMoment(iso: string): string {
  const at = new Date(iso)
  const time = new Intl.DateTimeFormat('sv', { timeStyle: 'medium' }).format(at)
  const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(at)
  return `${formatDay(iso)} ${time} ${zone.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`
}

/** Each unit with its length and up to where it is used, in ms. */
const units: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, sizeMs: number, belowMs: number])[] = [
  ['minute', minuteMs, 59.5 * minuteMs],
  ['hour', hourMs, 23.5 * hourMs],
  ['day', dayMs, 45 * dayMs],
  ['month', 30.44 * dayMs, 345 * dayMs],
  ['year', 365.25 * dayMs, Number.POSITIVE_INFINITY],
]

/** How far a moment is from now: `in 5 days`, `2 hours ago`. */
export function relativeWords(iso: string, now: Date): string {
  const ms = Date.parse(iso) - now.getTime()
  const [unit, sizeMs] = units.find(([, , belowMs]) => Math.abs(ms) < belowMs) ?? ['year', 365.25 * dayMs]
  return new Intl.RelativeTimeFormat('en').format(Math.round(ms / sizeMs), unit)
}
