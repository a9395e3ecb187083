import fc from 'fast-check'
import { expect, test } from 'vitest'
import { computeRefund } from '../../../../../src/sandbox/state/plans'
import type { ModelAllowance, Plan } from '../../../../../src/sandbox/state/world'
import { plainWorld } from '../../plain-world'

const [pro] = plainWorld('ab'.repeat(32), Date.UTC(2026, 10, 21)).plans
if (pro === undefined) throw new Error('the fresh world has no plan')
const plan: Plan = { ...pro, total: 100_000 }
const dayMs = 86_400_000

const model = (tokensUsed: number, requestsUsed: number, overrides: Partial<ModelAllowance> = {}): ModelAllowance => ({
  modelCode: 'any',
  displayName: 'Any',
  contextTokens: 1,
  tokenQuota: 1_000,
  requestQuota: 100,
  tokensUsed,
  requestsUsed,
  ...overrides,
})
const addDaysToCycleEnd = (days: number) => new Date(Date.parse(plan.cycleEndsAt) + days * dayMs).toISOString()

test.each<readonly [string, Partial<Plan>, number]>([
  ['nothing used', { models: [model(0, 0), model(0, 0)] }, 100_000],
  ['everything used', { models: [model(1_000, 0), model(0, 100)] }, 0],
  ['a quarter of the tokens used', { models: [model(250, 0)] }, 75_000],
  ['a quarter of the requests used', { models: [model(0, 25)] }, 75_000],
  ['more of the requests used than of the tokens', { models: [model(250, 50)] }, 50_000],
  ['one model used up, one untouched', { models: [model(1_000, 100), model(0, 0)] }, 50_000],
  ['a third of three models used', { models: [model(1_000, 0), model(0, 0), model(0, 0)] }, 66_666],
  ['a share without a finite decimal', { models: [model(1, 0, { tokenQuota: 3 })], total: 99_000 }, 66_000],
  ['a model without an allowance', { models: [model(0, 0, { tokenQuota: 0 }), model(0, 0)] }, 50_000],
  ['no models', { models: [] }, 0],
  ['nothing used and a cycle paid ahead', { models: [model(0, 0)], expiresAt: addDaysToCycleEnd(30) }, 200_000],
  ['everything used and a cycle paid ahead', { models: [model(1_000, 0)], expiresAt: addDaysToCycleEnd(30) }, 100_000],
  ['nothing used, expired', { models: [model(0, 0)], status: 'EXPIRED' }, 0],
])('a plan of 100,000 VND with %s', (_, change, refund) => {
  expect(computeRefund({ ...plan, ...change })).toBe(refund)
})

test('a refund is an integer, at most the price, and decreases with usage', () => {
  const quota = fc.integer({ min: 1, max: 2_000_000_000 })
  const arbitraryModel = fc
    .tuple(quota, quota, fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([tokenQuota, requestQuota, tokens, requests]) =>
      model(Math.floor(tokenQuota * tokens), Math.floor(requestQuota * requests), { tokenQuota, requestQuota }),
    )
  const arbitraryModels = fc.array(arbitraryModel, { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(arbitraryModels, fc.integer({ min: 0, max: 10_000_000 }), (models, total) => {
      const refund = computeRefund({ ...plan, total, models })
      expect(Number.isSafeInteger(refund) && refund >= 0 && refund <= total).toBe(true)
      const modelsWithMoreUsage = models.map((allowance) => ({
        ...allowance,
        tokensUsed: Math.min(allowance.tokenQuota, allowance.tokensUsed + 1_000_000),
      }))
      expect(computeRefund({ ...plan, total, models: modelsWithMoreUsage })).toBeLessThanOrEqual(refund)
    }),
  )
})
