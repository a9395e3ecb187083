import type { AccountPlanView, PlanModelView } from '@shared/contract'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { atExpiry, counted, toServerTime } from '../../../../src/main/cli/output'
import { ending, left, standing, tightest } from '../../../../src/main/cli/plan-actions'
import { exactMoment, formatDay, relativeWords } from '../../../../src/main/core/local-time'
import { planAnswer } from '../plans/account/answers'

const currentTime = new Date('2026-03-10T12:00:00Z')
const after = (ms: number): string => new Date(currentTime.getTime() + ms).toISOString()
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

const plan: AccountPlanView = { ...planAnswer, status: 'ACTIVE', expiresAt: after(5 * day), usedBy: [] }
const model = (modelCode: string, tokensUsed: number, requestsUsed: number): PlanModelView => ({
  ...{ modelCode, displayName: '', hostingMode: '', status: 'ACTIVE', enabledTypes: [], endpoint: '' },
  ...{ tokenQuota: 1000, requestQuota: 100, tokensUsed, requestsUsed },
})

describe('a moment', () => {
  it.each([
    [5 * day, 'in 5 days'],
    [30 * day - 2000, 'in 30 days'],
    [day, 'in 1 day'],
    [3 * hour, 'in 3 hours'],
    [59 * minute, 'in 59 minutes'],
    [59.7 * minute, 'in 1 hour'],
    [23.7 * hour, 'in 1 day'],
    [90 * day, 'in 3 months'],
    [800 * day, 'in 2 years'],
    [-2 * day, '2 days ago'],
  ])('%i ms from now is %s', (ms, text) => {
    expect(relativeWords(after(ms), currentTime)).toBe(text)
  })
})

it.each([
  ['Asia/Ho_Chi_Minh', '2027-01-01', '2027-01-01 03:04:05 GMT+7'],
  ['America/New_York', '2026-12-31', '2026-12-31 15:04:05 EST'],
  ['UTC', '2026-12-31', '2026-12-31 20:04:05 UTC'],
])("a time is shown in this computer's time zone, in %s", (zone, date, moment) => {
  vi.stubEnv('TZ', zone)
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
  const iso = '2026-12-31T20:04:05.678Z'
  expect([formatDay(iso), exactMoment(iso)]).toEqual([date, moment])
})

it("a plan ends by the server's clock", () => {
  expect(relativeWords(plan.expiresAt, toServerTime(currentTime, { aheadMs: 4 * day }))).toBe('in 1 day')
  expect(toServerTime(currentTime, {})).toEqual(currentTime)
})

describe('a plan', () => {
  it.each<[Partial<AccountPlanView>, string]>([
    [{}, 'active'],
    [{ provisioned: false }, 'provisioning'],
    [{ renewal: { failedAttempts: 2 } }, 'renewal failing (2)'],
    [{ status: 'EXPIRED', renewal: { failedAttempts: 3 } }, 'expired'],
  ])('with %j is shown as %s', (change, text) => {
    expect(standing({ ...plan, ...change })).toBe(text)
  })

  it('that expired by another clock is not shown as ending in the future', () => {
    expect(ending(plan, currentTime)).toBe('in 5 days (2026-03-15)')
    expect(ending({ ...plan, status: 'EXPIRED' }, currentTime)).toBe('2026-03-15')
    expect(ending({ ...plan, status: 'EXPIRED', expiresAt: after(-3 * day) }, currentTime)).toBe(
      '3 days ago (2026-03-07)',
    )
  })

  it('says what happens at its exact expiry', () => {
    const words = (change: Partial<AccountPlanView>): string => atExpiry({ ...plan, ...change }, currentTime)
    expect(words({ autoRenew: true })).toMatch(
      /^It renews for another 30 days before 2026-03-15 12:00:00 UTC, in 5 days, for 490,000 VND from the credits\./,
    )
    expect(words({ autoRenew: false })).toMatch(
      /^It stays active until 2026-03-15 12:00:00 UTC, in 5 days\. Then all its keys stop working\./,
    )
    expect(words({ status: 'EXPIRED' })).toContain('buy-again')
  })
})

describe('the remaining quota', () => {
  it('is that of the model and quota that run out first', () => {
    expect(tightest([model('a', 100, 0), model('b', 0, 38), model('c', 200, 5)])).toBe('b: 62% of requests')
    expect(tightest([model('a', 995, 0)])).toBe('a: 0% of tokens')
    expect(tightest([model('a', 5000, 0)])).toBe('a: 0% of tokens')
    expect(tightest([])).toBe('-')
  })

  it('ignores a model without a quota', () => {
    expect(tightest([{ ...model('a', 0, 0), tokenQuota: 0 }, model('b', 10, 0)])).toBe('b: 99% of tokens')
  })

  it('is never negative', () => {
    expect(left(100_000, 38_000)).toBe('62,000 of 100,000 (62%)')
    expect(left(100, 250)).toBe('0 of 100 (0%)')
  })

  it('is pluralized correctly', () => {
    expect([counted(1, 'key'), counted(0, 'key'), counted(2, 'key')]).toEqual(['1 key', '0 keys', '2 keys'])
  })
})
