import { describe, expect, test } from 'vitest'
import { buildChatBody, chatPath, type Harness, startHarness } from '../support'

/**
 * Tests of each row of the spec's section "States and transitions". A test is named after the row's trigger and
 * effects. All requests use HTTP, and moving the clock simulates the passage of time.
 */

const minuteMs = 60_000
const dayMs = 1440 * minuteMs
const tokenQuota = 490_000

const account = async (harness: Harness) => (await harness.api('GET', '/console/account')).body
const plan = async (harness: Harness, planId: string) =>
  (await harness.api('GET', `/console/token-plans/${planId}`)).body
const listKeys = async (harness: Harness, planId: string) =>
  (await harness.api('GET', `/console/token-plans/${planId}/keys`)).body.listData
const advanceClock = async (harness: Harness, ms: number) => (await harness.control('clock', { advanceMs: ms })).status
const call = async (harness: Harness, key: string) =>
  (await harness.post(chatPath, buildChatBody('hi'), { authorization: `Bearer ${key}` })).status

/** A Pro plan that was just bought and provisioned, with the full key `default-key`. */
async function buyPlan(harness: Harness, autoRenew = true) {
  const response = await harness.api('POST', '/console/token-plans', {
    body: { name: 'new-plan', packageId: 'package-pro', autoRenew },
  })
  expect(response.status).toBe(201)
  await harness.control('clock', { advanceMs: (await harness.state()).timing.provisioningMs })
  const { planId } = response.body
  const [{ key, keyId }] = await listKeys(harness, planId)
  return { planId, key, keyId }
}

describe('A. Plan', () => {
  test('(none) -> ACTIVE: Confirm & Pay; Total is deducted, provisioning runs, default-key is created, Auto-renew is ON', async () => {
    const harness = await startHarness({ timing: { paceMs: 0, provisioningMs: 60_000 } })
    const { credits } = await account(harness)
    const { status, body } = await harness.api('POST', '/console/token-plans', {
      body: { name: 'new-plan', packageId: 'package-pro' },
    })
    expect([status, body.status, body.autoRenew, body.total, body.provisioned]).toEqual([
      201,
      'ACTIVE',
      true,
      tokenQuota,
      false,
    ])
    expect((await account(harness)).credits).toBe(credits - tokenQuota)
    const [masked] = await listKeys(harness, body.planId)
    expect(masked).toMatchObject({ name: 'default-key', status: 'ACTIVE' })
    expect(masked.key).not.toMatch(/[0-9a-f]{40}/)
    expect(body.gatewayUrl).not.toContain(new URL(harness.gatewayUrl).port)

    await advanceClock(harness, 60_000)
    expect(await plan(harness, body.planId)).toMatchObject({
      provisioned: true,
      gatewayUrl: harness.gatewayUrl,
      keysUsed: 1,
    })
    const [full] = await listKeys(harness, body.planId)
    expect(await call(harness, full.key)).toBe(200)
    const planList = (await harness.api('GET', '/console/token-plans?page=1&size=100')).body.listData
    expect(planList.map(({ planId }: { planId: string }) => planId)).toContain(body.planId)
  })

  test.each([
    ['ROOT', 201],
    ['ADMIN', 201],
    ['DEVELOPER', 403],
    ['VIEWER', 403],
  ])('Confirm & Pay as %s answers %i', async (role, status) => {
    const harness = await startHarness()
    await harness.control('account', { role })
    const accountBefore = await account(harness)
    const response = await harness.api('POST', '/console/token-plans', {
      body: { name: 'p', packageId: 'package-pro' },
    })
    expect(response.status).toBe(status)
    if (status === 403) {
      expect(response.body.code).toBe('ROLE_NOT_ALLOWED')
      expect(await account(harness)).toEqual(accountBefore)
    }
  })

  test.each([
    [0, 409],
    [tokenQuota - 1, 409],
    [tokenQuota, 201],
    [tokenQuota + 1, 201],
  ])('Confirm & Pay with a balance of %i answers %i', async (credits, status) => {
    const harness = await startHarness()
    await harness.control('account', { credits })
    const response = await harness.api('POST', '/console/token-plans', {
      body: { name: 'p', packageId: 'package-pro' },
    })
    expect(response.status).toBe(status)
    expect((await account(harness)).credits).toBe(status === 201 ? credits - tokenQuota : credits)
    if (status === 409) expect(response.body.code).toBe('INSUFFICIENT_CREDITS')
  })

  test('ACTIVE -> ACTIVE: reaching expiry with Auto-renew ON and credit; renewed before expiry, credit deducted, allowances begin anew', async () => {
    const harness = await startHarness()
    const { planId, key } = await buyPlan(harness)
    expect(await call(harness, key)).toBe(200)
    const { expiresAt, models } = await plan(harness, planId)
    const { credits } = await account(harness)
    await advanceClock(harness, Date.parse(expiresAt) - Date.parse((await harness.state()).clock) - minuteMs)
    const renewedPlan = await plan(harness, planId)
    expect(renewedPlan.status).toBe('ACTIVE')
    expect(Date.parse(renewedPlan.expiresAt)).toBe(Date.parse(expiresAt) + 30 * dayMs)
    expect(credits - (await account(harness)).credits).toBeGreaterThanOrEqual(tokenQuota)
    expect(renewedPlan.models[1].requestsUsed).toBe(models[1].requestsUsed)

    await advanceClock(harness, minuteMs)
    expect((await plan(harness, planId)).models.map((model: { requestsUsed: number }) => model.requestsUsed)).toEqual([
      0, 0, 0, 0,
    ])
    expect(await call(harness, key)).toBe(200)
  })

  test('ACTIVE -> ACTIVE while retrying: renewal attempt with Auto-renew ON and credit short; then EXPIRED when the retries fail', async () => {
    const harness = await startHarness()
    const { planId, key } = await buyPlan(harness)
    await harness.control('account', { credits: 0 })
    const { expiresAt } = await plan(harness, planId)
    const remainingMs = Date.parse(expiresAt) - Date.parse((await harness.state()).clock)
    await advanceClock(harness, remainingMs - minuteMs)
    expect(await plan(harness, planId)).toMatchObject({ status: 'ACTIVE', renewal: { failedAttempts: 3 } })
    expect(await call(harness, key)).toBe(200)

    await advanceClock(harness, minuteMs)
    expect(await plan(harness, planId)).toMatchObject({ status: 'EXPIRED', expiresAt })
    expect(await call(harness, key)).toBe(402)
  })

  test('a retry succeeds as soon as there is credit', async () => {
    const harness = await startHarness()
    const { planId } = await buyPlan(harness)
    const { expiresAt } = await plan(harness, planId)
    await harness.control('account', { credits: 0 })
    const remainingMs = Date.parse(expiresAt) - Date.parse((await harness.state()).clock)
    await advanceClock(harness, remainingMs - 2.5 * dayMs)
    expect(await plan(harness, planId)).toMatchObject({ status: 'ACTIVE', expiresAt, renewal: { failedAttempts: 1 } })
    await harness.control('account', { credits: 10 * tokenQuota })
    await advanceClock(harness, dayMs)
    const renewedPlan = await plan(harness, planId)
    expect(Date.parse(renewedPlan.expiresAt)).toBe(Date.parse(expiresAt) + 30 * dayMs)
    expect(renewedPlan.renewal).toBeUndefined()
  })

  test('ACTIVE -> EXPIRED: reaching expiry with Auto-renew OFF; every key stops working immediately', async () => {
    const harness = await startHarness()
    const { planId, key } = await buyPlan(harness, false)
    const addedKey = await harness.api('POST', `/console/token-plans/${planId}/keys`, { body: { name: 'second' } })
    const { expiresAt } = await plan(harness, planId)
    await advanceClock(harness, Date.parse(expiresAt) - Date.parse((await harness.state()).clock) - 1000)
    expect([await call(harness, key), await call(harness, addedKey.body.key)]).toEqual([200, 200])
    const { credits } = await account(harness)
    await advanceClock(harness, 1000)
    expect((await plan(harness, planId)).status).toBe('EXPIRED')
    expect([await call(harness, key), await call(harness, addedKey.body.key)]).toEqual([402, 402])
    expect((await account(harness)).credits).toBeLessThanOrEqual(credits)
  })

  test('ACTIVE -> ACTIVE: toggle Auto-renew off and on before expiry; no charge, no refund', async () => {
    const harness = await startHarness()
    const { planId, key } = await buyPlan(harness)
    const accountBefore = await account(harness)
    const { expiresAt } = await plan(harness, planId)
    for (const autoRenew of [false, true, false]) {
      const { status, body } = await harness.api('PATCH', `/console/token-plans/${planId}`, { body: { autoRenew } })
      expect([status, body.autoRenew, body.status, body.expiresAt]).toEqual([200, autoRenew, 'ACTIVE', expiresAt])
    }
    expect(await account(harness)).toEqual(accountBefore)
    expect(await call(harness, key)).toBe(200)
  })

  test('ACTIVE -> removed: Delete; keys torn down, unused allowance refunded pro rata, usage history retained, no way back', async () => {
    const harness = await startHarness()
    const { planId, key } = await buyPlan(harness)
    expect(await call(harness, key)).toBe(200)
    const { credits } = await account(harness)
    const { status, body } = await harness.api('DELETE', `/console/token-plans/${planId}`)
    expect([status, body.planId]).toEqual([200, planId])
    expect(body.refund).toBeGreaterThan(0)
    expect(body.refund).toBeLessThan(tokenQuota)
    expect((await account(harness)).credits).toBe(credits + body.refund)
    expect(await call(harness, key)).toBe(402)
    expect((await harness.api('GET', `/console/token-plans/${planId}`)).status).toBe(404)
    expect((await harness.api('DELETE', `/console/token-plans/${planId}`)).status).toBe(404)
    const usage = (await harness.api('GET', `/console/token-plans/${planId}/usage?interval=day`)).body
    expect(usage.totals).toMatchObject({ requests: 1, errors: 1 })
  })

  test('Buy again creates a separate new plan of the same type', async () => {
    const harness = await startHarness()
    const { planId, key } = await buyPlan(harness)
    const { status, body } = await harness.api('POST', `/console/token-plans/${planId}:buy-again`, {
      body: { name: 'again' },
    })
    expect([status, body.planType, body.name]).toEqual([201, 'Pro', 'again'])
    expect(body.planId).not.toBe(planId)
    await harness.post(chatPath, buildChatBody('hi'), { authorization: `Bearer ${key}` })
    expect((await plan(harness, body.planId)).models[1].requestsUsed).toBe(0)
  })
})

describe('Subscription key', () => {
  test('(none) -> ACTIVE: Add key while the plan has fewer than Max keys; it can use every model and the shared allowance', async () => {
    const harness = await startHarness()
    const { planId, key } = await buyPlan(harness)
    const { status, body } = await harness.api('POST', `/console/token-plans/${planId}/keys`, {
      body: { name: 'second' },
    })
    expect([status, body.status, body.name]).toEqual([201, 'ACTIVE', 'second'])
    for (const model of ['aurora-large', 'aurora-small', 'vega-coder', 'nova-vision']) {
      const headers = { authorization: `Bearer ${body.key}` }
      expect((await harness.post(chatPath, buildChatBody('hi', { model }), headers)).status).toBe(200)
    }
    await harness.post(chatPath, buildChatBody('hi'), { authorization: `Bearer ${key}` })
    expect((await plan(harness, planId)).models.map((model: { requestsUsed: number }) => model.requestsUsed)).toEqual([
      1, 2, 1, 1,
    ])
  })

  test('Add key at Max keys is refused, and possible again after one was deleted', async () => {
    const harness = await startHarness()
    const { planId, keyId } = await buyPlan(harness)
    const add = () => harness.api('POST', `/console/token-plans/${planId}/keys`, { body: { name: 'more' } })
    const statuses = []
    for (let index = 2; index <= 6; index += 1) statuses.push((await add()).status)
    expect(statuses).toEqual([201, 201, 201, 201, 409])
    expect((await add()).body.code).toBe('KEY_LIMIT_REACHED')
    expect((await plan(harness, planId)).keysUsed).toBe(5)
    await harness.api('DELETE', `/console/token-plans/${planId}/keys/${keyId}`)
    expect((await add()).status).toBe(201)
  })

  test('ACTIVE -> disabled -> ACTIVE: Disable and Enable take effect on the next request', async () => {
    const harness = await startHarness()
    const { planId, key, keyId } = await buyPlan(harness)
    const set = (status: string) =>
      harness.api('PATCH', `/console/token-plans/${planId}/keys/${keyId}`, { body: { status } })
    expect((await set('DISABLED')).body.status).toBe('DISABLED')
    expect(await call(harness, key)).toBe(401)
    expect((await set('ACTIVE')).body.status).toBe('ACTIVE')
    expect(await call(harness, key)).toBe(200)
  })

  test.each(['ACTIVE', 'DISABLED'])(
    '%s -> removed: Delete takes effect on the next request and is permanent',
    async (status) => {
      const harness = await startHarness()
      const { planId, key, keyId } = await buyPlan(harness)
      const path = `/console/token-plans/${planId}/keys/${keyId}`
      await harness.api('PATCH', path, { body: { status } })
      expect((await harness.api('DELETE', path)).status).toBe(204)
      expect(await call(harness, key)).toBe(401)
      expect((await harness.api('PATCH', path, { body: { status: 'ACTIVE' } })).status).toBe(404)
      expect(await listKeys(harness, planId)).toEqual([])
    },
  )

  test.each(['ACTIVE', 'DISABLED'])('%s -> unchanged: Rename changes the name only', async (status) => {
    const harness = await startHarness()
    const { planId, keyId } = await buyPlan(harness)
    const path = `/console/token-plans/${planId}/keys/${keyId}`
    const keyBefore = (await harness.api('PATCH', path, { body: { status } })).body
    expect((await harness.api('PATCH', path, { body: { name: 'renamed' } })).body).toEqual({
      ...keyBefore,
      name: 'renamed',
    })
  })
})

describe('Platform API key (B)', () => {
  const fetchKey = (harness: Harness) => harness.api('GET', '/aip/v1/api-keys/my-key')

  test('(none) -> created asynchronously: POST create; poll GET by name until ACTIVE', async () => {
    const harness = await startHarness()
    const { status } = await harness.api('POST', '/aip/v1/api-keys', { body: { name: 'my-key' } })
    expect(status).toBe(202)
    expect((await fetchKey(harness)).body.status).not.toBe('ACTIVE')
    await advanceClock(harness, (await harness.state()).timing.asyncMs)
    expect((await fetchKey(harness)).body.status).toBe('ACTIVE')
  })

  test('ACTIVE -> deleting asynchronously: DELETE; poll GET by name until it returns 404', async () => {
    const harness = await startHarness()
    await harness.api('POST', '/aip/v1/api-keys', { body: { name: 'my-key' } })
    await advanceClock(harness, (await harness.state()).timing.asyncMs)
    expect((await harness.api('DELETE', '/aip/v1/api-keys/my-key')).status).toBe(202)
    const deletingReply = await fetchKey(harness)
    expect([deletingReply.status, deletingReply.body.status]).toEqual([200, 'DELETING'])
    await advanceClock(harness, (await harness.state()).timing.asyncMs)
    expect((await fetchKey(harness)).status).toBe(404)
  })
})
