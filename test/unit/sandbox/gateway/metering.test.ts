import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, vi } from 'vitest'
import type { UsageByDay } from '../../../../src/sandbox/state/world'
import { getRounds } from '../../../support/depth'
import { makeFolder } from '../../support/folders'
import {
  buildBearerHeader,
  buildChatBody,
  chatPath,
  type Harness,
  type Json,
  messagesPath,
  parseEvents,
  readPoolUsage,
  startHarness,
  test,
} from '../support'

const planPath = '/console/token-plans/plan-sandbox-pro'

/** Usage of a plan in the last day, as the console reports it. */
const readUsage = async (harness: Harness, query = '') => {
  const startIso = new Date(Date.now() - 86_400_000).toISOString()
  const endIso = new Date(Date.now() + 86_400_000).toISOString()
  return (await harness.api('GET', `${planPath}/usage?interval=hour&from=${startIso}&to=${endIso}${query}`)).body
}
const noTokens = { inputTokens: 0, outputTokens: 0, cacheTokens: 0, tokens: 0 }

describe('a failed call counts as an error of its key', () => {
  const sendAfter = (path: string, change: object) => async (harness: Harness) => {
    await harness.control(path, change)
    return harness.post(chatPath, buildChatBody('hi'))
  }
  const sendTo =
    (path: string, body: unknown) =>
    ({ post }: Harness) =>
      post(path, body)
  const rows: readonly [string, number, string, (harness: Harness) => Promise<Response>][] = [
    ['a body without messages', 400, 'aurora-small', sendTo(messagesPath, { model: 'aurora-small' })],
    ['a used-up allowance', 429, 'nova-vision', sendTo(chatPath, buildChatBody('hi', { model: 'nova-vision' }))],
    ['counting a foreign model', 403, '', sendTo(`${messagesPath}/count_tokens`, buildChatBody('hi', { model: 'x' }))],
    ['an expired plan', 402, '', sendAfter('plans/plan-sandbox-pro', { status: 'EXPIRED' })],
    ['a deleted key', 401, '', sendAfter('keys/key-pro-default', { deleted: true })],
  ]
  test.for(rows)('%s (%i)', async ([_, status, modelCode, call], { harness }) => {
    expect((await call(harness)).status).toBe(status)
    const usage = await readUsage(harness, '&keyId=key-pro-default')
    expect(usage.totals).toEqual({ ...noTokens, requests: 0, errors: 1 })
    const modelErrorCount = modelCode === '' ? 0 : (await readUsage(harness, `&model=${modelCode}`)).totals.errors
    expect(modelErrorCount).toBe(modelCode === '' ? 0 : 1)
  })

  test.each([
    ['no key', chatPath, {}],
    ['an unknown key', chatPath, { authorization: 'Bearer sk-wrong' }],
    ['a wrong path', '/v1/v1/messages', undefined],
  ])('but not with %s', async (_, path, headers) => {
    const harness = await startHarness()
    expect((await harness.post(path, buildChatBody('hi'), headers)).ok).toBe(false)
    expect((await readUsage(harness)).totals).toEqual({ ...noTokens, requests: 0, errors: 0 })
  })

  test('a cut or malformed response counts as served', async ({ harness }) => {
    const faults = [
      { operations: 'gateway.*', cutAfterBytes: 5, times: 1 },
      { operations: 'gateway.*', isMalformed: true, times: 1 },
    ]
    await harness.control('faults', { faults })
    const send = async () => (await harness.post(chatPath, buildChatBody('hi'))).text()
    await send().catch(() => {})
    await send()
    const { totals } = await readUsage(harness)
    expect([totals.requests, totals.errors, totals.tokens]).toEqual([2, 0, (await readPoolUsage(harness)).tokensUsed])
  })
})

test('a quota is never pooled across plans', async ({ harness }) => {
  await harness.control('plans/plan-sandbox-expired', { status: 'ACTIVE' })
  await harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', tokensUsed: 60_000_000 })
  const call = async (plan: string) =>
    (await harness.post(chatPath, buildChatBody('hi'), buildBearerHeader(harness, plan))).status
  expect([await call('sandbox-pro'), await call('sandbox-expired')]).toEqual([429, 200])
  expect((await readPoolUsage(harness)).tokensLeft).toBe(0)
  expect((await readPoolUsage(harness, 'sandbox-expired')).requestsUsed).toBe(1)
})

describe('the prompt cache', () => {
  const longText = Array.from({ length: 900 }, (_, index) => `word${index}`).join(' ')
  const conversation = (...texts: readonly string[]) => ({
    model: 'aurora-small',
    max_tokens: 1000,
    messages: texts.map((content, index) => ({ role: index % 2 ? 'assistant' : 'user', content })),
  })
  const chat = async (harness: Harness, body: object, path = chatPath): Promise<Json> =>
    (await (await harness.post(path, body)).json()).usage

  test('counts the prefix of a repeated prompt as cached (chat-completions)', async ({ harness }) => {
    const firstReply = await chat(harness, conversation(longText, 'ok', 'Say a'))
    const secondAnswer = await chat(harness, conversation(longText, 'ok', 'Say b'))
    expect(firstReply.prompt_tokens_details.cached_tokens).toBe(0)
    expect(secondAnswer.prompt_tokens_details.cached_tokens).toBeGreaterThanOrEqual(1_024)
    expect(secondAnswer.prompt_tokens).toBe(firstReply.prompt_tokens)
    expect(secondAnswer.total_tokens).toBe(secondAnswer.prompt_tokens + secondAnswer.completion_tokens)
    const { totals } = await readUsage(harness)
    expect([totals.cacheTokens, totals.inputTokens]).toEqual([
      secondAnswer.prompt_tokens_details.cached_tokens,
      firstReply.prompt_tokens + secondAnswer.prompt_tokens - secondAnswer.prompt_tokens_details.cached_tokens,
    ])
    expect(totals.tokens).toBe(firstReply.total_tokens + secondAnswer.total_tokens)
    expect((await readPoolUsage(harness)).tokensUsed).toBe(totals.tokens)
  })

  test('reports cache writes and reads separately from input (messages)', async ({ harness }) => {
    const body = conversation(longText, 'ok', 'Say a')
    const inputTokens = (await (await harness.post(`${messagesPath}/count_tokens`, body)).json()).input_tokens
    const firstReply = await chat(harness, body, messagesPath)
    const secondAnswer = await chat(harness, body, messagesPath)
    const cached = firstReply.cache_creation_input_tokens
    expect(cached).toBeGreaterThanOrEqual(1_024)
    const usage = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0, input_tokens: inputTokens - cached }
    expect(firstReply).toMatchObject({ ...usage, cache_creation_input_tokens: cached })
    expect(secondAnswer).toMatchObject({ ...usage, cache_read_input_tokens: cached })
    const { totals } = await readUsage(harness)
    expect([totals.cacheTokens, totals.inputTokens]).toEqual([2 * cached, 2 * (inputTokens - cached)])
    expect((await readPoolUsage(harness)).tokensUsed).toBe(totals.tokens)
  })

  test('is separate for each key, and ignores short or different prefixes', async ({ harness }) => {
    await harness.control('plans/plan-sandbox-expired', { status: 'ACTIVE' })
    const readCachedTokens = async (body: object, headers = buildBearerHeader(harness)) =>
      (await (await harness.post(chatPath, body, headers)).json()).usage.prompt_tokens_details.cached_tokens
    const body = conversation(longText, 'ok', 'Say a')
    await readCachedTokens(body)
    expect(await readCachedTokens(body, buildBearerHeader(harness, 'sandbox-expired'))).toBe(0)
    expect(await readCachedTokens({ ...body, model: 'aurora-large' })).toBe(0)
    expect(await readCachedTokens(conversation(`x ${longText}`, 'ok', 'Say a'))).toBe(0)
    for (const uncachedBody of [conversation('short', 'ok', 'Say a'), conversation(`${longText} only`)])
      expect([await readCachedTokens(uncachedBody), await readCachedTokens(uncachedBody)]).toEqual([0, 0])
  })
})

test('abandoned calls are recorded once, as a request or an error', async ({ harness }) => {
  const calls = 150
  await Promise.all(
    Array.from({ length: calls }, async (_, index) => {
      const clientController = new AbortController()
      const call = fetch(`${harness.gatewayUrl}${index % 2 ? chatPath : messagesPath}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...buildBearerHeader(harness) },
        body: JSON.stringify(buildChatBody('Count to 200', { stream: index % 4 < 2 })),
        signal: clientController.signal,
      })
      if (index % 3 === 0) setImmediate(() => clientController.abort())
      const response = await call.catch(() => undefined)
      if (index % 3 === 1) clientController.abort()
      await response?.text().catch(() => '')
    }),
  )
  await vi.waitFor(async () => {
    const [{ totals }, pool] = [await readUsage(harness), await readPoolUsage(harness)]
    expect([totals.requests, totals.tokens]).toEqual([pool.requestsUsed, pool.tokensUsed])
    expect(totals.requests + totals.errors).toBe((await harness.requests()).length)
  })
  expect((await harness.post(chatPath, buildChatBody('hi'))).status).toBe(200)
})

const calls = getRounds(200, 1_000)

describe(`${calls} concurrent calls`, () => {
  const keys = ['default-key', 'old-laptop']

  const startHarnesses = async () => {
    const stateFile = join(makeFolder(), 'state.json')
    const harness = await startHarness({ stateFile })
    await harness.control('keys/key-pro-old-laptop', { status: 'ACTIVE' })
    return { harness, stateFile }
  }

  const sendAllRequests = (harness: Harness) =>
    Promise.all(
      Array.from({ length: calls }, async (_, index) => {
        const body = buildChatBody(`Say ${index % 7} words`, {
          stream: index % 3 === 0,
          stream_options: { include_usage: true },
        })
        const headers = buildBearerHeader(harness, 'sandbox-pro', keys[index % keys.length] ?? '')
        const response = await harness.post(index % 4 < 2 ? chatPath : messagesPath, body, headers)
        return { status: response.status, text: await response.text() }
      }),
    )

  /** Total tokens in a response of either API standard, streamed or not. */
  const countTokens = (text: string): number => {
    const events: readonly Json[] = text.startsWith('{') ? [JSON.parse(text)] : parseEvents(text)
    const usages = events.flatMap((event) => event.usage ?? event.message?.usage ?? [])
    const sum = (name: string) => usages.reduce((max, usage) => Math.max(max, usage[name] ?? 0), 0)
    return sum('total_tokens') || sum('input_tokens') + sum('output_tokens')
  }

  const readStoredUsage = async (stateFile: string): Promise<readonly number[]> => {
    const { usage }: { usage: UsageByDay } = JSON.parse(await readFile(stateFile, 'utf8'))
    return Object.values(usage)
      .flatMap((day) => Object.values(day))
      .reduce<readonly number[]>((sums, tally) => sums.map((sum, index) => sum + (tally[index] ?? 0)), [0, 0, 0, 0, 0])
  }

  test('lose and double-count nothing', { timeout: 60_000 }, async () => {
    const { harness, stateFile } = await startHarnesses()
    const answers = await sendAllRequests(harness)
    expect(answers.filter(({ status }) => status !== 200)).toEqual([])
    const tokens = answers.reduce((sum, { text }) => sum + countTokens(text), 0)
    const pool = await readPoolUsage(harness)
    expect([pool.tokensUsed, pool.tokensUsed + pool.tokensLeft]).toEqual([tokens, pool.tokenQuota])
    expect([pool.requestsUsed, pool.requestsUsed + pool.requestsLeft]).toEqual([calls, pool.requestQuota])
    const usage = await readUsage(harness)
    expect([usage.totals.requests, usage.totals.errors, usage.totals.tokens]).toEqual([calls, 0, tokens])
    const seriesSum = usage.series.reduce((sum: number, { requests }: { requests: number }) => sum + requests, 0)
    const usagesByKey = await Promise.all(
      ['key-pro-default', 'key-pro-old-laptop'].map((id) => readUsage(harness, `&keyId=${id}`)),
    )
    expect([seriesSum, ...usagesByKey.map(({ totals }) => totals.requests)]).toEqual([calls, calls / 2, calls / 2])
    await harness.sandbox.close()
    const [input = 0, output = 0, cache = 0, requests, errors] = await readStoredUsage(stateFile)
    expect([input + output + cache, requests, errors]).toEqual([tokens, calls, 0])
  })

  test('get exactly as many responses as a request quota has left', async () => {
    const { harness, stateFile } = await startHarnesses()
    const remainingRequests = 0.4 * calls
    const requestsUsed = 60_000 - remainingRequests
    await harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', requestsUsed })
    const answers = await sendAllRequests(harness)
    const servedAnswers = answers.filter(({ status }) => status === 200)
    expect(servedAnswers).toHaveLength(remainingRequests)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(calls - remainingRequests)
    const tokens = servedAnswers.reduce((sum, { text }) => sum + countTokens(text), 0)
    // Send no further request, because closing the sandbox must save the last recorded usage without one.
    await harness.sandbox.close()
    const [input = 0, output = 0, cache = 0, requests, errors] = await readStoredUsage(stateFile)
    expect([input + output + cache, requests, errors]).toEqual([tokens, remainingRequests, calls - remainingRequests])
  })

  test('exceed a token quota by running calls at most, and the totals still match', async () => {
    const { harness } = await startHarnesses()
    const remainingTokens = 3 * calls
    const tokensBefore = 60_000_000 - remainingTokens
    await harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', tokensUsed: tokensBefore })
    const answers = await sendAllRequests(harness)
    const servedAnswers = answers.filter(({ status }) => status === 200)
    const tokens = servedAnswers.reduce((sum, { text }) => sum + countTokens(text), 0)
    const pool = await readPoolUsage(harness)
    const requests = servedAnswers.length
    expect(requests).toBeLessThan(calls)
    expect((await readUsage(harness)).totals).toMatchObject({ tokens, requests, errors: calls - requests })
    expect(tokens).toBeGreaterThanOrEqual(remainingTokens)
    expect([pool.tokensUsed, pool.tokensLeft]).toEqual([Math.min(pool.tokenQuota, tokensBefore + tokens), 0])
  })
})
