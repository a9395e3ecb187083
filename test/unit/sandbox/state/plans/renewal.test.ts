import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyDuePlanEvents, describeRenewal } from '../../../../../src/sandbox/state/plans'
import { type Plan, World } from '../../../../../src/sandbox/state/world'
import { plainWorld } from '../../plain-world'

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 10, 21, 9)
const toIso = (days: number, ms = 0) => new Date(nowMs + days * dayMs + ms).toISOString()
const freshWorld = plainWorld('ab'.repeat(32), nowMs)
const [bought] = freshWorld.plans
if (bought === undefined) throw new Error('the fresh world has no plan')
/** A new Pro plan for 490,000 VND. Only nova-vision has usage. */
const proPlan: Plan = { ...bought, planId: 'pro' }

const buildWorld = (credits: number, ...plans: Plan[]): World => ({
  ...freshWorld,
  account: { ...freshWorld.account, credits },
  plans,
})
/** A copy of the world at a later time. */
function advanceWorld(world: World, days: number, ms = 0): World {
  const laterWorld = structuredClone(world)
  applyDuePlanEvents(laterWorld, nowMs + days * dayMs + ms)
  return laterWorld
}
const setAutoRenew = (world: World, autoRenew: boolean): World => ({
  ...world,
  plans: world.plans.map((plan) => ({ ...plan, autoRenew })),
})
const summarizeWorld = ({ account, plans }: World) => [
  account.credits,
  ...plans.map(({ status, expiresAt, cycleEndsAt, failedRenewals }) => [
    status,
    (Date.parse(expiresAt) - nowMs) / dayMs,
    (Date.parse(cycleEndsAt) - nowMs) / dayMs,
    failedRenewals,
  ]),
]

describe('a plan of 490,000 VND bought on day 0', () => {
  const planWithoutRenewal = { ...proPlan, autoRenew: false }
  test.each([
    ['with credits, just before the first attempt', proPlan, 500_000, [27, -1], [500_000, ['ACTIVE', 30, 30, 0]]],
    ['with credits, at the first attempt', proPlan, 500_000, [27, 0], [10_000, ['ACTIVE', 60, 30, 0]]],
    ['with exactly its total', proPlan, 490_000, [27, 0], [0, ['ACTIVE', 60, 30, 0]]],
    ['with one credit too few', proPlan, 489_999, [27, 0], [489_999, ['ACTIVE', 30, 30, 1]]],
    ['short, just before the first retry', proPlan, 0, [28, -1], [0, ['ACTIVE', 30, 30, 1]]],
    ['short, at the first retry', proPlan, 0, [28, 0], [0, ['ACTIVE', 30, 30, 2]]],
    ['short, at the second retry', proPlan, 0, [29, 0], [0, ['ACTIVE', 30, 30, 3]]],
    ['short, just before the third retry', proPlan, 0, [30, -1], [0, ['ACTIVE', 30, 30, 3]]],
    ['short, at the third retry and expiry', proPlan, 0, [30, 0], [0, ['EXPIRED', 30, 30, 4]]],
    ['short, long after its expiry', proPlan, 0, [3_650, 0], [0, ['EXPIRED', 30, 30, 4]]],
    ['renewed ahead, just before its next cycle', proPlan, 500_000, [30, -1], [10_000, ['ACTIVE', 60, 30, 0]]],
    ['renewed ahead, at its next cycle', proPlan, 500_000, [30, 0], [10_000, ['ACTIVE', 60, 60, 0]]],
    [
      'with auto-renew off, just before its expiry',
      planWithoutRenewal,
      5_000_000,
      [30, -1],
      [5_000_000, ['ACTIVE', 30, 30, 0]],
    ],
    ['with auto-renew off, at its expiry', planWithoutRenewal, 5_000_000, [30, 0], [5_000_000, ['EXPIRED', 30, 30, 0]]],
    ['deleted, long after', { ...proPlan, deleted: true }, 5_000_000, [365, 0], [5_000_000, ['ACTIVE', 30, 30, 0]]],
  ] as const)('%s', (_, plan, credits, [days, ms], expected) => {
    expect(summarizeWorld(advanceWorld(buildWorld(credits, plan), days, ms))).toEqual(expected)
  })

  test('is renewed by a retry once there are credits again', () => {
    const worldWithFewCredits = advanceWorld(buildWorld(0, proPlan), 28.5)
    const worldWithCredits = { ...worldWithFewCredits, account: { ...worldWithFewCredits.account, credits: 490_000 } }
    expect(advanceWorld(worldWithCredits, 29, -1)).toEqual(worldWithCredits)
    expect(summarizeWorld(advanceWorld(worldWithCredits, 29))).toEqual([0, ['ACTIVE', 60, 30, 0]])
  })

  test('makes up for the due attempts when auto-renew is switched on late', () => {
    const lateRenewal = setAutoRenew(advanceWorld(buildWorld(0, planWithoutRenewal), 28.5), true)
    expect(summarizeWorld(advanceWorld(lateRenewal, 28.5))).toEqual([0, ['ACTIVE', 30, 30, 2]])
    const worldWithCredits = { ...lateRenewal, account: { ...lateRenewal.account, credits: 490_000 } }
    expect(summarizeWorld(advanceWorld(worldWithCredits, 28.5))).toEqual([0, ['ACTIVE', 60, 30, 0]])
  })

  test('that was renewed early lasts its paid cycle with auto-renew off, and expires exactly', () => {
    const paidAheadWorld = setAutoRenew(advanceWorld(buildWorld(5_000_000, proPlan), 28), false)
    expect(summarizeWorld(advanceWorld(paidAheadWorld, 60, -1))).toEqual([4_510_000, ['ACTIVE', 60, 60, 0]])
    expect(summarizeWorld(advanceWorld(paidAheadWorld, 60))).toEqual([4_510_000, ['EXPIRED', 60, 60, 0]])
  })

  test('has its full quotas when its next cycle starts, not at the renewal', () => {
    const listUsedAmounts = (world: World) =>
      world.plans[0]?.models.map(({ tokensUsed, requestsUsed }) => tokensUsed + requestsUsed)
    const world = buildWorld(5_000_000, proPlan)
    expect(listUsedAmounts(advanceWorld(world, 30, -1))).toEqual([0, 0, 0, 5_003_120])
    expect(listUsedAmounts(advanceWorld(world, 30))).toEqual([0, 0, 0, 0])
  })

  test.each([0, 1, 7, 120])('lasts exactly as long as credits for %i renewals reach in one jump of 3,650 days', (k) => {
    const endDay = 30 * (k + 1)
    const expectedState = [77, ['EXPIRED', endDay, endDay, 4]]
    expect(summarizeWorld(advanceWorld(buildWorld(k * 490_000 + 77, proPlan), 3_650))).toEqual(expectedState)
  })
})

describe('plans that share the credits', () => {
  const laterPlan = { ...proPlan, planId: 'later', expiresAt: toIso(31), cycleEndsAt: toIso(31) }
  test('are renewed in the order of their attempts, independent of the list order', () => {
    expect(summarizeWorld(advanceWorld(buildWorld(500_000, proPlan, laterPlan), 40))).toEqual([
      10_000,
      ['ACTIVE', 60, 60, 0],
      ['EXPIRED', 31, 31, 4],
    ])
    expect(summarizeWorld(advanceWorld(buildWorld(500_000, laterPlan, proPlan), 40))).toEqual([
      10_000,
      ['EXPIRED', 31, 31, 4],
      ['ACTIVE', 60, 60, 0],
    ])
  })

  test('leave credits that do not suffice for one to a cheaper one', () => {
    const cheapPlan = { ...laterPlan, total: 99_000 }
    expect(summarizeWorld(advanceWorld(buildWorld(100_000, proPlan, cheapPlan), 28))).toEqual([
      1_000,
      ['ACTIVE', 30, 30, 2],
      ['ACTIVE', 61, 31, 0],
    ])
  })
})

test('a retried renewal reports its failures and the next attempt', () => {
  const [plan = proPlan] = advanceWorld(buildWorld(0, proPlan), 28).plans
  expect(describeRenewal(plan)).toEqual({ failedAttempts: 2, nextAttemptAt: toIso(29) })
  const plansNotDue = [proPlan, { ...plan, autoRenew: false }, ...advanceWorld(buildWorld(0, proPlan), 30).plans]
  expect(plansNotDue.map(describeRenewal)).toEqual([undefined, undefined, undefined])
})

describe('any plans', () => {
  const quota = fc.integer({ min: 1, max: 50 })
  const arbitraryModel = fc.record({ tokenQuota: quota, requestQuota: quota, tokensUsed: quota, requestsUsed: quota })
  const arbitraryPlan = fc
    .record({
      cycleDays: fc.integer({ min: 0, max: 40 }),
      total: fc.integer({ min: 0, max: 1_000 }),
      autoRenew: fc.boolean(),
      deleted: fc.boolean(),
      failedRenewals: fc.integer({ min: 0, max: 3 }),
      endsInHours: fc.integer({ min: 0, max: 40 * 24 }),
      cyclesAhead: fc.integer({ min: 0, max: 1 }),
      models: fc.array(arbitraryModel, { maxLength: 2 }),
    })
    .map(({ endsInHours, cyclesAhead, models, ...rest }) => ({
      ...proPlan,
      ...rest,
      cycleEndsAt: toIso(endsInHours / 24),
      expiresAt: toIso(endsInHours / 24 + cyclesAhead * rest.cycleDays),
      models: models.map((model, index) => ({
        ...model,
        modelCode: `model-${index}`,
        displayName: '',
        contextTokens: 0,
        tokensUsed: Math.min(model.tokensUsed, model.tokenQuota),
        requestsUsed: Math.min(model.requestsUsed, model.requestQuota),
      })),
    }))
  const arbitraryWorld = fc
    .record({
      credits: fc.integer({ min: 0, max: 20_000 }),
      plans: fc.array(arbitraryPlan, { minLength: 1, maxLength: 4 }),
    })
    .map(({ credits, plans }) =>
      buildWorld(credits, ...plans.map((plan, index) => ({ ...plan, planId: `plan-${index}` }))),
    )
  const arbitraryJumps = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 3 * dayMs }), fc.integer({ min: 0, max: 400 * dayMs })),
    {
      minLength: 1,
      maxLength: 8,
    },
  )

  test('many clock jumps have the same result as one', () => {
    fc.assert(
      fc.property(arbitraryWorld, arbitraryJumps, (world, jumps) => {
        let elapsedMs = 0
        const worldAfterJumps = jumps.reduce((currentWorld, jump) => {
          elapsedMs += jump
          return advanceWorld(currentWorld, 0, elapsedMs)
        }, world)
        expect(worldAfterJumps).toEqual(advanceWorld(world, 0, elapsedMs))
      }),
      { numRuns: 300 },
    )
  })

  test('credits pay exactly the added cycles and never become negative', () => {
    fc.assert(
      fc.property(arbitraryWorld, fc.integer({ min: 0, max: 1_500 }), (world, days) => {
        const worldAfterEvents = advanceWorld(world, days)
        const paidAmount = worldAfterEvents.plans.reduce((sum, plan, index) => {
          const extensionMs = Date.parse(plan.expiresAt) - Date.parse(world.plans[index]?.expiresAt ?? '')
          return sum + (extensionMs / (Math.max(1, plan.cycleDays) * dayMs)) * plan.total
        }, 0)
        expect(worldAfterEvents.account.credits).toBe(world.account.credits - paidAmount)
        expect(worldAfterEvents.account.credits).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 300 },
    )
  })

  test('a settled state is valid with nothing due, and settling it again changes nothing', () => {
    fc.assert(
      fc.property(arbitraryWorld, fc.integer({ min: 0, max: 1_500 }), (world, days) => {
        const worldAfterEvents = advanceWorld(world, days)
        expect(World.parse(worldAfterEvents)).toEqual(worldAfterEvents)
        expect(applyDuePlanEvents(worldAfterEvents, nowMs + days * dayMs)).toBe(false)
        for (const { status, deleted, expiresAt, cycleEndsAt, models } of worldAfterEvents.plans) {
          const isActivePlan = status === 'ACTIVE' && !deleted
          if (isActivePlan) expect(Date.parse(expiresAt)).toBeGreaterThan(nowMs + days * dayMs)
          if (isActivePlan) expect(Date.parse(cycleEndsAt)).toBeGreaterThan(nowMs + days * dayMs)
          for (const { tokenQuota, tokensUsed, requestQuota, requestsUsed } of models) {
            expect(tokensUsed).toBeLessThanOrEqual(tokenQuota)
            expect(requestsUsed).toBeLessThanOrEqual(requestQuota)
          }
        }
      }),
      { numRuns: 300 },
    )
  })
})
