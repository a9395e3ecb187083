import { describe, expect, test } from 'vitest'
import {
  buildChatBody,
  chatPath,
  type Harness,
  messagesPath,
  rawRequest,
  readPoolUsage,
  startHarness,
} from '../support'

const buildBearerHeader = (harness: Harness, plan: string, key: string) => ({
  authorization: `Bearer ${harness.readKey(plan, key)}`,
})

const reactivatePlan = async (harness: Harness) => {
  await harness.control('plans/plan-sandbox-expired', { status: 'ACTIVE' })
  await harness.control('keys/key-pro-old-laptop', { status: 'ACTIVE' })
}

describe('a quota', () => {
  test('decreases by the usage in the responses, in both standards, streamed or not', async () => {
    const harness = await startHarness()
    const chat = await (await harness.post(chatPath, buildChatBody('Say hello'))).json()
    const message = await (await harness.post(messagesPath, buildChatBody('Count to 20'))).json()
    await (await harness.post(messagesPath, buildChatBody('Count to 20', { stream: true }))).text()
    const pool = await readPoolUsage(harness, 'sandbox-pro', 'aurora-small')
    const tokensPerMessage = message.usage.input_tokens + message.usage.output_tokens
    expect([pool.tokensUsed, pool.requestsUsed]).toEqual([chat.usage.total_tokens + 2 * tokensPerMessage, 3])
    expect(pool.tokensUsed + pool.tokensLeft).toBe(pool.tokenQuota)
    expect(pool.requestsUsed + pool.requestsLeft).toBe(pool.requestQuota)
  })

  test('is shared by all keys of a plan', async () => {
    const harness = await startHarness()
    await reactivatePlan(harness)
    await harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', requestsUsed: 59_999 })
    expect(
      (await harness.post(chatPath, buildChatBody('hi'), buildBearerHeader(harness, 'sandbox-pro', 'default-key')))
        .status,
    ).toBe(200)
    expect(
      (await harness.post(chatPath, buildChatBody('hi'), buildBearerHeader(harness, 'sandbox-pro', 'old-laptop')))
        .status,
    ).toBe(429)
  })

  test('is never pooled across plans', async () => {
    const harness = await startHarness()
    await reactivatePlan(harness)
    await harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', tokensUsed: 60_000_000 })
    expect(
      (await harness.post(chatPath, buildChatBody('hi'), buildBearerHeader(harness, 'sandbox-pro', 'default-key')))
        .status,
    ).toBe(429)
    expect(
      (await harness.post(chatPath, buildChatBody('hi'), buildBearerHeader(harness, 'sandbox-expired', 'default-key')))
        .status,
    ).toBe(200)
    expect((await readPoolUsage(harness, 'sandbox-pro', 'aurora-small')).tokensLeft).toBe(0)
    expect((await readPoolUsage(harness, 'sandbox-expired', 'aurora-small')).requestsUsed).toBe(1)
  })

  test('of one model does not affect another', async () => {
    const harness = await startHarness()
    expect((await harness.post(chatPath, buildChatBody('hi', { model: 'nova-vision' }))).status).toBe(429)
    expect((await harness.post(chatPath, buildChatBody('hi', { model: 'aurora-large' }))).status).toBe(200)
  })

  test('allows the call that empties it and refuses the next', async () => {
    const harness = await startHarness()
    await harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', tokensUsed: 59_999_999 })
    expect((await harness.post(chatPath, buildChatBody('Count to 50'))).status).toBe(200)
    expect((await readPoolUsage(harness, 'sandbox-pro', 'aurora-small')).tokensLeft).toBe(0)
    expect((await harness.post(chatPath, buildChatBody('hi'))).status).toBe(429)
  })

  test('loses and double-counts nothing under concurrent calls', async () => {
    const harness = await startHarness()
    await harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', requestsUsed: 59_970 })
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const response = await harness.post(
          index % 2 ? chatPath : messagesPath,
          buildChatBody('Say hi', { stream: index % 3 === 0 }),
        )
        await response.text()
        return response.status
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(30)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    const pool = await readPoolUsage(harness, 'sandbox-pro', 'aurora-small')
    const servedRequests = (await harness.requests()).filter(({ status }) => status === 200)
    const tokens = servedRequests.reduce((sum, item) => sum + (item.inputTokens ?? 0) + (item.outputTokens ?? 0), 0)
    expect([pool.requestsLeft, pool.tokensUsed]).toEqual([0, tokens])
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

describe('faults', () => {
  const requestAndDisconnect = (harness: Harness, path: string, body: object) =>
    rawRequest(`${harness.gatewayUrl}${path}`, {
      method: 'POST',
      headers: buildBearerHeader(harness, 'sandbox-pro', 'default-key'),
      body: JSON.stringify(body),
    })

  test.each([
    ['a stream', { stream: true }],
    ['a plain answer', { stream: false }],
  ])('cut %s after exactly the requested bytes', async (_, bodyFields) => {
    const harness = await startHarness()
    for (const bytes of [0, 1, 100, 250]) {
      await harness.control('faults', { faults: [{ operations: 'gateway.*', cutAfterBytes: bytes, times: 1 }] })
      const response = await requestAndDisconnect(harness, chatPath, buildChatBody('Count to 50', bodyFields))
      expect([response.status, response.text.length, response.isComplete]).toEqual([200, bytes, false])
    }
    const streamedReply = await requestAndDisconnect(harness, chatPath, buildChatBody('Count to 50', bodyFields))
    expect([streamedReply.status, streamedReply.isComplete]).toEqual([200, true])
    const records = await harness.requests()
    expect(records.map(({ error }) => error)).toEqual([...Array(4).fill('cut_by_fault'), undefined])
    const tokens = records.reduce((sum, item) => sum + (item.inputTokens ?? 0) + (item.outputTokens ?? 0), 0)
    expect((await readPoolUsage(harness, 'sandbox-pro', 'aurora-small')).tokensUsed).toBe(tokens)
  })

  test('leave a shorter response complete', async () => {
    const harness = await startHarness()
    const streamedReply = await requestAndDisconnect(harness, messagesPath, buildChatBody('Say hi', { stream: true }))
    await harness.control('faults', { faults: [{ operations: 'gateway.*', cutAfterBytes: streamedReply.text.length }] })
    expect(
      (await requestAndDisconnect(harness, messagesPath, buildChatBody('Say hi', { stream: true }))).isComplete,
    ).toBe(true)
    await harness.control('faults', {
      faults: [{ operations: 'gateway.*', cutAfterBytes: streamedReply.text.length - 1 }],
    })
    expect(
      (await requestAndDisconnect(harness, messagesPath, buildChatBody('Say hi', { stream: true }))).isComplete,
    ).toBe(false)
  })

  test('return a status with retry-after, in the standard’s format, for the configured count', async () => {
    const harness = await startHarness()
    await harness.control('faults', { faults: [{ operations: 'gateway.*', status: 529, retryAfterS: 7, times: 2 }] })
    const chat = await harness.post(chatPath, buildChatBody('hi'))
    const message = await harness.post(messagesPath, buildChatBody('hi'))
    expect([chat.status, chat.headers.get('retry-after')]).toEqual([529, '7'])
    expect((await message.json()).error).toMatchObject({ type: 'overloaded_error', code: 'injected_fault' })
    expect((await harness.post(chatPath, buildChatBody('hi'))).status).toBe(200)
  })

  test('stay until cleared, and do not affect unknown paths', async () => {
    const harness = await startHarness()
    await harness.control('faults', { faults: [{ operations: 'gateway.*', status: 503 }] })
    expect((await harness.post(chatPath, buildChatBody('hi'))).status).toBe(503)
    expect((await harness.post(chatPath, buildChatBody('hi'))).status).toBe(503)
    expect((await harness.post('/elsewhere', buildChatBody('hi'))).status).toBe(404)
    await harness.control('faults', { faults: [] })
    expect((await harness.post(chatPath, buildChatBody('hi'))).status).toBe(200)
  })

  test('delay a response', async () => {
    const harness = await startHarness()
    await harness.control('faults', { faults: [{ operations: 'gateway.*', delayMs: 80, times: 1 }] })
    await harness.post(chatPath, buildChatBody('hi'))
    expect((await harness.requests())[0]?.durationMs).toBeGreaterThanOrEqual(79)
  })
})
