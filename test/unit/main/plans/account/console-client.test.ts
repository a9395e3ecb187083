import { AccountPlanView } from '@shared/contract/plans'
import { quota as contract } from '@shared/contract/quota'
import { sumTokens } from '@shared/usage-counts'
import { afterAll, describe, expect, it } from 'vitest'
import { Console } from '../../../../../src/main/plans/account/console-client'
import { QuotaService } from '../../../../../src/main/usage/quota/quota'
import { seededWorld } from '../../../../../src/sandbox/seed/seeded-world'
import { catchFailure, expectFailure } from '../../../support/failures'
import { createClient, json, startPlatform } from '../../platform/harness'
import { connectionId, connectionInput, proPlanRef, startHarness, startMachine } from './account-bench'
import { keyAnswer, planAnswer } from './answers'

/** A console whose every response is `data`, and whose lists have it as their only row. */
const createConsole = (data: unknown): Console =>
  new Console({
    call: async () => ({ status: 200, data }),
    async *pages() {
      yield { status: 200, data, items: [data], page: 1 }
    },
  })

const readPlan = (answer: unknown) => createConsole(answer).plan('p1')

async function readKey(answer: object) {
  const [key] = await createConsole({ ...keyAnswer, ...answer }).keys('p1')
  return key
}

const failingRenewal = { failedAttempts: 2, nextAttemptAt: '2026-03-30T00:00:00.000Z' }

describe('a console response', () => {
  it('may contain unknown fields, which are not shown', async () => {
    const [model] = planAnswer.models
    const answer = { ...planAnswer, secretKey: 'sk-x', models: [{ ...model, extra: { a: 1 } }] }
    const view = AccountPlanView.parse({ ...(await readPlan(answer)), usedBy: [] })
    expect(JSON.stringify(view)).not.toMatch(/secretKey|extra/)
  })

  it.each([
    ['a time with an offset', { expiresAt: '2026-03-31T07:00:00+07:00' }, { expiresAt: '2026-03-31T00:00:00.000Z' }],
    ['no gateway yet', { gatewayUrl: null }, { gatewayUrl: '' }],
    ['money with a fraction', { total: 490_000.4 }, { total: 490_000 }],
    ['a renewal it does not understand', { renewal: 'soon' }, { renewal: undefined }],
    [
      'a failing renewal',
      { renewal: { ...failingRenewal, nextAttemptAt: '2026-03-30T00:00:00Z' } },
      { renewal: failingRenewal },
    ],
  ])('may be loosely typed: %s', async (_, overrides, expectedView) => {
    const record = await readPlan({ ...planAnswer, ...overrides })
    expect(AccountPlanView.parse({ ...record, usedBy: [] })).toMatchObject(expectedView)
  })

  it.each<[string, string | object, string]>([
    ['a page for people', '<html>', 'the answer itself'],
    ['no id', { planId: undefined }, 'planId'],
    ['another status', { status: 'sk-secret-0123456789abcdef' }, 'status'],
    ['a time that is none', { expiresAt: 'tomorrow' }, 'expiresAt'],
    ['a time beyond what is written in four digits', { expiresAt: '+010000-01-01T00:00:00Z' }, 'expiresAt'],
    ['a time before all platforms', { purchasedAt: '0001-01-01T00:00:00Z' }, 'purchasedAt'],
    ['an infinite price', { total: Number.POSITIVE_INFINITY }, 'total'],
    ['more keys than can be counted', { maxKeys: 1e300 }, 'maxKeys'],
    ['a cycle of an age', { cycleDays: 1e9 }, 'cycleDays'],
    ['a number in words', { total: '490000' }, 'total'],
    ['models without end', { models: Array(1001).fill(planAnswer.models[0]) }, 'models'],
    ['a quota in words', { models: [{ ...planAnswer.models[0], tokenQuota: 'many' }] }, 'models.0.tokenQuota'],
  ])('is refused with %s, naming the field without its content', async (_, answer, field) => {
    const failure = await catchFailure(readPlan(typeof answer === 'string' ? answer : { ...planAnswer, ...answer }))
    expect(failure).toMatchObject({ code: 'api.unreadable', message: expect.stringContaining(`(${field})`) })
    expect(failure.message).not.toMatch(/secret|many|tomorrow/)
  })
})

it('has its names sanitized and its ids unchanged', async () => {
  const [model] = planAnswer.models
  const hostilePlan = {
    planId: 'p\u202e1',
    name: 'te\u202eam\u0000',
    planType: `Pro\n${'x'.repeat(5000)}`,
    packageId: 'a b',
    models: [
      { ...model, displayName: 'M\u200b', status: 'AC\u001bTIVE', enabledTypes: ['ch\u202eat'] },
      ...['m\u202e2', 'm\u0000', 'm 3', '', 'x'.repeat(201)].map((modelCode) => ({ ...model, modelCode })),
    ],
  }
  const record = await readPlan({ ...planAnswer, ...hostilePlan })
  expect(record).toMatchObject({ planId: 'p\u202e1', name: 'team', packageId: 'a b' })
  expect(record.planType).toMatch(/^Pro x{195}…$/)
  const sanitizedModel = { modelCode: 'm', displayName: 'M', status: 'ACTIVE', enabledTypes: ['chat'] }
  expect(record.models).toEqual([expect.objectContaining(sanitizedModel)])
  expect(await readKey({ name: '\u2066\u2069' })).toMatchObject({ name: '?' })
})

describe('a key in a response', () => {
  it('becomes a Secret immediately', async () => {
    const record = await readKey({})
    expect(record?.secret?.expose()).toBe(keyAnswer.key)
    expect(record?.secret?.masked).toBe('sk-...cdef')
    expect(() => JSON.stringify(record)).toThrow()
  })

  it.each(['sk-****', 'sk-••••abcd', '', undefined, null, 'two words'])('masked as %j is missing', async (key) => {
    expect(await readKey({ key })).toMatchObject({ secret: undefined })
  })
})

it.each([
  ['NOT_FOUND', 'api.notFound'],
  ['PLAN_EXPIRED', 'account.planExpired'],
  ['SOMETHING_NEW', 'api.conflict'],
  ['constructor', 'api.conflict'],
])('a plan that was not deleted because of %s fails with %s, with a message without a key', async (code, knownCode) => {
  const failedDeletions = [{ planId: 'p', code, message: 'The key sk-live-0123456789abcdef is in use.' }]
  const [row] = (await createConsole({ deleted: [], failed: failedDeletions }).deletePlans(['p'])).failed
  expect(row).toEqual({ planId: 'p', code: knownCode, message: 'The key [secret] is in use.' })
})

const platform = await startPlatform()
afterAll(() => platform.close())

const createComputer = () => startMachine(createClient(platform).client)
const page = (...planIds: readonly string[]) =>
  json(200, { listData: planIds.map((planId) => ({ ...planAnswer, planId })), totalItem: 4, totalPage: 2 })

it('lists a plan once when it moves to the next page between requests', async () => {
  platform.answer(page('a', 'b'), page('b', 'c'))
  const plans = await createComputer().account.plans(connectionInput)
  expect(plans.map(({ planId }) => planId).sort()).toEqual(['a', 'b', 'c'])
})

it('reports a plan without a result as unknown, and no unrequested plan as deleted', async () => {
  const deleted = Object.entries({ a: 5, x: 7 }).map(([planId, refund]) => ({ planId, refund }))
  platform.answer(json(200, { deleted, failed: [{ planId: 'b', code: 'NOT_FOUND', message: 'gone' }] }))
  const outcome = await createComputer().account.deletePlans({ ...connectionInput, planIds: ['a', 'b', 'c'] })
  expect(outcome).toMatchObject({
    deleted: [{ planId: 'a', refund: 5 }],
    failed: [
      { planId: 'b', code: 'api.notFound' },
      { planId: 'c', code: 'account.unknownOutcome' },
    ],
  })
})

const buildResponse = (path: string) => {
  if (path.includes('/keys')) return json(200, { listData: [keyAnswer], totalItem: 1 })
  return json(200, path.includes('?') ? { listData: [planAnswer], totalItem: 1 } : planAnswer)
}

it('returns the server’s clock offset, which decides when a plan expires', async () => {
  const { client } = createClient(platform)
  const { account, plans } = startMachine(client, { getClockOffsetMs: (id) => (id === connectionId ? 86_400_000 : 0) })
  platform.answer((request, response) => buildResponse(request.url ?? '')(request, response))
  await account.keepKey({ ...connectionInput, planId: planAnswer.planId, keyId: keyAnswer.keyId })
  for (const list of [await account.plans(connectionInput), plans.list()])
    expect(list.map(({ aheadMs }) => aheadMs)).toEqual([86_400_000])
})

it('fails instead of omitting a plan that it cannot parse', async () => {
  platform.answer(json(200, { listData: [planAnswer, { planId: 'odd' }], totalItem: 2, totalPage: 1 }))
  await expectFailure(createComputer().account.plans(connectionInput), 'api.unreadable')
})

const dayMs = 86_400_000
const counts = { inputTokens: 1, outputTokens: 2, cacheTokens: 3, requests: 4, errors: 5 }
const span = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z', interval: 'hour' } as const

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
    totals: counts,
    series: [{ start: '2026-03-01T00:00:00.000Z', ...counts }],
    models: [{ modelCode: 'm', tokens: 6, requests: 4 }],
  })
  const { pathname, searchParams } = new URL(platform.server.received[0]?.path ?? '', 'http://x')
  expect(pathname).toMatch(/\/token-plans\/p\/usage$/)
  expect(Object.fromEntries(searchParams)).toEqual({ ...span, model: 'm', keyId: 'k' })
})

it('accepts missing models, and does not treat a missing figure as zero', async () => {
  platform.answer(json(200, { totals: counts, series: [] }))
  expect(await requestUsage()).toEqual({ totals: counts, series: [], models: [] })
  platform.answer(json(200, { totals: { ...counts, errors: undefined }, series: [] }))
  await expectFailure(requestUsage(), 'api.unreadable', { message: expect.stringContaining('errors') })
})

it('matches across keys, models and hours of the sandbox, with a forecast in the contract’s form', async () => {
  const { account, settings, plans } = await startHarness({ begin: seededWorld })
  const nowMs = Date.now()
  const toTime = (timeMs: number) => new Date(timeMs).toISOString()
  const usageRange = { from: toTime(nowMs - 30 * dayMs), to: toTime(nowMs), interval: 'hour' } as const
  const planUsage = await account.usage({ ...proPlanRef, ...usageRange })
  expect(sumTokens(planUsage.totals)).toBeGreaterThan(0)
  const keys = await account.keys(proPlanRef)
  const usagesByKey = await Promise.all(keys.map(({ keyId }) => account.usage({ ...proPlanRef, ...usageRange, keyId })))
  const sum = (amounts: readonly number[]) => amounts.reduce((a, b) => a + b, 0)
  expect(sum(usagesByKey.map(({ totals }) => sumTokens(totals)))).toBe(sumTokens(planUsage.totals))
  expect(sum(planUsage.models.map(({ tokens }) => tokens))).toBe(sumTokens(planUsage.totals))
  expect(sum(planUsage.series.map(({ requests }) => requests))).toBe(planUsage.totals.requests)

  const quota = new QuotaService({
    account,
    settings,
    plans,
    connections: { consoleIds: () => [connectionId], getClockOffsetMs: () => 0 },
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
