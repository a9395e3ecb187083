import { AccountPlanRecord } from '@shared/contract/plans'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { estimateRefund } from '../../../../../../src/main/plans/account/refund'
import { deletePlan } from '../../../../../../src/sandbox/state/plans'
import { plainWorld } from '../../../../sandbox/plain-world'
import { planAnswer } from '../answers'

const buildPlan = (overrides: object): AccountPlanRecord => AccountPlanRecord.parse({ ...planAnswer, ...overrides })
const model = (tokens: readonly [number, number], requests: readonly [number, number]) => ({
  modelCode: 'm',
  status: 'ACTIVE',
  tokenQuota: tokens[0],
  tokensUsed: tokens[1],
  requestQuota: requests[0],
  requestsUsed: requests[1],
})

/** A time within the only cycle of `planAnswer`. */
const nowMs = Date.parse('2026-03-10T00:00:00Z')

it.each([
  ['nothing used', [model([100, 0], [10, 0])], 490_000],
  ['the smaller share counts', [model([100, 25], [10, 5])], 245_000],
  ['the mean over models', [model([100, 0], [10, 0]), model([100, 100], [10, 0])], 245_000],
  ['more used than allowed', [model([100, 150], [10, 0])], 0],
  ['an allowance of nothing', [model([0, 0], [10, 0])], 0],
  ['no models', [], 0],
])('estimates with %s', (_, models, refund) => {
  expect(estimateRefund(buildPlan({ total: 490_000, models }), nowMs)).toBe(refund)
})

it.each([
  ['one renewal', '2026-04-30T00:00:00Z', 490_000],
  ['two renewals', '2026-05-30T00:00:00Z', 980_000],
  ['no renewal, by a clock that is a minute behind', '2026-04-09T00:01:00Z', 0],
])('counts %s paid in advance in full', (_, expiresAt, paidAheadAmount) => {
  const usedModels = [model([100, 100], [10, 0])]
  expect(estimateRefund(buildPlan({ total: 490_000, models: usedModels, expiresAt }), nowMs)).toBe(paidAheadAmount)
})

it('estimates nothing for an expired plan', () => {
  expect(estimateRefund(buildPlan({ status: 'EXPIRED' }), nowMs)).toBe(0)
})

it('estimates the sandbox’s refund exactly, to one VND', () => {
  const world = plainWorld('0'.repeat(64), 0)
  const [plan] = world.plans
  if (!plan) throw new Error('no plan')
  const quota = fc.integer({ min: 1, max: 90_000_000 })
  const usedAmount = fc.integer({ min: 0, max: 90_000_000 })
  const models = fc.array(fc.tuple(quota, usedAmount, quota, usedAmount), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(models, fc.integer({ min: 0, max: 20_000_000 }), (rows, total) => {
      const modelQuotas = rows.map(([tokens, tokensUsed, requests, requestsUsed]) =>
        model([tokens, tokensUsed], [requests, requestsUsed]),
      )
      const baseModel = plan.models[0]
      const remotePlan = {
        ...plan,
        total,
        models: modelQuotas.map((modelQuota) => ({ ...baseModel, ...modelQuota, displayName: '', contextTokens: 1 })),
      }
      expect(estimateRefund(buildPlan({ total, models: modelQuotas }), nowMs)).toBe(deletePlan(world, remotePlan))
    }),
  )
})
