import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createRandom } from '../../../../src/sandbox/seed/seeded-memory'

test('returns the same numbers for the same seed and purpose, and others for another purpose', () => {
  const numbers = (seed: string, purpose: string) => {
    const { next } = createRandom(seed, purpose)
    return Array.from({ length: 20 }, next)
  }
  expect(numbers('a', 'usage')).toEqual(numbers('a', 'usage'))
  expect(numbers('a', 'usage')).not.toEqual(numbers('a', 'memory'))
  expect(numbers('a', 'usage')).not.toEqual(numbers('b', 'usage'))
})

test('returns integers within their bounds and reaches both', () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.integer({ min: -50, max: 50 }),
      fc.integer({ min: 0, max: 5 }),
      (seed, least, width) => {
        const { int } = createRandom(seed, 'bounds')
        const generatedNumbers = new Set(Array.from({ length: 400 }, () => int(least, least + width)))
        expect([...generatedNumbers].sort((a, b) => a - b)).toEqual(
          Array.from({ length: width + 1 }, (_, index) => least + index),
        )
      },
    ),
  )
})

test('returns hexadecimal digits of the requested length', () => {
  const { hex } = createRandom('a', 'hex')
  expect([8, 12, 64].map((length) => hex(length))).toEqual([
    expect.stringMatching(/^[0-9a-f]{8}$/),
    expect.stringMatching(/^[0-9a-f]{12}$/),
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ])
})
