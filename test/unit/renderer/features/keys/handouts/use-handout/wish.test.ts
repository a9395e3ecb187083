import { describe, expect, it } from 'vitest'
import {
  choosePlan,
  emptyDraft,
  listMissingFields,
  toHandoutRequest,
} from '../../../../../../../src/renderer/features/keys/handouts/use-handout'
import { buildLocalAccountPlan, buildLocalKey } from '../../../../support/key-care'
import { plan } from '../../../../support/views'

type HandoutDraft = ReturnType<typeof emptyDraft>

const ownPlan = buildLocalAccountPlan()
const handedOverPlan = plan({ id: 'p9' })
const draft = (overrides: Partial<HandoutDraft> = {}): HandoutDraft => ({
  ...emptyDraft(),
  name: ' Minh ',
  ...overrides,
})

describe('a hand-out', () => {
  it('creates a separate key with a passphrase by default', () => {
    expect(toHandoutRequest(ownPlan, draft({ purpose: ' shop ' }), ['opencode'])).toEqual({
      planId: 'p1',
      holder: { kind: 'person', name: 'Minh' },
      purpose: 'shop',
      toolIds: ['opencode'],
      lock: { kind: 'passphrase' },
    })
  })

  it('uses an existing key, also by its account id', () => {
    expect(toHandoutRequest(ownPlan, draft({ source: 'existing', keyId: 'k2' }), [])?.keyId).toBe('k2')
    expect(toHandoutRequest(ownPlan, draft({ source: 'existing', keyId: 'ak2' }), [])?.keyId).toBe('k2')
  })

  it('of a handed-over plan uses its only key', () => {
    expect(toHandoutRequest(handedOverPlan, draft({ source: 'own' }), [])?.keyId).toBe('k1')
  })

  it.each([
    [ownPlan, { name: '  ' }, ['missingName']],
    [ownPlan, { source: 'existing' }, ['missingKey']],
    [ownPlan, { source: 'existing', keyId: 'gone', name: '' }, ['missingName', 'missingKey']],
    [
      buildLocalAccountPlan({ keys: [buildLocalKey({ kept: 'missing' })] }),
      { source: 'existing', keyId: 'k1' },
      ['missingKey'],
    ],
    [ownPlan, { lock: 'recipient' }, ['missingRecipient']],
  ] as const)('of %o with %j requires %j', (handoutPlan, overrides, missing) => {
    expect(listMissingFields(handoutPlan, draft(overrides))).toEqual(missing)
    expect(toHandoutRequest(handoutPlan, draft(overrides), [])).toBeUndefined()
  })

  it.each([
    { name: 'x'.repeat(101) },
    { purpose: 'x'.repeat(201) },
    { lock: 'recipient', recipient: 'age1short' },
    { lock: 'recipient', recipient: 'AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQ' },
  ] as const)('is not created from %j', (overrides) => {
    expect(toHandoutRequest(ownPlan, draft(overrides), [])).toBeUndefined()
  })

  it('starts with the requested plan, or else with one that allows new keys', () => {
    expect(choosePlan([handedOverPlan, ownPlan], undefined)?.id).toBe('p1')
    expect(choosePlan([handedOverPlan, ownPlan], 'p9')?.id).toBe('p9')
    expect(choosePlan([handedOverPlan, ownPlan], 'a1')?.id).toBe('p1')
    expect(choosePlan([handedOverPlan], 'gone')?.id).toBe('p9')
    expect(choosePlan([], undefined)).toBeUndefined()
  })
})
