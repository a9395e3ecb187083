import { describe, expect, test } from 'vitest'
import { buildBearerHeader, buildChatBody, chatPath, messagesPath, readPoolUsage, startHarness } from '../support'

describe('a quota', () => {
  test('is never pooled across plans', async () => {
    const harness = await startHarness()
    await harness.control('plans/plan-sandbox-expired', { status: 'ACTIVE' })
    await harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', tokensUsed: 60_000_000 })
    const call = async (plan: string) =>
      (await harness.post(chatPath, buildChatBody('hi'), buildBearerHeader(harness, plan))).status
    expect([await call('sandbox-pro'), await call('sandbox-expired')]).toEqual([429, 200])
    expect((await readPoolUsage(harness, 'sandbox-pro', 'aurora-small')).tokensLeft).toBe(0)
    expect((await readPoolUsage(harness, 'sandbox-expired', 'aurora-small')).requestsUsed).toBe(1)
  })

  test('of one model does not affect another', async () => {
    const harness = await startHarness()
    expect((await harness.post(chatPath, buildChatBody('hi', { model: 'nova-vision' }))).status).toBe(429)
    expect((await harness.post(chatPath, buildChatBody('hi', { model: 'aurora-large' }))).status).toBe(200)
  })

  test('that is used up is full again in the next cycle', async () => {
    const harness = await startHarness()
    const call = async (path: string) =>
      (await harness.post(path, buildChatBody('hi', { model: 'nova-vision' }))).status
    expect([await call(chatPath), await call(messagesPath)]).toEqual([429, 429])
    await harness.control('clock', { advanceMs: 30 * 86_400_000 })
    expect([await call(chatPath), await call(messagesPath)]).toEqual([200, 200])
  })

  test('is not touched by refused requests', async () => {
    const harness = await startHarness()
    await harness.post(chatPath, { model: 'aurora-small' })
    await harness.control('faults', { faults: [{ operations: 'gateway.*', status: 500 }] })
    await harness.post(chatPath, buildChatBody('hi'))
    expect(await readPoolUsage(harness, 'sandbox-pro', 'aurora-small')).toMatchObject({
      tokensUsed: 0,
      requestsUsed: 0,
    })
  })
})
