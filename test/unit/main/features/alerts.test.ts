import { quota as contract, type PlanQuota } from '@shared/contract/quota'
import { describe, expect, it } from 'vitest'
import { Alerts, type AlertsDeps } from '../../../../src/main/features/alerts'
import type { Alert } from '../../../../src/main/quota/find-alerts'
import type { SettingsStore } from '../../../../src/main/settings/settings'
import { memorySettings } from '../../../support/memory-settings'
import { dayMs, hourMs, iso, localPlan, planQuota, runsOut, start } from '../quota/figures'

const minuteMs = 60_000
type Failed = Awaited<ReturnType<AlertsDeps['ledger']['errorsSince']>>

function make(settings: SettingsStore = memorySettings()) {
  const shown: Alert[] = []
  const scene = { now: start, plans: [] as PlanQuota[], failed: [] as Failed, looks: 0, isOffline: false }
  const timers: { run: () => void; ms: number; isOver: boolean }[] = []
  const timer = (run: () => void, ms: number) => {
    const one = { run, ms, isOver: false }
    timers.push(one)
    return () => {
      one.isOver = true
    }
  }
  const alerts = new Alerts({
    settings,
    clock: () => new Date(scene.now),
    log: { info: () => {}, error: () => {} },
    quota: {
      list: async () => {
        scene.looks += 1
        if (scene.isOffline) throw new Error('offline')
        return scene.plans
      },
    },
    ledger: { errorsSince: async () => scene.failed },
    plans: { list: () => [localPlan('l', { name: 'team' })] },
    notify: (alert) => shown.push(alert),
    ...{ repeat: timer, after: timer },
  })
  /** Looks at some moment; gives what was told, in short. */
  const at = async (ms: number): Promise<string[]> => {
    scene.now = start + ms
    await alerts.check()
    return shown.splice(0).map((one) => {
      const what = one.kind === 'errorBurst' ? `${one.errors}/${one.requests}` : one.allowance
      return [one.kind, one.planId, one.modelCode, what, ...(one.kind === 'threshold' ? [one.percent] : [])].join(' ')
    })
  }
  const look = (...plans: PlanQuota[]) => {
    scene.plans = plans
    return at(scene.now - start + 5 * minuteMs)
  }
  return { alerts, settings, scene, shown, timers, at, look }
}

describe('alerts of allowances', () => {
  it('come once for each threshold of a cycle, only the highest of those passed at once, also through a restart', async () => {
    const { look, settings } = make()
    const told: string[][] = []
    for (const used of [79, 80, 85, 96, 96]) told.push(await look(planQuota('p', used)))
    expect(told).toEqual([[], ['threshold p m tokens 80'], [], ['threshold p m tokens 95'], []])
    const restarted = make(settings)
    expect(await restarted.look(planQuota('p', 97))).toEqual([])
    expect(await restarted.look(planQuota('p', 100))).toEqual(['threshold p m tokens 100'])
    expect(await restarted.look(planQuota('p', 100))).toEqual([])
    expect(await make().look(planQuota('p', 100))).toEqual(['threshold p m tokens 100'])
  })

  it('begin anew with a new cycle, and keep plans, models and the two allowances apart', async () => {
    const { look } = make()
    const both = planQuota('p', 90)
    const [model] = both.models
    if (!model) throw new Error('no model')
    const models = [model, { ...model, modelCode: 'n', tokens: model.requests, requests: model.tokens }]
    expect(await look({ ...both, models }, planQuota('q', 80))).toEqual([
      'threshold p m tokens 80',
      'threshold p n requests 80',
      'threshold q m tokens 80',
    ])
    const next = { from: iso(start + 15 * dayMs), to: iso(start + 45 * dayMs) }
    expect(await look({ ...both, models, cycle: next })).toEqual([
      'threshold p m tokens 80',
      'threshold p n requests 80',
    ])
  })

  it('stay away from plans that have expired and from plans without a cycle', async () => {
    const { cycle: _, ...endless } = planQuota('p', 100)
    expect(await make().look(planQuota('q', 100, { isExpired: true }), endless)).toEqual([])
  })

  it('of a forecast come once, until it has said for a day that the allowance lasts', async () => {
    const { at, scene } = make()
    const bad = [planQuota('p', 50, { forecast: runsOut })]
    const good = [planQuota('p', 50)]
    const steps: [number, PlanQuota[]][] = [
      [0, bad],
      [1, bad],
      [2, good],
      [20, good],
      [21, bad],
      [22, good],
      [45.9, good],
      [46, good],
      [47, bad],
      [48, bad],
    ]
    const told: number[] = []
    for (const [hours, plans] of steps) {
      scene.plans = plans
      if ((await at(hours * hourMs)).includes('forecast p m tokens')) told.push(hours)
    }
    expect(told).toEqual([0, 47])
  })

  it('are the same for an account’s plan after it was kept on this machine', async () => {
    const { look } = make()
    const origin = { connectionId: 'a', planId: 'p' }
    const { planId: _, ...elsewhere } = planQuota('p', 80, { origin })
    expect(await look(elsewhere)).toEqual(['threshold p m tokens 80'])
    expect(await look({ ...elsewhere, planId: 'l' })).toEqual([])
  })
})

describe('alerts of failing requests', () => {
  const failed = (...rows: [string, number, number][]): Failed =>
    rows.map(([error, count, requests]) => ({ planId: 'l', modelCode: 'm', error, count, requests }) as Failed[number])

  it.each<[string, Failed, string[]]>([
    ['half of ten fail', failed(['server', 3, 10], ['network', 2, 10]), ['errorBurst l m 5/10']],
    ['four fail of four', failed(['server', 4, 4]), []],
    ['less than half fail', failed(['server', 5, 11]), []],
    ['the client went away', failed(['aborted', 20, 20]), []],
    [
      'the client went away from some, and half of the rest fail',
      failed(['aborted', 20, 30], ['key', 5, 30]),
      ['errorBurst l m 5/10'],
    ],
    ['the plan is not known', failed(['key', 9, 9]).map((row) => ({ ...row, planId: '' })), []],
    ['the plan is gone', failed(['key', 9, 9]).map((row) => ({ ...row, planId: 'gone' })), []],
  ])('when %s', async (_, rows, told) => {
    const { at, scene } = make()
    scene.failed = rows
    expect(await at(0)).toEqual(told)
  })

  it('come again only after half an hour without a failure', async () => {
    const { at, scene } = make()
    const told: number[] = []
    const steps: [number, Failed][] = [
      [0, failed(['key', 5, 5])],
      [5, failed(['key', 9, 9])],
      [30, failed(['key', 1, 9])],
      [45, failed(['key', 9, 9])],
      [60, []],
      [74, []],
      [75, failed(['key', 9, 9])],
    ]
    for (const [minutes, rows] of steps) {
      scene.failed = rows
      if ((await at(minutes * minuteMs)).length > 0) told.push(minutes)
    }
    expect(told).toEqual([0, 75])
  })
})

describe('which alerts are shown', () => {
  it('a snoozed plan or model is quiet until then, and told of afterwards when it is still so', async () => {
    const { alerts, at, scene } = make()
    scene.plans = [planQuota('p', 90, { forecast: runsOut })]
    alerts.snooze({ planId: 'p', modelCode: 'other', hours: 1 })
    alerts.snooze({ planId: 'p', modelCode: 'm', hours: 1 })
    alerts.snooze({ planId: 'p', modelCode: 'm', hours: 2 })
    expect(await at(hourMs)).toEqual([])
    expect(alerts.settings().snoozed).toEqual([{ planId: 'p', modelCode: 'm', until: iso(start + 2 * hourMs) }])
    expect(await at(2 * hourMs)).toEqual(['threshold p m tokens 80', 'forecast p m tokens'])
    expect(alerts.settings().snoozed).toEqual([])
  })

  it('waking a plan ends its snoozes, and a muted plan stays silent', async () => {
    const { alerts, look } = make()
    alerts.snooze({ planId: 'p', hours: 5 })
    expect(await look(planQuota('p', 90))).toEqual([])
    alerts.wake({ planId: 'p' })
    const { snoozed: _, ...settings } = alerts.settings()
    alerts.setSettings({ ...settings, mutedPlans: ['q'] })
    expect(await look(planQuota('p', 90), planQuota('q', 90))).toEqual(['threshold p m tokens 80'])
  })

  it('follows the settings, which keep the snoozes and sort the thresholds', async () => {
    const { alerts, look } = make()
    alerts.snooze({ planId: 'x', hours: 1 })
    const chosen = { enabled: true, thresholds: [90, 50, 90], forecast: false, errorBursts: false, mutedPlans: [] }
    expect(alerts.setSettings(chosen)).toMatchObject({ thresholds: [50, 90], snoozed: [{ planId: 'x' }] })
    expect(await look(planQuota('p', 60, { forecast: runsOut }))).toEqual(['threshold p m tokens 50'])
    alerts.setSettings({ ...chosen, enabled: false })
    expect(await look(planQuota('p', 95))).toEqual([])
  })

  it('are listed in the form of the contract, the newest first', async () => {
    const { alerts, look } = make()
    await look(planQuota('p', 80))
    await look(planQuota('p', 95, { forecast: runsOut }))
    const list = contract['alerts.list'].output.parse(alerts.list())
    expect(list.map(({ kind, percent }) => [kind, percent])).toEqual([
      ['threshold', 95],
      ['forecast', undefined],
      ['threshold', 80],
    ])
  })

  it('one that cannot be asked keeps nothing of the other back', async () => {
    const { at, scene } = make()
    scene.isOffline = true
    scene.failed = [{ planId: 'l', modelCode: 'm', error: 'key', count: 9, requests: 9 }]
    expect(await at(0)).toEqual(['errorBurst l m 9/9'])
  })
})

it('looks at the start, every five minutes and soon after a nudge, however many there are, and not after the end', async () => {
  const { alerts, timers, scene } = make()
  alerts.start()
  await alerts.check()
  expect(timers.map(({ ms }) => ms)).toEqual([5 * minuteMs])
  scene.now += 5000
  for (let n = 0; n < 1000; n += 1) alerts.nudge()
  expect(timers.map(({ ms }) => ms)).toEqual([5 * minuteMs, 10_000])
  scene.now += 10_000
  timers[1]?.run()
  await alerts.check()
  expect(scene.looks).toBe(2)
  alerts.nudge()
  alerts.stop()
  alerts.nudge()
  expect(timers.map(({ isOver }) => isOver)).toEqual([true, false, true])
})
