import { quota as contract } from '@shared/contract/quota'
import { afterAll, expect, it } from 'vitest'
import { QuotaService } from '../../../../../src/main/usage/quota/quota'
import { seededWorld } from '../../../../../src/sandbox/seed/seeded-world'
import { catchFailure, createClient, json, startPlatform } from '../../platform/harness'
import { connectionId, proPlanRef, startHarness, startMachine } from './account-bench'

const dayMs = 86_400_000
const counts = { inputTokens: 1, outputTokens: 2, cacheTokens: 3, requests: 4, errors: 5 }
const span = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z', interval: 'hour' } as const

const platform = await startPlatform()
afterAll(() => platform.close())
const requestUsage = (overrides: object = {}) =>
  startMachine(createClient(platform).client).account.usage({ connectionId, planId: 'p', ...span, ...overrides })

it('requests one plan, model and key, and accepts unknown fields and any time zone', async () => {
  platform.answer(
    json(200, {
      totals: { ...counts, tokens: 6, cost: 7 },
      series: [{ start: '2026-03-01T07:00:00+07:00', ...counts, more: true }],
      models: [{ modelCode: 'm', tokens: 6, requests: 4, tokenQuota: 100, requestQuota: 10 }],
      currency: 'VND',
    }),
  )
  expect(await requestUsage({ modelCode: 'm', keyId: 'k' })).toEqual({
    totals: { ...counts, tokens: 6 },
    series: [{ start: '2026-03-01T00:00:00.000Z', ...counts }],
    models: [{ modelCode: 'm', tokens: 6, requests: 4, tokenQuota: 100, requestQuota: 10 }],
  })
  const { pathname, searchParams } = new URL(platform.server.received[0]?.path ?? '', 'http://x')
  expect(pathname).toMatch(/\/token-plans\/p\/usage$/)
  expect(Object.fromEntries(searchParams)).toEqual({ ...span, model: 'm', keyId: 'k' })
})

it('computes missing totals, and does not treat a missing figure as zero', async () => {
  platform.answer(json(200, { totals: counts, series: [] }))
  expect(await requestUsage()).toEqual({ totals: { ...counts, tokens: 6 }, series: [], models: [] })
  platform.answer(json(200, { totals: { ...counts, errors: undefined }, series: [] }))
  expect(await catchFailure(requestUsage())).toMatchObject({
    code: 'api.unreadable',
    message: expect.stringContaining('errors'),
  })
})

it('matches across keys, models and hours of the sandbox, with a forecast in the contract’s form', async () => {
  const { account, settings, plans } = await startHarness({ begin: seededWorld })
  const nowMs = Date.now()
  const usageRange = {
    from: new Date(nowMs - 30 * dayMs).toISOString(),
    to: new Date(nowMs).toISOString(),
    interval: 'hour',
  } as const
  const planUsage = await account.usage({ ...proPlanRef, ...usageRange })
  expect(planUsage.totals.tokens).toBeGreaterThan(0)
  const keys = await account.keys(proPlanRef)
  const usagesByKey = await Promise.all(keys.map(({ keyId }) => account.usage({ ...proPlanRef, ...usageRange, keyId })))
  const sum = (amounts: readonly number[]) => amounts.reduce((a, b) => a + b, 0)
  expect(sum(usagesByKey.map(({ totals }) => totals.tokens))).toBe(planUsage.totals.tokens)
  expect(sum(planUsage.models.map(({ tokens }) => tokens))).toBe(planUsage.totals.tokens)
  expect(sum(planUsage.series.map(({ requests }) => requests))).toBe(planUsage.totals.requests)

  const quota = new QuotaService({
    account,
    settings,
    plans,
    consoles: () => [connectionId],
    zone: () => 'Asia/Ho_Chi_Minh',
    ledger: { listHours: async () => [] },
    clock: () => new Date(nowMs),
    log: { info: () => {}, error: () => {} },
  })
  const list = contract['quota.list'].output.parse(await quota.list())
  const localPlan = list.find(({ origin }) => origin?.planId === proPlanRef.planId)
  expect(localPlan).toMatchObject({ source: 'console', isExpired: false, origin: proPlanRef })
  const planAfterUsage = await account.plan(proPlanRef)
  for (const { modelCode, tokensUsed, tokenQuota } of planAfterUsage.models) {
    const model = localPlan?.models.find((candidate) => candidate.modelCode === modelCode)
    expect(model?.tokens).toMatchObject({ used: tokensUsed, quota: tokenQuota })
    expect(['lasts', 'runsOut', 'exhausted']).toContain(model?.tokens.forecast.kind)
  }
  expect(list.at(-1)?.isExpired).toBe(true)
})
