import type { SandboxStep } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { describeAdvance, listEvents, type SandboxState } from '../../../../../../src/main/app/sandbox/control'

type SandboxPlanState = SandboxState['plans'][number]

const clock = '2026-11-21T08:00:00.000Z'
const hourMs = 3_600_000
const dayMs = 24 * hourMs
const addMs = (ms: number): string => new Date(Date.parse(clock) + ms).toISOString()

describe('a step', () => {
  it.each<[SandboxStep, number | undefined, number | undefined]>([
    ['hour', undefined, hourMs],
    ['day', -5 * dayMs, dayMs],
    ['week', 5 * dayMs, 7 * dayMs],
    ['beforeExpiry', 5 * dayMs, 4 * dayMs],
    ['beforeExpiry', dayMs + 1, 1],
    ['beforeExpiry', dayMs, undefined],
    ['beforeExpiry', -dayMs, undefined],
    ['beforeExpiry', undefined, undefined],
    ['pastExpiry', 5 * dayMs, 5 * dayMs + 60_000],
    ['pastExpiry', 1, 60_001],
    ['pastExpiry', 0, undefined],
    ['pastExpiry', -dayMs, undefined],
    ['pastExpiry', undefined, undefined],
  ])('%s with an expiry %s ms ahead moves the clock by %s', (step, remainingMs, advanceMs) => {
    const plan = remainingMs === undefined ? undefined : { expiresAt: addMs(remainingMs) }
    expect(describeAdvance(step, { clock }, plan)).toBe(advanceMs)
  })
})

const plan = (overrides: Partial<SandboxPlanState> = {}): SandboxPlanState => ({
  planId: 'p1',
  name: 'pro',
  status: 'ACTIVE',
  deleted: false,
  autoRenew: true,
  total: 490_000,
  cycleDays: 30,
  cycleEndsAt: addMs(10 * dayMs),
  expiresAt: addMs(10 * dayMs),
  failedRenewals: 0,
  models: [],
  keys: [],
  ...overrides,
})
const state = (...plans: SandboxPlanState[]): SandboxState => ({
  clock,
  clockOffsetMs: 0,
  account: { role: 'ROOT', credits: 0 },
  plans,
})
const noRenewal = { autoRenew: false }
const toRenewedPlan = (cycles: number) => ({ expiresAt: addMs((10 + 30 * cycles) * dayMs) })
const nextCycle = (cycles: number) => ({ cycleEndsAt: addMs((10 + 30 * cycles) * dayMs) })

describe('the changes', () => {
  it.each<[string, Partial<SandboxPlanState>, Partial<SandboxPlanState>, readonly unknown[]]>([
    ['nothing', {}, {}, []],
    [
      'an expiry, as auto-renew was off',
      noRenewal,
      { ...noRenewal, status: 'EXPIRED' },
      [{ kind: 'expired', why: 'notRenewed' }],
    ],
    [
      'an expiry for want of credits',
      {},
      { status: 'EXPIRED', failedRenewals: 3 },
      [{ kind: 'expired', why: 'unpaid' }],
    ],
    [
      'a renewal ahead',
      {},
      toRenewedPlan(1),
      [{ kind: 'renewed', charged: 490_000, expiresAt: toRenewedPlan(1).expiresAt }],
    ],
    [
      'two renewals with their cycles',
      {},
      { ...toRenewedPlan(2), ...nextCycle(2) },
      [{ kind: 'renewed', charged: 980_000, expiresAt: toRenewedPlan(2).expiresAt }, { kind: 'cycleBegan' }],
    ],
    [
      'a cycle that was paid ahead',
      toRenewedPlan(1),
      { ...toRenewedPlan(1), ...nextCycle(1) },
      [{ kind: 'cycleBegan' }],
    ],
    ['a first failed renewal', {}, { failedRenewals: 1 }, [{ kind: 'renewalFailed', attempts: 1 }]],
    ['two more', { failedRenewals: 1 }, { failedRenewals: 3 }, [{ kind: 'renewalFailed', attempts: 3 }]],
    [
      'a renewal and then an expiry',
      {},
      { ...toRenewedPlan(1), ...nextCycle(1), status: 'EXPIRED', failedRenewals: 3 },
      [
        { kind: 'renewed', charged: 490_000, expiresAt: toRenewedPlan(1).expiresAt },
        { kind: 'cycleBegan' },
        { kind: 'expired', why: 'unpaid' },
      ],
    ],
    ['nothing, as it had expired before', { status: 'EXPIRED' }, { status: 'EXPIRED' }, []],
    ['nothing of a deleted plan', { deleted: true }, { deleted: true, status: 'EXPIRED' }, []],
    ['nothing of one that was deleted meanwhile', {}, { deleted: true, status: 'EXPIRED' }, []],
  ])('is %s', (_what, earlierPlan, later, happenings) => {
    const planEvents = happenings.map((happening) => expect.objectContaining({ plan: 'pro', ...(happening as object) }))
    expect(listEvents(state(plan(earlierPlan)), state(plan(later)))).toEqual(planEvents)
  })

  it('are listed for every plan in order', () => {
    const [first, second] = [plan(noRenewal), plan({ ...noRenewal, planId: 'p2', name: 'team' })]
    const expiredPlans = [first, second].map((activePlan) => ({ ...activePlan, status: 'EXPIRED' as const }))
    expect(listEvents(state(first, second), state(...expiredPlans)).map((event) => event.plan)).toEqual(['pro', 'team'])
  })
})
