import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findPool, getRemaining, isExhausted, setUsedTokens } from '../../../../src/sandbox/state/plans'
import type { World } from '../../../../src/sandbox/state/world'
import { plainWorld } from '../plain-world'

const world = plainWorld('cd'.repeat(32), Date.UTC(2026, 10, 21))
const smallModelPool = { planId: 'plan-sandbox-pro', modelCode: 'aurora-small' }
const listOtherPools = (currentWorld: World) =>
  currentWorld.plans.map(({ models }) => models.filter(({ modelCode }) => modelCode !== smallModelPool.modelCode))

function setUsageAndGetPool(usedAmounts: Parameters<typeof setUsedTokens>[2]) {
  const pool = findPool(setUsedTokens(world, smallModelPool, usedAmounts) ?? world, smallModelPool)
  if (pool === undefined) throw new Error('the pool is gone')
  return pool
}

describe('a quota pool', () => {
  test.each([
    [{ tokensUsed: 60_000_000 }, true],
    [{ requestsUsed: 60_000 }, true],
    [{ tokensUsed: 60_000_000, requestsUsed: 60_000 }, true],
    [{ tokensUsed: 59_999_999 }, false],
    [{ requestsUsed: 59_999 }, false],
  ])('with %o used is exhausted: %s', (usedAmounts, expected) => {
    expect(isExhausted(setUsageAndGetPool(usedAmounts))).toBe(expected)
  })

  test('that does not exist cannot be set', () => {
    expect(setUsedTokens(world, { ...smallModelPool, modelCode: 'nobody' }, {})).toBeUndefined()
    expect(setUsedTokens(world, { ...smallModelPool, planId: 'nobody' }, {})).toBeUndefined()
  })

  test('adds up to its quota whatever is set, without affecting others', () => {
    const usedAmounts = fc.record(
      { tokensUsed: fc.nat(90_000_000), requestsUsed: fc.nat(90_000) },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(usedAmounts, { maxLength: 20 }), (steps) => {
        const endWorld = steps.reduce(
          (currentWorld, nextAmounts) => setUsedTokens(currentWorld, smallModelPool, nextAmounts) ?? currentWorld,
          world,
        )
        const pool = findPool(endWorld, smallModelPool)
        if (pool === undefined) throw new Error('the pool is gone')
        const { tokens, requests } = getRemaining(pool)
        expect(Math.min(tokens, requests)).toBeGreaterThanOrEqual(0)
        expect([pool.tokensUsed + tokens, pool.requestsUsed + requests]).toEqual([60_000_000, 60_000])
        expect(listOtherPools(endWorld)).toEqual(listOtherPools(world))
      }),
      { numRuns: 60 },
    )
  })
})
