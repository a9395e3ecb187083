import fc from 'fast-check'
import { expect, test } from 'vitest'
import { calculate } from '../../../../src/sandbox/text-model/arithmetic'

test.each([
  ['1+2*3', '1 + 2 × 3', '7'],
  ['(1 + 2) * 3', '(1 + 2) × 3', '9'],
  ['2^3^2', '2 ^ 3 ^ 2', '512'],
  ['-2^2', '-2 ^ 2', '-4'],
  ['2^-2', '2 ^ - 2', '0.25'],
  ['10-4-3', '10 - 4 - 3', '3'],
  ['17 mod 5', '17 % 5', '2'],
  ['0.1 + 0.2', '0.1 + 0.2', '0.3'],
  ['2 / 3', '2 ÷ 3', '0.6666666667'],
  ['1,000 x 2', '1000 × 2', '2000'],
  ['15% of 200', '15 ÷ 100 × 200', '30'],
  ['12 chia cho 5', '12 ÷ 5', '2.4'],
  ['1/0', '1 ÷ 0', undefined],
])('%s', (expression, sum, result) => {
  expect(calculate(expression)).toEqual({ sum, result })
})

test.each(['', '7', 'hello', '1+', '(1+2', '1+2)', '2026-11-21', '9^9^9', '1+'.repeat(200), '1..2+1', 'constructor+1'])(
  'finds no arithmetic in %j',
  (expression) => {
    expect(calculate(expression)).toBeUndefined()
  },
)

test('agrees with exact integers of any size', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 30n }), fc.bigInt({ min: 0n, max: 10n ** 30n }), (a, b) => {
      expect(calculate(`${a} * ${b}`)?.result).toBe(String(a * b))
      expect(calculate(`${a} - ${b}`)?.result).toBe(String(a - b))
    }),
  )
})
