import { quota as contract } from '@shared/contract/quota'
import { AppError } from '@shared/failure'
import { describe, expect, it, vi } from 'vitest'
import { type QuotaDeps, QuotaService } from '../../../../../src/main/usage/quota/quota'
import { memorySettings } from '../../../../support/memory-settings'
import { createDeferred } from '../../../renderer/support/later'
import { accountModel, accountPlan, buildDailyHours, cycleStartMs, dayMs, hourMs, iso, localPlan } from './figures'

type Plans = Awaited<ReturnType<QuotaDeps['account']['plans']>>
type Local = ReturnType<typeof localPlan>
type QuotaHours = Awaited<ReturnType<QuotaDeps['ledger']['listHours']>>

const noTokens = { inputTokens: 0, outputTokens: 0, cacheTokens: 0 }

const notFound = (planId: string): never => {
  throw new AppError('plan.notFound', `There is no plan ${planId}.`)
}

function createHarness({
  consoles = {} as Record<string, () => Promise<Plans>>,
  local = [] as Local[],
  ledger = [] as QuotaHours,
  ahead = {} as Record<string, number>,
  /** Delays the console's response with hourly usage of a model. */
  beforeHours = Promise.resolve(),
}) {
  const time = { nowMs: cycleStartMs }
  const callNames: string[] = []
  const load = { current: 0, max: 0 }
  const usage = { isThere: true }
  const onLateFigures = vi.fn()
  const countCall = async <T>(callName: string, answer: () => Promise<T>): Promise<T> => {
    callNames.push(callName)
    load.current += 1
    load.max = Math.max(load.max, load.current)
    return answer().finally(() => {
      load.current -= 1
    })
  }
  const quota = new QuotaService({
    settings: memorySettings(),
    account: {
      plans: ({ connectionId }) =>
        countCall(connectionId, () => consoles[connectionId]?.() ?? Promise.reject(new Error())),
      usage: ({ planId, modelCode, interval, from, to }) =>
        countCall(`${planId} ${modelCode} ${interval}`, async () => {
          if (!usage.isThere) throw new Error('offline')
          await beforeHours
          const clockOffsetMs = Date.parse(to) - time.nowMs
          const hours = buildDailyHours(35).map((hour) => ({ ...hour, start: iso(hour.start + clockOffsetMs) }))
          return { series: hours.filter((hour) => hour.start >= from && hour.start < to) }
        }),
    },
    connections: {
      consoleIds: () => Object.keys(consoles),
      getClockOffsetMs: (connectionId) => ahead[connectionId] ?? 0,
    },
    plans: {
      list: () => local,
      find: (planId) => local.find(({ id }) => id === planId) ?? notFound(planId),
    },
    ledger: {
      listHours: async (planId, from) => ledger.filter((hour) => hour.planId === planId && hour.start >= from),
    },
    clock: () => new Date(time.nowMs),
    zone: () => 'Asia/Ho_Chi_Minh',
    log: { info: () => {}, error: () => {} },
    timeoutMs: 40,
    onLateFigures,
  })
  const list = async () => contract['quota.list'].output.parse(await quota.list())
  return { quota, list, time, callNames, load, usage, onLateFigures }
}

describe('remaining quota', () => {
  it('is the console’s figure in the current cycle, even if the next one is already paid', async () => {
    const plan = accountPlan('p', { localPlanId: 'l', expiresAt: iso(cycleStartMs + 32 * dayMs) })
    const localTeamPlan = localPlan('l', { origin: { connectionId: 'a', planId: 'p' } })
    const { list } = createHarness({ consoles: { a: async () => [plan] }, local: [localTeamPlan] })
    const forecast = expect.objectContaining({ kind: 'lasts' })
    expect(await list()).toEqual([
      {
        planId: 'l',
        origin: { connectionId: 'a', planId: 'p' },
        name: 'p',
        source: 'console',
        isExpired: false,
        cycle: { from: iso(cycleStartMs - 28 * dayMs), to: iso(cycleStartMs + 2 * dayMs), autoRenew: true },
        expiresAt: iso(cycleStartMs + 32 * dayMs),
        at: iso(cycleStartMs),
        models: [
          {
            modelCode: 'm',
            displayName: 'M',
            tokens: { quota: 10_000, used: 1500, evenPace: 28 / 30, forecast },
            requests: { quota: 1000, used: 15, evenPace: 28 / 30, forecast },
          },
        ],
      },
    ])
  })

  it('is sorted with the tightest plan first and expired ones last', async () => {
    const plans = [
      accountPlan('ample'),
      accountPlan('over', { status: 'EXPIRED', models: [accountModel('m', { tokensUsed: 10_000 })] }),
      accountPlan('scarce', { models: [accountModel('m', { tokenQuota: 1900 })] }),
      accountPlan('half', { models: [accountModel('m', { requestQuota: 30 })] }),
      accountPlan('none', { models: [accountModel('m', { tokensUsed: 10_000 })] }),
    ]
    const { list, quota } = createHarness({ consoles: { a: async () => plans } })
    expect((await list()).map(({ name }) => name)).toEqual(['none', 'scarce', 'half', 'ample', 'over'])
    expect(await quota.tightestLine('en')).toBe('none · m 0% left (tokens)')
  })

  it('queries a console once a minute for plans and once an hour for a model’s hours, at most two requests concurrently', async () => {
    const models = ['m', 'n', 'o'].map((code) => accountModel(code))
    const { list, quota, callNames, load, time } = createHarness({
      consoles: { a: async () => [accountPlan('p', { models })], b: async () => [accountPlan('q', { models })] },
    })
    await Promise.all([list(), list(), list()])
    expect(callNames.toSorted()).toEqual([
      'a',
      'b',
      ...['p', 'q'].flatMap((id) => ['m', 'n', 'o'].map((c) => `${id} ${c} hour`)),
    ])
    expect(load.max).toBe(2)
    callNames.splice(0)
    time.nowMs += 59_000
    await list()
    expect(callNames).toEqual([])
    time.nowMs += 1000
    await list()
    expect(callNames).toEqual(['a', 'b'])
    await quota.refresh()
    expect(callNames).toHaveLength(2 + 8)
  })

  it('has its forecast a minute after the hours could not be read', async () => {
    const { list, usage, time } = createHarness({ consoles: { a: async () => [accountPlan('p')] } })
    const forecast = async () => (await list())[0]?.models[0]?.tokens?.forecast?.kind
    usage.isThere = false
    expect(await forecast()).toBe('notEnough')
    usage.isThere = true
    time.nowMs += 59_000
    expect(await forecast()).toBe('notEnough')
    time.nowMs += 1000
    expect(await forecast()).toBe('lasts')
  })

  it('falls back to local counts and the last quotas for a console that fails or hangs, and hides no other', async () => {
    const consoles: Record<string, () => Promise<Plans>> = {
      a: async () => [accountPlan('p', { localPlanId: 'l' }), accountPlan('elsewhere')],
      b: async () => [accountPlan('q')],
      c: () => new Promise(() => {}),
    }
    const localTeamPlan = localPlan('l', { origin: { connectionId: 'a', planId: 'p' } })
    const ledger = buildDailyHours(35, { planId: 'l', modelCode: 'm' })
    const { list, time } = createHarness({ consoles, local: [localTeamPlan], ledger })
    const sources = async () => (await list()).map(({ name, source, at }) => [name, source, at]).sort()
    const timeBefore = iso(cycleStartMs)
    expect(await sources()).toEqual([
      ['elsewhere', 'console', timeBefore],
      ['p', 'console', timeBefore],
      ['q', 'console', timeBefore],
    ])
    consoles.a = () => Promise.reject(new Error('offline'))
    time.nowMs += 60_000
    expect(await sources()).toEqual([
      ['elsewhere', 'console', timeBefore],
      ['l', 'machine', iso(time.nowMs)],
      ['q', 'console', iso(time.nowMs)],
    ])
    const tokens = { quota: 10_000, used: 1500, forecast: { kind: 'lasts' } }
    const planAfterFallback = (await list()).find(({ planId }) => planId === 'l')
    expect(planAfterFallback?.models[0]).toMatchObject({ tokens })
  })

  it('sends one event when late data arrives, and includes it in the next list', async () => {
    const hours = createDeferred<void>()
    const consoles = { a: async () => [accountPlan('p')] }
    const { list, callNames, onLateFigures } = createHarness({ consoles, beforeHours: hours.promise })
    const forecasts = async () => (await list()).map(({ models }) => models[0]?.tokens.forecast.kind)
    expect(await forecasts()).toEqual(['notEnough'])
    expect(onLateFigures).not.toHaveBeenCalled()
    hours.answer()
    await vi.waitFor(() => expect(onLateFigures).toHaveBeenCalledOnce())
    expect(await forecasts()).toEqual(['lasts'])
    expect(callNames).toEqual(['a', 'p m hour'])
    expect(onLateFigures).toHaveBeenCalledOnce()
  })

  it('of a handed-over plan is the local usage in the cycle that the user entered', async () => {
    const ledger = [
      ...buildDailyHours(35, { planId: 'l', modelCode: 'm', requests: 3, errors: 2 }),
      ...buildDailyHours(1, { planId: 'l', modelCode: 'typo', ...noTokens, errors: 1 }),
      ...buildDailyHours(1, { planId: 'other', modelCode: 'm' }),
    ]
    const local = [localPlan('l', { expiresAt: iso(cycleStartMs + 3 * dayMs) })]
    const { list, quota } = createHarness({ local, ledger })
    expect((await list())[0]).toMatchObject({
      source: 'machine',
      models: [{ modelCode: 'm', tokens: { used: 2700, forecast: { kind: 'notEnough', reason: 'noAllowance' } } }],
    })
    const allowances = [{ modelCode: 'm', tokenQuota: 500 }, { modelCode: 'n' }]
    quota.setAllowances({ planId: 'l', cycleDays: 7, allowances })
    const [plan] = await list()
    expect(plan?.cycle).toEqual({ from: iso(cycleStartMs - 4 * dayMs), to: iso(cycleStartMs + 3 * dayMs) })
    expect(plan?.models.map(({ modelCode }) => modelCode)).toEqual(['m', 'n'])
    // Usage was 400 of 500 in the last four days, and continues at 100 a day.
    expect(plan?.models[0]?.tokens).toMatchObject({ quota: 500, used: 400, forecast: { kind: 'runsOut' } })
    expect(plan?.models[0]?.requests).toMatchObject({ used: 4 })
    expect(quota.allowances({ planId: 'l' }).cycleDays).toBe(7)
    expect(() => quota.setAllowances({ planId: 'x', cycleDays: 7, allowances: [] })).toThrow('no plan x')
    expect(quota.allowances({ planId: 'x' })).toEqual({ allowances: [], cycleDays: 30 })
  })

  it('of a handed-over plan has its models, and of thousands that a tool made up only the most used', async () => {
    const madeUp = Array.from({ length: 2000 }, (_, index) => ({ modelCode: `made-up-${index}`, outputTokens: index }))
    const ledger = [{ modelCode: 'm' }, ...madeUp].flatMap((model) => buildDailyHours(1, { planId: 'l', ...model }))
    const [plan] = await createHarness({ local: [localPlan('l')], ledger }).list()
    expect(plan?.models).toHaveLength(51)
    expect(plan?.models.slice(0, 2)).toMatchObject([{ modelCode: 'm' }, { modelCode: 'made-up-1999' }])
  })

  it.each([
    ['no end is known', {}, { isExpired: false, used: 3000 }],
    ['the end is past', { expiresAt: iso(cycleStartMs - hourMs) }, { isExpired: true, used: 3000 }],
  ])('has no cycle when %s, and counts the last 30 days', async (_, overrides, { isExpired, used }) => {
    const ledger = buildDailyHours(35, { planId: 'l', modelCode: 'm' })
    const { list, quota } = createHarness({ local: [localPlan('l', overrides)], ledger })
    quota.setAllowances({ planId: 'l', cycleDays: 30, allowances: [{ modelCode: 'm', tokenQuota: 5000 }] })
    const [plan] = await list()
    expect(plan).toMatchObject({ isExpired, models: [{ tokens: { used, forecast: { reason: 'noCycle' } } }] })
    expect(plan?.cycle).toBeUndefined()
  })

  it.each([
    ['months ahead', 70 * dayMs],
    ['a week behind', -7 * dayMs],
    ['hardly ahead', 59_000],
  ])('uses the clock of the responding server, for its own plans, when that is %s', async (_, aheadMs) => {
    const remoteAheadMs = aheadMs < 60_000 && aheadMs > 0 ? 0 : aheadMs
    const lowQuotaPlan = {
      models: [accountModel('m', { tokenQuota: 1900 })],
      expiresAt: iso(cycleStartMs + remoteAheadMs + 15 * dayMs),
    }
    const localTestPlans = [
      localPlan('l', { origin: { connectionId: 'a', planId: 'p' } }),
      localPlan('own', { expiresAt: iso(cycleStartMs + 3 * dayMs) }),
    ]
    const consoles: Record<string, () => Promise<Plans>> = {
      a: async () => [accountPlan('p', { ...lowQuotaPlan, localPlanId: 'l' })],
      b: async () => [accountPlan('q', { ...lowQuotaPlan, expiresAt: iso(cycleStartMs + 15 * dayMs) })],
    }
    const ledger = buildDailyHours(35, { planId: 'l', modelCode: 'm' })
    const { list, time } = createHarness({ consoles, local: localTestPlans, ledger, ahead: { a: aheadMs } })
    const listPlansByName = async () => new Map((await list()).map((plan) => [plan.name, plan]))
    const plans = await listPlansByName()
    const [p, q] = [plans.get('p'), plans.get('q')]
    const cycleAround = (ms: number) => ({ from: iso(ms - 15 * dayMs), to: iso(ms + 15 * dayMs) })
    expect([p?.at, p?.aheadMs ?? 0, q?.aheadMs]).toEqual([iso(cycleStartMs), remoteAheadMs, undefined])
    expect(p?.cycle).toMatchObject(cycleAround(cycleStartMs + remoteAheadMs))
    expect(q?.cycle).toMatchObject(cycleAround(cycleStartMs))
    expect(plans.get('own')?.cycle?.to).toBe(iso(cycleStartMs + 3 * dayMs))
    const getExhaustionMs = (plan: typeof p, nowMs: number) => {
      const forecast = plan?.models[0]?.tokens.forecast
      return forecast?.kind === 'runsOut' ? (Date.parse(forecast.at) - nowMs) / dayMs : Number.NaN
    }
    expect(p?.models[0]?.tokens.evenPace).toBe(0.5)
    // Both plans have the same weekdays ahead, because their clocks differ by whole weeks.
    expect(getExhaustionMs(p, cycleStartMs + remoteAheadMs)).toBeCloseTo(getExhaustionMs(q, cycleStartMs), 6)
    consoles.a = () => Promise.reject(new Error('offline'))
    time.nowMs += 60_000
    expect((await listPlansByName()).get('l')).toMatchObject({
      source: 'machine',
      isExpired: false,
      cycle: { to: p?.cycle?.to },
      models: [{ tokens: { used: 1500, forecast: { kind: 'runsOut' } } }],
    })
  })
})
