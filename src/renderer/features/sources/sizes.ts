import type { Locale } from '../../format'

const units = ['kilobyte', 'megabyte', 'gigabyte'] as const

/** Bytes as a person reads them: `412 kB`, `3.4 MB`. */
export function formatBytes(bytes: number, locale: Locale): string {
  const at = bytes < 1_000_000 ? 0 : bytes < 1_000_000_000 ? 1 : 2
  const value = bytes / 1000 ** (at + 1)
  return new Intl.NumberFormat(locale, {
    style: 'unit',
    unit: units[at] ?? 'gigabyte',
    maximumFractionDigits: value < 100 ? 1 : 0,
  }).format(value)
}

/** Days that single requests can be kept; 0: for ever. */
export const retentions = [30, 90, 180, 365, 730, 0] as const

/** Whether keeping for `days` keeps less than keeping for `before`. */
export const isShorter = (days: number, before: number): boolean => days !== 0 && (before === 0 || days < before)
