import { describe, expect, test } from 'vitest'
import {
  advanceClock,
  applyDuePlanEvents,
  changeKey,
  changePlan,
  checkAdmission,
} from '../../../../src/sandbox/state/plans'
import { World } from '../../../../src/sandbox/state/world'
import { plainWorld } from '../plain-world'

const nowMs = Date.UTC(2026, 10, 21, 9)
const dayMs = 86_400_000
const toIso = (ms: number) => new Date(ms).toISOString()
const world = plainWorld('ab'.repeat(32), nowMs)
const planId = 'plan-sandbox-pro'
const findPlan = (currentWorld: World | undefined, id = planId) =>
  currentWorld?.plans.find((plan) => plan.planId === id)

test('the initial state is valid in the state file, and the same for the same seed', () => {
  expect(World.parse(world)).toEqual(world)
  expect(plainWorld('ab'.repeat(32), nowMs)).toEqual(world)
})

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

  test('an unknown plan or key is not changed', () => {
    expect(changePlan(world, { planId: 'nobody', deleted: true }, nowMs)).toBeUndefined()
    expect(changeKey(world, { keyId: 'nobody', deleted: true })).toBeUndefined()
  })
})

describe('admission', () => {
  const keyId = 'key-pro-default'
  const applyChanges = (...changes: readonly ((currentWorld: World) => World | undefined)[]) =>
    changes.reduce<World>((currentWorld, change) => change(currentWorld) ?? currentWorld, world)
  const deletedPlan = (currentWorld: World) => changePlan(currentWorld, { planId, deleted: true }, nowMs)
  const expiredPlan = (currentWorld: World) => changePlan(currentWorld, { planId, status: 'EXPIRED' }, nowMs)
  const deletedKey = (currentWorld: World) => changeKey(currentWorld, { keyId, deleted: true })
  const disabledKey = (currentWorld: World) => changeKey(currentWorld, { keyId, status: 'DISABLED' })

  test.each([
    ['an active key of an active plan', applyChanges(), undefined],
    ['a disabled key', applyChanges(disabledKey), 'key_disabled'],
    ['a deleted key', applyChanges(deletedKey), 'key_deleted'],
    ['a deleted key that was disabled', applyChanges(disabledKey, deletedKey), 'key_deleted'],
    ['an expired plan', applyChanges(expiredPlan), 'plan_expired'],
    ['a deleted plan that had expired', applyChanges(expiredPlan, deletedPlan), 'plan_deleted'],
    ['a disabled key of a deleted plan', applyChanges(deletedPlan, disabledKey), 'key_disabled'],
  ])('of %s', (_, changedWorld, refusal) => {
    const admission = checkAdmission(changedWorld, keyId)
    expect(admission.refusal).toBe(refusal)
    expect([admission.key?.name, admission.plan?.name]).toEqual(['default-key', 'sandbox-pro'])
  })

  test('without a key', () => {
    expect(checkAdmission(world, undefined)).toEqual({ refusal: 'key_unknown' })
    expect(checkAdmission(world, 'nobody')).toEqual({ refusal: 'key_unknown' })
  })

  test('of a key that was disabled and enabled again', () => {
    const reenabledKey = applyChanges(disabledKey, (currentWorld) =>
      changeKey(currentWorld, { keyId, status: 'ACTIVE' }),
    )
    expect(reenabledKey).toEqual(world)
  })
})

test('the clock moves by the requested time, repeatedly', () => {
  expect(advanceClock(advanceClock(world, 5), 7).clockOffsetMs).toBe(12)
})
