import type { RotationView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { rotatableKeys } from '../../../../../../src/renderer/features/connections/account/keys'
import { findOpenRotation } from '../../../../../../src/renderer/features/keys/rotation/rotate-page'
import {
  findFailure,
  findProgress,
  isEnded,
  needsUserAction,
} from '../../../../../../src/renderer/features/keys/rotation/rotations'
import { buildLocalAccountPlan, buildLocalKey, buildSteps, rotation } from '../../../support/key-care'
import { plan } from '../../../support/views'

const failure = { code: 'gateway.keyRejected' as const, message: 'no' }

describe('a rotation', () => {
  it.each([
    ['running', false, false],
    ['stopped', true, false],
    ['failed', true, false],
    ['waiting', false, false],
    ['done', false, true],
    ['undone', false, true],
  ] as const)('that is %s needs attention: %j, is finished: %j', (state, isNeeding, isOver) => {
    expect(needsUserAction(rotation({ state }))).toBe(isNeeding)
    expect(isEnded(rotation({ state }))).toBe(isOver)
  })

  it('is at the first unfinished step, also after skipped ones', () => {
    const steps = buildSteps(5).map((step) => (step.id === 'verify' ? { ...step, state: 'skipped' as const } : step))
    expect(findProgress(rotation({ steps }))).toEqual({ at: 6, count: 9, step: 'disable' })
    expect(findProgress(rotation({ steps: buildSteps(9) }))).toEqual({ at: 9, count: 9, step: 'delete' })
  })

  it('that is being undone is at its undo step', () => {
    const undoSteps: RotationView['undoSteps'] = [
      { id: 'enable', state: 'done' },
      { id: 'giveBack', state: 'failed', failure },
      { id: 'verifyBack', state: 'pending' },
      { id: 'remove', state: 'pending' },
    ]
    const undoneRotation = rotation({ undoSteps, steps: buildSteps(6) })
    expect(findProgress(undoneRotation)).toEqual({ at: 2, count: 4, step: 'giveBack' })
    expect(findFailure(undoneRotation)).toBe(failure)
  })

  it('of a key is running until nothing would conflict with a second one', () => {
    const key = { planId: 'p1', keyId: 'k1' }
    const states = ['running', 'stopped', 'failed', 'waiting', 'done', 'undone'] as const
    expect(states.filter((state) => findOpenRotation([rotation({ state })], key))).toEqual([
      'running',
      'stopped',
      'failed',
      'waiting',
    ])
    expect(findOpenRotation([rotation()], { planId: 'p1', keyId: 'other' })).toBeUndefined()
  })
})

describe('keys that can be rotated', () => {
  it('are saved account keys that no rotation has replaced', () => {
    const replacedBy = { keyId: 'k3', name: 'lan-laptop-2' }
    const plans = [
      buildLocalAccountPlan({
        keys: [
          buildLocalKey(),
          buildLocalKey({ id: 'k2', kept: 'missing' }),
          buildLocalKey({ id: 'k3', kept: 'session' }),
        ],
      }),
      buildLocalAccountPlan({ id: 'p5', keys: [buildLocalKey({ replacedBy })] }),
      buildLocalAccountPlan({ id: 'p2', keys: [{ ...plan().keys[0], ...buildLocalKey({ id: 'k4' }) }] }),
      plan({ id: 'p3' }),
    ]
    expect(rotatableKeys(plans).map(({ planId, keyId }) => `${planId} ${keyId}`)).toEqual(['p1 k1', 'p1 k3', 'p2 k4'])
  })
})
