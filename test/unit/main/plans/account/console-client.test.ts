import { AccountPlanView } from '@shared/contract/plans'
import { AppError } from '@shared/failure'
import { describe, expect, it } from 'vitest'
import { keyView, planView } from '../../../../../src/main/plans/account/account'
import {
  AccountPlanRecord,
  DeletionRecord,
  readRecord,
  SubscriptionKeyRecord,
} from '../../../../../src/main/plans/account/console-client'
import { keyAnswer, planAnswer } from './answers'

describe('a console response', () => {
  it('may contain unknown fields, which are not shown', () => {
    const [model] = planAnswer.models
    const answer = { ...planAnswer, secretKey: 'sk-x', models: [{ ...model, extra: { a: 1 } }] }
    const view = AccountPlanView.parse(planView(readRecord(AccountPlanRecord, answer), undefined))
    expect(JSON.stringify(view)).not.toMatch(/secretKey|extra/)
  })

  it.each([
    ['a time with an offset', { expiresAt: '2026-03-31T07:00:00+07:00' }, { expiresAt: '2026-03-31T00:00:00.000Z' }],
    ['no gateway yet', { gatewayUrl: null }, { gatewayUrl: '' }],
    ['money with a fraction', { total: 490_000.4 }, { total: 490_000 }],
    ['a renewal it does not understand', { renewal: 'soon' }, { renewal: undefined }],
    [
      'a failing renewal',
      { renewal: { failedAttempts: 2, nextAttemptAt: '2026-03-30T00:00:00Z' } },
      { renewal: { failedAttempts: 2, nextAttemptAt: '2026-03-30T00:00:00.000Z' } },
    ],
  ])('may be loosely typed: %s', (_, overrides, expectedView) => {
    const record = readRecord(AccountPlanRecord, { ...planAnswer, ...overrides })
    expect(AccountPlanView.parse(planView(record, undefined))).toMatchObject(expectedView)
  })

  it.each<[string, string | object, string]>([
    ['a page for people', '<html>', 'the answer itself'],
    ['no id', { planId: undefined }, 'planId'],
    ['another status', { status: 'sk-secret-0123456789abcdef' }, 'status'],
    ['a time that is none', { expiresAt: 'tomorrow' }, 'expiresAt'],
    ['a time beyond what is written in four digits', { expiresAt: '+010000-01-01T00:00:00Z' }, 'expiresAt'],
    ['a time before all platforms', { purchasedAt: '0001-01-01T00:00:00Z' }, 'purchasedAt'],
    ['an infinite price', { total: Number.POSITIVE_INFINITY }, 'total'],
    ['more keys than can be counted', { maxKeys: 1e300 }, 'maxKeys'],
    ['a cycle of an age', { cycleDays: 1e9 }, 'cycleDays'],
    ['a number in words', { total: '490000' }, 'total'],
    ['models without end', { models: Array(1001).fill(planAnswer.models[0]) }, 'models'],
    ['a quota in words', { models: [{ ...planAnswer.models[0], tokenQuota: 'many' }] }, 'models.0.tokenQuota'],
  ])('is refused with %s, naming the field without its content', (_, answer, field) => {
    const readPlan = () =>
      readRecord(AccountPlanRecord, typeof answer === 'string' ? answer : { ...planAnswer, ...answer })
    expect(readPlan).toThrow(AppError)
    expect(readPlan).toThrow(`(${field})`)
    expect(readPlan).not.toThrow(/secret|many|tomorrow/)
  })
})

it('has its names sanitized and its ids unchanged', () => {
  const [model] = planAnswer.models
  const hostilePlan = {
    planId: 'p\u202e1',
    name: 'te\u202eam\u0000',
    planType: `Pro\n${'x'.repeat(5000)}`,
    packageId: 'a b',
    models: [
      { ...model, displayName: 'M\u200b', status: 'AC\u001bTIVE', enabledTypes: ['ch\u202eat'] },
      ...['m\u202e2', 'm\u0000', 'm 3', '', 'x'.repeat(201)].map((modelCode) => ({ ...model, modelCode })),
    ],
  }
  const record = readRecord(AccountPlanRecord, { ...planAnswer, ...hostilePlan })
  expect(record).toMatchObject({ planId: 'p\u202e1', name: 'team', packageId: 'a b' })
  expect(record.planType).toMatch(/^Pro x{195}…$/)
  expect(
    record.models.map(({ modelCode, displayName, status, enabledTypes }) => [
      modelCode,
      displayName,
      status,
      enabledTypes,
    ]),
  ).toEqual([['m', 'M', 'ACTIVE', ['chat']]])
  expect(readRecord(SubscriptionKeyRecord, { ...keyAnswer, name: '\u2066\u2069' }).name).toBe('?')
})

describe('a key in a response', () => {
  it('becomes a Secret immediately and is shown masked', () => {
    const record = readRecord(SubscriptionKeyRecord, keyAnswer)
    expect(record.secret?.expose()).toBe(keyAnswer.key)
    expect(() => JSON.stringify(record)).toThrow()
    expect(keyView(record, undefined)).toMatchObject({ masked: 'sk-...cdef', usedBy: [] })
  })

  it.each([['sk-****'], ['sk-••••abcd'], [''], [undefined], [null], ['two words']])(
    'masked as %j is missing',
    (key) => {
      const record = readRecord(SubscriptionKeyRecord, { ...keyAnswer, key })
      expect(record.secret).toBeUndefined()
      expect(keyView(record, undefined).masked).toBe('...')
    },
  )
})

it.each([
  ['NOT_FOUND', 'api.notFound'],
  ['PLAN_EXPIRED', 'account.planExpired'],
  ['SOMETHING_NEW', 'api.conflict'],
  ['constructor', 'api.conflict'],
])('a plan that was not deleted because of %s fails with %s, with a message without a key', (code, knownCode) => {
  const failedDeletions = [{ planId: 'p', code, message: 'The key sk-live-0123456789abcdef is in use.' }]
  const [row] = readRecord(DeletionRecord, { deleted: [], failed: failedDeletions }).failed
  expect(row).toEqual({ planId: 'p', code: knownCode, message: 'The key [secret] is in use.' })
})
