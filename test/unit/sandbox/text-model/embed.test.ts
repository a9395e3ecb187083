import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createEmbedding, similarity } from '../../../../src/sandbox/text-model/embed'

const getSimilarity = (a: string, b: string): number => similarity(createEmbedding(a), createEmbedding(b))
const arbitraryText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.lorem())

describe('an embedding', () => {
  test('has 256 finite numbers of unit length, or only zeros for an empty text', () => {
    fc.assert(
      fc.property(arbitraryText, (text) => {
        const vector = createEmbedding(text)
        expect(vector).toHaveLength(256)
        expect(vector.every(Number.isFinite)).toBe(true)
        expect(Math.hypot(...vector)).toBeCloseTo(text.trim() === '' ? 0 : 1, 4)
      }),
    )
  })

  test('has a symmetric similarity from 0 to 1', () => {
    fc.assert(
      fc.property(arbitraryText, arbitraryText, (a, b) => {
        const score = getSimilarity(a, b)
        expect(score).toBe(getSimilarity(b, a))
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }),
    )
  })

  test.each([
    ['prefers spicy noodles', 'She prefers spicy noodles.', 0.7, 1],
    ['dị ứng đậu phộng', 'di ung dau phong', 0.99, 1],
    ['deploys on Fridays', 'production deployment', 0.15, 0.7],
    ['Plays jazz piano on weekends', 'The invoice for March was paid late', 0, 0.3],
  ])('puts %j and %j at a similarity from %f to %f', (a, b, min, max) => {
    expect(getSimilarity(a, b)).toBeGreaterThanOrEqual(min)
    expect(getSimilarity(a, b)).toBeLessThanOrEqual(max)
  })
})
