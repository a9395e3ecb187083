import type { PlanView } from '@shared/contract'
import { expect, it } from 'vitest'
import { findKeyProblem } from '../../../../src/main/plans/default-key'

const currentTime = new Date('2026-11-28T00:00:00.000Z')
const key = {
  id: 'k1',
  name: 'ci',
  masked: 'sk-...',
  addedAt: '2026-01-01T00:00:00.000Z',
  kept: 'keychain',
} as const satisfies PlanView['keys'][number]
const plan = (change: Partial<PlanView['keys'][number]> = {}, planChange: Partial<PlanView> = {}) => ({
  keys: [{ ...key, ...change }],
  defaultKeyId: 'k1',
  ...planChange,
})

it.each([
  ['nothing of a key that works', plan({ status: 'ACTIVE' }), undefined],
  ['a key that was disabled at its account', plan({ status: 'DISABLED' }), 'keyDisabled'],
  ['a key that its account no longer has', plan({ problem: 'deleted' }), 'keyDeleted'],
  ['a key that the gateway rejected', plan({ problem: 'rejected' }), 'keyRejected'],
  ['a key that is not in the keychain', plan({ kept: 'missing' }), 'keyMissing'],
  ['a plan without keys', plan({}, { keys: [], defaultKeyId: undefined }), 'keyMissing'],
  ['a plan that has expired', plan({}, { expiresAt: '2026-11-27T00:00:00.000Z' }), 'planExpired'],
  ['a plan that expires later', plan({}, { expiresAt: '2026-11-29T00:00:00.000Z' }), undefined],
  [
    'a plan that has expired by the clock of its platform',
    plan({}, { expiresAt: '2026-11-28T01:00:00.000Z', aheadMs: 7_200_000 }),
    'planExpired',
  ],
] as const)('detects %s', (_, testedPlan, problem) => {
  expect(findKeyProblem(testedPlan, undefined, currentTime)).toBe(problem)
})

it('checks the named key, not the default one', () => {
  const planWithTwoKeys = { keys: [key, { ...key, id: 'k2', status: 'DISABLED' as const }], defaultKeyId: 'k1' }
  expect([
    findKeyProblem(planWithTwoKeys, undefined, currentTime),
    findKeyProblem(planWithTwoKeys, 'k2', currentTime),
  ]).toEqual([undefined, 'keyDisabled'])
  expect(findKeyProblem(planWithTwoKeys, 'gone', currentTime)).toBe('keyMissing')
})
