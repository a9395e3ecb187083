import { expect, it } from 'vitest'
import { readCredits } from '../../../../../../src/renderer/features/sandbox/sandbox-page'

it.each([
  ['', undefined],
  ['₫', undefined],
  ['many', undefined],
  ['0', 0],
  ['1250000', 1_250_000],
  ['1.250.000 ₫', 1_250_000],
  ['₫1,250,000', 1_250_000],
  [' 1 250 000 ', 1_250_000],
  ['-5', 5],
  ['1234567890123456', 123_456_789_012],
])('the amount in "%s" is %s', (text, credits) => {
  expect(readCredits(text)).toBe(credits)
})
