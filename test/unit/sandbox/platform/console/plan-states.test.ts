import { describe, expect, test } from 'vitest'
import { buildChatBody, chatPath } from '../../support'
import { dayMs, startConsole } from './console-bench'

const minuteMs = 60_000

describe('a plan with auto-renew on', () => {
  test('is renewed three days before its expiry, and its quotas are reset with the next cycle', async () => {
    const { buy, plan, credits, advance, harness } = await startConsole()
    const { planId, expiresAt } = await buy()
    await harness.control('models', { planId, modelCode: 'aurora-small', tokensUsed: 60_000_000, requestsUsed: 7 })
    await advance(27 * dayMs - minuteMs)
    expect([await credits(), (await plan(planId)).expiresAt]).toEqual([4_510_000, expiresAt])
    await advance(minuteMs)
    const renewedPlan = await plan(planId)
    expect([await credits(), Date.parse(renewedPlan.expiresAt) - Date.parse(expiresAt)]).toEqual([
      4_020_000,
      30 * dayMs,
    ])
    expect(renewedPlan.models[1]).toMatchObject({ status: 'EXHAUSTED', tokensUsed: 60_000_000, requestsUsed: 7 })
    await advance(3 * dayMs)
    const planAfter = await plan(planId)
    expect(planAfter).toMatchObject({ status: 'ACTIVE', expiresAt: renewedPlan.expiresAt })
    expect(planAfter.models[1]).toMatchObject({ status: 'ACTIVE', tokensUsed: 0, requestsUsed: 0 })
  })

  test('stays active and reports it while its renewal is retried', async () => {
    const { buy, plan, keys, gateway, setAccount, advance, credits } = await startConsole()
    const { planId, expiresAt } = await buy()
    const [{ key }] = await keys(planId)
    await setAccount({ credits: 489_999 })
    await advance(27 * dayMs)
    for (const failedAttempts of [1, 2, 3]) {
      const { status, renewal } = await plan(planId)
      const nextAttemptAt = new Date(Date.parse(expiresAt) - (3 - failedAttempts) * dayMs).toISOString()
      expect([status, renewal]).toEqual(['ACTIVE', { failedAttempts, nextAttemptAt }])
      expect(await gateway(key)).toBe(200)
      if (failedAttempts < 3) await advance(dayMs)
    }
    await setAccount({ credits: 490_000 })
    await advance(dayMs)
    const renewedPlan = await plan(planId)
    expect([renewedPlan.status, renewedPlan.renewal, await credits()]).toEqual(['ACTIVE', undefined, 0])
    expect(Date.parse(renewedPlan.expiresAt) - Date.parse(expiresAt)).toBe(30 * dayMs)
  })

  test('expires with all its keys when the last retry fails', async () => {
    const { buy, plan, call, keys, gateway, setAccount, advance } = await startConsole()
    const { planId, expiresAt } = await buy()
    await call('POST', `/token-plans/${planId}/keys`, { name: 'second' })
    await setAccount({ credits: 0 })
    await advance(30 * dayMs - minuteMs)
    const secrets = (await keys(planId)).map(({ key }: { key: string }) => key)
    const statuses = async () => [await gateway(secrets[0]), await gateway(secrets[1])]
    expect(await statuses()).toEqual([200, 200])
    await advance(minuteMs)
    expect(await plan(planId)).toMatchObject({ status: 'EXPIRED', expiresAt })
    expect(await statuses()).toEqual([402, 402])
  })

  test('survives a jump of ten years while the credits suffice', async () => {
    const { buy, plan, setAccount, advance, credits } = await startConsole()
    const { planId, expiresAt } = await buy()
    await setAccount({ credits: 50 * 490_000 + 1 })
    await advance(3_650 * dayMs)
    const lastExpiry = new Date(Date.parse(expiresAt) + 50 * 30 * dayMs).toISOString()
    expect(await plan(planId)).toMatchObject({ status: 'EXPIRED', expiresAt: lastExpiry })
    expect(await credits()).toBe(1)
  })
})

describe('a plan with auto-renew off', () => {
  test('stays active until its expiry, then every key stops', async () => {
    const { buy, plan, keys, gateway, advance, credits } = await startConsole()
    const { planId, expiresAt } = await buy({ autoRenew: false })
    const [{ key }] = await keys(planId)
    await advance(30 * dayMs - minuteMs)
    expect([(await plan(planId)).status, await gateway(key)]).toEqual(['ACTIVE', 200])
    await advance(minuteMs)
    expect([await plan(planId), await gateway(key)]).toEqual([
      expect.objectContaining({ status: 'EXPIRED', expiresAt }),
      402,
    ])
    expect(await credits()).toBe(4_510_000)
  })
})

describe('auto-renew', () => {
  test('is switched off and on without a charge or refund', async () => {
    const { buy, call, credits, plan, advance } = await startConsole()
    const { planId } = await buy()
    for (const autoRenew of [false, true, true, false]) {
      const response = await call('PATCH', `/token-plans/${planId}`, { autoRenew })
      expect([response.status, response.body.autoRenew, response.body.status]).toEqual([200, autoRenew, 'ACTIVE'])
    }
    expect(await credits()).toBe(4_510_000)
    await advance(29 * dayMs)
    expect([(await plan(planId)).status, await credits()]).toEqual(['ACTIVE', 4_510_000])
  })

  test('that is switched on in the last three days renews immediately', async () => {
    const { buy, call, advance, credits } = await startConsole()
    const { planId, expiresAt } = await buy({ autoRenew: false })
    await advance(29 * dayMs)
    const { body } = await call('PATCH', `/token-plans/${planId}`, { autoRenew: true })
    expect([Date.parse(body.expiresAt) - Date.parse(expiresAt), await credits()]).toEqual([30 * dayMs, 4_020_000])
  })

  test('cannot be switched after the expiry', async () => {
    const { buy, call, advance, plan } = await startConsole()
    const { planId } = await buy({ autoRenew: false })
    await advance(30 * dayMs)
    const response = await call('PATCH', `/token-plans/${planId}`, { autoRenew: true })
    expect([response.status, response.body.code]).toEqual([409, 'PLAN_EXPIRED'])
    expect(await plan(planId)).toMatchObject({ status: 'EXPIRED', autoRenew: false })
  })

  test.each([{}, { autoRenew: 'off' }, { autoRenew: null }, []])('is not changed by %j', async (body) => {
    const { buy, call } = await startConsole()
    const { planId } = await buy()
    const response = await call('PATCH', `/token-plans/${planId}`, body)
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
  })

  test('is the only change, since the type is fixed', async () => {
    const { buy, call, plan } = await startConsole()
    const purchasedPlan = await buy()
    const body = { autoRenew: true, packageId: 'package-scale', planType: 'Scale', name: 'other', status: 'EXPIRED' }
    expect((await call('PATCH', `/token-plans/${purchasedPlan.planId}`, body)).body).toEqual(purchasedPlan)
    expect(await plan(purchasedPlan.planId)).toEqual(purchasedPlan)
  })
})

describe('deleting a plan', () => {
  test('removes it from the list, stops all keys, refunds, and keeps its usage', async () => {
    const { buy, call, keys, gateway, credits } = await startConsole()
    const { planId } = await buy()
    await call('POST', `/token-plans/${planId}/keys`, { name: 'second' })
    const secrets = (await keys(planId)).map(({ key }: { key: string }) => key)
    const deletionResponse = await call('DELETE', `/token-plans/${planId}`)
    expect(deletionResponse).toEqual({ status: 200, body: { planId, refund: 490_000 } })
    expect(await credits()).toBe(5_000_000)
    expect((await call('GET', '/token-plans')).body.listData).toEqual([])
    expect([await gateway(secrets[0]), await gateway(secrets[1])]).toEqual([402, 402])
    expect((await call('GET', `/token-plans/${planId}/usage`)).status).toBe(200)
  })

  test('is final, so later requests return 404, and nothing is refunded twice', async () => {
    const { buy, call, credits, keys } = await startConsole()
    const { planId } = await buy()
    const [{ keyId }] = await keys(planId)
    await call('DELETE', `/token-plans/${planId}`)
    const plan = `/token-plans/${planId}`
    for (const [method, path, body] of [
      ['DELETE', plan],
      ['GET', plan],
      ['PATCH', plan, { autoRenew: true }],
      ['GET', `${plan}/keys`],
      ['POST', `${plan}/keys`, { name: 'late' }],
      ['PATCH', `${plan}/keys/${keyId}`, { name: 'late' }],
      ['DELETE', `${plan}/keys/${keyId}`],
    ] as const) {
      const response = await call(method, path, body)
      expect([method, path, response.status, response.body.code]).toEqual([method, path, 404, 'NOT_FOUND'])
    }
    expect(await credits()).toBe(5_000_000)
  })

  test.each([
    ['half of one allowance of one of four models used', { requestsUsed: 10_000 }, 428_750],
    ['one of four models used up', { tokensUsed: 20_000_000, requestsUsed: 5 }, 367_500],
  ])('refunds pro rata with %s', async (_, usage, refund) => {
    const { buy, call, harness, credits } = await startConsole()
    const { planId } = await buy()
    await harness.control('models', { planId, modelCode: 'aurora-large', ...usage })
    expect((await call('DELETE', `/token-plans/${planId}`)).body.refund).toBe(refund)
    expect(await credits()).toBe(4_510_000 + refund)
  })

  test('refunds a prepaid cycle in full, and nothing of an expired plan', async () => {
    const { buy, call, advance } = await startConsole()
    const [paidAheadPlan, endedPlan] = [await buy(), await buy({ autoRenew: false, packageId: 'package-starter' })]
    await advance(28 * dayMs)
    expect((await call('DELETE', `/token-plans/${paidAheadPlan.planId}`)).body.refund).toBe(2 * 490_000)
    await advance(2 * dayMs)
    expect((await call('DELETE', `/token-plans/${endedPlan.planId}`)).body).toEqual({
      planId: endedPlan.planId,
      refund: 0,
    })
  })

  test('in bulk reports each plan, and continues after a missing one', async () => {
    const { buy, call, credits } = await startConsole()
    const [a, b, keptPlan] = [
      await buy({ name: 'a' }),
      await buy({ packageId: 'package-starter' }),
      await buy({ name: 'c' }),
    ]
    const planIds = [a.planId, 'plan-nobody', b.planId, a.planId]
    const { status, body } = await call('POST', '/token-plans:batch-delete', { planIds })
    expect([status, body.deleted]).toEqual([
      200,
      [
        { planId: a.planId, refund: 490_000 },
        { planId: b.planId, refund: 99_000 },
      ],
    ])
    expect(body.failed).toEqual([{ planId: 'plan-nobody', code: 'NOT_FOUND', message: expect.any(String) }])
    expect(await credits()).toBe(4_510_000)
    expect((await call('GET', '/token-plans')).body.listData).toEqual([keptPlan])
    const repeatedDeletion = await call('POST', '/token-plans:batch-delete', { planIds: [b.planId] })
    expect([repeatedDeletion.status, repeatedDeletion.body.deleted, repeatedDeletion.body.failed[0].code]).toEqual([
      200,
      [],
      'NOT_FOUND',
    ])
  })

  test.each([
    [0, 400],
    [1, 200],
    [100, 200],
    [101, 400],
  ])('in bulk with %i ids answers %i', async (count, status) => {
    const { call } = await startConsole()
    const planIds = Array.from({ length: count }, (_, index) => `plan-${index}`)
    const response = await call('POST', '/token-plans:batch-delete', { planIds })
    expect(response.status).toBe(status)
    expect(status === 200 ? response.body.failed.length : response.body.code).toBe(
      status === 200 ? count : 'INVALID_INPUT',
    )
  })

  test.each([{}, { planIds: 'plan-1' }, { planIds: [1] }, { planIds: null }])('in bulk refuses %j', async (body) => {
    const { call } = await startConsole()
    const response = await call('POST', '/token-plans:batch-delete', body)
    expect([response.status, response.body.code]).toEqual([400, 'INVALID_INPUT'])
  })
})

test.each(['GET', 'PATCH', 'DELETE'])('%s of an unknown plan is a 404', async (method) => {
  const { call } = await startConsole()
  const response = await call(method, '/token-plans/plan-nobody', method === 'PATCH' ? { autoRenew: true } : undefined)
  expect([response.status, response.body.code]).toEqual([404, 'NOT_FOUND'])
})

test('quotas of two plans of one type are separate, and a used-up model affects only its plan', async () => {
  const { buy, plan, keys, gateway, harness } = await startConsole()
  const [a, b] = [await buy({ name: 'a' }), await buy({ name: 'b' })]
  const [[keyOfA], [keyOfB]] = [await keys(a.planId), await keys(b.planId)]
  await harness.control('models', { planId: a.planId, modelCode: 'aurora-small', requestsUsed: 60_000 })
  expect([await gateway(keyOfA.key), await gateway(keyOfB.key)]).toEqual([429, 200])
  expect((await plan(a.planId)).models[1]).toMatchObject({ status: 'EXHAUSTED', requestsUsed: 60_000 })
  expect((await plan(b.planId)).models[1]).toMatchObject({ status: 'ACTIVE', requestsUsed: 1 })
})

test('a plan reports the gateway’s usage of its quotas', async () => {
  const { buy, plan, keys, harness } = await startConsole()
  const { planId } = await buy()
  const [{ key }] = await keys(planId)
  const response = await harness.post(chatPath, buildChatBody('Count to 20'), { authorization: `Bearer ${key}` })
  const { usage } = await response.json()
  expect((await plan(planId)).models[1]).toMatchObject({ tokensUsed: usage.total_tokens, requestsUsed: 1 })
})
