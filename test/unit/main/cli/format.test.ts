import type { AccountPlanView } from '@shared/contract'
import { expect, it, onTestFinished, vi } from 'vitest'
import { formatExpiryAction, toServerTime } from '../../../../src/main/cli/output'
import { formatDay, formatExactTime, relativeWords } from '../../../../src/main/core/local-time'
import { planAnswer } from '../plans/account/answers'

const currentTime = new Date('2026-03-10T12:00:00Z')
const addMs = (ms: number): string => new Date(currentTime.getTime() + ms).toISOString()
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]

const plan: AccountPlanView = { ...planAnswer, status: 'ACTIVE', expiresAt: addMs(5 * day), usedBy: [] }
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
])('a moment %i ms from now is %s', (ms, text) => {
  expect(relativeWords(addMs(ms), currentTime)).toBe(text)
})

it.each([
  ['Asia/Ho_Chi_Minh', '2027-01-01', '2027-01-01 03:04:05 GMT+7'],
  ['America/New_York', '2026-12-31', '2026-12-31 15:04:05 EST'],
  ['UTC', '2026-12-31', '2026-12-31 20:04:05 UTC'],
])("a time is shown in this computer's time zone, in %s", (zone, date, moment) => {
  vi.stubEnv('TZ', zone)
  onTestFinished(() => void vi.unstubAllEnvs())
  const iso = '2026-12-31T20:04:05.678Z'
  expect([formatDay(iso), formatExactTime(iso)]).toEqual([date, moment])
})

it("a plan ends by the server's clock", () => {
  expect(relativeWords(plan.expiresAt, toServerTime(currentTime, { aheadMs: 4 * day }))).toBe('in 1 day')
  expect(toServerTime(currentTime, {})).toEqual(currentTime)
})

it.each<[Partial<AccountPlanView>, RegExp]>([
  [
    { autoRenew: true },
    /^The plan renews for another 30 days before 2026-03-15 12:00:00 UTC, in 5 days, for 490,000 VND from the credits\./,
  ],
  [
    { autoRenew: false },
    /^The plan stays active until 2026-03-15 12:00:00 UTC, in 5 days\. Then all its keys stop working\./,
  ],
  [{ status: 'EXPIRED' }, /buy-again/],
])('a plan with %j says what happens at its exact expiry', (change, text) => {
  expect(formatExpiryAction({ ...plan, ...change }, currentTime)).toMatch(text)
})
