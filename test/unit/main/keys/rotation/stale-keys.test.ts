import type { PlanView, RegisterEntry } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import type { HandoutRecord } from '../../../../../src/main/core/settings/records'
import {
  findAgedKeys,
  formatKeyReminder,
  formatKeyReminders,
  localKeyAges,
  remoteKeyAges,
  unconfirmedKeyAges,
  updateShownReminders,
} from '../../../../../src/main/keys/rotation/stale-keys'
import { localPlan } from '../../../../support/tool-setups'

const currentTime = new Date('2026-11-21T08:00:00.000Z')
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
    const dueKeys = findAgedKeys(keys, [60, 30, 90], { currentTime, shown: [] })
    expect(dueKeys.map(({ keyId, days, ageDays, canRotate }) => [keyId, days, ageDays, canRotate])).toEqual([
      ['old', 90, 200, false],
      ['quarter', 90, 90, true],
      ['pasted', 60, 61, false],
      ['month', 30, 30, false],
    ])
  })

  it('are reported once per age, and lower ages count as reported', () => {
    const firstReminders = findAgedKeys(keys, [30, 60, 90], { currentTime, shown: [] })
    const shownReminders = updateShownReminders([], firstReminders, keys)
    expect(findAgedKeys(keys, [30, 60, 90], { currentTime, shown: shownReminders })).toEqual([])
    const laterTime = new Date(currentTime.getTime() + 30 * 86_400_000)
    const laterAgedKeys = findAgedKeys(keys, [30, 60, 90], { currentTime: laterTime, shown: shownReminders })
    expect(laterAgedKeys.map(({ keyId, days }) => [keyId, days])).toEqual([
      ['pasted', 90],
      ['month', 60],
      ['young', 30],
    ])
    expect(findAgedKeys(keys, [30], { currentTime, shown: shownReminders })).toEqual([])
  })

  it('are reported again when another key replaced them', () => {
    const [aged] = findAgedKeys(keys, [30], { currentTime, shown: [] })
    const replacedAges = localKeyAges([localPlan({ keys: [key('old', 31)] })])
    expect(findAgedKeys(replacedAges, [30], { currentTime, shown: aged ? [aged] : [] })).toHaveLength(1)
  })

  it('are empty without a reminder age', () => {
    expect(findAgedKeys(keys, [], { currentTime, shown: [] })).toEqual([])
  })

  it('are dropped when the key is gone', () => {
    const dueKeys = findAgedKeys(keys, [30], { currentTime, shown: [] })
    expect(updateShownReminders([], dueKeys, [])).toEqual([])
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
    const unconfirmedReminders = findAgedKeys(unconfirmedAges, [], { currentTime, shown: [] })
    expect(unconfirmedReminders.map(({ keyId }) => keyId)).toEqual(['theirs-for-long', 'ours'])
    expect(unconfirmedReminders.map((item) => formatKeyReminder(item, 'en').body)).toEqual([
      'Issued 7 days ago to Bao, Chi. Ask for the confirmation code and enter it on the Keys page.',
      'Issued 4 days ago to Bao. Ask for the confirmation code and enter it on the Keys page.',
    ])
    expect(formatKeyReminders(unconfirmedReminders, 'vi').title).toBe('2 key đã cấp chưa được xác nhận')
    const shownReminders = updateShownReminders([], unconfirmedReminders, unconfirmedAges)
    expect(findAgedKeys(unconfirmedAges, [], { currentTime, shown: shownReminders })).toEqual([])
    const repeatedAges = unconfirmedKeyAges([buildIssuedEntry('ours', { handedOutAt: daysAgo(3) })], handouts)
    expect(findAgedKeys(repeatedAges, [], { currentTime, shown: shownReminders })).toHaveLength(1)
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
    const [aged, ...otherAgedKeys] = findAgedKeys(remoteAges, [90], { currentTime, shown: [] })
    if (!aged) throw new Error('Nothing is old.')
    expect(otherAgedKeys).toEqual([])
    expect(formatKeyReminder(aged, 'en')).toEqual({
      title: 'Key name of theirs is 100 days old',
      body: 'Bao has this key of team-plan. Rotate it on the Keys page.',
    })
    expect(formatKeyReminder(aged, 'vi').body).toBe('Gói team-plan, người giữ: Bao. Hãy rotate trong trang Key.')
    expect(
      findAgedKeys(remoteAges, [90], { currentTime, shown: updateShownReminders([], [aged], remoteAges) }),
    ).toEqual([])
  })
})

const agedKey = {
  planId: 'p',
  planName: 'team',
  keyId: 'k',
  keyName: 'ci',
  ageDays: 95,
  days: 90,
  canRotate: true,
  addedAt: daysAgo(95),
}

it('names one old key with the next step, and whom to ask about a handed-over key', () => {
  const issuedKey = { ...agedKey, canRotate: false }
  expect([formatKeyReminder(agedKey, 'en'), formatKeyReminder(issuedKey, 'vi')]).toEqual([
    { title: 'Key ci is 95 days old', body: 'Rotate this key of team. Your tools keep working.' },
    { title: 'Key ci đã 95 ngày', body: 'Hãy xin key mới của team từ người đã cấp key.' },
  ])
})

it('summarizes several keys with the lowest age that all have reached', () => {
  const agedKeys = [agedKey, { ...agedKey, keyName: 'dev', days: 180 }, { ...agedKey, keyName: 'old' }]
  expect([formatKeyReminders(agedKeys, 'en'), formatKeyReminders(agedKeys.slice(0, 2), 'vi')]).toEqual([
    { title: '3 keys are 90 days old or older', body: 'ci, dev and 1 more. Rotate them on the Keys page.' },
    { title: '2 key đã từ 90 ngày trở lên', body: 'ci và dev. Hãy rotate trong trang Key.' },
  ])
})
