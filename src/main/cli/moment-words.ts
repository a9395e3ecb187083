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

/** The present moment by the clock of the place that a plan is of, by which it ends. */
export const nowThere = (now: Date, { aheadMs = 0 }: { readonly aheadMs?: number | undefined }): Date =>
  new Date(now.getTime() + aheadMs)

const two = { year: 'numeric', month: '2-digit', day: '2-digit' } as const

/** A day of this computer's clock, as the window tells it: `2026-12-31`. */
export const dayOf = (iso: string): string => new Intl.DateTimeFormat('sv', two).format(new Date(iso))

/** A moment to the second by this computer's clock: `2026-12-31 23:59:59 GMT+7`. */
export function exactMoment(iso: string): string {
  const at = new Date(iso)
  const time = new Intl.DateTimeFormat('sv', { timeStyle: 'medium' }).format(at)
  const zone = new Intl.DateTimeFormat('en', { timeZoneName: 'short' }).formatToParts(at)
  return `${dayOf(iso)} ${time} ${zone.find(({ type }) => type === 'timeZoneName')?.value ?? ''}`
}
