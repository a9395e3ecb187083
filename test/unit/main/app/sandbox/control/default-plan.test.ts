import { expect, it } from 'vitest'
import { getOfferedKey, orderPlans } from '../../../../../../src/main/app/sandbox/control'
import { offeredPlan, waitForReady } from '../ready'

const key = (keyId: string, status = 'ACTIVE') => ({ keyId, name: keyId, status, key: 'sk-sandbox-0123456789abcdef' })
const expiredPlan = offeredPlan('expired', { status: 'EXPIRED' })
const lockedPlan = offeredPlan('locked', { keys: [key('off', 'DISABLED')] })
const usablePlan = offeredPlan('good', { keys: [key('off', 'DISABLED'), key('on')] })
const planWithoutKeys = offeredPlan('empty', { keys: [] })

it.each([
  [
    'the first that serves calls, with a key that does',
    [expiredPlan, lockedPlan, usablePlan],
    undefined,
    ['good', 'on'],
  ],
  [
    'the one that was used before, though it has expired',
    [usablePlan, expiredPlan],
    ['expired', 'expired-key'],
    'same',
  ],
  ['the key that was used before, though it is disabled', [lockedPlan, usablePlan], ['good', 'off'], 'same'],
  ['another when that one is gone', [expiredPlan, usablePlan], ['deleted', 'deleted-key'], ['good', 'on']],
  ['another key of the plan when that one is gone', [usablePlan], ['good', 'deleted'], ['good', 'on']],
  ['an expired one rather than none', [expiredPlan], undefined, ['expired', 'expired-key']],
  ['nothing without a key', [planWithoutKeys], undefined, undefined],
  ['nothing without a plan', [], undefined, undefined],
] as const)('offers %s', (_what, plans, previousKey, expectedKey) => {
  const [planId, keyId] = previousKey ?? []
  const knownKey = planId && keyId ? { planId, keyId } : undefined
  const offeredKey = getOfferedKey(orderPlans(waitForReady({ plans }), knownKey))
  const expectedOffer = expectedKey === 'same' ? previousKey : expectedKey
  expect(offeredKey).toEqual(expectedOffer && { planId: expectedOffer[0], keyId: expectedOffer[1] })
})

it('omits none, and only moves the best to the front', () => {
  const { plans } = orderPlans(
    waitForReady({ plans: [expiredPlan, lockedPlan, usablePlan, planWithoutKeys] }),
    undefined,
  )
  expect(plans.map(({ planId }) => planId)).toEqual(['good', 'expired', 'locked', 'empty'])
})
