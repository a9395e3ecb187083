import { describe, expect, test } from 'vitest'
import { dayMs, startConsole } from '../console-bench'

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
    const {
      harness,
      buy,
      plan,
      keys,
      gateway,
      findSecret: toSecret,
      advance,
      call,
    } = await startConsole({
      timing: { provisioningMs: 60_000 },
    })
    const { planId, provisioned, gatewayUrl, models } = await buy()
    expect([provisioned, gatewayUrl, models[0].endpoint]).toEqual([false, '***', '***'])
    const [masked] = await keys(planId)
    expect(masked).toEqual({
      keyId: expect.stringMatching(/^key-/),
      name: 'default-key',
      status: 'ACTIVE',
      key: 'sk-****',
      createdAt: expect.any(String),
    })
    expect((await call('POST', `/token-plans/${planId}/keys`, { name: 'second' })).body.key).toBe('sk-****')
    const secret = toSecret(masked.keyId)
    expect([await gateway(masked.key), await gateway(secret)]).toEqual([401, 200])
    await advance(60_000)
    const readyPlan = await plan(planId)
    expect([readyPlan.provisioned, readyPlan.gatewayUrl, readyPlan.models[0].endpoint]).toEqual([
      true,
      harness.gatewayUrl,
      harness.gatewayUrl,
    ])
    expect((await keys(planId))[0]).toEqual({ ...masked, key: secret })
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

  test.each([
    ['ROOT', 201],
    ['ADMIN', 201],
    ['DEVELOPER', 403],
    ['VIEWER', 403],
  ])('by %s answers %i, and so does buying again', async (role, status) => {
    const { call, buy, setAccount, credits } = await startConsole()
    const { planId } = await buy()
    await setAccount({ role })
    const creditsBefore = await credits()
    const buyResponse = await call('POST', '/token-plans', { name: 'other', packageId: 'package-starter' })
    const buyAgainResponse = await call('POST', `/token-plans/${planId}:buy-again`, { name: 'other' })
    expect([buyResponse.status, buyAgainResponse.status]).toEqual([status, status])
    if (status === 201) return
    expect([buyResponse.body.code, buyAgainResponse.body.code]).toEqual(['ROLE_NOT_ALLOWED', 'ROLE_NOT_ALLOWED'])
    expect(await credits()).toBe(creditsBefore)
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

describe('buying again', () => {
  test.each([
    ['a bad name', { name: 'two words' }, {}, 400, 'INVALID_NAME'],
    ['no name', {}, {}, 400, 'INVALID_INPUT'],
    ['too few credits', { name: 'next' }, { credits: 489_999 }, 409, 'INSUFFICIENT_CREDITS'],
  ])('with %s is refused and changes nothing', async (_, body, account, status, code) => {
    const { buy, call, setAccount, credits } = await startConsole()
    const { planId } = await buy()
    await setAccount(account)
    const creditsBefore = await credits()
    const response = await call('POST', `/token-plans/${planId}:buy-again`, body)
    expect([response.status, response.body.code]).toEqual([status, code])
    expect([await credits(), (await call('GET', '/token-plans')).body.totalItem]).toEqual([creditsBefore, 1])
  })
})
