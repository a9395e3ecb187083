import { describe, expect, test } from 'vitest'
import { dayMs, startConsole } from './console-bench'

test('auto-renew is the only change of a plan, without a charge or refund', async () => {
  const { buy, call, credits, plan } = await startConsole()
  const purchasedPlan = await buy()
  for (const autoRenew of [false, true]) {
    const body = { autoRenew, packageId: 'package-scale', planType: 'Scale', name: 'other', status: 'EXPIRED' }
    const changedPlan = { ...purchasedPlan, autoRenew }
    expect(await call('PATCH', `/token-plans/${purchasedPlan.planId}`, body)).toEqual({
      status: 200,
      body: changedPlan,
    })
    expect(await plan(purchasedPlan.planId)).toEqual(changedPlan)
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
      const response = await call(method, path, body)
      expect([method, path, response.status, response.body.code]).toEqual([method, path, 404, 'NOT_FOUND'])
    }
    expect(await credits()).toBe(5_000_000)
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
})
