import { beforeEach, describe, expect, it } from 'vitest'
import {
  formatCount,
  formatDate,
  formatDuration,
  formatList,
  formatMoney,
  formatRelative,
  formatTime,
  getEndOfDay,
  type Locale,
  toDateField,
} from '../../../src/renderer/format'
import { startI18n } from '../../../src/renderer/i18n'

beforeEach(() => startI18n('en'))

/** Intl uses a no-break space before the currency sign and some units. */
const withPlainSpaces = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ')

it.each<[number, Locale, string]>([
  [1_250_000, 'vi', '1.250.000 ₫'],
  [1_250_000, 'en', '₫1,250,000'],
  [0, 'vi', '0 ₫'],
  [-500, 'en', '-₫500'],
  [1234.6, 'en', '₫1,235'],
])('writes %d VND in %s as %s', async (dong, locale, expected) => {
  await startI18n(locale)
  expect(withPlainSpaces(formatMoney(dong))).toBe(expected)
})

it.each<[number, Locale, string, string]>([
  [0, 'en', '0', '0'],
  [999, 'en', '999', '999'],
  [1000, 'en', '1K', '1,000'],
  [1234, 'en', '1.2K', '1,234'],
  [128_000, 'en', '128K', '128,000'],
  [128_499, 'en', '128K', '128,499'],
  [999_499, 'en', '999K', '999,499'],
  [999_500, 'en', '1M', '999,500'],
  [1_234_567, 'en', '1.2M', '1,234,567'],
  [1_234_567, 'vi', '1,2M', '1.234.567'],
  [5_400_000_000, 'vi', '5,4B', '5.400.000.000'],
  [-1500, 'en', '-1.5K', '-1,500'],
])('shortens the count %d in %s to %s and keeps %s', async (...row) => {
  const [value, locale, short, exact] = row
  await startI18n(locale)
  expect(formatCount(value)).toEqual({ short, exact })
})

it.each<[readonly string[], Locale, string]>([
  [[], 'vi', ''],
  [['Crush'], 'vi', 'Crush'],
  [['Claude Code', 'Crush'], 'vi', 'Claude Code và Crush'],
  [['Claude Code', 'Crush', 'Zed'], 'vi', 'Claude Code, Crush và Zed'],
  [['Claude Code', 'Crush', 'Zed'], 'en', 'Claude Code, Crush, and Zed'],
])('writes the list %j in %s as %s', async (names, locale, expected) => {
  await startI18n(locale)
  expect(formatList(names)).toBe(expected)
})

it.each<[number, Locale, string]>([
  [0, 'en', '0 ms'],
  [849.6, 'en', '850 ms'],
  [999.7, 'en', '1 s'],
  [1234, 'en', '1.2 s'],
  [1234, 'vi', '1,2 giây'],
  [59_960, 'en', '1 min'],
  [125_000, 'en', '2 min 5 s'],
  [125_000, 'vi', '2 phút 5 giây'],
])('writes %d ms in %s as %s', async (ms, locale, expected) => {
  await startI18n(locale)
  expect(formatDuration(ms)).toBe(expected)
})

describe('relative times', () => {
  const currentTime = new Date(2026, 10, 21, 22, 0, 0)
  const addHours = (hours: number): string => new Date(currentTime.getTime() + hours * 3_600_000).toISOString()

  it.each<[number, Locale, string]>([
    [0, 'en', 'now'],
    [0.01, 'vi', 'bây giờ'],
    [-0.1, 'en', '6 minutes ago'],
    [0.99, 'en', 'in 59 minutes'],
    [0.995, 'en', 'in 1 hour'],
    [-3, 'vi', '3 giờ trước'],
    [23.8, 'en', 'tomorrow'],
    [24, 'vi', 'ngày mai'],
    [5 * 24, 'en', 'in 5 days'],
    [5 * 24, 'vi', 'sau 5 ngày nữa'],
    [-24, 'vi', 'hôm qua'],
    [60 * 24, 'en', 'in 2 months'],
    [-400 * 24, 'en', 'last year'],
  ])('writes %d hours from now in %s as "%s"', async (hours, locale, expected) => {
    await startI18n(locale)
    expect(formatRelative(addHours(hours), currentTime).short).toBe(expected)
  })

  it('calls 27 hours after 10 p.m. the day after tomorrow, not tomorrow', () => {
    expect(formatRelative(addHours(27), currentTime).short).toBe('in 2 days')
  })

  it('contains the exact time for a tooltip', () => {
    expect(formatRelative(addHours(5 * 24), currentTime).exact).toMatch(/^Nov 26, 2026, 22:00:00/)
  })
})

describe('dates', () => {
  const noon = new Date(2026, 10, 5, 12, 4, 9).toISOString()

  it.each<[Locale, string]>([
    ['en', 'Nov 5, 2026'],
    ['vi', '05/11/2026'],
  ])('writes the day in %s', async (locale, expected) => {
    await startI18n(locale)
    expect(formatDate(noon)).toBe(expected)
  })

  it.each<Locale>(['en', 'vi'])('writes the time of day with 24 hours in %s', async (locale) => {
    await startI18n(locale)
    expect(formatTime(noon)).toBe('12:04:09')
  })
})

describe('a day of a date field', () => {
  it('ends at the local end of the day, and reads back as the same day', () => {
    const end = getEndOfDay('2026-11-26')
    expect(end).toBe(new Date(2026, 10, 26, 23, 59, 59).toISOString())
    expect(toDateField(end)).toBe('2026-11-26')
  })

  it('is undefined while the field is empty', () => {
    expect([getEndOfDay(''), toDateField(undefined)]).toEqual([undefined, ''])
  })
})
