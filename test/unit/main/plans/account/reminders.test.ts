import type { PlanView } from '@shared/contract'
import { AccountPlanRecord } from '@shared/contract/plans'
import { describe, expect, it } from 'vitest'
import { findNotices } from '../../../../../src/main/core/notices'
import { type AlertMemory, emptyAlertMemory } from '../../../../../src/main/core/settings/records'
import { listExpirySubjects, type ReminderPlan, reminderPlans } from '../../../../../src/main/plans/account/reminders'
import { planAnswer } from './answers'

const dayMs = 86_400_000
const startMs = Date.parse('2026-03-01T00:00:00Z')
const plan = (overrides: Partial<ReminderPlan> = {}): ReminderPlan => ({
  id: 'p',
  name: 'team',
  expiresAt: new Date(startMs + 10 * dayMs).toISOString(),
  path: '/plans/p',
  ...overrides,
})

function createHarness(plans: () => readonly ReminderPlan[], saved: AlertMemory = emptyAlertMemory) {
  const harness = { memory: saved, days: [7, 3, 1] }
  /** Runs the reminder check at this many days before the expiry and returns the titles of the notifications. */
  const at = (daysBefore: number): string[] => {
    const nowMs = startMs + (10 - daysBefore) * dayMs
    const subjects = listExpirySubjects(plans(), harness.days, nowMs)
    const options = { nowMs, locale: 'en', toCurrentKey: ({ of }: { of: string }) => of } as const
    const { notices, memory } = findNotices(subjects, harness.memory, options)
    // Saved as JSON, like in the settings.
    harness.memory = JSON.parse(JSON.stringify(memory))
    return notices.map(({ title }) => title)
  }
  return Object.assign(harness, { at })
}

describe('reminders', () => {
  it('appear 7, 3 and 1 days before the expiry, each once', () => {
    const { at } = createHarness(() => [plan()])
    const reminderDays = [9, 7.01, 7, 6.5, 3, 2.9, 1, 0.5].map((days) => [days, ...at(days)])
    expect(reminderDays.filter(([, ...titles]) => titles.length > 0)).toEqual([
      [7, 'team expires in 7 days'],
      [3, 'team expires in 3 days'],
      [1, 'team expires in 1 day'],
    ])
  })

  it('appear by the clock of the plan’s server', () => {
    const plans = [plan({ aheadMs: 5 * dayMs }), plan({ id: 'q', name: 'other', aheadMs: -5 * dayMs })]
    const { at } = createHarness(() => plans)
    expect(at(9)).toEqual(['team expires in 4 days'])
    expect(at(6)).toEqual(['team expires in 1 day'])
    expect(at(2)).toEqual(['team has expired', 'other expires in 7 days'])
  })

  it('after sleep show only the latest of those missed, also after a restart', () => {
    const harness = createHarness(() => [plan()])
    expect(harness.at(2.5)).toEqual(['team expires in 3 days'])
    const restartedReminders = createHarness(() => [plan()], harness.memory)
    expect(restartedReminders.at(2.4)).toEqual([])
    expect(restartedReminders.at(0.9)).toEqual(['team expires in 1 day'])
  })

  it('restart when the expiry changes, separately for each plan', async () => {
    let expiresAt = new Date(startMs + 10 * dayMs).toISOString()
    const expiredPlan = plan({ id: 'q', expiresAt: new Date(startMs).toISOString() })
    const { at } = createHarness(() => [plan({ expiresAt }), expiredPlan])
    expect(at(6)).toEqual(['team expires in 6 days', 'team has expired'])
    expiresAt = new Date(startMs + 9 * dayMs).toISOString()
    expect(at(5)).toEqual(['team expires in 4 days'])
  })

  it.each<[string, Partial<ReminderPlan>, string[]]>([
    ['renews itself', { autoRenew: true }, []],
    ['renews itself from enough credits', { autoRenew: true, isCovered: true }, []],
    ['would renew itself, but for the credits', { autoRenew: true, isCovered: false }, ['team expires in 2 days']],
    ['does not renew itself', { autoRenew: false, isCovered: true }, ['team expires in 2 days']],
    ['cannot be renewed', { autoRenew: true, isRenewalFailing: true }, ['Couldn’t renew team']],
    ['has expired by the platform’s clock', { status: 'EXPIRED' }, ['team has expired']],
    ['has no readable expiry', { expiresAt: 'soon' }, []],
  ])('two days before the end of a plan that %s are %j', async (_, overrides, expectedReminders) => {
    expect(createHarness(() => [plan(overrides)]).at(2)).toEqual(expectedReminders)
  })

  it('report a failing renewal once, and remind of the following days', () => {
    const { at } = createHarness(() => [plan({ autoRenew: true, isCovered: false, isRenewalFailing: true })])
    expect(at(3)).toEqual(['Couldn’t renew team'])
    expect(at(2)).toEqual([])
    expect(at(1)).toEqual(['team expires in 1 day'])
  })

  it('report an expiry once, unless it is old', () => {
    const { at } = createHarness(() => [plan()])
    expect(at(-1)).toEqual(['team has expired'])
    expect(at(-2)).toEqual([])
    expect(createHarness(() => [plan()]).at(-8)).toEqual([])
  })

  it('do not treat a plan as expired that the platform calls active', async () => {
    expect(createHarness(() => [plan({ status: 'ACTIVE', autoRenew: false })]).at(-0.1)).toEqual([])
  })

  it('follow the settings', () => {
    const harness = createHarness(() => [plan()])
    harness.days = [14]
    expect([harness.at(2), harness.at(1)]).toEqual([['team expires in 2 days'], []])
  })

  it('are not repeated after an update of the app', () => {
    const { expiresAt } = plan()
    const toReminder = (what: string) => ({ planId: 'p', expiresAt, what })
    const keys = [{ keyId: 'k', addedAt: expiresAt, days: 90 }]
    const shown = ['renewalFailed', '7', '3'].map(toReminder)
    const failing = { autoRenew: true, isRenewalFailing: true }
    const harness = createHarness(() => [plan(failing)], { reminders: shown, keys, episodes: [], rotations: ['r add'] })
    expect([harness.at(2), harness.at(1)]).toEqual([[], ['team expires in 1 day']])
  })

  it('drop records of plans that expired long ago', () => {
    const reminders = [{ planId: 'x', expiresAt: '2025-01-01T00:00:00.000Z', what: '7' }]
    const harness = createHarness(() => [plan()], { ...emptyAlertMemory, reminders })
    harness.at(2)
    const episodes = [{ kind: 'expiry', of: expect.stringContaining('"p"') }]
    expect(harness.memory).toMatchObject({ reminders: [], episodes })
  })
})

const buildAccountPlan = (planId: string, overrides: object = {}) => ({
  ...AccountPlanRecord.parse({ ...planAnswer, planId, ...overrides }),
  usedBy: [],
})

const buildLocalPlan = (overrides: Partial<PlanView>): PlanView => ({
  id: 'l',
  name: 'given',
  source: 'handed-over',
  gatewayUrl: 'https://gw.example.com',
  models: [],
  contextTokens: 1,
  createdAt: '2026-03-01T00:00:00.000Z',
  keys: [],
  usedBy: [],
  ...overrides,
})

type AccountPlans = readonly ReturnType<typeof buildAccountPlan>[]
const buildSources = (localPlans: readonly PlanView[], credits = 0, plans: AccountPlans = []) => ({
  plans: localPlans,
  account: {
    get: async ({ connectionId }: { connectionId: string }) => {
      if (connectionId === 'offline') throw new Error('offline')
      return { accountId: 'a', role: 'ROOT' as const, credits }
    },
    plans: async () => [...plans],
  },
  connectionIds: ['offline', 'office'],
})

it('counts a plan as covered while the credits last, in order of expiry', async () => {
  const plans = [
    buildAccountPlan('late', { expiresAt: '2026-04-03T00:00:00Z' }),
    buildAccountPlan('soon', { expiresAt: '2026-04-01T00:00:00Z' }),
    buildAccountPlan('off', { expiresAt: '2026-03-01T00:00:00Z', autoRenew: false }),
    buildAccountPlan('over', { expiresAt: '2026-02-01T00:00:00Z', status: 'EXPIRED' }),
  ]
  const { plans: listedPlans } = await reminderPlans(buildSources([], 500_000, plans))
  expect(listedPlans.filter(({ isCovered }) => isCovered)).toMatchObject([{ id: 'office/soon' }])
})

it('includes handed-over plans with a known expiry, and leaves account plans to the account', async () => {
  const expiresAt = '2026-04-01T00:00:00.000Z'
  const localPlans = [
    buildLocalPlan({ id: 'given', expiresAt }),
    buildLocalPlan({ id: 'open' }),
    buildLocalPlan({ id: 'linked', expiresAt, source: 'console' }),
    buildLocalPlan({ id: 'box', expiresAt, source: 'sandbox' }),
  ]
  expect(await reminderPlans(buildSources(localPlans))).toEqual({
    plans: [{ id: 'given', name: 'given', expiresAt, path: '/plans/given' }],
    isComplete: false,
  })
  const { isComplete } = await reminderPlans({ ...buildSources(localPlans), connectionIds: ['office'] })
  expect(isComplete).toBe(true)
})

it('reports a failing renewal', async () => {
  const renewal = { failedAttempts: 1, nextAttemptAt: '2026-03-30T00:00:00Z' }
  const { plans: listedPlans } = await reminderPlans(buildSources([], 0, [buildAccountPlan('p', { renewal })]))
  const failingPlan = { id: 'office/p', isRenewalFailing: true, isCovered: false, path: '/plans/p?connection=office' }
  expect(listedPlans).toMatchObject([failingPlan])
})

it.each([
  ['en', 1, {}, 'team expires in 1 day', /December 3, 2026/],
  ['en', 7, {}, 'team expires in 7 days', /keys stop working/],
  ['en', 2, { isRenewalFailing: true }, 'Couldn’t renew team', /Not enough credits/],
  ['en', 0, {}, 'team has expired', /Buy it again/],
  ['vi', 3, {}, 'team sẽ hết hạn sau 3 ngày', /ngày 3 tháng 12 năm 2026/],
  ['vi', 2, { isRenewalFailing: true }, 'Không gia hạn được team', /ngày 3 tháng 12 năm 2026/],
  ['vi', 0, {}, 'team đã hết hạn', /mua lại/],
] as const)('describes in %s a plan with %i days left and %j', (locale, daysLeft, overrides, title, body) => {
  const expiresAt = '2026-12-03T10:00:00.000Z'
  const ending = plan({ expiresAt, ...overrides })
  const [subject] = listExpirySubjects([ending], [7], Date.parse(expiresAt) - daysLeft * dayMs)
  expect(subject?.describe(locale)).toMatchObject({ title, body: expect.stringMatching(body), path: '/plans/p' })
})
