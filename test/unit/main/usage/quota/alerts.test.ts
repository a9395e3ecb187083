import { type BudgetView, quota as contract, type Forecast, type PlanQuota } from '@shared/contract/quota'
import type { UsageErrorKind } from '@shared/contract/usage'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AlertWatch } from '../../../../../src/main/compose/alert-watch'
import type { StateNotice } from '../../../../../src/main/core/notices'
import type { SettingsStore } from '../../../../../src/main/core/settings/settings'
import { PlanIdentity } from '../../../../../src/main/plans/plan-directory'
import type { Ledger } from '../../../../../src/main/usage/ledger-client'
import { Alerts, listAlertSubjects } from '../../../../../src/main/usage/quota/alerts'
import { formatTightestPlan } from '../../../../../src/main/usage/quota/quota'
import { memorySettings } from '../../../../support/memory-settings'
import {
  accountPlan,
  budgetView,
  cycleStartMs,
  dayMs,
  exhaustionForecast,
  hourMs,
  iso,
  localPlan,
  planQuota,
} from './figures'

const minuteMs = 60_000
type ErrorCounts = Awaited<ReturnType<Ledger['countSince']>>

const consoleUrls: Readonly<Record<string, string>> = {
  a: 'https://platform.example.com/console',
  b: 'https://Platform.example.com:443/console/',
  elsewhere: 'https://other.example.com/console',
}

function createHarness(settings: SettingsStore = memorySettings()) {
  const shown: StateNotice[] = []
  const scene = {
    nowMs: cycleStartMs,
    plans: [] as PlanQuota[],
    failed: [] as ErrorCounts,
    budgets: [] as BudgetView[],
    addressRequests: 0,
    accountRequests: 0,
    notifications: 0,
    isOffline: false,
  }
  const local = [localPlan('l', { name: 'team' })]
  const clock = () => new Date(scene.nowMs)
  const alerts = new Alerts({ settings, clock })
  const failIfOffline = async <T>(answer: T): Promise<T> => {
    if (scene.isOffline) throw new Error('offline')
    return answer
  }
  const core = {
    settings,
    plans: { list: () => local },
    account: {
      get: async () => {
        scene.accountRequests += 1
        return failIfOffline({ credits: 0 })
      },
      plans: async () => [accountPlan('p', { autoRenew: false, expiresAt: iso(cycleStartMs + 2 * dayMs) })],
    },
    connections: {
      consoleIds: () => ['a'],
      list: () => {
        scene.addressRequests += 1
        return Object.entries(consoleUrls).map(([id, consoleUrl]) => ({ id, addresses: { consoleUrl } }))
      },
    },
    webhook: { isOn: () => false },
  } as unknown as ConstructorParameters<typeof AlertWatch>[0]
  const watch = new AlertWatch(core, {
    clock,
    log: { info: () => {}, error: () => {} },
    quota: { list: () => failIfOffline(scene.plans) },
    ledger: { countSince: async () => scene.failed },
    budgets: { list: async () => scene.budgets },
    locale: () => 'en',
    omittedKind: 'rotation',
    deliver: (find) => {
      const found = find(alerts.memory())
      const { notices } = found
      alerts.record(found)
      if (notices.length > 0) scene.notifications += 1
      shown.push(...notices)
    },
  })
  /** Checks the quotas at a time and returns the new alerts in short form. */
  const at = async (ms: number): Promise<string[]> => {
    scene.nowMs = cycleStartMs + ms
    await watch.check()
    return shown.splice(0).flatMap(({ alert, body }) => {
      if (!alert) return []
      if (alert.kind === 'budget') return [`budget ${alert.budgetName} ${alert.percent}`]
      const subject = `${alert.kind} ${alert.planId} ${alert.modelCode}`
      if (alert.kind === 'errorBurst') return [`${subject} ${body.replace(/^(\d+) of (\d+).*/, '$1/$2')}`]
      return [`${subject} ${alert.allowance}${alert.kind === 'threshold' ? ` ${alert.percent}` : ''}`]
    })
  }
  const look = (...plans: PlanQuota[]) => {
    scene.plans = plans
    return at(scene.nowMs - cycleStartMs + 5 * minuteMs)
  }
  return { alerts, watch, settings, scene, local, shown, at, look }
}

it('alerts of budgets appear at 80 and 100 percent, once per period and limit', async () => {
  const { at, scene, alerts } = createHarness()
  const checkBudgets = async (...budgets: BudgetView[]) => {
    scene.budgets = budgets
    return at(0)
  }
  expect(await checkBudgets(budgetView(7))).toEqual([])
  expect(await checkBudgets(budgetView(8))).toEqual(['budget Team 80'])
  expect(await checkBudgets(budgetView(9))).toEqual([])
  expect(await checkBudgets(budgetView(10))).toEqual(['budget Team 100'])
  expect(alerts.list()[0]).toMatchObject({ kind: 'budget', budgetName: 'Team', percent: 100, isRefused: true })
  expect(await checkBudgets(budgetView(10, { limit: 12 }))).toEqual(['budget Team 80'])
  const otherBudgets = [budgetView(8, { to: iso(cycleStartMs + 2 * dayMs) }), budgetView(9, { id: 'c', name: 'Other' })]
  expect(await checkBudgets(...otherBudgets)).toEqual(['budget Team 80', 'budget Other 80'])
})

describe('alerts of quotas', () => {
  it('name the connection of a plan whose name is not unique', async () => {
    const { look, alerts } = createHarness()
    await look(planQuota('p', 90, { name: 'team', label: 'team (Office)' }))
    expect(alerts.list()[0]?.planName).toBe('team (Office)')
  })

  it('appear once for each threshold of a cycle, only the highest of several, also after a restart', async () => {
    const { look, settings } = createHarness()
    const alertsByCheck: string[][] = []
    for (const usedPercent of [79, 80, 85, 96, 96]) alertsByCheck.push(await look(planQuota('p', usedPercent)))
    expect(alertsByCheck).toEqual([[], ['threshold p m tokens 80'], [], ['threshold p m tokens 95'], []])
    const restartedAlerts = createHarness(settings)
    expect(await restartedAlerts.look(planQuota('p', 97))).toEqual([])
    expect(await restartedAlerts.look(planQuota('p', 100))).toEqual(['threshold p m tokens 100'])
    expect(await restartedAlerts.look(planQuota('p', 100))).toEqual([])
    expect(await createHarness().look(planQuota('p', 100))).toEqual(['threshold p m tokens 100'])
  })

  it('restart with a new cycle, separately for plans, models and both quotas', async () => {
    const { look } = createHarness()
    const baseQuota = planQuota('p', 90)
    const [model] = baseQuota.models
    if (!model) throw new Error('no model')
    const models = [model, { ...model, modelCode: 'n', tokens: model.requests, requests: model.tokens }]
    expect(await look({ ...baseQuota, models }, planQuota('q', 80))).toEqual([
      'threshold p m tokens 80',
      'threshold p n requests 80',
      'threshold q m tokens 80',
    ])
    const nextCycle = { from: iso(cycleStartMs + 15 * dayMs), to: iso(cycleStartMs + 45 * dayMs) }
    expect(await look({ ...baseQuota, models, cycle: nextCycle })).toEqual([
      'threshold p m tokens 80',
      'threshold p n requests 80',
    ])
  })

  it('of one check are combined, with few requests to the connections', async () => {
    const { look, alerts, scene } = createHarness()
    const plans = Array.from({ length: 500 }, (_, n) =>
      planQuota(`p${n}`, 100, { planId: undefined, origin: { connectionId: 'a', planId: `p${n}` } }),
    )
    expect(await look(...plans)).toHaveLength(500)
    expect(await look(...plans)).toEqual([])
    expect(scene.notifications).toBe(1)
    expect(scene.addressRequests).toBeLessThan(5)
    expect(alerts.list()).toHaveLength(100)
  })

  it('omit expired plans and plans without a cycle', async () => {
    const { cycle: _, ...endless } = planQuota('p', 100)
    expect(await createHarness().look(planQuota('q', 100, { isExpired: true }), endless)).toEqual([])
  })

  it('of a forecast appear once, until the forecast predicts for a day that the quota lasts', async () => {
    const { at, scene } = createHarness()
    const exhaustedQuotas = [planQuota('p', 50, { forecast: exhaustionForecast })]
    const healthyQuotas = [planQuota('p', 50)]
    const alertHours: number[] = []
    for (const hours of [0, 1, 2, 20, 21, 22, 45.9, 46, 47, 48]) {
      scene.plans = [0, 1, 21, 47, 48].includes(hours) ? exhaustedQuotas : healthyQuotas
      if ((await at(hours * hourMs)).includes('forecast p m tokens')) alertHours.push(hours)
    }
    expect(alertHours).toEqual([0, 47])
  })

  it('stay the same for an account’s plan after it is saved here', async () => {
    const { look } = createHarness()
    const origin = { connectionId: 'a', planId: 'p' }
    const { planId: _, ...elsewhere } = planQuota('p', 80, { origin })
    expect(await look(elsewhere)).toEqual(['threshold p m tokens 80'])
    expect(await look({ ...elsewhere, planId: 'l' })).toEqual([])
  })
})

/** An account's plan as reported by a connection. */
function buildConnectionQuota(
  connectionId: string,
  used: number,
  overrides: Parameters<typeof planQuota>[2] = {},
): PlanQuota {
  const { planId: _, ...plan } = planQuota('p', used, { origin: { connectionId, planId: 'p' }, ...overrides })
  return plan
}

/** Failures of a model, each with the number of all requests of its plan. */
function toErrorCounts(...failures: [UsageErrorKind, number, number, string?][]): ErrorCounts {
  const successes = new Map<string, number>()
  const failed = failures.map(([error, requests, total, planId = 'l']) => {
    successes.set(planId, (successes.get(planId) ?? total) - requests)
    return { planId, modelCode: 'm', error, requests }
  })
  const succeeded = [...successes].map(([planId, requests]) => ({ planId, modelCode: 'm', error: undefined, requests }))
  return [...failed, ...succeeded]
}

describe('a plan reached through several connections', () => {
  const buildTwoModelQuota = (used: number, overrides = {}) => [
    buildConnectionQuota('a', used, overrides),
    buildConnectionQuota('b', used, overrides),
  ]
  const cycleEnd = iso(cycleStartMs + 15 * dayMs)
  /** A record as earlier versions stored it. */
  const threshold = (name: string[], percent: number) => ({
    kind: 'threshold',
    percent,
    endsAt: cycleEnd,
    of: JSON.stringify([...name, 'm', 'tokens', cycleEnd]),
  })

  it('is reported once, separately for another address, and also after the reporting connection is gone', async () => {
    const { look, alerts, settings } = createHarness()
    const overrides = { forecast: exhaustionForecast }
    const allQuotas = [...buildTwoModelQuota(80, overrides), buildConnectionQuota('elsewhere', 80)]
    expect(await look(...allQuotas)).toEqual([
      'threshold p m tokens 80',
      'threshold p m tokens 80',
      'forecast p m tokens',
    ])
    expect(alerts.list()).toHaveLength(3)
    expect(await look(...allQuotas)).toEqual([])
    expect(await createHarness(settings).look(buildConnectionQuota('b', 80, overrides))).toEqual([])
    const nextCheckFields = { at: iso(cycleStartMs + 1) }
    expect(await look(buildConnectionQuota('a', 90), buildConnectionQuota('b', 96, nextCheckFields))).toEqual([
      'threshold p m tokens 95',
    ])
  })

  it('is reported under its local name, with console figures rather than local ones', async () => {
    const { look, shown, scene } = createHarness()
    scene.plans = [{ ...buildConnectionQuota('a', 10), planId: 'l', source: 'machine' }, buildConnectionQuota('b', 80)]
    expect(await look(...scene.plans)).toEqual(['threshold l m tokens 80'])
    expect(shown).toEqual([])
    const localQuota = { ...buildConnectionQuota('b', 96), planId: 'l' }
    expect(await look(buildConnectionQuota('a', 80, { at: iso(cycleStartMs + 1) }), localQuota)).toEqual([])
  })

  it.each<[string, number, object[], string[]]>([
    ['its first connection', 90, [threshold(['a', 'p'], 80)], []],
    ['its second connection', 90, [threshold(['b', 'p'], 80)], []],
    ['both, the further one counts', 96, [threshold(['b', 'p'], 95), threshold(['a', 'p'], 80)], []],
    ['the plan here, before it was linked', 90, [threshold(['linked'], 80)], []],
    ['another connection', 90, [threshold(['elsewhere', 'p'], 80)], ['threshold linked m tokens 80']],
    ['no name at all', 90, [{ ...threshold([], 80), of: 'torn {' }], ['threshold linked m tokens 80']],
  ])('is reported again only without a record under the name of %s', async (_, used, episodes, expectedAlerts) => {
    const { alerts } = memorySettings().read()
    const { look, local } = createHarness(memorySettings({ alerts: { ...alerts, episodes } }))
    local.push(localPlan('linked', { origin: { connectionId: 'b', planId: 'p' } }))
    const plans = [{ ...buildConnectionQuota('a', used), planId: 'linked' }, buildConnectionQuota('b', used)]
    expect(await look(...plans)).toEqual(expectedAlerts)
    expect(await look(...plans)).toEqual([])
  })

  it.each([['p'], ['l1'], ['l2']])('is silent everywhere when it is muted or snoozed as %s', async (planId) => {
    const [muted, snoozed] = [createHarness(), createHarness()]
    const { snoozed: _, ...settings } = muted.alerts.settings()
    muted.alerts.setSettings({ ...settings, mutedPlans: [planId] })
    snoozed.alerts.snooze({ planId, hours: 1 })
    for (const { local, scene, look } of [muted, snoozed]) {
      local.push(localPlan('l1', { origin: { connectionId: 'a', planId: 'p' } }))
      local.push(localPlan('l2', { origin: { connectionId: 'b', planId: 'p' } }))
      scene.failed = toErrorCounts(['key', 9, 9, 'l1'], ['server', 9, 9, 'l2'])
      expect(await look(...buildTwoModelQuota(100, { forecast: exhaustionForecast }))).toEqual([])
      expect(await look(buildConnectionQuota('b', 100), buildConnectionQuota('elsewhere', 80))).toEqual(
        planId === 'p' ? [] : ['threshold p m tokens 80'],
      )
    }
  })

  it('combines the failures of all its local keys in one alert', async () => {
    const { at, scene, local, shown } = createHarness()
    local.push(localPlan('l1', { name: 'one', origin: { connectionId: 'a', planId: 'p' } }))
    local.push(localPlan('l2', { name: 'other', origin: { connectionId: 'b', planId: 'p' } }))
    scene.failed = toErrorCounts(['key', 2, 6, 'l1'], ['aborted', 4, 6, 'l1'], ['server', 3, 3, 'l2'], ['key', 9, 99])
    expect(await at(0)).toEqual(['errorBurst l1 m 5/5'])
    scene.failed = toErrorCounts(['server', 9, 9, 'l2'])
    expect(await at(5 * minuteMs)).toEqual([])
    expect(shown).toEqual([])
  })

  it('has the same alerts as through one connection, whichever responds', async () => {
    const step = fc.record({ used: fc.nat(100), runs: fc.boolean(), answer: fc.subarray(['a', 'b'], { minLength: 1 }) })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const [oneConnection, bothConnections] = [createHarness(), createHarness()]
        for (const { used, runs, answer } of steps) {
          const overrides = runs ? { forecast: exhaustionForecast } : {}
          const alerts = await bothConnections.look(...answer.map((id) => buildConnectionQuota(id, used, overrides)))
          expect(alerts).toEqual(await oneConnection.look(buildConnectionQuota('a', used, overrides)))
        }
      }),
      { numRuns: 60 },
    )
  })
})

describe('alerts of failing requests', () => {
  it.each<[string, ErrorCounts, string[]]>([
    ['half of ten fail', toErrorCounts(['server', 3, 10], ['network', 2, 10]), ['errorBurst l m 5/10']],
    ['four fail of four', toErrorCounts(['server', 4, 4]), []],
    ['less than half fail', toErrorCounts(['server', 5, 11]), []],
    ['the client went away', toErrorCounts(['aborted', 20, 20]), []],
    [
      'the client went away from some, and half of the rest fail',
      toErrorCounts(['aborted', 20, 30], ['key', 5, 30]),
      ['errorBurst l m 5/10'],
    ],
    ['the plan is not known', toErrorCounts(['key', 9, 9]).map((row) => ({ ...row, planId: '' })), []],
    ['the plan is gone', toErrorCounts(['key', 9, 9]).map((row) => ({ ...row, planId: 'gone' })), []],
  ])('when %s', async (_, rows, expectedAlerts) => {
    const { at, scene } = createHarness()
    scene.failed = rows
    expect(await at(0)).toEqual(expectedAlerts)
  })

  it('appear again only after half an hour without a failure', async () => {
    const { at, scene } = createHarness()
    const alertMinutes: number[] = []
    const steps: [number, ErrorCounts][] = [
      [0, toErrorCounts(['key', 5, 5])],
      [5, toErrorCounts(['key', 9, 9])],
      [30, toErrorCounts(['key', 1, 9])],
      [45, toErrorCounts(['key', 9, 9])],
      [60, []],
      [74, []],
      [75, toErrorCounts(['key', 9, 9])],
    ]
    for (const [minutes, rows] of steps) {
      scene.failed = rows
      if ((await at(minutes * minuteMs)).length > 0) alertMinutes.push(minutes)
    }
    expect(alertMinutes).toEqual([0, 75])
  })
})

describe('visible alerts', () => {
  it('hide a snoozed plan or model until its time, and show it then if it still applies', async () => {
    const { alerts, at, scene } = createHarness()
    scene.plans = [planQuota('p', 90, { forecast: exhaustionForecast })]
    alerts.snooze({ planId: 'p', modelCode: 'other', hours: 1 })
    alerts.snooze({ planId: 'p', modelCode: 'm', hours: 1 })
    alerts.snooze({ planId: 'p', modelCode: 'm', hours: 2 })
    expect(await at(hourMs)).toEqual([])
    expect(alerts.settings().snoozed).toEqual([{ planId: 'p', modelCode: 'm', until: iso(cycleStartMs + 2 * hourMs) }])
    expect(await at(2 * hourMs)).toEqual(['threshold p m tokens 80', 'forecast p m tokens'])
    expect(alerts.settings().snoozed).toEqual([])
  })

  it('return when snoozes are ended, and stay hidden for a muted plan', async () => {
    const { alerts, look } = createHarness()
    alerts.snooze({ planId: 'p', hours: 5 })
    expect(await look(planQuota('p', 90))).toEqual([])
    alerts.wake({ planId: 'p' })
    const { snoozed: _, ...settings } = alerts.settings()
    alerts.setSettings({ ...settings, mutedPlans: ['q'] })
    expect(await look(planQuota('p', 90), planQuota('q', 90))).toEqual(['threshold p m tokens 80'])
  })

  it('follow the settings, which store snoozes and sort thresholds', async () => {
    const { alerts, look } = createHarness()
    alerts.snooze({ planId: 'x', hours: 1 })
    const off = { forecast: false, errorBursts: false, mutedPlans: [] }
    const alertSettings = { ...off, enabled: true, thresholds: [90, 50, 90] }
    expect(alerts.setSettings(alertSettings)).toMatchObject({ thresholds: [50, 90], snoozed: [{ planId: 'x' }] })
    expect(await look(planQuota('p', 60, { forecast: exhaustionForecast }))).toEqual(['threshold p m tokens 50'])
    alerts.setSettings({ ...alertSettings, enabled: false })
    expect(await look(planQuota('p', 95))).toEqual([])
  })

  it('are listed in the form of the contract, newest first', async () => {
    const { alerts, look } = createHarness()
    await look(planQuota('p', 80))
    await look(planQuota('p', 95, { forecast: exhaustionForecast }))
    const list = contract['alerts.list'].output.parse(alerts.list())
    expect(list.map(({ kind, percent }) => [kind, percent])).toEqual([
      ['threshold', 95],
      ['forecast', undefined],
      ['threshold', 80],
    ])
  })

  it('are not delayed by a source that fails', async () => {
    const { at, scene } = createHarness()
    scene.isOffline = true
    scene.failed = toErrorCounts(['key', 9, 9])
    expect(await at(0)).toEqual(['errorBurst l m 9/9'])
  })
})

it('reads accounts once an hour, and again a minute later while one does not respond', async () => {
  const { watch, scene, shown, settings, local } = createHarness()
  const expiresAt = iso(cycleStartMs + 3 * dayMs)
  // A plan that someone else handed over, and that an account has too.
  local.push(localPlan('given', { expiresAt, origin: { connectionId: 'b', planId: 'q' } }))
  const listRemindersAt = async (minutes: number) => {
    scene.nowMs = cycleStartMs + minutes * minuteMs
    await watch.check()
    return [scene.accountRequests, ...shown.splice(0).map(({ title }) => title)]
  }
  scene.isOffline = true
  expect([await listRemindersAt(0), await listRemindersAt(0.9)]).toEqual([[1, 'given expires in 3 days'], [1]])
  scene.isOffline = false
  expect([await listRemindersAt(1), await listRemindersAt(60)]).toEqual([[2, 'p expires in 2 days'], [2]])
  settings.update({ reminders: { enabled: false, days: [14] } })
  expect(await listRemindersAt(61)).toEqual([2])
  settings.update({ reminders: { enabled: true, days: [14, 1] } })
  expect([await listRemindersAt(122), await listRemindersAt(24 * 60)]).toEqual([[3], [4, 'p expires in 1 day']])
})

const figures = { used: 1_940_000, quota: 2_000_000 }
const cycle = { from: '2026-10-30T12:00:00.000Z', to: '2026-11-29T12:00:00.000Z' }
const { latest: _, ...openForecast } = exhaustionForecast

function describeQuota(
  overrides: Partial<PlanQuota> & { used?: number; forecast?: Forecast },
  unit: 'tokens' | 'requests' = 'tokens',
) {
  const { used = figures.used, forecast = { kind: 'notEnough', reason: 'tooShort' }, ...rest } = overrides
  const plan = planQuota('p', 0, { name: 'team', cycle, ...rest })
  const unknown = { used: 0, forecast: { kind: 'notEnough', reason: 'noAllowance' } } as const
  const model = { modelCode: 'gpt-large', displayName: 'GPT', tokens: unknown, requests: unknown }
  return { plans: [{ ...plan, models: [{ ...model, [unit]: { ...figures, used, forecast } }] }] }
}

const describeBudget = (used: number, change: Partial<BudgetView> = {}) => ({
  budgets: [
    budgetView(used, { name: 'CI', unit: 'tokens', limit: 2_000_000, to: '2026-11-30T12:00:00.000Z', ...change }),
  ],
})

it.each<[string, Partial<Parameters<typeof listAlertSubjects>[0]>, string, string, ('en' | 'vi')?]>([
  [
    'a budget',
    describeBudget(1_700_000),
    'Budget CI: 85% used',
    '300,000 of 2,000,000 tokens are left until November 30.',
  ],
  [
    'a budget that refuses',
    describeBudget(2_000_100),
    'Budget CI is used up',
    'All 2,000,000 tokens are used. The relay rejects requests until November 30.',
  ],
  [
    'a budget that only warns',
    describeBudget(2_000_100, { action: 'warn' }),
    'Đã hết ngân sách CI',
    'Đã dùng hết 2.000.000 token. Request vẫn được gửi.',
    'vi',
  ],
  [
    'a threshold',
    describeQuota({}),
    'team: 97% of the tokens of gpt-large used',
    '60,000 of 2,000,000 tokens are left. The cycle ends on November 29.',
  ],
  [
    'the last cycle',
    describeQuota({ cycle: { ...cycle, autoRenew: false } }),
    'team: 97% of the tokens of gpt-large used',
    '60,000 of 2,000,000 tokens are left. The plan expires on November 29.',
  ],
  [
    'nothing left',
    describeQuota({ used: 2_000_001 }, 'requests'),
    'team: gpt-large is out of requests',
    'All 2,000,000 requests are used. The gateway rejects requests to this model until November 29.',
  ],
  [
    'a forecast',
    describeQuota({ forecast: exhaustionForecast }),
    'team: the tokens of gpt-large are likely to run out on November 27',
    'That is 2 days before the cycle ends (between November 24 and November 29). 60,000 of 2,000,000 tokens are left.',
  ],
  [
    'a forecast',
    describeQuota({ forecast: exhaustionForecast }),
    'team: token của gpt-large có thể hết vào ngày 27 tháng 11',
    'Trước khi chu kỳ kết thúc 2 ngày (từ 24 tháng 11 đến 29 tháng 11). Còn 60.000 trên 2.000.000 token.',
    'vi',
  ],
  [
    'an open forecast',
    describeQuota({ forecast: { ...openForecast, daysBeforeRenewal: 0.4 } }),
    'team: the tokens of gpt-large are likely to run out on November 27',
    'That is just before the cycle ends (November 24 at the earliest). 60,000 of 2,000,000 tokens are left.',
  ],
  [
    'errors',
    { requests: toErrorCounts(['key', 12, 15]).map((row) => ({ ...row, modelCode: 'gpt-large' })) },
    'team: requests to gpt-large are failing',
    '12 of 15 in the last 10 minutes. Most common: the key was refused.',
  ],
])('a notification describes %s (%#)', (_, input, title, body, locale = 'en') => {
  const { settings } = memorySettings().read().alerts
  const identity = new PlanIdentity([localPlan('l', { name: 'team' })], () => undefined)
  const noInput = { plans: [], requests: [], budgets: [], identity, nowMs: cycleStartMs }
  const subjects = listAlertSubjects({ ...noInput, ...input }, settings)
  expect(subjects.at(-1)?.describe(locale)).toMatchObject({ title, body })
})

it.each([
  [[12], 'en', 'p0 · m 88% left (tokens)'],
  [[12, 88], 'vi', 'p1 · m còn 12% (token)'],
  [[99.5], 'en', 'p0 · m <1% left (tokens)'],
  [[100], 'en', 'p0 · m 0% left (tokens)'],
  [[], 'en', undefined],
] as const)('the line for used %j in %s is %s', (usedAmounts, locale, line) => {
  const plans = usedAmounts.map((amount, index) => planQuota(`p${index}`, amount))
  expect(formatTightestPlan(plans, locale)).toBe(line)
})

it('the line shows what runs out before what has less left, and nothing expired', () => {
  const plans = [
    planQuota('less', 90),
    planQuota('sooner', 50, { forecast: exhaustionForecast }),
    planQuota('over', 100, { isExpired: true }),
  ]
  expect(formatTightestPlan(plans, 'en')).toBe('sooner · m 50% left (tokens)')
})
