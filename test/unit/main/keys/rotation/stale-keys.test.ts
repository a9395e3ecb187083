import type { PlanView, RegisterEntry } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { findNotices, summarize } from '../../../../../src/main/core/notices'
import { emptyAlertMemory, type HandoutRecord } from '../../../../../src/main/core/settings/records'
import {
  type KeyAge,
  listKeySubjects,
  localKeyAges,
  remoteKeyAges,
  unconfirmedKeyAges,
} from '../../../../../src/main/keys/rotation/stale-keys'
import { localPlan } from '../../../../support/tool-setups'

const currentTime = new Date('2026-11-21T08:00:00.000Z')

/** Notices of keys that are due, and the memory for the next check. */
function findKeyNotices(
  keys: readonly KeyAge[],
  days: readonly number[],
  memory = emptyAlertMemory,
  nowMs = currentTime.getTime(),
) {
  const options = { nowMs, locale: 'en', toCurrentKey: ({ of }: { of: string }) => of } as const
  return findNotices(listKeySubjects(keys, days, nowMs), memory, options)
}

const listDue = (...args: Parameters<typeof findKeyNotices>) =>
  findKeyNotices(...args).notices.map(({ name, days }) => [name.replace('name of ', ''), days])

const daysAgo = (days: number): string => new Date(currentTime.getTime() - days * 86_400_000).toISOString()

const key = (id: string, days: number, isOfAccount = false): PlanView['keys'][number] => ({
  id,
  name: `name of ${id}`,
  masked: 'sk-...',
  addedAt: daysAgo(days),
  kept: 'keychain',
  ...(isOfAccount ? { origin: { keyId: id } } : {}),
})

const keys = localKeyAges([
  localPlan({ id: 'p1', keys: [key('young', 29.9), key('month', 30), key('old', 200)] }),
  localPlan({
    id: 'p2',
    origin: { connectionId: 'c', planId: 'p' },
    keys: [key('quarter', 90, true), key('pasted', 61)],
  }),
  localPlan({ id: 'p3', source: 'sandbox', keys: [key('sandbox', 400)] }),
])

const entry = (keyId: string, overrides: Partial<RegisterEntry>): RegisterEntry => ({
  planId: 'p',
  planName: 'team-plan',
  keyId,
  keyName: `name of ${keyId}`,
  status: 'ACTIVE',
  isKeptHere: false,
  holder: { kind: 'person', name: 'Bao' },
  createdAt: daysAgo(100),
  tools: [],
  alsoServes: [],
  ...overrides,
})

describe('keys with a reminder', () => {
  it('are those that reached a reminder age, oldest first, each with its highest age', () => {
    const { notices } = findKeyNotices(keys, [60, 30, 90])
    expect(notices.map(({ name, days, title, path }) => [name, days, title, path])).toEqual([
      ['name of old', 90, 'Key name of old is 200 days old', '/plans/p1'],
      ['name of quarter', 90, 'Key name of quarter is 90 days old', '/rotate?plan=p2&key=quarter'],
      ['name of pasted', 60, 'Key name of pasted is 61 days old', '/plans/p2'],
      ['name of month', 30, 'Key name of month is 30 days old', '/plans/p1'],
    ])
  })

  it('are reported once per age, and lower ages count as reported', () => {
    const { memory } = findKeyNotices(keys, [30, 60, 90])
    expect(listDue(keys, [30, 60, 90], memory)).toEqual([])
    const laterMs = currentTime.getTime() + 30 * 86_400_000
    expect(listDue(keys, [30, 60, 90], memory, laterMs)).toEqual([
      ['pasted', 90],
      ['month', 60],
      ['young', 30],
    ])
    expect(listDue(keys, [30], memory)).toEqual([])
  })

  it('are reported again when another key replaced them', () => {
    const { memory } = findKeyNotices(keys, [30])
    const replacedAges = localKeyAges([localPlan({ keys: [key('old', 31)] })])
    expect(listDue(replacedAges, [30], memory)).toEqual([['old', 30]])
  })

  it('are empty without a reminder age', () => {
    expect(listDue(keys, [])).toEqual([])
  })

  it('are dropped a year after the key is gone', () => {
    const { memory } = findKeyNotices(keys, [30])
    const laterMs = currentTime.getTime() + 800 * 86_400_000
    expect(findKeyNotices([], [30], memory, laterMs).memory.episodes).toEqual([])
  })

  it('include unconfirmed keys, after 3 days for the person who handed them out and once after 7 days for other leads', () => {
    const buildIssuedEntry = (keyId: string, overrides: Partial<RegisterEntry>): RegisterEntry =>
      entry(keyId, { origin: { connectionId: 'c', planId: 'p', keyId }, handedOutAt: daysAgo(4), ...overrides })
    const entries = [
      buildIssuedEntry('ours', {}),
      buildIssuedEntry('early', { handedOutAt: daysAgo(2.9) }),
      buildIssuedEntry('theirs', {}),
      buildIssuedEntry('theirs-for-long', { handedOutAt: daysAgo(7), alsoServes: ['Chi'] }),
      buildIssuedEntry('confirmed', { acknowledgedAt: daysAgo(1) }),
      buildIssuedEntry('disabled', { status: 'DISABLED' }),
      buildIssuedEntry('gone', { status: 'gone' }),
    ]
    const handout = (accountKeyId: string): HandoutRecord => ({
      id: accountKeyId,
      planId: 'p',
      holder: { kind: 'person', name: 'Bao' },
      isOwnKey: true,
      keyName: 'key',
      accountKeyId,
      state: 'written',
      at: daysAgo(4),
    })
    const handouts = ['ours', 'early', 'confirmed', 'disabled', 'gone'].map(handout)
    const unconfirmedAges = unconfirmedKeyAges(entries, handouts)
    const { notices, memory } = findKeyNotices(unconfirmedAges, [])
    expect(notices.map(({ name }) => name)).toEqual(['name of theirs-for-long', 'name of ours'])
    expect(notices.map(({ body }) => body)).toEqual([
      'Issued 7 days ago to Bao, Chi. Ask for the confirmation code and enter it on the Keys page.',
      'Issued 4 days ago to Bao. Ask for the confirmation code and enter it on the Keys page.',
    ])
    expect(summarize('unconfirmedKeys', notices, 'vi').title).toBe('2 key đã cấp chưa được xác nhận')
    expect(listDue(unconfirmedAges, [], memory)).toEqual([])
    const repeatedAges = unconfirmedKeyAges([buildIssuedEntry('ours', { handedOutAt: daysAgo(3) })], handouts)
    expect(listDue(repeatedAges, [], memory)).toHaveLength(1)
  })

  it('include, for a lead, active keys of the register that others hold', () => {
    const remoteAges = remoteKeyAges([
      entry('theirs', {}),
      entry('unknown', { status: 'unknown', createdAt: daysAgo(10) }),
      entry('here', { isKeptHere: true }),
      entry('nobody', { holder: undefined }),
      entry('ageless', { createdAt: undefined }),
      entry('disabled', { status: 'DISABLED' }),
      entry('gone', { status: 'gone' }),
    ])
    expect(remoteAges.map(({ keyId }) => keyId)).toEqual(['theirs', 'unknown'])
    const { notices, memory } = findKeyNotices(remoteAges, [90])
    expect(notices).toMatchObject([
      {
        title: 'Key name of theirs is 100 days old',
        body: 'Bao has this key of team-plan. Rotate it on the Keys page.',
        path: '/register',
      },
    ])
    expect(listKeySubjects(remoteAges, [90], currentTime.getTime())[0]?.describe('vi').body).toBe(
      'Gói team-plan, người giữ: Bao. Hãy rotate trong trang Key.',
    )
    expect(listDue(remoteAges, [90], memory)).toEqual([])
  })
})

const agedKey: KeyAge = {
  planId: 'p',
  planName: 'team',
  keyId: 'k',
  keyName: 'ci',
  canRotate: true,
  addedAt: daysAgo(95),
}

it('names one old key with the next step, and whom to ask about a handed-over key', () => {
  const subjects = listKeySubjects([agedKey, { ...agedKey, canRotate: false }], [90], currentTime.getTime())
  expect([subjects[0]?.describe('en'), subjects[1]?.describe('vi')]).toMatchObject([
    { title: 'Key ci is 95 days old', body: 'Rotate this key of team. Your tools keep working.' },
    { title: 'Key ci đã 95 ngày', body: 'Hãy xin key mới của team từ người đã cấp key.' },
  ])
})
