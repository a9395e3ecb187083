import { describe, expect, test } from 'vitest'
import { admit, advanceClock, changeKey, changePlan, settlePlans } from '../../../../src/sandbox/state/plans'
import { World } from '../../../../src/sandbox/state/world'
import { plainWorld } from '../plain-world'

const nowMs = Date.UTC(2026, 10, 21, 9)
const dayMs = 86_400_000
const at = (ms: number) => new Date(ms).toISOString()
const world = plainWorld('ab'.repeat(32), nowMs)
const planId = 'plan-sandbox-pro'
const planIn = (given: World | undefined, id = planId) => given?.plans.find((plan) => plan.planId === id)

test('the initial state is valid in the state file, and the same for the same seed', () => {
  expect(World.parse(world)).toEqual(world)
  expect(plainWorld('ab'.repeat(32), nowMs)).toEqual(world)
})

describe('changing a plan keeps status and expiry consistent', () => {
  const future = at(nowMs + 5 * dayMs)
  const past = at(nowMs - 5 * dayMs)
  const cycleFromNow = at(nowMs + 30 * dayMs)
  test.each([
    ['sandbox-pro', {}, 'ACTIVE', cycleFromNow],
    ['sandbox-pro', { status: 'EXPIRED' }, 'EXPIRED', at(nowMs)],
    ['sandbox-pro', { expiresAt: future }, 'ACTIVE', future],
    ['sandbox-pro', { expiresAt: past }, 'EXPIRED', past],
    ['sandbox-pro', { expiresAt: at(nowMs) }, 'EXPIRED', at(nowMs)],
    ['sandbox-pro', { status: 'ACTIVE', expiresAt: past }, 'ACTIVE', cycleFromNow],
    ['sandbox-pro', { status: 'EXPIRED', expiresAt: future }, 'EXPIRED', at(nowMs)],
    ['sandbox-expired', { status: 'ACTIVE' }, 'ACTIVE', cycleFromNow],
    ['sandbox-expired', { status: 'ACTIVE', expiresAt: future }, 'ACTIVE', future],
    ['sandbox-expired', { expiresAt: future }, 'ACTIVE', future],
    ['sandbox-expired', { deleted: true }, 'EXPIRED', at(nowMs - 3 * dayMs)],
  ] as const)('%s with %o', (name, change, status, expiresAt) => {
    const id = `plan-${name}`
    const changed = planIn(changePlan(world, { ...change, planId: id }, nowMs), id)
    expect([changed?.status, changed?.expiresAt]).toEqual([status, expiresAt])
    expect(settlePlans(world, nowMs)).toBe(world)
  })

  test('deleting a plan that was renewed early keeps its cycle', () => {
    const plans = world.plans.map((plan) => ({ ...plan, expiresAt: at(nowMs + 60 * dayMs) }))
    const changed = planIn(changePlan({ ...world, plans }, { planId, deleted: true }, nowMs))
    expect(changed).toEqual({ ...planIn({ ...world, plans }), deleted: true })
  })

  test('an unknown plan or key is not changed', () => {
    expect(changePlan(world, { planId: 'nobody', deleted: true }, nowMs)).toBeUndefined()
    expect(changeKey(world, { keyId: 'nobody', deleted: true })).toBeUndefined()
  })
})

describe('admission', () => {
  const keyId = 'key-pro-default'
  const changed = (...changes: readonly ((given: World) => World | undefined)[]) =>
    changes.reduce<World>((given, change) => change(given) ?? given, world)
  const deletedPlan = (given: World) => changePlan(given, { planId, deleted: true }, nowMs)
  const expiredPlan = (given: World) => changePlan(given, { planId, status: 'EXPIRED' }, nowMs)
  const deletedKey = (given: World) => changeKey(given, { keyId, deleted: true })
  const disabledKey = (given: World) => changeKey(given, { keyId, status: 'DISABLED' })

  test.each([
    ['an active key of an active plan', changed(), undefined],
    ['a disabled key', changed(disabledKey), 'key_disabled'],
    ['a deleted key', changed(deletedKey), 'key_deleted'],
    ['a deleted key that was disabled', changed(disabledKey, deletedKey), 'key_deleted'],
    ['an expired plan', changed(expiredPlan), 'plan_expired'],
    ['a deleted plan that had expired', changed(expiredPlan, deletedPlan), 'plan_deleted'],
    ['a disabled key of a deleted plan', changed(deletedPlan, disabledKey), 'key_disabled'],
  ])('of %s', (_, given, refusal) => {
    const admission = admit(given, keyId)
    expect(admission.refusal).toBe(refusal)
    expect([admission.key?.name, admission.plan?.name]).toEqual(['default-key', 'sandbox-pro'])
  })

  test('without a key', () => {
    expect(admit(world, undefined)).toEqual({ refusal: 'key_unknown' })
    expect(admit(world, 'nobody')).toEqual({ refusal: 'key_unknown' })
  })

  test('of a key that was disabled and enabled again', () => {
    const again = changed(disabledKey, (given) => changeKey(given, { keyId, status: 'ACTIVE' }))
    expect(again).toEqual(world)
  })
})

test('the clock moves by the requested time, repeatedly', () => {
  expect(advanceClock(advanceClock(world, 5), 7).clockOffsetMs).toBe(12)
})
