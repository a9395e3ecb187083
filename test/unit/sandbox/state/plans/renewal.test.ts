import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeRenewal, setAutoRenew, settlePlans } from '../../../../../src/sandbox/state/plans'
import { type Plan, World } from '../../../../../src/sandbox/state/world'
import { plainWorld } from '../../plain-world'

const dayMs = 86_400_000
const nowMs = Date.UTC(2026, 10, 21, 9)
const toIso = (days: number, ms = 0) => new Date(nowMs + days * dayMs + ms).toISOString()
const freshWorld = plainWorld('ab'.repeat(32), nowMs)
const [bought] = freshWorld.plans
if (bought === undefined) throw new Error('the fresh world has no plan')
/** A new Pro plan for 490,000 VND. Only nova-vision has usage. */
const pro: Plan = { ...bought, planId: 'pro' }

const buildWorld = (credits: number, ...plans: readonly Plan[]): World => ({
  ...freshWorld,
  account: { ...freshWorld.account, credits },
  plans,
})
const settleWorld = (world: World, days: number, ms = 0) => settlePlans(world, nowMs + days * dayMs + ms)
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
  const planWithoutRenewal = { ...pro, autoRenew: false }
  test.each([
    ['with credits, just before the first attempt', pro, 500_000, [27, -1], [500_000, ['ACTIVE', 30, 30, 0]]],
    ['with credits, at the first attempt', pro, 500_000, [27, 0], [10_000, ['ACTIVE', 60, 30, 0]]],
    ['with exactly its total', pro, 490_000, [27, 0], [0, ['ACTIVE', 60, 30, 0]]],
    ['with one credit too few', pro, 489_999, [27, 0], [489_999, ['ACTIVE', 30, 30, 1]]],
    ['short, just before the first retry', pro, 0, [28, -1], [0, ['ACTIVE', 30, 30, 1]]],
    ['short, at the first retry', pro, 0, [28, 0], [0, ['ACTIVE', 30, 30, 2]]],
    ['short, at the second retry', pro, 0, [29, 0], [0, ['ACTIVE', 30, 30, 3]]],
    ['short, just before the third retry', pro, 0, [30, -1], [0, ['ACTIVE', 30, 30, 3]]],
    ['short, at the third retry and expiry', pro, 0, [30, 0], [0, ['EXPIRED', 30, 30, 4]]],
    ['short, long after its expiry', pro, 0, [3_650, 0], [0, ['EXPIRED', 30, 30, 4]]],
    ['renewed ahead, just before its next cycle', pro, 500_000, [30, -1], [10_000, ['ACTIVE', 60, 30, 0]]],
    ['renewed ahead, at its next cycle', pro, 500_000, [30, 0], [10_000, ['ACTIVE', 60, 60, 0]]],
    [
      'with auto-renew off, just before its expiry',
      planWithoutRenewal,
      5_000_000,
      [30, -1],
      [5_000_000, ['ACTIVE', 30, 30, 0]],
    ],
    ['with auto-renew off, at its expiry', planWithoutRenewal, 5_000_000, [30, 0], [5_000_000, ['EXPIRED', 30, 30, 0]]],
    ['deleted, long after', { ...pro, deleted: true }, 5_000_000, [365, 0], [5_000_000, ['ACTIVE', 30, 30, 0]]],
  ] as const)('%s', (_, plan, credits, [days, ms], expected) => {
    expect(summarizeWorld(settleWorld(buildWorld(credits, plan), days, ms))).toEqual(expected)
  })

  test('is renewed by a retry once there are credits again', () => {
    const shortOfCredits = settleWorld(buildWorld(0, pro), 28.5)
    const rich = { ...shortOfCredits, account: { ...shortOfCredits.account, credits: 490_000 } }
    expect(settleWorld(rich, 29, -1)).toBe(rich)
    expect(summarizeWorld(settleWorld(rich, 29))).toEqual([0, ['ACTIVE', 60, 30, 0]])
  })

  test('is renewed by the retry on its expiry, and its next cycle starts at that time', () => {
    const shortOfCredits = settleWorld(buildWorld(0, pro), 29)
    expect(
      summarizeWorld(settleWorld({ ...shortOfCredits, account: { ...shortOfCredits.account, credits: 490_000 } }, 30)),
    ).toEqual([0, ['ACTIVE', 60, 60, 0]])
  })

  test('makes up for the due attempts when auto-renew is switched on late', () => {
    const lateRenewal = setAutoRenew(settleWorld(buildWorld(0, planWithoutRenewal), 28.5), 'pro', true)
    expect(summarizeWorld(settleWorld(lateRenewal, 28.5))).toEqual([0, ['ACTIVE', 30, 30, 2]])
    const rich = { ...lateRenewal, account: { ...lateRenewal.account, credits: 490_000 } }
    expect(summarizeWorld(settleWorld(rich, 28.5))).toEqual([0, ['ACTIVE', 60, 30, 0]])
  })

  test('that was renewed early lasts its paid cycle with auto-renew off, and expires exactly', () => {
    const paidAheadWorld = setAutoRenew(settleWorld(buildWorld(5_000_000, pro), 28), 'pro', false)
    expect(summarizeWorld(settleWorld(paidAheadWorld, 60, -1))).toEqual([4_510_000, ['ACTIVE', 60, 60, 0]])
    expect(summarizeWorld(settleWorld(paidAheadWorld, 60))).toEqual([4_510_000, ['EXPIRED', 60, 60, 0]])
  })

  test('has its full quotas when its next cycle starts, not at the renewal', () => {
    const listUsedAmounts = (world: World) =>
      world.plans[0]?.models.map(({ tokensUsed, requestsUsed }) => tokensUsed + requestsUsed)
    const world = buildWorld(5_000_000, pro)
    expect(listUsedAmounts(settleWorld(world, 30, -1))).toEqual([0, 0, 0, 5_003_120])
    expect(listUsedAmounts(settleWorld(world, 30))).toEqual([0, 0, 0, 0])
  })

  test('keeps its usage when it expires', () => {
    expect(settleWorld(buildWorld(0, planWithoutRenewal), 31).plans).toEqual([
      { ...planWithoutRenewal, status: 'EXPIRED' },
    ])
  })

  test.each([0, 1, 7, 120])('lasts exactly as long as credits for %i renewals reach in one jump of 3,650 days', (k) => {
    const end = 30 * (k + 1)
    const expected = [77, ['EXPIRED', end, end, 4]]
    expect(summarizeWorld(settleWorld(buildWorld(k * 490_000 + 77, pro), 3_650))).toEqual(expected)
  })

  test('survives 3,650 days with credits for every renewal', () => {
    expect(summarizeWorld(settleWorld(buildWorld(200 * 490_000, pro), 3_650))).toEqual([
      (200 - 121) * 490_000,
      ['ACTIVE', 3_660, 3_660, 0],
    ])
  })
})

describe('plans that share the credits', () => {
  const laterPlan = { ...pro, planId: 'later', expiresAt: toIso(31), cycleEndsAt: toIso(31) }
  const firstState = ['ACTIVE', 60, 30, 0]
  test('are renewed in the order of their attempts, independent of the list order', () => {
    expect(summarizeWorld(settleWorld(buildWorld(500_000, pro, laterPlan), 40))).toEqual([
      10_000,
      ['ACTIVE', 60, 60, 0],
      ['EXPIRED', 31, 31, 4],
    ])
    expect(summarizeWorld(settleWorld(buildWorld(500_000, laterPlan, pro), 40))).toEqual([
      10_000,
      ['EXPIRED', 31, 31, 4],
      ['ACTIVE', 60, 60, 0],
    ])
  })

  test('leave credits that do not suffice for one to a cheaper one', () => {
    const cheapPlan = { ...laterPlan, total: 99_000 }
    expect(summarizeWorld(settleWorld(buildWorld(100_000, pro, cheapPlan), 28))).toEqual([
      1_000,
      ['ACTIVE', 30, 30, 2],
      ['ACTIVE', 61, 31, 0],
    ])
  })

  test('follow the list order when they are due at the same time', () => {
    const twin = { ...pro, planId: 'twin' }
    expect(summarizeWorld(settleWorld(buildWorld(490_000, pro, twin), 27))).toEqual([
      0,
      firstState,
      ['ACTIVE', 30, 30, 1],
    ])
  })
})

test('a retried renewal reports its failures and the next attempt', () => {
  const [plan = pro] = settleWorld(buildWorld(0, pro), 28).plans
  expect(describeRenewal(plan)).toEqual({ failedAttempts: 2, nextAttemptAt: toIso(29) })
  const plansNotDue = [pro, { ...plan, autoRenew: false }, ...settleWorld(buildWorld(0, pro), 30).plans]
  expect(plansNotDue.map(describeRenewal)).toEqual([undefined, undefined, undefined])
})

describe('any plans', () => {
  const quota = fc.integer({ min: 1, max: 50 })
  const anyModel = fc.record({ tokenQuota: quota, requestQuota: quota, tokensUsed: quota, requestsUsed: quota })
  const anyPlan = fc
    .record({
      cycleDays: fc.integer({ min: 0, max: 40 }),
      total: fc.integer({ min: 0, max: 1_000 }),
      autoRenew: fc.boolean(),
      deleted: fc.boolean(),
      failedRenewals: fc.integer({ min: 0, max: 3 }),
      endsInHours: fc.integer({ min: 0, max: 40 * 24 }),
      cyclesAhead: fc.integer({ min: 0, max: 1 }),
      models: fc.array(anyModel, { maxLength: 2 }),
    })
    .map(({ endsInHours, cyclesAhead, models, ...rest }) => ({
      ...pro,
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
  const anyWorld = fc
    .record({ credits: fc.integer({ min: 0, max: 20_000 }), plans: fc.array(anyPlan, { minLength: 1, maxLength: 4 }) })
    .map(({ credits, plans }) =>
      buildWorld(credits, ...plans.map((plan, index) => ({ ...plan, planId: `plan-${index}` }))),
    )
  const anyJumps = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 3 * dayMs }), fc.integer({ min: 0, max: 400 * dayMs })),
    {
      minLength: 1,
      maxLength: 8,
    },
  )

  test('many clock jumps have the same result as one', () => {
    fc.assert(
      fc.property(anyWorld, anyJumps, (world, jumps) => {
        let clockMs = nowMs
        const stepwiseWorld = jumps.reduce((currentWorld, jump) => {
          clockMs += jump
          return settlePlans(currentWorld, clockMs)
        }, world)
        expect(stepwiseWorld).toEqual(settlePlans(world, clockMs))
      }),
      { numRuns: 300 },
    )
  })

  test('credits pay exactly the added cycles and never become negative', () => {
    fc.assert(
      fc.property(anyWorld, fc.integer({ min: 0, max: 1_500 }), (world, days) => {
        const settledWorld = settleWorld(world, days)
        const paidAmount = settledWorld.plans.reduce((sum, plan, index) => {
          const addedMs = Date.parse(plan.expiresAt) - Date.parse(world.plans[index]?.expiresAt ?? '')
          return sum + (addedMs / (Math.max(1, plan.cycleDays) * dayMs)) * plan.total
        }, 0)
        expect(settledWorld.account.credits).toBe(world.account.credits - paidAmount)
        expect(settledWorld.account.credits).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 300 },
    )
  })

  test('a settled state is valid with nothing due, and settling it again changes nothing', () => {
    fc.assert(
      fc.property(anyWorld, fc.integer({ min: 0, max: 1_500 }), (world, days) => {
        const settledWorld = settleWorld(world, days)
        expect(World.parse(settledWorld)).toEqual(settledWorld)
        expect(settleWorld(settledWorld, days)).toBe(settledWorld)
        for (const { status, deleted, expiresAt, cycleEndsAt, models } of settledWorld.plans) {
          const isLive = status === 'ACTIVE' && !deleted
          if (isLive) expect(Date.parse(expiresAt)).toBeGreaterThan(nowMs + days * dayMs)
          if (isLive) expect(Date.parse(cycleEndsAt)).toBeGreaterThan(nowMs + days * dayMs)
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
