import { describe, expect, it } from 'vitest'
import {
  type Entry,
  formatPlanEnd,
  getPlanStatus,
  joinPlanEntries,
} from '../../../../../src/renderer/features/connections/account/plan-entries'
import { filterEntries, sortEntries } from '../../../../../src/renderer/features/plans/plans-table'
import { startI18n } from '../../../../../src/renderer/i18n'
import { accountPlan, daysFromNow, model } from '../../support/account'
import { failedCheck, passedCheck, plan } from '../../support/views'

await startI18n('en')
const currentTime = new Date()
const ids = (entries: readonly Entry[]): string[] => entries.map(({ id }) => id)
const account = (overrides: Parameters<typeof accountPlan>[0]): Entry => ({
  kind: 'account',
  id: overrides?.planId ?? 'a1',
  plan: accountPlan(overrides),
  local: undefined,
})
const buildHandedOverEntry = (overrides: Parameters<typeof plan>[0]): Entry => ({
  kind: 'handed',
  id: overrides?.id ?? 'p1',
  plan: plan(overrides),
  isGone: false,
})

it('a plan’s status follows its server’s clock', () => {
  const endedEntry = buildHandedOverEntry({ expiresAt: daysFromNow(20), aheadMs: 21 * 86_400_000 })
  expect(getPlanStatus(endedEntry, currentTime)).toBe('expired')
  const continuingEntry = buildHandedOverEntry({ expiresAt: daysFromNow(-1), aheadMs: -5 * 86_400_000 })
  expect(getPlanStatus(continuingEntry, currentTime)).toBe('unchecked')
  const endingEntry = account({ expiresAt: daysFromNow(20), aheadMs: 15 * 86_400_000 })
  expect(ids(filterEntries([endingEntry], 'expiring', currentTime))).toEqual(['a1'])
})

it.each([
  ['2026-11-26T12:00:00.000Z', false, 'in 5 days'],
  ['2026-11-16T12:00:00.000Z', true, '5 days ago'],
  ['2026-11-26T12:00:00.000Z', true, 'Nov 26, 2026'],
])('the end of a plan at %s, expired %s, is %j, never in the future if expired', (expiresAt, isExpired, text) => {
  const end = formatPlanEnd({ expiresAt, isExpired }, new Date('2026-11-21T12:00:00.000Z'))
  expect(end.short).toBe(text)
})

describe('the plans in one list', () => {
  it('show an account’s plan once, merged with the local one', () => {
    const linkedAccount = { connectionId: 'c1', plans: [accountPlan({ localPlanId: 'p1' })] }
    const entries = joinPlanEntries(linkedAccount, [plan(), plan({ id: 'p2' })])
    expect(entries).toMatchObject([
      { kind: 'account', id: 'a1' },
      { kind: 'handed', id: 'p2' },
    ])
  })

  it.each([
    ['this account, which no longer knows it', 'c1', { connectionId: 'c1', plans: [] }, true],
    ['the account of another connection', 'c2', { connectionId: 'c1', plans: [] }, false],
    ['an account that does not respond', 'c1', undefined, false],
  ])('detect whether a plan from %s is gone', (_name, connectionId, account, isGone) => {
    const linkedPlan = plan({ source: 'console', origin: { connectionId, planId: 'a9' } })
    expect(joinPlanEntries(account, [linkedPlan])).toMatchObject([{ kind: 'handed', isGone }])
  })

  it('merge a plan just saved here with the account’s, whichever list is older', () => {
    const consolePlan = plan({ source: 'console', origin: { connectionId: 'c1', planId: 'a1' } })
    const olderAccount = { connectionId: 'c1', plans: [accountPlan({ localPlanId: undefined })] }
    const entries = joinPlanEntries(olderAccount, [consolePlan])
    expect(entries).toMatchObject([{ kind: 'account', id: 'a1', local: { id: 'p1' } }])
    const otherConnectionPlan = plan({ source: 'console', origin: { connectionId: 'c2', planId: 'a1' } })
    expect(joinPlanEntries({ connectionId: 'c1', plans: [accountPlan()] }, [otherConnectionPlan])).toHaveLength(2)
  })
})

it.each([
  ['active', account({})],
  ['provisioning', account({ provisioned: false })],
  ['renewalFailing', account({ renewal: { failedAttempts: 1 } })],
  ['expired', account({ status: 'EXPIRED', provisioned: false, renewal: { failedAttempts: 3 } })],
  ['active', account({ expiresAt: daysFromNow(-0.1) })],
  ['unchecked', buildHandedOverEntry({})],
  ['works', buildHandedOverEntry({ lastCheck: passedCheck })],
  ['fails', buildHandedOverEntry({ lastCheck: failedCheck })],
  ['expired', buildHandedOverEntry({ lastCheck: passedCheck, expiresAt: daysFromNow(-1) })],
] as const)('the status of a plan is %s', (standing, entry) => {
  expect(getPlanStatus(entry, currentTime)).toBe(standing)
})

const sampleEntries: readonly Entry[] = [
  account({ planId: 'late', name: 'late', expiresAt: daysFromNow(20), keysUsed: 4 }),
  account({
    planId: 'soon',
    name: 'soon',
    expiresAt: daysFromNow(3),
    keysUsed: 1,
    models: [model({ tokensUsed: 990_000 })],
  }),
  account({ planId: 'over', name: 'Over', status: 'EXPIRED', expiresAt: daysFromNow(-3), keysUsed: 2, models: [] }),
  buildHandedOverEntry({ id: 'key', name: 'key-only', gatewayUrl: 'https://lab.example.org' }),
]

describe('the order', () => {
  it.each<[string, boolean, string[]]>([
    ['name', false, ['key', 'late', 'over', 'soon']],
    ['name', true, ['soon', 'over', 'late', 'key']],
    ['status', false, ['late', 'soon', 'key', 'over']],
    ['expires', false, ['over', 'soon', 'late', 'key']],
    ['expires', true, ['late', 'soon', 'over', 'key']],
    ['keys', true, ['late', 'over', 'soon', 'key']],
    ['left', false, ['soon', 'late', 'key', 'over']],
    ['left', true, ['late', 'soon', 'key', 'over']],
  ])('by %s, descending %s, puts unknown values last', (by, isDescending, order) => {
    expect(ids(sortEntries(sampleEntries, { by, isDescending }, currentTime))).toEqual(order)
  })

  it('compares numbers in names numerically', () => {
    const names = ['plan-10', 'plan-9', 'plan-1'].map((name) => account({ planId: name, name }))
    const sortedIds = ids(sortEntries(names, { by: 'name', isDescending: false }, currentTime))
    expect(sortedIds).toEqual(['plan-1', 'plan-9', 'plan-10'])
  })
})
