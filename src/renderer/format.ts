import { relativeParts } from '@shared/durations'
import i18next from 'i18next'

export type Locale = 'en' | 'vi'

/** A formatted value: short text for display, and exact text for the tooltip. */
export interface FormattedText {
  readonly short: string
  readonly exact: string
}

const secondMs = 1000
const minute = 60 * secondMs

/** Date formats. Vietnamese dates use digits. */
export const dateParts = {
  en: { day: 'numeric', month: 'short', year: 'numeric' },
  vi: { day: '2-digit', month: '2-digit', year: 'numeric' },
} as const satisfies Record<Locale, Intl.DateTimeFormatOptions>

export const dayParts = {
  en: { day: 'numeric', month: 'short' },
  vi: { day: 'numeric', month: 'numeric' },
} as const satisfies Record<Locale, Intl.DateTimeFormatOptions>

const timeParts = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' } as const

const oneDecimalFormat = { maximumFractionDigits: 1 } as const
const integerFormat = { maximumFractionDigits: 0 } as const

/** The window's language. */
export const getLocale = (): Locale => (i18next.language.startsWith('vi') ? 'vi' : 'en')

/** Caches formatters by language and options, because creating one takes longer than using it a hundred times. */
function memoizeFormat<Options extends object, Format>(Formatter: new (locale: Locale, options: Options) => Format) {
  const formats = new Map<string, Format>()
  return (options: Options): Format => {
    const key = getLocale() + JSON.stringify(options)
    const format = formats.get(key) ?? new Formatter(getLocale(), options)
    formats.set(key, format)
    return format
  }
}

/** Cached `Intl.NumberFormat` for the window's language. */
export const numberFormat = memoizeFormat<Intl.NumberFormatOptions, Intl.NumberFormat>(Intl.NumberFormat)
/** Cached `Intl.DateTimeFormat` for the window's language. */
export const dateFormat = memoizeFormat<Intl.DateTimeFormatOptions, Intl.DateTimeFormat>(Intl.DateTimeFormat)
const relativeTimes = memoizeFormat<Intl.RelativeTimeFormatOptions, Intl.RelativeTimeFormat>(Intl.RelativeTimeFormat)

export const formatNumber = (value: number): string => numberFormat({}).format(value)

/** Amount in VND without decimals: `1.250.000 ₫` in Vietnamese, `₫1,250,000` in English. */
export const formatMoney = (dong: number): string =>
  numberFormat({ style: 'currency', currency: 'VND', maximumFractionDigits: 0 }).format(dong)

/** Whole percent of a fraction from 0 to 1. */
export const formatPercent = (share: number): string =>
  numberFormat({ style: 'percent', maximumFractionDigits: 0 }).format(share)

/** `1.2M` and `1,234,567`. Both languages use the same unit letters, for comparison. */
export function formatCount(value: number): FormattedText {
  const exactText = formatNumber(value)
  const steps = [
    [1e9, 'B'],
    [1e6, 'M'],
    [1e3, 'K'],
  ] as const
  for (const [size, letter] of steps) {
    // Use the next unit for a value that would round to 1,000.
    if (Math.abs(value) < size * 0.9995) continue
    const scaledFormat = numberFormat(Math.abs(value) < 100 * size ? oneDecimalFormat : integerFormat)
    return { short: `${scaledFormat.format(value / size)}${letter}`, exact: exactText }
  }
  return { short: exactText, exact: exactText }
}

/** Formats a duration: `850 ms`, `1.2 s`, `2 min 5 s`, `2 phút 5 giây`. */
export function formatDuration(ms: number): string {
  const roundedMs = Math.round(ms)
  const [minuteWord, secondWord] = getLocale() === 'vi' ? (['phút', 'giây'] as const) : (['min', 's'] as const)
  if (roundedMs < secondMs) return `${roundedMs} ms`
  if (roundedMs < minute - secondMs / 20) {
    return `${numberFormat(oneDecimalFormat).format(roundedMs / secondMs)} ${secondWord}`
  }
  const seconds = Math.round(ms / secondMs)
  const remainingSeconds = seconds % 60
  return remainingSeconds === 0
    ? `${Math.floor(seconds / 60)} ${minuteWord}`
    : `${Math.floor(seconds / 60)} ${minuteWord} ${remainingSeconds} ${secondWord}`
}

/** Formats a date: `Nov 26, 2026` or `26/11/2026`. */
export const formatDate = (iso: string): string => dateFormat(dateParts[getLocale()]).format(new Date(iso))

/** Formats a day: `November 24` or `24 tháng 11`. */
export const formatDayMonth = (iso: string): string =>
  dateFormat({ day: 'numeric', month: 'long' }).format(new Date(iso))

/** Formats a time: `13:22:30`. */
export const formatTime = (iso: string): string => dateFormat(timeParts).format(new Date(iso))

/** Full date and time with time zone. */
export const formatDateTime = (iso: string): string =>
  dateFormat({ ...dateParts[getLocale()], ...timeParts, timeZoneName: 'short' }).format(new Date(iso))

/** Relative time for use inside a sentence: `in 5 days`, `sau 5 ngày nữa`. */
export function formatRelative(iso: string, currentTime: Date): FormattedText {
  const [count, unit] = relativeParts(currentTime, new Date(iso))
  const relativeText = relativeTimes({ numeric: 'auto' }).format(count, unit)
  return {
    short: relativeText.charAt(0).toLocaleLowerCase(getLocale()) + relativeText.slice(1),
    exact: formatDateTime(iso),
  }
}

/** Formats a size: `412 kB` or `3.4 MB`. */
export function formatBytes(bytes: number): string {
  const unitIndex = bytes < 1_000_000 ? 0 : bytes < 1_000_000_000 ? 1 : 2
  const value = bytes / 1000 ** (unitIndex + 1)
  const unit = (['kilobyte', 'megabyte', 'gigabyte'] as const)[unitIndex]
  return numberFormat({ style: 'unit', unit, maximumFractionDigits: value < 100 ? 1 : 0 }).format(value)
}

const fileSizeUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const

/** Formats a size in powers of 1024: `812 B` or `4.2 KB`. */
export function formatFileSize(bytes: number): string {
  const step = Math.min(fileSizeUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log(bytes) / Math.log(1024)))
  const size = numberFormat(step === 0 ? integerFormat : oneDecimalFormat).format(bytes / 1024 ** step)
  return `${size} ${fileSizeUnits[step] ?? ''}`
}

/** "A, B, and C". Vietnamese lists are built here, because Chromium would use the English "and". */
export function formatList(names: Iterable<string>): string {
  const allNames = [...names]
  if (getLocale() === 'en') return new Intl.ListFormat('en', { type: 'conjunction' }).format(allNames)
  const lastName = allNames.pop()
  return lastName === undefined || allNames.length === 0 ? (lastName ?? '') : `${allNames.join(', ')} và ${lastName}`
}

/** End of a day such as `2026-11-26` in the local time zone. */
export function getEndOfDay(day: string): string | undefined {
  const [year, month, date] = day.split('-').map(Number)
  if (!year || !month || !date) return undefined
  const end = new Date(year, month - 1, date, 23, 59, 59)
  return Number.isNaN(end.getTime()) ? undefined : end.toISOString()
}

/** Local day as the value of a date field. */
export function toDateField(iso: string | undefined): string {
  if (iso === undefined) return ''
  const date = new Date(iso)
  const padTwoDigits = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${padTwoDigits(date.getMonth() + 1)}-${padTwoDigits(date.getDate())}`
}

/** Removes case and diacritics, so that "du an" finds "Dự án". */
export const toSearchText = (text: string): string =>
  text.normalize('NFD').replace(/\p{M}/gu, '').replace(/đ/gi, 'd').toLocaleLowerCase()
