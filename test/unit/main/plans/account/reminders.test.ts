import type { PlanView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { createSettings, type SettingsStore } from '../../../../../src/main/core/settings/settings'
import { AccountPlanRecord } from '../../../../../src/main/plans/account/console-client'
import {
  createReminders,
  formatReminder,
  formatReminders,
  joinNames,
  type Reminder,
  reminderPlans,
} from '../../../../../src/main/plans/account/reminders'
import { memorySettings, memoryStore } from '../../../../support/memory-settings'
import { planAnswer } from './answers'

type ReminderPlan = Awaited<ReturnType<Parameters<typeof createReminders>[0]['plans']>>['plans'][number]

const dayMs = 86_400_000
const startMs = Date.parse('2026-03-01T00:00:00Z')
const plan = (overrides: Partial<ReminderPlan> = {}): ReminderPlan => ({
  id: 'p',
  name: 'team',
  expiresAt: new Date(startMs + 10 * dayMs).toISOString(),
  path: '/plans/p',
  ...overrides,
})

function createHarness(plans: () => readonly ReminderPlan[], settings: SettingsStore = memorySettings()) {
  const notifications: Reminder[] = []
  const time = { nowMs: startMs }
  const unreachable = { value: false }
  const timers: { run: () => void; ms: number; isOver: boolean }[] = []
  const reminders = createReminders({
    settings,
    clock: () => new Date(time.nowMs),
    log: { info: () => {}, error: () => {} },
    plans: async () => ({ plans: plans(), isComplete: !unreachable.value }),
    notify: (due) => notifications.push(...due),
    later: (run, ms) => {
      const timer = { run, ms, isOver: false }
      timers.push(timer)
      return () => {
        timer.isOver = true
      }
    },
  })
  /** Runs the reminder check at this many days before the expiry and returns the notifications that it showed. */
  const listRemindersAt = async (daysBefore: number): Promise<string[]> => {
    time.nowMs = startMs + (10 - daysBefore) * dayMs
    await reminders.check()
    return notifications.splice(0).map(({ kind, daysLeft }) => `${kind} ${daysLeft}`)
  }
  return { reminders, settings, shown: notifications, time, timers, isUnreachable: unreachable, at: listRemindersAt }
}

describe('reminders', () => {
  it('appear 7, 3 and 1 days before the expiry, each once', async () => {
    const { at } = createHarness(() => [plan()])
    const notificationsByDay: string[][] = []
    for (const days of [9, 7.01, 7, 6.5, 3, 2.9, 1, 0.5]) notificationsByDay.push(await at(days))
    expect(notificationsByDay).toEqual([[], [], ['expiring 7'], [], ['expiring 3'], [], ['expiring 1'], []])
  })

  it('appear by the clock of the plan’s server', async () => {
    const { at } = createHarness(() => [
      plan({ aheadMs: 5 * dayMs }),
      plan({ id: 'q', name: 'other', aheadMs: -5 * dayMs }),
    ])
    expect([await at(9), await at(6), await at(2)]).toEqual([
      ['expiring 4'],
      ['expiring 1'],
      ['expired 0', 'expiring 7'],
    ])
  })

  it('of one check are combined and recorded immediately, with a duplicate plan only once', async () => {
    const manyPlans = Array.from({ length: 500 }, (_, n) => plan({ id: `p${n}` }))
    let writes = 0
    const store = memoryStore(undefined, () => {
      writes += 1
    })
    const { at } = createHarness(() => [...manyPlans, ...manyPlans], createSettings(store))
    expect(await at(2)).toHaveLength(500)
    expect([await at(2), writes]).toEqual([[], 1])
  })

  it('contain the plan, its expiry and a link', async () => {
    const { time, reminders, shown: notifications } = createHarness(() => [plan()])
    time.nowMs = startMs + 9.5 * dayMs
    await reminders.check()
    const { expiresAt } = plan()
    expect(notifications).toEqual([
      { kind: 'expiring', planId: 'p', planName: 'team', expiresAt, daysLeft: 1, path: '/plans/p' },
    ])
  })

  it('after sleep show only the latest of those missed, also after a restart', async () => {
    const { at, settings } = createHarness(() => [plan()])
    expect(await at(2.5)).toEqual(['expiring 3'])
    const restartedReminders = createHarness(() => [plan()], settings)
    expect(await restartedReminders.at(2.4)).toEqual([])
    expect(await restartedReminders.at(0.9)).toEqual(['expiring 1'])
  })

  it('restart when the expiry changes, separately for each plan', async () => {
    let expiresAt = new Date(startMs + 10 * dayMs).toISOString()
    const { at } = createHarness(() => [
      plan({ expiresAt }),
      plan({ id: 'q', expiresAt: new Date(startMs).toISOString() }),
    ])
    expect(await at(6)).toEqual(['expiring 6', 'expired 0'])
    expiresAt = new Date(startMs + 9 * dayMs).toISOString()
    expect(await at(5)).toEqual(['expiring 4'])
  })

  it.each<[string, Partial<ReminderPlan>, string[]]>([
    ['renews itself', { autoRenew: true }, []],
    ['renews itself from enough credits', { autoRenew: true, isCovered: true }, []],
    ['would renew itself, but for the credits', { autoRenew: true, isCovered: false }, ['expiring 2']],
    ['does not renew itself', { autoRenew: false, isCovered: true }, ['expiring 2']],
    ['cannot be renewed', { autoRenew: true, isRenewalFailing: true }, ['renewalFailed 2']],
    ['has expired by the platform’s clock', { status: 'EXPIRED' }, ['expired 0']],
    ['has no readable expiry', { expiresAt: 'soon' }, []],
  ])('two days before the end of a plan that %s are %j', async (_, overrides, expectedReminders) => {
    expect(await createHarness(() => [plan(overrides)]).at(2)).toEqual(expectedReminders)
  })

  it('report a failing renewal once, and remind of the following days', async () => {
    const { at } = createHarness(() => [plan({ autoRenew: true, isCovered: false, isRenewalFailing: true })])
    expect(await at(3)).toEqual(['renewalFailed 3'])
    expect(await at(2)).toEqual([])
    expect(await at(1)).toEqual(['expiring 1'])
  })

  it('report an expiry once, unless it is old', async () => {
    const { at } = createHarness(() => [plan()])
    expect(await at(-1)).toEqual(['expired 0'])
    expect(await at(-2)).toEqual([])
    expect(await createHarness(() => [plan()]).at(-8)).toEqual([])
  })

  it('do not treat a plan as expired that the platform calls active', async () => {
    expect(await createHarness(() => [plan({ status: 'ACTIVE', autoRenew: false })]).at(-0.1)).toEqual([])
  })

  it('follow the settings', async () => {
    const { at, settings } = createHarness(() => [plan()])
    settings.update({ reminders: { enabled: false, days: [7, 3, 1] } })
    expect(await at(2)).toEqual([])
    settings.update({ reminders: { enabled: true, days: [14] } })
    expect(await at(2)).toEqual(['expiring 2'])
    expect(await at(1)).toEqual([])
  })

  it('retry an hour later when the plans cannot be read', async () => {
    let isOffline = true
    const { at } = createHarness(() => {
      if (isOffline) throw new Error('offline')
      return [plan()]
    })
    expect(await at(2)).toEqual([])
    isOffline = false
    expect(await at(1.9)).toEqual(['expiring 2'])
  })

  it('run at the start and every hour, and not after the end', async () => {
    const { reminders, timers, time, shown: notifications } = createHarness(() => [plan()])
    reminders.start()
    await reminders.check()
    expect(timers).toMatchObject([{ ms: 3_600_000, isOver: false }])
    time.nowMs = startMs + 9 * dayMs
    timers[0]?.run()
    await reminders.check()
    expect(notifications).toHaveLength(1)
    reminders.stop()
    expect(timers).toMatchObject([{ ms: 3_600_000 }, { ms: 3_600_000, isOver: true }])
    time.nowMs = startMs + 9.9 * dayMs
    await reminders.check()
    expect(notifications).toHaveLength(1)
  })

  it('retry soon while an account does not respond, with growing delays', async () => {
    const { reminders, timers, isUnreachable } = createHarness(() => [plan()])
    isUnreachable.value = true
    reminders.start()
    await reminders.check()
    for (let attempt = 0; attempt < 7; attempt += 1) {
      if (attempt === 6) isUnreachable.value = false
      timers.at(-1)?.run()
      await reminders.check()
    }
    expect(timers.map(({ ms }) => ms / 60_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60])
    isUnreachable.value = true
    timers.at(-1)?.run()
    await reminders.check()
    expect(timers.at(-1)?.ms).toBe(60_000)
  })

  it('drop records of plans that expired long ago', async () => {
    const oldReminder = { planId: 'x', expiresAt: '2025-01-01T00:00:00.000Z', what: '7' }
    const { at, settings } = createHarness(() => [plan()], memorySettings({ shownReminders: [oldReminder] }))
    await at(2)
    expect(settings.read().shownReminders.map(({ planId, what }) => [planId, what])).toEqual([
      ['p', '3'],
      ['p', '7'],
    ])
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

const buildSources = (
  localPlans: readonly PlanView[],
  credits = 0,
  plans: readonly ReturnType<typeof buildAccountPlan>[] = [],
) => ({
  plans: { list: () => localPlans },
  account: {
    get: async ({ connectionId }: { connectionId: string }) => {
      if (connectionId === 'offline') throw new Error('offline')
      return { accountId: 'a', role: 'ROOT' as const, credits }
    },
    plans: async () => [...plans],
  },
  connectionIds: () => ['offline', 'office'],
  getPath: (planId: string, connectionId?: string) => `/${connectionId ?? 'here'}/${planId}`,
})

it('counts a plan as covered while the credits last, in order of expiry', async () => {
  const plans = [
    buildAccountPlan('late', { expiresAt: '2026-04-03T00:00:00Z' }),
    buildAccountPlan('soon', { expiresAt: '2026-04-01T00:00:00Z' }),
    buildAccountPlan('off', { expiresAt: '2026-03-01T00:00:00Z', autoRenew: false }),
    buildAccountPlan('over', { expiresAt: '2026-02-01T00:00:00Z', status: 'EXPIRED' }),
  ]
  const { plans: listedPlans } = await reminderPlans(buildSources([], 500_000, plans))
  const coveredIds = listedPlans.filter(({ isCovered }) => isCovered).map(({ id }) => id)
  expect(coveredIds).toEqual(['office/soon'])
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
    plans: [{ id: 'given', name: 'given', expiresAt, path: '/here/given' }],
    isComplete: false,
  })
  const { isComplete } = await reminderPlans({ ...buildSources(localPlans), connectionIds: () => ['office'] })
  expect(isComplete).toBe(true)
})

it('reports a failing renewal', async () => {
  const renewal = { failedAttempts: 1, nextAttemptAt: '2026-03-30T00:00:00Z' }
  const { plans: listedPlans } = await reminderPlans(buildSources([], 0, [buildAccountPlan('p', { renewal })]))
  expect(listedPlans).toMatchObject([{ id: 'office/p', isRenewalFailing: true, isCovered: false, path: '/office/p' }])
})

const endingPlan = { planName: 'team', expiresAt: '2026-12-03T10:00:00.000Z' }

it.each([
  ['en', 'expiring', 1, 'team expires in 1 day', /December 3, 2026/],
  ['en', 'expiring', 7, 'team expires in 7 days', /keys stop working/],
  ['en', 'renewalFailed', 2, 'Couldn’t renew team', /Not enough credits/],
  ['en', 'expired', 0, 'team has expired', /Buy it again/],
  ['vi', 'expiring', 3, 'team sẽ hết hạn sau 3 ngày', /ngày 3 tháng 12 năm 2026/],
  ['vi', 'renewalFailed', 2, 'Không gia hạn được team', /ngày 3 tháng 12 năm 2026/],
  ['vi', 'expired', 0, 'team đã hết hạn', /mua lại/],
] as const)('describes in %s a plan that is %s with %i days left', (locale, kind, daysLeft, title, body) => {
  const texts = formatReminder({ ...endingPlan, kind, daysLeft }, locale)
  expect(texts).toEqual({ title, body: expect.stringMatching(body) })
})

it('combines several plans in one message', () => {
  const planEndings = ['team', 'pro', 'old'].map((planName) => ({
    ...endingPlan,
    planName,
    kind: 'expired' as const,
    daysLeft: 0,
  }))
  expect([formatReminders(planEndings, 'en'), formatReminders(planEndings.slice(1), 'vi')]).toEqual([
    { title: '3 plans expire soon or have expired', body: 'team, pro and 1 more.' },
    { title: '2 gói sắp hết hạn hoặc đã hết hạn', body: 'pro và old.' },
  ])
})

it.each([
  [['a'], 'a', 'a'],
  [['a', 'b', 'a'], 'a and b', 'a và b'],
  [['a', 'b', 'c', 'd'], 'a, b and 2 more', 'a, b và 2 mục khác'],
])('the names %j are joined as %s', (names, en, vi) => {
  expect([joinNames(names, 'en'), joinNames(names, 'vi')]).toEqual([en, vi])
})
