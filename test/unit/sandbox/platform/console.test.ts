import { describe, expect, test } from 'vitest'
import type { SandboxOptions } from '../../../../src/sandbox/sandbox'
import { addUsage, deriveSecret, hashSeed } from '../../../../src/sandbox/state/store'
import type { World } from '../../../../src/sandbox/state/world'
import { plainWorld } from '../plain-world'
import { buildChatBody, chatPath, type Json, refusal, startHarness } from '../support'

const dayMs = 86_400_000
const seed = 'console'

/** Starts a sandbox with 5,000,000 credits and no plans, called through the console contract. */
async function startConsole({
  timing,
  prepare = (world) => world,
}: {
  readonly timing?: SandboxOptions['timing']
  readonly prepare?: (world: World, nowMs: number) => World
} = {}) {
  const begin = (worldSeed: string, nowMs: number) =>
    prepare({ ...plainWorld(worldSeed, nowMs), plans: [], keys: [] }, nowMs)
  const harness = await startHarness({ seed, begin, timing: { paceMs: 0, provisioningMs: 0, ...timing } })
  const call = (method: string, path: string, body?: unknown) => harness.api(method, `/console${path}`, { body })
  return {
    harness,
    call,
    /** Buys a plan, by default of the type Pro. */
    buy: async (wish: object = {}): Promise<Json> => {
      const { status, body } = await call('POST', '/token-plans', { name: 'mine', packageId: 'package-pro', ...wish })
      if (status !== 201) throw new Error(`not bought: ${JSON.stringify(body)}`)
      return body
    },
    plan: async (planId: string): Promise<Json> => (await call('GET', `/token-plans/${planId}`)).body,
    keys: async (planId: string): Promise<Json> => (await call('GET', `/token-plans/${planId}/keys`)).body.listData,
    credits: async (): Promise<number> => (await call('GET', '/account')).body.credits,
    setAccount: (account: { role?: string; credits?: number }) => harness.control('account', account),
    advance: (ms: number) => harness.control('clock', { advanceMs: ms }),
    /** Sends a request with a key and returns the gateway's status. */
    gateway: async (secret: string, modelCode = 'aurora-small') => {
      const headers = { authorization: `Bearer ${secret}` }
      const response = await harness.post(chatPath, buildChatBody('Say hi', { model: modelCode }), headers)
      await response.text()
      return response.status
    },
    /** Returns the secret of a key, which may be masked. */
    findSecret: (keyId: string) => deriveSecret(hashSeed(seed), keyId),
  }
}

test('auto-renew is the only change of a plan, without a charge or refund', async () => {
  const { buy, call, credits, plan } = await startConsole()
  const purchasedPlan = await buy()
  for (const autoRenew of [false, true]) {
    const input = { autoRenew, packageId: 'package-scale', planType: 'Scale', name: 'other', status: 'EXPIRED' }
    const body = { ...purchasedPlan, autoRenew }
    expect(await call('PATCH', `/token-plans/${purchasedPlan.planId}`, input)).toEqual({ status: 200, body })
    expect(await plan(purchasedPlan.planId)).toEqual(body)
  }
  expect(await credits()).toBe(5_000_000 - 490_000)
})

describe('deleting a plan', () => {
  test('is final, so later requests return 404, and nothing is refunded twice', async () => {
    const { buy, call, credits, keys } = await startConsole()
    const { planId } = await buy()
    const [{ keyId }] = await keys(planId)
    await call('DELETE', `/token-plans/${planId}`)
    const plan = `/token-plans/${planId}`
    for (const [method, path, body] of [
      ['DELETE', plan],
      ['GET', plan],
      ['GET', '/token-plans/plan-nobody'],
      ['PATCH', plan, { autoRenew: true }],
      ['POST', `${plan}:buy-again`, { name: 'next' }],
      ['GET', `${plan}/keys`],
      ['POST', `${plan}/keys`, { name: 'late' }],
      ['PATCH', `${plan}/keys/${keyId}`, { name: 'late' }],
      ['DELETE', `${plan}/keys/${keyId}`],
    ] as const) {
      expect([method, path, await call(method, path, body)]).toEqual([method, path, refusal(404, 'NOT_FOUND')])
    }
    expect(await credits()).toBe(5_000_000)
  })

  test('refunds a prepaid cycle in full, and nothing of an expired plan', async () => {
    const { buy, call, advance } = await startConsole()
    const [paidAheadPlan, { planId }] = [await buy(), await buy({ autoRenew: false, packageId: 'package-starter' })]
    await advance(28 * dayMs)
    expect((await call('DELETE', `/token-plans/${paidAheadPlan.planId}`)).body.refund).toBe(2 * 490_000)
    await advance(2 * dayMs)
    expect((await call('DELETE', `/token-plans/${planId}`)).body).toEqual({ planId, refund: 0 })
  })
})

async function startWithPlan() {
  const console = await startConsole()
  const { planId } = await console.buy()
  const [first] = await console.keys(planId)
  const keysPath = `/token-plans/${planId}/keys`
  const add = (name: unknown) => console.call('POST', keysPath, { name })
  const countKeys = async () => (await console.plan(planId)).keysUsed
  return { ...console, planId, base: keysPath, first, add, countKeys }
}

describe('adding a key', () => {
  test('creates an active key for every model of the plan', async () => {
    const { add, keys, planId, gateway, plan } = await startWithPlan()
    const { status, body } = await add('Máy của Lan')
    expect(status).toBe(201)
    expect(body).toEqual({
      keyId: expect.stringMatching(/^key-[0-9a-f]{16}$/),
      name: 'Máy của Lan',
      status: 'ACTIVE',
      key: expect.stringMatching(/^sk-sandbox-[0-9a-f]{40}$/),
      createdAt: expect.stringMatching(/Z$/),
    })
    expect((await keys(planId))[1]).toEqual(body)
    for (const { modelCode } of (await plan(planId)).models) expect(await gateway(body.key, modelCode)).toBe(200)
    expect(await gateway(body.key, 'lotus-vi')).toBe(403)
  })

  test('stops at Max keys of the plan, including disabled ones, without deleted ones', async () => {
    const { add, call, base, countKeys, first } = await startWithPlan()
    expect(await countKeys()).toBe(1)
    for (const name of ['2', '3', '4', '5']) expect((await add(name)).status).toBe(201)
    expect(await countKeys()).toBe(5)
    expect(await add('6')).toEqual(refusal(409, 'KEY_LIMIT_REACHED'))
    await call('PATCH', `${base}/${first.keyId}`, { status: 'DISABLED' })
    expect([await countKeys(), (await add('6')).status]).toEqual([5, 409])
    await call('DELETE', `${base}/${first.keyId}`)
    expect(await countKeys()).toBe(4)
    expect([(await add('6')).status, (await add('7')).status]).toEqual([201, 409])
  })

  test.each([
    ['k', 'k'],
    ['n'.repeat(50), 'n'.repeat(50)],
    ['  Lan, MacBook (việc) #1 ', 'Lan, MacBook (việc) #1'],
    [` ${'n'.repeat(50)} `, 'n'.repeat(50)],
    ['😀'.repeat(50), '😀'.repeat(50)],
  ])('may name it %j, and so may a change', async (name, storedName) => {
    const { add, call, base, first } = await startWithPlan()
    expect(await add(name)).toMatchObject({ status: 201, body: { name: storedName } })
    const renamed = await call('PATCH', `${base}/${first.keyId}`, { name })
    expect(renamed).toMatchObject({ status: 200, body: { name: storedName } })
  })

  test.each(['n'.repeat(51), '', '   ', '😀'.repeat(51)])('may not name it %j, nor may a change', async (name) => {
    const { add, call, base, first } = await startWithPlan()
    expect(await add(name)).toEqual(refusal(400, 'INVALID_NAME'))
    expect(await call('PATCH', `${base}/${first.keyId}`, { name })).toEqual(refusal(400, 'INVALID_NAME'))
  })
})

describe('a key', () => {
  test('that is deleted is rejected from the next request, and others stay', async () => {
    const { call, base, first, gateway, keys, planId, add } = await startWithPlan()
    const otherKey = (await add('other')).body
    expect(await call('DELETE', `${base}/${first.keyId}`)).toEqual({ status: 204, body: undefined })
    expect([await gateway(first.key), await gateway(otherKey.key)]).toEqual([401, 200])
    expect(await keys(planId)).toEqual([otherKey])
    for (const [method, body] of [['DELETE'], ['PATCH', { status: 'ACTIVE' }]] as const) {
      expect((await call(method, `${base}/${first.keyId}`, body)).status).toBe(404)
    }
  })

  test('of another plan or without a plan is a 404', async () => {
    const { call, base, buy, keys } = await startWithPlan()
    const otherKey = await buy({ name: 'other' })
    const [{ keyId }] = await keys(otherKey.planId)
    for (const id of [keyId, 'key-nobody']) {
      for (const [method, body] of [['DELETE'], ['PATCH', { status: 'DISABLED' }]] as const) {
        expect(await call(method, `${base}/${id}`, body)).toEqual(refusal(404, 'NOT_FOUND'))
      }
    }
    expect((await keys(otherKey.planId))[0].status).toBe('ACTIVE')
  })
})

describe('a purchase', () => {
  test('deducts the total immediately and returns an active plan with auto-renew on and one key', async () => {
    const { buy, credits, call, harness } = await startConsole()
    const startMs = Date.now()
    const plan = await buy({ name: 'team.Alpha_1-x' })
    expect(plan).toEqual({
      planId: expect.stringMatching(/^plan-[0-9a-f]{16}$/),
      name: 'team.Alpha_1-x',
      packageId: 'package-pro',
      planType: 'Pro',
      status: 'ACTIVE',
      provisioned: true,
      autoRenew: true,
      purchasedAt: expect.stringMatching(/Z$/),
      expiresAt: new Date(Date.parse(plan.purchasedAt) + 30 * dayMs).toISOString(),
      cycleDays: 30,
      keysUsed: 1,
      maxKeys: 5,
      total: 490_000,
      gatewayUrl: harness.gatewayUrl,
      models: expect.any(Array),
    })
    expect(Date.parse(plan.purchasedAt)).toBeGreaterThanOrEqual(startMs)
    expect(plan.models[0]).toEqual({
      modelCode: 'aurora-large',
      displayName: 'Aurora Large',
      hostingMode: 'Dedicated',
      status: 'ACTIVE',
      tokenQuota: 20_000_000,
      requestQuota: 20_000,
      tokensUsed: 0,
      requestsUsed: 0,
      enabledTypes: ['chat', 'tools'],
      endpoint: harness.gatewayUrl,
    })
    expect(await credits()).toBe(5_000_000 - 490_000)
    expect((await call('GET', '/token-plans')).body.listData).toEqual([plan])
    expect(await call('GET', `/token-plans/${plan.planId}`)).toEqual({ status: 200, body: plan })
  })

  test('masks gateway and key until provisioning has finished, while default-key already works', async () => {
    const console = await startConsole({ timing: { provisioningMs: 60_000 } })
    const { buy, plan, keys, gateway, findSecret, advance, call } = console
    const { planId, ...masked } = await buy()
    expect(masked).toMatchObject({ provisioned: false, gatewayUrl: '***', models: Array(4).fill({ endpoint: '***' }) })
    const [maskedKey] = await keys(planId)
    expect(maskedKey).toEqual({
      keyId: expect.stringMatching(/^key-/),
      name: 'default-key',
      status: 'ACTIVE',
      key: 'sk-****',
      createdAt: expect.any(String),
    })
    expect((await call('POST', `/token-plans/${planId}/keys`, { name: 'second' })).body.key).toBe('sk-****')
    const secret = findSecret(maskedKey.keyId)
    expect([await gateway(maskedKey.key), await gateway(secret)]).toEqual([401, 200])
    await advance(60_000)
    const { gatewayUrl } = console.harness
    const models = Array(4).fill({ endpoint: gatewayUrl })
    expect(await plan(planId)).toMatchObject({ provisioned: true, gatewayUrl, models })
    expect((await keys(planId))[0]).toEqual({ ...maskedKey, key: secret })
  })

  test.each([
    [489_999, 409, 489_999],
    [490_000, 201, 0],
    [490_001, 201, 1],
  ])('with %i credits answers %i and leaves %i', async (creditsBefore, status, creditsAfter) => {
    const { call, credits, setAccount } = await startConsole()
    await setAccount({ credits: creditsBefore })
    const response = await call('POST', '/token-plans', { name: 'mine', packageId: 'package-pro' })
    expect([response.status, response.body.code]).toEqual([status, status === 409 ? 'INSUFFICIENT_CREDITS' : undefined])
    expect(await credits()).toBe(creditsAfter)
    expect((await call('GET', '/token-plans')).body.totalItem).toBe(status === 409 ? 0 : 1)
  })

  const buyTwice = async (role: string) => {
    const { call, buy, setAccount, credits } = await startConsole()
    const { planId } = await buy()
    await setAccount({ role })
    const answers = [
      await call('POST', '/token-plans', { name: 'other', packageId: 'package-starter' }),
      await call('POST', `/token-plans/${planId}:buy-again`, { name: 'other' }),
    ]
    return { answers, credits: await credits() }
  }
  test.each(['ROOT', 'ADMIN'])('by %s is allowed, and so is buying again', async (role) => {
    expect((await buyTwice(role)).answers).toMatchObject([{ status: 201 }, { status: 201 }])
  })

  test.each(['DEVELOPER', 'VIEWER'])('by %s is refused, and so is buying again', async (role) => {
    const refused = refusal(403, 'ROLE_NOT_ALLOWED')
    expect(await buyTwice(role)).toEqual({ answers: [refused, refused], credits: 5_000_000 - 490_000 })
  })

  test.each([
    ['the role before the name', { role: 'VIEWER', credits: 0 }, { name: '?', packageId: 'none' }, 'ROLE_NOT_ALLOWED'],
    ['the body before the name', { credits: 0 }, { name: '?' }, 'INVALID_INPUT'],
    ['the name before the package', { credits: 0 }, { name: '?', packageId: 'none' }, 'INVALID_NAME'],
    ['the package before the credits', { credits: 0 }, { name: 'mine', packageId: 'none' }, 'NOT_FOUND'],
    ['the credits last', { credits: 0 }, { name: 'mine', packageId: 'package-pro' }, 'INSUFFICIENT_CREDITS'],
  ])('is validated by %s', async (_, account, body, code) => {
    const { call, setAccount } = await startConsole()
    await setAccount(account)
    expect((await call('POST', '/token-plans', body)).body.code).toBe(code)
  })
})

test.each([
  ['a bad name', { name: 'two words' }, {}, 400, 'INVALID_NAME'],
  ['no name', {}, {}, 400, 'INVALID_INPUT'],
  ['too few credits', { name: 'next' }, { credits: 489_999 }, 409, 'INSUFFICIENT_CREDITS'],
])('buying again with %s is refused and changes nothing', async (_, body, account, status, code) => {
  const { buy, call, setAccount, credits } = await startConsole()
  const { planId } = await buy()
  await setAccount(account)
  const creditsBefore = await credits()
  expect(await call('POST', `/token-plans/${planId}:buy-again`, body)).toEqual(refusal(status, code))
  expect([await credits(), (await call('GET', '/token-plans')).body.totalItem]).toEqual([creditsBefore, 1])
})

const hourMs = 3_600_000
const [planId, otherId] = ['plan-sandbox-pro', 'plan-sandbox-expired']
const [keyA, keyB, keyOther] = ['key-pro-default', 'key-pro-old-laptop', 'key-expired-default']
/** The hour in which the test started. */
const hourStartMs = Math.floor(Date.now() / hourMs) * hourMs
const [smallModel, coderModel] = ['aurora-small', 'vega-coder']

/**
 * Recorded usage: hours before now, plan, key, model, and counts of input, output and cache tokens, requests and
 * errors.
 */
const entries = [
  [0, planId, keyA, smallModel, [100, 20, 3, 2, 0]],
  [1, planId, keyA, smallModel, [10, 5, 0, 1, 1]],
  [1, planId, keyB, coderModel, [7, 7, 7, 1, 0]],
  [30, planId, keyB, smallModel, [1_000, 0, 500, 4, 0]],
  [24 * 29, planId, keyA, coderModel, [40, 2, 0, 1, 0]],
  [24 * 32, planId, keyA, coderModel, [9_000, 9_000, 0, 9, 9]],
  [2, planId, keyA, '', [0, 0, 0, 0, 6]],
  [1, otherId, keyOther, smallModel, [77_777, 0, 0, 77, 0]],
] as const

function prepare(world: World, nowMs: number): World {
  const { plans, keys } = plainWorld(world.seed, nowMs)
  const usage: World['usage'] = {}
  for (const [hoursAgo, plan, keyId, modelCode, counts] of entries)
    addUsage(usage, { atMs: hourStartMs - hoursAgo * hourMs, planId: plan, keyId, modelCode }, [...counts])
  return { ...world, plans, keys, usage }
}

async function startUsageHarness() {
  const console = await startConsole({ prepare })
  const usage = (query: Record<string, string> = {}, id: string = planId) =>
    console.call('GET', `/token-plans/${id}/usage?${new URLSearchParams(query)}`)
  return { ...console, usage }
}

const iso = (ms: number) => new Date(ms).toISOString()
const fields = ['inputTokens', 'outputTokens', 'cacheTokens', 'requests', 'errors'] as const
const listCounts = (sums: Json) => fields.map((field) => sums[field])
const sumEntries = (series: Json[]) => fields.map((field) => series.reduce((sum, item) => sum + item[field], 0))

describe('usage', () => {
  test('covers the last 30 days by day by default', async () => {
    const { usage } = await startUsageHarness()
    const { status, body } = await usage()
    expect(status).toBe(200)
    expect(listCounts(body.totals)).toEqual([1_157, 34, 510, 9, 7])
    expect(body.totals.tokens).toBe(1_157 + 34 + 510)
    expect(body.series).toHaveLength(31)
    expect(sumEntries(body.series)).toEqual(listCounts(body.totals))
    expect(body.models).toEqual([
      { modelCode: 'aurora-large', tokens: 0, requests: 0, tokenQuota: 20_000_000, requestQuota: 20_000 },
      { modelCode: smallModel, tokens: 1_638, requests: 7, tokenQuota: 60_000_000, requestQuota: 60_000 },
      { modelCode: coderModel, tokens: 63, requests: 2, tokenQuota: 30_000_000, requestQuota: 30_000 },
      { modelCode: 'nova-vision', tokens: 0, requests: 0, tokenQuota: 5_000_000, requestQuota: 5_000 },
    ])
  })

  test.each([
    ['hour', hourMs],
    ['day', dayMs],
  ])('by %s has every interval once, starting in UTC, including zeros', async (interval, lengthMs) => {
    const { usage } = await startUsageHarness()
    const [fromMs, toMs] = [hourStartMs - 40 * hourMs + 120_000, hourStartMs + 60_000]
    const { series, totals } = (await usage({ interval, from: iso(fromMs), to: iso(toMs) })).body
    const firstMs = Math.floor(fromMs / lengthMs) * lengthMs
    const bucketStarts = Array.from({ length: Math.ceil((toMs - firstMs) / lengthMs) }, (_, n) =>
      iso(firstMs + n * lengthMs),
    )
    expect(series.map(({ start: bucketStart }: { start: string }) => bucketStart)).toEqual(bucketStarts)
    expect(sumEntries(series)).toEqual(listCounts(totals))
    expect(listCounts(totals)).toEqual([1_117, 32, 510, 8, 7])
  })

  test.each([
    ['one key', { keyId: keyB }, [1_007, 7, 507, 5, 0]],
    ['one model', { model: coderModel }, [47, 9, 7, 2, 0]],
    ['one key and one model', { keyId: keyB, model: coderModel }, [7, 7, 7, 1, 0]],
    ['a model that was never called', { model: 'nova-vision' }, [0, 0, 0, 0, 0]],
    ['the time before this hour', { to: iso(hourStartMs) }, [1_057, 14, 507, 7, 7]],
    ['times with an offset', { from: `${iso(hourStartMs + 7 * hourMs).slice(0, 19)}+07:00` }, [100, 20, 3, 2, 0]],
    ['longer ago', { from: iso(hourStartMs - 33 * dayMs) }, [10_157, 9_034, 510, 18, 16]],
    ['the future', { from: iso(hourStartMs + dayMs), to: iso(hourStartMs + 2 * dayMs) }, [0, 0, 0, 0, 0]],
  ])('of %s contains only that', async (_, query, expected) => {
    const { usage } = await startUsageHarness()
    const { status, body } = await usage(query)
    expect([status, listCounts(body.totals), sumEntries(body.series)]).toEqual([200, expected, expected])
  })
})

describe('a usage query', () => {
  const todayMs = Math.floor(hourStartMs / dayMs) * dayMs
  const [from, to] = [iso(todayMs - 400 * dayMs), iso(todayMs)]
  test.each([
    ['interval', 'interval=minute'],
    ['interval', 'interval='],
    ['from', 'from=yesterday'],
    ['from', 'from=2026-02-30T00:00:00Z'],
    ['to', 'to='],
    ['from', `from=${to}&to=${to}`],
    ['from', `from=${to}&to=${from}`],
    ['from', 'from=2999-01-01T00:00:00Z'],
    ['400 days', `from=${iso(Date.parse(from) - 1)}&to=${to}`],
    ['45 days', `interval=hour&from=${iso(todayMs - 45 * dayMs - 1)}&to=${to}`],
    ['keyId', `keyId=${keyA}&keyId=${keyB}`],
    ['keyId', `keyId=${keyOther}`],
    ['keyId', 'keyId=key-nobody'],
    ['keyId', 'keyId='],
    ['model', 'model=lotus-vi'],
    ['model', `model=${smallModel}&model=${coderModel}`],
  ])('is refused with the name %s: %s', async (named, query) => {
    const { call } = await startUsageHarness()
    const { status, body } = await call('GET', `/token-plans/${planId}/usage?${query}`)
    expect([status, body.code]).toEqual([400, 'INVALID_INPUT'])
    expect(body.message).toContain(named)
  })

  test.each([
    ['400 days by day', { from, to }, 400],
    ['45 days by hour', { interval: 'hour', from: iso(todayMs - 45 * dayMs), to }, 45 * 24],
    ['a millisecond', { from: iso(todayMs - 1), to }, 1],
    ['days without a time', { from: '2026-01-01', to: '2026-01-03' }, 2],
  ])('may cover %s', async (_, query, intervals) => {
    const { usage } = await startUsageHarness()
    const { status, body } = await usage(query)
    expect([status, body.series.length]).toEqual([200, intervals])
  })
})
