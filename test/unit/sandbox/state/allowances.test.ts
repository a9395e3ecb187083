import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chargeTokens, findPool, left, setUsed, takeRequest } from '../../../../src/sandbox/state/allowances'
import { freshWorld } from '../../../../src/sandbox/state/fresh-world'
import type { World } from '../../../../src/sandbox/state/world'

const world = freshWorld('cd'.repeat(32), Date.UTC(2026, 10, 21))
const small = { planId: 'plan-sandbox-pro', modelCode: 'aurora-small' }
const othersOf = (given: World) =>
  given.plans.map(({ models }) => models.filter(({ modelCode }) => modelCode !== small.modelCode))

describe('a pool', () => {
  test.each([
    [{ tokensUsed: 60_000_000 }, 'tokens'],
    [{ requestsUsed: 60_000 }, 'requests'],
    [{ tokensUsed: 60_000_000, requestsUsed: 60_000 }, 'tokens'],
  ])('with %o used is exhausted', (used, which) => {
    expect(takeRequest(setUsed(world, small, used) ?? world, small)).toBe(which)
  })

  test.each([{ tokensUsed: 59_999_999 }, { requestsUsed: 59_999 }])('with %o used serves one more call', (used) => {
    expect(takeRequest(setUsed(world, small, used) ?? world, small)).toBeTypeOf('object')
  })

  test('of another plan is not touched by the same model', () => {
    const charged = chargeTokens(world, small, 500)
    expect(findPool(charged, small)?.tokensUsed).toBe(500)
    expect(findPool(charged, { ...small, planId: 'plan-sandbox-expired' })?.tokensUsed).toBe(0)
  })

  test('that does not exist cannot be set', () => {
    expect(setUsed(world, { ...small, modelCode: 'nobody' }, {})).toBeUndefined()
    expect(setUsed(world, { ...small, planId: 'nobody' }, {})).toBeUndefined()
  })

  test('adds up to its quota whatever happens, and no other pool changes', () => {
    const step = fc.oneof(
      fc.constant((given: World) => {
        const taken = takeRequest(given, small)
        return typeof taken === 'string' ? given : taken
      }),
      fc.nat(40_000_000).map((tokens) => (given: World) => chargeTokens(given, small, tokens)),
      fc
        .record({ tokensUsed: fc.nat(90_000_000), requestsUsed: fc.nat(90_000) }, { requiredKeys: [] })
        .map((used) => (given: World) => setUsed(given, small, used) ?? given),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        const end = steps.reduce((given, next) => next(given), world)
        const pool = findPool(end, small)
        if (pool === undefined) throw new Error('the pool is gone')
        const { tokens, requests } = left(pool)
        expect(Math.min(tokens, requests)).toBeGreaterThanOrEqual(0)
        expect([pool.tokensUsed + tokens, pool.requestsUsed + requests]).toEqual([60_000_000, 60_000])
        expect(othersOf(end)).toEqual(othersOf(world))
      }),
      { numRuns: 60 },
    )
  })
})
