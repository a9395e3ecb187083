import { describe, expect, it } from 'vitest'
import { clockText, spanText } from '../../../../../src/renderer/features/sandbox/clock'

const hourMs = 3_600_000

describe('a duration', () => {
  it.each([
    [0, undefined],
    [hourMs / 2 - 1, undefined],
    [hourMs / 2, '1 hour'],
    [hourMs, '1 hour'],
    [26 * hourMs, '26 hours'],
    [48 * hourMs - 1, '48 hours'],
    [48 * hourMs, '2 days'],
    [61 * hourMs, '3 days'],
    [400 * 24 * hourMs, '400 days'],
  ])('of %d ms is %s', (ms, text) => {
    expect(spanText(ms, 'en')).toBe(text)
  })

  it('is in the language of the window', () => {
    expect(spanText(7 * 24 * hourMs, 'vi')).toBe('7 ngày')
  })
})

it.each(['en', 'vi'] as const)('a time shows day, month, year and minutes, %s', (locale) => {
  const text = clockText(new Date(2026, 10, 21, 7, 5, 59).toISOString(), locale)
  for (const part of ['21', '11', '2026', '07:05']) {
    expect(text).toContain(part === '11' && locale === 'en' ? 'Nov' : part)
  }
  expect(text).not.toContain('59')
})
