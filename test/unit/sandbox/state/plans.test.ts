import { describe, expect, test } from 'vitest'
import { applyDuePlanEvents, changePlan } from '../../../../src/sandbox/state/plans'
import type { World } from '../../../../src/sandbox/state/world'
import { plainWorld } from '../plain-world'

const nowMs = Date.UTC(2026, 10, 21, 9)
const dayMs = 86_400_000
const toIso = (ms: number) => new Date(ms).toISOString()
const world = plainWorld('ab'.repeat(32), nowMs)
const planId = 'plan-sandbox-pro'
const findPlan = (currentWorld: World | undefined, id = planId) =>
  currentWorld?.plans.find((plan) => plan.planId === id)

describe('changing a plan keeps status and expiry consistent', () => {
  const futureIso = toIso(nowMs + 5 * dayMs)
  const pastIso = toIso(nowMs - 5 * dayMs)
  const nextCycleIso = toIso(nowMs + 30 * dayMs)
  test.each([
    ['sandbox-pro', {}, 'ACTIVE', nextCycleIso],
    ['sandbox-pro', { status: 'EXPIRED' }, 'EXPIRED', toIso(nowMs)],
    ['sandbox-pro', { expiresAt: futureIso }, 'ACTIVE', futureIso],
    ['sandbox-pro', { expiresAt: pastIso }, 'EXPIRED', pastIso],
    ['sandbox-pro', { expiresAt: toIso(nowMs) }, 'EXPIRED', toIso(nowMs)],
    ['sandbox-pro', { status: 'ACTIVE', expiresAt: pastIso }, 'ACTIVE', nextCycleIso],
    ['sandbox-pro', { status: 'EXPIRED', expiresAt: futureIso }, 'EXPIRED', toIso(nowMs)],
    ['sandbox-expired', { status: 'ACTIVE' }, 'ACTIVE', nextCycleIso],
    ['sandbox-expired', { status: 'ACTIVE', expiresAt: futureIso }, 'ACTIVE', futureIso],
    ['sandbox-expired', { expiresAt: futureIso }, 'ACTIVE', futureIso],
    ['sandbox-expired', { deleted: true }, 'EXPIRED', toIso(nowMs - 3 * dayMs)],
  ] as const)('%s with %o', (name, change, status, expiresAt) => {
    const id = `plan-${name}`
    const changedPlan = findPlan(changePlan(world, { ...change, planId: id }, nowMs), id)
    expect([changedPlan?.status, changedPlan?.expiresAt]).toEqual([status, expiresAt])
    expect(applyDuePlanEvents(world, nowMs)).toBe(world)
  })

  test('deleting a plan that was renewed early keeps its cycle', () => {
    const plans = world.plans.map((plan) => ({ ...plan, expiresAt: toIso(nowMs + 60 * dayMs) }))
    const changedPlan = findPlan(changePlan({ ...world, plans }, { planId, deleted: true }, nowMs))
    expect(changedPlan).toEqual({ ...findPlan({ ...world, plans }), deleted: true })
  })
})
