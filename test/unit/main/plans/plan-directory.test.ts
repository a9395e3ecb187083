import type { PlanView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import type { RotationRecord } from '../../../../src/main/core/settings/records'
import type { KeyRecord, PlanRecord, RegisterRecord } from '../../../../src/main/core/settings/settings'
import { defaultKey, findKeyProblem, findSuccessor } from '../../../../src/main/plans/plan-directory'

const key = (id: string, day: number, overrides: Partial<KeyRecord> = {}): KeyRecord => ({
  id,
  name: `key ${id}`,
  masked: 'sk-...',
  addedAt: `2026-01-0${day}T00:00:00.000Z`,
  kept: 'keychain',
  origin: { keyId: `account-${id}` },
  ...overrides,
})

const plan = (...keys: KeyRecord[]): PlanRecord => ({
  id: 'plan',
  name: 'team',
  source: 'console',
  origin: { connectionId: 'c', planId: 'account-plan' },
  gatewayUrl: 'https://gw.example.com',
  models: ['m'],
  contextTokens: 1000,
  createdAt: '2026-01-01T00:00:00.000Z',
  keys,
})

const createHolderEntry = (keyId: string): RegisterRecord => ({
  connectionId: 'c',
  planId: 'account-plan',
  keyId: `account-${keyId}`,
  planName: 'team',
  keyName: `key ${keyId}`,
  holder: { kind: 'person', name: 'Lan' },
  alsoServes: [],
})

const rotation = (state: RotationRecord['state'], overrides: Partial<RotationRecord> = {}): RotationRecord => ({
  id: 'r',
  planId: 'plan',
  planName: 'team',
  origin: { connectionId: 'c', planId: 'account-plan' },
  oldKey: { id: 'a', keyId: 'account-a', name: 'key a', wasActive: true },
  newKey: { id: 'b', keyId: 'account-b', name: 'key b' },
  direction: 'forward',
  state,
  steps: [],
  undoSteps: [],
  tools: [],
  profiles: [],
  startedAt: '2026-01-02T00:00:00.000Z',
  graceMs: 0,
  isStopWanted: false,
  ...overrides,
})

const noRecords = { register: [], rotations: [] }

describe('the default key of a plan', () => {
  it('is the newest active key', () => {
    expect(defaultKey(plan(key('a', 1), key('b', 3), key('c', 2)), noRecords)?.id).toBe('b')
    expect(defaultKey(plan(key('a', 1), key('b', 3, { status: 'DISABLED' }), key('c', 2)), noRecords)?.id).toBe('c')
  })

  it('is the last added of several with the same time', () => {
    expect(defaultKey(plan(key('a', 1), key('b', 1)), noRecords)?.id).toBe('b')
  })

  it('is a key without a holder if there is one', () => {
    const register = [createHolderEntry('b')]
    expect(defaultKey(plan(key('a', 1), key('b', 2)), { ...noRecords, register })?.id).toBe('a')
    const planWithDisabledKey = plan(key('a', 1, { status: 'DISABLED' }), key('b', 2))
    expect(defaultKey(planWithDisabledKey, { ...noRecords, register })?.id).toBe('b')
  })

  it('is the old key of a rotation until the tools are verified with the new one, or the old one is disabled', () => {
    const runningRotation = { ...noRecords, rotations: [rotation('running')] }
    const planWithTwoKeys = plan(key('a', 1), key('b', 2))
    expect(defaultKey(planWithTwoKeys, runningRotation)?.id).toBe('a')
    const steps = [{ id: 'verify', state: 'done' } as const]
    const register = ['a', 'b'].map(createHolderEntry)
    const keysOfHolder = { register, rotations: [rotation('waiting', { steps })] }
    expect(defaultKey(planWithTwoKeys, keysOfHolder)?.id).toBe('b')
    const recordsWithHolder = { ...keysOfHolder, register: [createHolderEntry('b')] }
    expect(defaultKey(planWithTwoKeys, recordsWithHolder)?.id).toBe('b')
    const reversedRotation = { ...keysOfHolder, rotations: [rotation('running', { steps, direction: 'back' })] }
    expect(defaultKey(planWithTwoKeys, reversedRotation)?.id).toBe('a')
    expect(defaultKey(plan(key('a', 1, { status: 'DISABLED' }), key('b', 2)), runningRotation)?.id).toBe('b')
  })

  it('is the new key of a rotation that disabled the old one before statuses were recorded', () => {
    const steps = [{ id: 'disable', state: 'done' } as const]
    const rotations = [rotation('waiting', { steps })]
    const planWithTwoKeys = plan(key('a', 1), key('b', 2))
    expect(defaultKey(planWithTwoKeys, { ...noRecords, rotations })?.id).toBe('b')
    expect(findSuccessor(key('a', 1), planWithTwoKeys, { rotations })?.id).toBe('b')
    const undoneRotation = [rotation('undone', { steps, direction: 'back' })]
    expect(findSuccessor(key('a', 1), planWithTwoKeys, { rotations: undoneRotation })).toBeUndefined()
  })

  it('is a disabled key when there is no other, and undefined without keys', () => {
    expect(defaultKey(plan(key('a', 1, { status: 'DISABLED' })), noRecords)?.id).toBe('a')
    expect(defaultKey(plan(), noRecords)).toBeUndefined()
  })
})

describe('the successor of a key', () => {
  const oldKey = key('a', 1, { status: 'DISABLED' })

  it('is the new key of the rotation that disabled it', () => {
    expect(findSuccessor(oldKey, plan(oldKey, key('b', 2)), { rotations: [rotation('waiting')] })?.id).toBe('b')
  })

  it.each([
    ['the rotation is undone', [rotation('undone', { direction: 'back' })], plan(oldKey, key('b', 2))],
    ['it was disabled by itself', [], plan(oldKey, key('b', 2))],
    ['the new key is gone', [rotation('waiting')], plan(oldKey)],
    ['the new key is disabled too', [rotation('waiting')], plan(oldKey, key('b', 2, { status: 'DISABLED' }))],
  ])('is undefined when %s', (_, rotations, planRecord) => {
    expect(findSuccessor(oldKey, planRecord, { rotations })).toBeUndefined()
  })

  it('is the new key once the tools are verified with it, while the old one waits for its holders', () => {
    const [workingKey, createdKey] = [key('a', 1), key('b', 2)]
    const steps = [{ id: 'verify', state: 'done' } as const]
    const findTestSuccessor = (overrides: Partial<RotationRecord>) => {
      const rotations = [rotation('waiting', { steps, ...overrides })]
      return findSuccessor(workingKey, plan(workingKey, createdKey), { rotations })?.id
    }
    expect(findTestSuccessor({})).toBe('b')
    expect(findTestSuccessor({ direction: 'back' })).toBeUndefined()
  })

  it('is undefined for an active key with unverified tools', () => {
    const workingKey = key('a', 1)
    const rotations = [rotation('running')]
    expect(findSuccessor(workingKey, plan(workingKey, key('b', 2)), { rotations })).toBeUndefined()
  })
})

const currentTime = new Date('2026-11-28T00:00:00.000Z')
const { origin: _, ...workingKey } = key('k1', 1)
const buildKeyPlan = (change: Partial<PlanView['keys'][number]> = {}, planChange: Partial<PlanView> = {}) => ({
  keys: [{ ...workingKey, ...change }],
  defaultKeyId: 'k1',
  ...planChange,
})

it.each([
  ['nothing of a key that works', buildKeyPlan({ status: 'ACTIVE' }), undefined],
  ['a key that was disabled at its account', buildKeyPlan({ status: 'DISABLED' }), 'keyDisabled'],
  ['a key that its account no longer has', buildKeyPlan({ problem: 'deleted' }), 'keyDeleted'],
  ['a key that the gateway rejected', buildKeyPlan({ problem: 'rejected' }), 'keyRejected'],
  ['a key that is not in the keychain', buildKeyPlan({ kept: 'missing' }), 'keyMissing'],
  ['a plan without keys', buildKeyPlan({}, { keys: [], defaultKeyId: undefined }), 'keyMissing'],
  ['a plan that has expired', buildKeyPlan({}, { expiresAt: '2026-11-27T00:00:00.000Z' }), 'planExpired'],
  ['a plan that expires later', buildKeyPlan({}, { expiresAt: '2026-11-29T00:00:00.000Z' }), undefined],
  [
    'a plan that has expired by the clock of its platform',
    buildKeyPlan({}, { expiresAt: '2026-11-28T01:00:00.000Z', aheadMs: 7_200_000 }),
    'planExpired',
  ],
] as const)('detects %s', (_, testedPlan, problem) => {
  expect(findKeyProblem(testedPlan, undefined, currentTime)).toBe(problem)
})

it('checks the named key, not the default one', () => {
  const disabledKey = { ...workingKey, id: 'k2', status: 'DISABLED' as const }
  const planWithTwoKeys = { keys: [workingKey, disabledKey], defaultKeyId: 'k1' }
  expect(findKeyProblem(planWithTwoKeys, undefined, currentTime)).toBeUndefined()
  expect(findKeyProblem(planWithTwoKeys, 'k2', currentTime)).toBe('keyDisabled')
  expect(findKeyProblem(planWithTwoKeys, 'gone', currentTime)).toBe('keyMissing')
})
