import { expect, it } from 'vitest'
import { offeredBy, offerFirst } from '../../../../../../src/main/app/sandbox/control'
import { offeredPlan, waitForReady } from '../ready'

const key = (keyId: string, status = 'ACTIVE') => ({ keyId, name: keyId, status, key: 'sk-sandbox-0123456789abcdef' })
const expired = offeredPlan('expired', { status: 'EXPIRED' })
const locked = offeredPlan('locked', { keys: [key('off', 'DISABLED')] })
const good = offeredPlan('good', { keys: [key('off', 'DISABLED'), key('on')] })
const empty = offeredPlan('empty', { keys: [] })

it.each([
  ['the first that serves calls, with a key that does', [expired, locked, good], undefined, ['good', 'on']],
  ['the one that was used before, though it has expired', [good, expired], ['expired', 'expired-key'], 'same'],
  ['the key that was used before, though it is disabled', [locked, good], ['good', 'off'], 'same'],
  ['another when that one is gone', [expired, good], ['deleted', 'deleted-key'], ['good', 'on']],
  ['another key of the plan when that one is gone', [good], ['good', 'deleted'], ['good', 'on']],
  ['an expired one rather than none', [expired], undefined, ['expired', 'expired-key']],
  ['nothing without a key', [empty], undefined, undefined],
  ['nothing without a plan', [], undefined, undefined],
] as const)('offers %s', (_what, plans, before, wanted) => {
  const [planId, keyId] = before ?? []
  const known = planId && keyId ? { planId, keyId } : undefined
  const found = offeredBy(offerFirst(waitForReady({ plans }), known))
  const expected = wanted === 'same' ? before : wanted
  expect(found).toEqual(expected && { planId: expected[0], keyId: expected[1] })
})

it('omits none, and only moves the best to the front', () => {
  const { plans } = offerFirst(waitForReady({ plans: [expired, locked, good, empty] }), undefined)
  expect(plans.map(({ planId }) => planId)).toEqual(['good', 'expired', 'locked', 'empty'])
})
