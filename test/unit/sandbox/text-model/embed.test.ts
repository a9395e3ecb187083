import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { embed, similarity } from '../../../../src/sandbox/text-model/embed'

const near = (a: string, b: string): number => similarity(embed(a), embed(b))
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) }),
  fc.lorem(),
)

const records = [
  'prefers spicy noodles, allergic to peanuts',
  'deploys on Fridays',
  'Books aisle seats on morning flights to Đà Nẵng',
  'favourite colour is teal',
  'Wants short, formal answers in Vietnamese',
  'The invoice for March was paid late',
  'Her daughter Linh turns six in May',
  'Runs a Kubernetes cluster with 12 nodes',
  'Standup meeting is at 9:30 every weekday',
  'Plays jazz piano on weekends',
  'Lives in Hà Nội near West Lake',
  'Complained that the app crashes when exporting a report',
  'The token allowance of the plan ran out on day 20',
]

describe('an embedding', () => {
  test('has 256 numbers of unit length', () => {
    const vector = embed('prefers spicy noodles')
    expect(vector).toHaveLength(256)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 5)
  })

  test.each(['', ' \n\t'])('of %j is all zero and near nothing', (text) => {
    expect(embed(text).every((value) => value === 0)).toBe(true)
    expect(near(text, text)).toBe(0)
    expect(near(text, 'noodles')).toBe(0)
  })

  test('of any text holds numbers only, is of unit length or zero, and is like itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const vector = embed(text)
        expect(vector.every(Number.isFinite)).toBe(true)
        const isEmpty = text.trim() === ''
        expect(Math.hypot(...vector)).toBeCloseTo(isEmpty ? 0 : 1, 4)
        expect(similarity(vector, embed(text))).toBe(isEmpty ? 0 : 1)
      }),
      { numRuns: 500 },
    )
  })

  test('is as near to another as the other is to it, from 0 to 1', () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const score = near(a, b)
        expect(score).toBe(near(b, a))
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the similarity of texts', () => {
  test.each([
    ['what does she like to eat', 'prefers spicy noodles, allergic to peanuts'],
    ['any allergies?', 'prefers spicy noodles, allergic to peanuts'],
    ['dị ứng gì', 'prefers spicy noodles, allergic to peanuts'],
    ['cô ấy thích ăn gì', 'prefers spicy noodles, allergic to peanuts'],
    ['where does she live', 'Lives in Hà Nội near West Lake'],
    ['how should I answer her', 'Wants short, formal answers in Vietnamese'],
    ['ngôn ngữ trả lời', 'Wants short, formal answers in Vietnamese'],
    ['when are meetings', 'Standup meeting is at 9:30 every weekday'],
    ['children and family', 'Her daughter Linh turns six in May'],
    ['production deployment', 'deploys on Fridays'],
    ['which color does she like', 'favourite colour is teal'],
    ['what is broken', 'Complained that the app crashes when exporting a report'],
    ['hobbies and music', 'Plays jazz piano on weekends'],
    ['quota usage', 'The token allowance of the plan ran out on day 20'],
    ['which seat on the flight', 'Books aisle seats on morning flights to Đà Nẵng'],
  ])('%j finds %j first, well above most others', (query, expected) => {
    const scores = records.map((record) => ({ record, score: near(query, record) })).sort((a, b) => b.score - a.score)
    expect(scores[0]?.record).toBe(expected)
    expect(scores[0]?.score).toBeGreaterThan(0.4)
    expect(scores.filter(({ score }) => score < 0.3).length).toBeGreaterThanOrEqual(records.length - 3)
  })

  test.each([
    ['prefers spicy noodles', 'She prefers spicy noodles.', 0.9, 1],
    ['Deploys on Fridays', 'deploys on friday', 0.9, 1],
    ['dị ứng đậu phộng', 'di ung dau phong', 0.9, 1],
    ['User is allergic to peanuts', 'The user is allergic to peanuts!', 0.9, 1],
    ['Phở bò'.normalize('NFD'), 'phở bò'.normalize('NFC'), 0.99, 1],
    ['what does she like to eat', 'prefers spicy noodles, allergic to peanuts', 0.45, 0.8],
    ['Likes pizza for dinner', 'Thích ăn pizza vào bữa tối', 0.45, 0.85],
    ['deploys on Fridays', 'Runs a Kubernetes cluster with 12 nodes', 0.45, 0.8],
    ['what does she like to eat', 'deploys on Fridays', 0, 0.1],
    ['Plays jazz piano on weekends', 'The invoice for March was paid late', 0, 0.3],
    ['the of and to', 'deploys on Fridays', 0, 0.3],
  ])('%j and %j are between %f and %f', (a, b, least, most) => {
    expect(near(a, b)).toBeGreaterThanOrEqual(least)
    expect(near(a, b)).toBeLessThanOrEqual(most)
  })

  test('is below 0.3 for nearly all pairs of different facts', () => {
    const pairs = records.flatMap((a, index) => records.slice(index + 1).map((b) => near(a, b)))
    expect(pairs.filter((score) => score >= 0.3).length).toBeLessThanOrEqual(pairs.length * 0.05)
  })

  test('embeds a short sentence in well under a millisecond', () => {
    const sentence = 'prefers spicy noodles, allergic to peanuts, lives in Hà Nội'
    embed(sentence)
    const startedMs = performance.now()
    for (let round = 0; round < 2_000; round += 1) embed(sentence)
    expect((performance.now() - startedMs) / 2_000).toBeLessThan(0.25)
  })

  test('embeds an endless word in reasonable time', () => {
    const startedMs = performance.now()
    embed('x'.repeat(1_000_000))
    expect(performance.now() - startedMs).toBeLessThan(1_000)
  })
})
