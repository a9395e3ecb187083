import { describe, expect, test } from 'vitest'
import { ask, type Bench, chatPath, messagesPath, rawRequest, readPool, startBench } from '../support'

const bearer = (bench: Bench, plan: string, key: string) => ({ authorization: `Bearer ${bench.readKey(plan, key)}` })

const reviveOthers = async (bench: Bench) => {
  await bench.control('plans/plan-sandbox-expired', { status: 'ACTIVE' })
  await bench.control('keys/key-pro-old-laptop', { status: 'ACTIVE' })
}

describe('a quota', () => {
  test('decreases by the usage in the responses, in both standards, streamed or not', async () => {
    const bench = await startBench()
    const chat = await (await bench.post(chatPath, ask('Say hello'))).json()
    const message = await (await bench.post(messagesPath, ask('Count to 20'))).json()
    await (await bench.post(messagesPath, ask('Count to 20', { stream: true }))).text()
    const pool = await readPool(bench, 'sandbox-pro', 'aurora-small')
    const once = message.usage.input_tokens + message.usage.output_tokens
    expect([pool.tokensUsed, pool.requestsUsed]).toEqual([chat.usage.total_tokens + 2 * once, 3])
    expect(pool.tokensUsed + pool.tokensLeft).toBe(pool.tokenQuota)
    expect(pool.requestsUsed + pool.requestsLeft).toBe(pool.requestQuota)
  })

  test('is shared by all keys of a plan', async () => {
    const bench = await startBench()
    await reviveOthers(bench)
    await bench.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', requestsUsed: 59_999 })
    expect((await bench.post(chatPath, ask('hi'), bearer(bench, 'sandbox-pro', 'default-key'))).status).toBe(200)
    expect((await bench.post(chatPath, ask('hi'), bearer(bench, 'sandbox-pro', 'old-laptop'))).status).toBe(429)
  })

  test('is never pooled across plans', async () => {
    const bench = await startBench()
    await reviveOthers(bench)
    await bench.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', tokensUsed: 60_000_000 })
    expect((await bench.post(chatPath, ask('hi'), bearer(bench, 'sandbox-pro', 'default-key'))).status).toBe(429)
    expect((await bench.post(chatPath, ask('hi'), bearer(bench, 'sandbox-expired', 'default-key'))).status).toBe(200)
    expect((await readPool(bench, 'sandbox-pro', 'aurora-small')).tokensLeft).toBe(0)
    expect((await readPool(bench, 'sandbox-expired', 'aurora-small')).requestsUsed).toBe(1)
  })

  test('of one model does not affect another', async () => {
    const bench = await startBench()
    expect((await bench.post(chatPath, ask('hi', { model: 'nova-vision' }))).status).toBe(429)
    expect((await bench.post(chatPath, ask('hi', { model: 'aurora-large' }))).status).toBe(200)
  })

  test('allows the call that empties it and refuses the next', async () => {
    const bench = await startBench()
    await bench.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', tokensUsed: 59_999_999 })
    expect((await bench.post(chatPath, ask('Count to 50'))).status).toBe(200)
    expect((await readPool(bench, 'sandbox-pro', 'aurora-small')).tokensLeft).toBe(0)
    expect((await bench.post(chatPath, ask('hi'))).status).toBe(429)
  })

  test('loses and double-counts nothing under concurrent calls', async () => {
    const bench = await startBench()
    await bench.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', requestsUsed: 59_970 })
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const response = await bench.post(
          index % 2 ? chatPath : messagesPath,
          ask('Say hi', { stream: index % 3 === 0 }),
        )
        await response.text()
        return response.status
      }),
    )
    expect(statuses.filter((status) => status === 200)).toHaveLength(30)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    const pool = await readPool(bench, 'sandbox-pro', 'aurora-small')
    const served = (await bench.requests()).filter(({ status }) => status === 200)
    const tokens = served.reduce((sum, item) => sum + (item.inputTokens ?? 0) + (item.outputTokens ?? 0), 0)
    expect([pool.requestsLeft, pool.tokensUsed]).toEqual([0, tokens])
  })

  test('is not touched by refused requests', async () => {
    const bench = await startBench()
    await bench.post(chatPath, { model: 'aurora-small' })
    await bench.control('faults', { faults: [{ operations: 'gateway.*', status: 500 }] })
    await bench.post(chatPath, ask('hi'))
    expect(await readPool(bench, 'sandbox-pro', 'aurora-small')).toMatchObject({ tokensUsed: 0, requestsUsed: 0 })
  })
})

describe('faults', () => {
  const cut = (bench: Bench, path: string, body: object) =>
    rawRequest(`${bench.gatewayUrl}${path}`, {
      method: 'POST',
      headers: bearer(bench, 'sandbox-pro', 'default-key'),
      body: JSON.stringify(body),
    })

  test.each([
    ['a stream', { stream: true }],
    ['a plain answer', { stream: false }],
  ])('cut %s after exactly the requested bytes', async (_, rest) => {
    const bench = await startBench()
    for (const bytes of [0, 1, 100, 250]) {
      await bench.control('faults', { faults: [{ operations: 'gateway.*', cutAfterBytes: bytes, times: 1 }] })
      const answer = await cut(bench, chatPath, ask('Count to 50', rest))
      expect([answer.status, answer.text.length, answer.isComplete]).toEqual([200, bytes, false])
    }
    const whole = await cut(bench, chatPath, ask('Count to 50', rest))
    expect([whole.status, whole.isComplete]).toEqual([200, true])
    const records = await bench.requests()
    expect(records.map(({ error }) => error)).toEqual([...Array(4).fill('cut_by_fault'), undefined])
    const tokens = records.reduce((sum, item) => sum + (item.inputTokens ?? 0) + (item.outputTokens ?? 0), 0)
    expect((await readPool(bench, 'sandbox-pro', 'aurora-small')).tokensUsed).toBe(tokens)
  })

  test('leave a shorter response complete', async () => {
    const bench = await startBench()
    const whole = await cut(bench, messagesPath, ask('Say hi', { stream: true }))
    await bench.control('faults', { faults: [{ operations: 'gateway.*', cutAfterBytes: whole.text.length }] })
    expect((await cut(bench, messagesPath, ask('Say hi', { stream: true }))).isComplete).toBe(true)
    await bench.control('faults', { faults: [{ operations: 'gateway.*', cutAfterBytes: whole.text.length - 1 }] })
    expect((await cut(bench, messagesPath, ask('Say hi', { stream: true }))).isComplete).toBe(false)
  })

  test('return a status with retry-after, in the standard’s format, for the configured count', async () => {
    const bench = await startBench()
    await bench.control('faults', { faults: [{ operations: 'gateway.*', status: 529, retryAfterS: 7, times: 2 }] })
    const chat = await bench.post(chatPath, ask('hi'))
    const message = await bench.post(messagesPath, ask('hi'))
    expect([chat.status, chat.headers.get('retry-after')]).toEqual([529, '7'])
    expect((await message.json()).error).toMatchObject({ type: 'overloaded_error', code: 'injected_fault' })
    expect((await bench.post(chatPath, ask('hi'))).status).toBe(200)
  })

  test('stay until cleared, and do not affect unknown paths', async () => {
    const bench = await startBench()
    await bench.control('faults', { faults: [{ operations: 'gateway.*', status: 503 }] })
    expect((await bench.post(chatPath, ask('hi'))).status).toBe(503)
    expect((await bench.post(chatPath, ask('hi'))).status).toBe(503)
    expect((await bench.post('/elsewhere', ask('hi'))).status).toBe(404)
    await bench.control('faults', { faults: [] })
    expect((await bench.post(chatPath, ask('hi'))).status).toBe(200)
  })

  test('delay a response', async () => {
    const bench = await startBench()
    await bench.control('faults', { faults: [{ operations: 'gateway.*', delayMs: 80, times: 1 }] })
    await bench.post(chatPath, ask('hi'))
    expect((await bench.requests())[0]?.durationMs).toBeGreaterThanOrEqual(79)
  })
})
