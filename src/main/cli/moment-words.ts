const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/** Each unit with its length and up to where it is used, in ms. */
const units: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, sizeMs: number, belowMs: number])[] = [
  ['minute', minute, 59.5 * minute],
  ['hour', hour, 23.5 * hour],
  ['day', day, 45 * day],
  ['month', 30.44 * day, 345 * day],
  ['year', 365.25 * day, Number.POSITIVE_INFINITY],
]

/** How far a moment is from now: `in 5 days`, `2 hours ago`. */
export function relativeWords(iso: string, now: Date): string {
  const ms = Date.parse(iso) - now.getTime()
  const [unit, sizeMs] = units.find(([, , belowMs]) => Math.abs(ms) < belowMs) ?? ['year', 365.25 * day]
  return new Intl.RelativeTimeFormat('en').format(Math.round(ms / sizeMs), unit)
}

/** A day in UTC: `2026-12-31`. */
export const dayOf = (iso: string): string => iso.slice(0, 10)

/** A moment to the second: `2026-12-31 23:59:59 UTC`. */
export const exactMoment = (iso: string): string => `${dayOf(iso)} ${iso.slice(11, 19)} UTC`
