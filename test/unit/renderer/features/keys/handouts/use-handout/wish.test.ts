import { describe, expect, it } from 'vitest'
import {
  choosePlan,
  emptyDraft,
  listMissing,
  toHandoutRequest,
} from '../../../../../../../src/renderer/features/keys/handouts/use-handout'
import { accountPlanHere, keyHere } from '../../../../support/key-care'
import { plan } from '../../../../support/views'

type HandoutDraft = ReturnType<typeof emptyDraft>

const own = accountPlanHere()
const handed = plan({ id: 'p9' })
const draft = (over: Partial<HandoutDraft> = {}): HandoutDraft => ({ ...emptyDraft(), name: ' Minh ', ...over })

describe('a hand-out', () => {
  it('creates a separate key with a passphrase by default', () => {
    expect(toHandoutRequest(own, draft({ purpose: ' shop ' }), ['opencode'])).toEqual({
      planId: 'p1',
      holder: { kind: 'person', name: 'Minh' },
      purpose: 'shop',
      toolIds: ['opencode'],
      lock: { kind: 'passphrase' },
    })
  })

  it('uses an existing key, also by its account id', () => {
    expect(toHandoutRequest(own, draft({ source: 'existing', keyId: 'k2' }), [])?.keyId).toBe('k2')
    expect(toHandoutRequest(own, draft({ source: 'existing', keyId: 'ak2' }), [])?.keyId).toBe('k2')
  })

  it('of a handed-over plan uses its only key', () => {
    expect(toHandoutRequest(handed, draft({ source: 'own' }), [])?.keyId).toBe('k1')
  })

  it.each([
    [own, { name: '  ' }, ['missingName']],
    [own, { source: 'existing' }, ['missingKey']],
    [own, { source: 'existing', keyId: 'gone', name: '' }, ['missingName', 'missingKey']],
    [accountPlanHere({ keys: [keyHere({ kept: 'missing' })] }), { source: 'existing', keyId: 'k1' }, ['missingKey']],
    [own, { lock: 'recipient' }, ['missingRecipient']],
  ] as const)('of %o with %j requires %j', (of, over, missing) => {
    expect(listMissing(of, draft(over))).toEqual(missing)
    expect(toHandoutRequest(of, draft(over), [])).toBeUndefined()
  })

  it.each([
    { name: 'x'.repeat(101) },
    { purpose: 'x'.repeat(201) },
    { lock: 'recipient', recipient: 'age1short' },
    { lock: 'recipient', recipient: 'AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQ' },
  ] as const)('is not created from %j', (over) => {
    expect(toHandoutRequest(own, draft(over), [])).toBeUndefined()
  })

  it('starts with the requested plan, or else with one that allows new keys', () => {
    expect(choosePlan([handed, own], undefined)?.id).toBe('p1')
    expect(choosePlan([handed, own], 'p9')?.id).toBe('p9')
    expect(choosePlan([handed, own], 'a1')?.id).toBe('p1')
    expect(choosePlan([handed], 'gone')?.id).toBe('p9')
    expect(choosePlan([], undefined)).toBeUndefined()
  })
})
