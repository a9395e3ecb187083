import { createServer as createSocketServer } from 'node:net'
import { Failure } from '@shared/failure'
import { describe, expect, it, onTestFinished, test, vi } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { listModels, probe } from '../../../../src/main/gateway/probe'
import { createResponseReader } from '../../../../src/main/gateway/response-reader'
import { parseExternalJson } from '../../../../src/main/gateway/server-message'
import { translateRequest } from '../../../../src/main/relay/responses/request'
import { ResponseWriter } from '../../../../src/main/relay/responses/response-writer'
import { directSend } from '../../../support/direct-send'
import { close, listen, send, serve } from './answering-server'

type ProbeRequest = Parameters<typeof probe>[0]

const KEY = 'plain/key+without=form123'

const CHAT_RESPONSE = {
  choices: [{ message: { role: 'assistant', content: 'ok' } }],
  usage: { prompt_tokens: 12, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 10 } },
}

const MESSAGE = {
  type: 'message',
  content: [{ type: 'text', text: 'ok' }],
  usage: { input_tokens: 12, output_tokens: 1, cache_read_input_tokens: 3, cache_creation_input_tokens: 2 },
}

const at = '2026-01-01T00:00:00.000Z'
const clock = () => new Date(at)

const runProbe = (overrides: Partial<ProbeRequest>) =>
  probe(
    { standard: 'chat-completions', key: new Secret(KEY), modelCode: 'gw-large', timeoutMs: 5_000, ...overrides },
    directSend,
    clock,
  )

async function catchFailure(overrides: Partial<ProbeRequest>): Promise<Failure> {
  const outcome = await runProbe(overrides)
  if (outcome.ok) throw new Error('the probe passed')
  return outcome.failure
}

describe('a probe', () => {
  it.each([400, 422])('retries with max_completion_tokens when max_tokens is refused with %i', async (status) => {
    const message = "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."
    const refusal = { error: { message } }
    const { url, received } = await serve((request, response) => {
      const hasMaxTokens = 'max_tokens' in JSON.parse(received.at(-1)?.body ?? '')
      send(hasMaxTokens ? status : 200, hasMaxTokens ? refusal : CHAT_RESPONSE)(request, response)
    })
    for (let roundIndex = 0; roundIndex < 2; roundIndex += 1)
      expect(await runProbe({ url })).toMatchObject({ ok: true, answer: 'ok' })
    // The first probe repeats its request without `max_tokens`. The second probe of the model omits it from the start.
    expect(received.map(({ body }) => 'max_tokens' in JSON.parse(body))).toEqual([true, false, false])
  })

  it('sends a chat-completions request like its tools, and reads the answer', async () => {
    const { url, received } = await serve(send(200, CHAT_RESPONSE, { 'x-request-id': 'req-1' }))
    expect(await runProbe({ url })).toEqual({
      ok: true,
      at,
      standard: 'chat-completions',
      requestAddress: `${url}/v1/chat/completions`,
      durationMs: expect.any(Number),
      modelCode: 'gw-large',
      answer: 'ok',
      inputTokens: 2,
      outputTokens: 1,
      requestId: 'req-1',
    })
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    })
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      model: 'gw-large',
      messages: [{ role: 'user', content: 'Reply with the word ok.' }],
      max_tokens: 16,
    })
  })

  it('sends a messages request like its tools, and reads the answer', async () => {
    const { url, received } = await serve(send(200, MESSAGE, { 'request-id': 'req-2' }))
    const outcome = await runProbe({ url, standard: 'messages' })
    const counts = { inputTokens: 12, outputTokens: 1 }
    const requestAddress = `${url}/v1/messages`
    expect(outcome).toMatchObject({ ok: true, requestAddress, answer: 'ok', ...counts, requestId: 'req-2' })
    expect(received[0]).toMatchObject({
      method: 'POST',
      path: '/v1/messages',
      headers: { authorization: `Bearer ${KEY}`, 'anthropic-version': '2023-06-01' },
    })
  })

  it('calls a complete address, or a base with its own suffix, for a tool that uses one', async () => {
    const { url, received } = await serve(send(200, CHAT_RESPONSE))
    await runProbe({ requestAddress: `${url}/v1/chat/completions` })
    await runProbe({ base: url, requestAddress: `${url}/v1/chat/completions` })
    expect(received.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/chat/completions'])
  })

  it('names the correct base for such a tool when nothing responds', async () => {
    const { url } = await serve(send(404, { error: { message: 'Not found' } }))
    const chatUrl = `${url}/chat/completions`
    const failure = await catchFailure({ base: chatUrl, requestAddress: chatUrl })
    expect(failure.message).toContain(`Set the base address to ${url}/v1/chat/completions,`)
    const root = await catchFailure({ base: `${url}/v1`, requestAddress: `${url}/v1/v1/chat/completions` })
    expect(root.message).toContain(`Set the base address to ${url},`)
  })

  it('accepts an answer without text and usage', async () => {
    const { url } = await serve(send(200, { choices: [{ message: { content: null } }] }))
    const outcome = await runProbe({ url })
    expect(outcome).toMatchObject({ ok: true, answer: '' })
    expect(JSON.stringify(outcome)).not.toMatch(/inputTokens|requestId/)
  })

  it('shortens a long answer', async () => {
    const { url } = await serve(send(200, { choices: [{ message: { content: 'x'.repeat(999) } }] }))
    expect(await runProbe({ url })).toMatchObject({ answer: 'x'.repeat(300) })
  })

  it.each([
    ['passes with a rejected model when no model code is known', 403, undefined, true],
    ['fails with a rejected model when a model code was given', 403, 'gw-large', false],
    ['never passes with a rejected key', 401, undefined, false],
  ])('%s', async (_, status, modelCode, isOk) => {
    const { url } = await serve(send(status, { error: { message: 'Model is not in the plan' } }))
    const outcome = await runProbe({ url, modelCode })
    expect([outcome.ok, outcome.modelCode]).toEqual([isOk, modelCode])
  })
})

describe.each(['chat-completions', 'messages'] as const)('a %s gateway that refuses', (standard) => {
  it.each<[number, unknown, Failure['code']]>([
    [401, { error: { message: 'Invalid subscription key' } }, 'gateway.keyRejected'],
    [404, { error: { message: 'Not found: POST' } }, 'gateway.wrongSuffix'],
    [429, { error: { code: 'quota_exhausted', message: 'x' } }, 'gateway.quotaExhausted'],
    [500, { message: 'oops' }, 'gateway.serverError'],
    [200, '<!DOCTYPE html><title>Welcome</title>', 'gateway.notAGateway'],
    [200, { choices: [] }, 'gateway.notAGateway'],
    [200, { error: { message: 'Invalid' } }, 'gateway.notAGateway'],
  ])('with %s and %j is explained after one request', async (status, body, code) => {
    const { url, received } = await serve(send(status, body, { 'x-request-id': 'req-3' }))
    const outcome = await runProbe({ url, standard })
    expect(outcome).toMatchObject({ ok: false, status, failure: { code, requestId: 'req-3' } })
    if (!outcome.ok) expect(Failure.parse(outcome.failure)).toEqual(outcome.failure)
    expect(received).toHaveLength(1)
  })
})

describe('the gateway’s message', () => {
  it('is quoted with its reason', async () => {
    const { url } = await serve(send(401, { error: { message: 'Key disabled by its owner' } }))
    expect((await catchFailure({ url })).message).toContain('Key disabled by its owner')
  })

  it('keeps the retry delay', async () => {
    const { url } = await serve(send(429, '', { 'retry-after': '12' }))
    expect((await catchFailure({ url })).retryAfterMs).toBe(12_000)
  })

  it.each([200, 302, 400, 401, 402, 403, 404, 429, 500])('with %s never contains the key', async (status) => {
    const { url } = await serve((request, response) => {
      const authorization = request.headers.authorization ?? ''
      const echoedText = `${authorization} ${KEY} ${encodeURIComponent(KEY)}`
      const answer = { error: { message: echoedText, code: KEY }, message: echoedText, detail: echoedText }
      send(status, answer, { 'x-request-id': KEY, location: `https://x.example/?k=${KEY}` })(request, response)
    })
    const outcome = JSON.stringify(await runProbe({ url, modelCode: KEY }))
    expect(outcome.replace(`"modelCode":"${KEY}"`, '')).not.toContain('without=form')
    expect(outcome).not.toContain('without%3Dform')
  })

  it('in a successful answer never contains the key', async () => {
    const { url } = await serve(send(200, { choices: [{ message: { content: `ok ${KEY}` } }] }, { 'request-id': KEY }))
    expect(JSON.stringify(await runProbe({ url }))).not.toContain('without')
  })

  it('as plain text in several parts never contains the key', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(500)
      response.write(`bad key ${KEY.slice(0, 9)}`)
      response.end(KEY.slice(9))
    })
    expect((await catchFailure({ url })).message).toMatch(/bad key \[secret\]$/)
  })
})

it('a redirect is not followed, so the key is sent nowhere else', async () => {
  const otherServer = await serve(send(200, CHAT_RESPONSE))
  const { url } = await serve(send(307, '', { location: `${otherServer.url}/v1/chat/completions` }))
  const outcome = await runProbe({ url })
  expect(outcome).toMatchObject({ ok: false, status: 307, failure: { code: 'gateway.notAGateway' } })
  expect(otherServer.received).toEqual([])
})

describe('a body', () => {
  it('of nearly 256 kB is read completely, and a longer one is refused', async () => {
    const { url } = await serve(send(200, { ...CHAT_RESPONSE, padding: 'x'.repeat(255_000) }))
    expect(await runProbe({ url })).toMatchObject({ ok: true, answer: 'ok' })
    const longServer = await serve(send(200, { ...CHAT_RESPONSE, padding: 'x'.repeat(257_000) }))
    const message = expect.stringContaining('too long')
    expect(await catchFailure({ url: longServer.url })).toMatchObject({ code: 'gateway.notAGateway', message })
  })

  it.each([
    [200, 'net.cut'],
    [401, 'gateway.keyRejected'],
  ])('that breaks off after status %i is %s', async (status, code) => {
    const { url } = await serve((_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"error":{"message"', () => response.destroy())
    })
    expect(await runProbe({ url })).toMatchObject({ ok: false, ...(status !== 200 && { status }), failure: { code } })
  })
})

describe('a slow gateway', () => {
  it('that never responds is net.timeout', async () => {
    const { url } = await serve(() => {})
    const outcome = await runProbe({ url, timeoutMs: 60 })
    expect(outcome).toMatchObject({ ok: false, failure: { code: 'net.timeout' } })
    expect(outcome.durationMs).toBeGreaterThanOrEqual(50)
  })

  it('that stops in the middle of a response is net.timeout', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(200)
      response.write('{"choices":')
    })
    expect((await catchFailure({ url, timeoutMs: 60 })).code).toBe('net.timeout')
  })

  it('receives no request when the caller has already cancelled', async () => {
    const { url, received } = await serve(send(200, CHAT_RESPONSE))
    expect((await catchFailure({ url, signal: AbortSignal.abort() })).message).toContain('canceled')
    expect(received).toEqual([])
  })
})

it('an address that does not speak HTTP is not a gateway', async () => {
  const server = createSocketServer((socket) => socket.resume().end('220 mail.example.com ESMTP\r\n'))
  const port = await listen(server)
  onTestFinished(() => close(server))
  expect((await catchFailure({ url: `http://127.0.0.1:${port}` })).code).toBe('gateway.notAGateway')
})

it.each([
  ['http://gw.example.com', 'address.insecure'],
  ['https://ann:hunter22@gw.example.com', 'address.credentials'],
  ['gw.example.com', 'address.notAnAddress'],
  ['', 'address.notAnAddress'],
])('an unsafe base from a file is refused before anything is sent: %s', async (base, code) => {
  const sendRequest = vi.fn(async () => new Response())
  const outcome = await probe({ base, standard: 'messages', key: new Secret(KEY) }, sendRequest, clock)
  expect(outcome).toMatchObject({ ok: false, failure: { code } })
  expect(sendRequest).not.toHaveBeenCalled()
  expect(JSON.stringify(outcome)).not.toContain('hunter22')
})

type ModelsQuestion = Parameters<typeof listModels>[0]

const requestModels = (url: string, overrides: Partial<ModelsQuestion> = {}) =>
  listModels({ url, key: new Secret(KEY), timeoutMs: 5_000, ...overrides }, directSend)

test.each([
  ['in the form of chat-completions', { object: 'list', data: [{ id: 'gw-large', object: 'model' }, { id: 'a/b:c' }] }],
  ['in the form of messages', { data: [{ id: 'gw-large', type: 'model' }, { id: 'a/b:c' }], has_more: false }],
])('the models of a key are listed %s', async (_case, body) => {
  const { url, received } = await serve(send(200, body))
  expect(await requestModels(url)).toMatchObject({ kind: 'listed', models: ['gw-large', 'a/b:c'] })
  const headers = { authorization: `Bearer ${KEY}`, 'user-agent': 'platform-companion' }
  expect(received).toMatchObject([{ method: 'GET', path: '/v1/models', headers }])
})

test.each<[string, number, unknown]>([
  ['has no such list', 404, { error: { message: 'Not found' } }],
  ['takes no such request', 405, ''],
  ['does not let the key list', 403, { error: { message: 'Forbidden' } }],
  ['is asked too often', 429, ''],
  ['lists nothing', 200, { data: [] }],
  ['lists only a first part', 200, { data: [{ id: 'a' }], has_more: true }],
  ['answers with a page', 200, '<html></html>'],
  ['answers with something else', 200, { models: ['a'] }],
  ['redirects', 302, ''],
])('the models are unknown for a gateway that %s', async (_case, status, body) => {
  const { url } = await serve(send(status, body))
  expect(await requestModels(url)).toMatchObject({ kind: 'unknown' })
})

test.each([
  [401, 'gateway.keyRejected'],
  [402, 'gateway.planExpired'],
  [500, 'gateway.serverError'],
])('a refusal with %s is reported as %s, without the key', async (status, code) => {
  const { url } = await serve(send(status, { error: { message: `bad ${KEY}` } }))
  const list = await requestModels(url)
  expect(list).toMatchObject({ kind: 'refused', failure: { code } })
  expect(JSON.stringify(list)).not.toContain('without=form')
})

it('a gateway timeout is reported', async () => {
  const { url } = await serve(() => {})
  expect(await requestModels(url, { timeoutMs: 60 })).toMatchObject({
    kind: 'refused',
    failure: { code: 'net.timeout' },
  })
})

it('a cancelled call returns immediately', async () => {
  const controller = new AbortController()
  const { url } = await serve(() => controller.abort())
  expect(await requestModels(url, { signal: controller.signal })).toMatchObject({ kind: 'refused' })
})

it('a key is not sent unencrypted to another computer', async () => {
  expect(await requestModels('http://gateway.example.com')).toMatchObject({
    kind: 'refused',
    failure: { code: 'address.insecure' },
  })
})

const texts = ['a', 'b'].map((text) => ({ type: 'output_text', text }))

test('the smallest request of the Responses protocol matches a real one, and its answer is read', async () => {
  const translatedBodies: unknown[] = []
  const { url, received } = await serve((request, response) => {
    const translatedRequest = translateRequest(Buffer.from(received.at(-1)?.body ?? ''))
    if ('refusal' in translatedRequest) throw new Error(translatedRequest.refusal)
    translatedBodies.push(parseExternalJson(translatedRequest.body.toString()))
    const reader = createResponseReader({ standard: 'chat-completions', kind: 'chat' })
    const usage = { prompt_tokens: 12, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 4 } }
    const chat = { choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }], usage }
    reader.feed(Buffer.from(JSON.stringify(chat)))
    const body = new ResponseWriter(translatedRequest).write(reader.end(), reader.facts(), true)
    send(200, body.toString())(request, response)
  })
  const requestAddress = `${url}/v1/responses`
  const outcome = await runProbe({ base: `${url}/v1`, requestAddress })
  expect(outcome).toMatchObject({ ok: true, requestAddress, answer: 'ok', inputTokens: 8, outputTokens: 1 })
  expect(received.map(({ body }) => JSON.parse(body))).toEqual([
    { model: 'gw-large', input: 'Reply with the word ok.', max_output_tokens: 16, store: false },
  ])
  const messages = [{ role: 'user', content: 'Reply with the word ok.' }]
  expect(translatedBodies).toMatchObject([{ model: 'gw-large', messages }])
})

test.each<[string, object, object]>([
  ['many parts', { status: 'completed', output: [{ content: texts }, {}] }, { ok: true, answer: 'ab' }],
  ['nothing but thoughts', { status: 'incomplete', output: [{ type: 'reasoning' }] }, { ok: true, answer: '' }],
  ['a failure', { status: 'failed', output: [], error: { code: 'x' } }, { ok: false }],
  ['another standard', { choices: [] }, { ok: false }],
])('an answer of %s is read', async (_name, body, outcome) => {
  const { url } = await serve(send(200, body))
  expect(await runProbe({ requestAddress: `${url}/v1/responses` })).toMatchObject(outcome)
})
