import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { RelayBudget } from '../../../../src/main/relay/budget-meter'
import { Secret } from '../../../../src/main/secret'
import { bodyOf, chatAnswer, chatPath, messagesPath, startBench, startGateway, tableOf, upstream } from './support'

interface Reply {
  readonly body: string | Buffer
  readonly type?: string | undefined
  readonly headers?: Record<string, string>
  readonly status?: number
}

/** A relay before a gateway that replies so to each request, and a second key that works when the first does not. */
async function start(
  reply: Reply,
  { hasSecondKey = false, budgets }: { hasSecondKey?: boolean; budgets?: RelayBudget[] } = {},
) {
  const asked: string[] = []
  const gateway = await startGateway(async (request, response) => {
    asked.push(await bodyOf(request))
    const isSecond = request.headers.authorization === 'Bearer key-two'
    const {
      body,
      type = 'text/event-stream',
      headers = {},
      status = 200,
    } = isSecond ? { body: JSON.stringify(chatAnswer), type: 'application/json' } : reply
    response.writeHead(status, { ...(type === '' ? {} : { 'content-type': type }), ...headers })
    response.end(body)
  })
  const second = upstream(gateway.url, { keyId: 'two', key: new Secret('key-two') })
  const table = tableOf([upstream(gateway.url), ...(hasSecondKey ? [second] : [])])
  return { asked, ...(await startBench({ ...table, budgets })) }
}

const chunk = (choice: object, more: object = {}) => ({
  id: 'chatcmpl-x',
  created: 1,
  model: 'm',
  choices: [{ index: 0, ...choice }],
  ...more,
})
const says = (delta: object, finish_reason: string | null = null) => chunk({ delta, finish_reason })
const calls = (piece: object) => says({ tool_calls: [{ index: 0, ...piece }] })
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const usageChunk = { id: 'chatcmpl-x', choices: [], usage }
const event = (value: unknown) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
const stream = (...values: readonly unknown[]) => [...values, '[DONE]'].map(event).join('')
const prompt = 'one two three four five six seven eight nine ten'
const ask = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: prompt }] })
const hi = says({ content: 'hé' })
const stop = says({}, 'stop')

describe('usage', () => {
  const startEvent = (usage: object) =>
    event({ type: 'message_start', message: { id: 'msg_a', model: 'm', content: [], usage } })
  const deltaEvent = (usage: object) => event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })
  const end = event({ type: 'message_stop' })

  test.each<[string, string, string, (number | undefined)[]]>([
    [
      'in a later event that knows of the cache',
      messagesPath,
      startEvent({ input_tokens: 8834, output_tokens: 0 }) +
        deltaEvent({ input_tokens: 18, cache_read_input_tokens: 8831, output_tokens: 426 }) +
        end,
      [18, 426, 8831],
    ],
    [
      'in a later event without input',
      messagesPath,
      startEvent({ input_tokens: 18, output_tokens: 1 }) + deltaEvent({ input_tokens: 0, output_tokens: 4 }) + end,
      [18, 4],
    ],
    ['in a choice', chatPath, stream(hi, chunk({ delta: {}, finish_reason: 'stop', usage })), [10, 5]],
    ['in x_groq', chatPath, stream(hi, { ...stop, x_groq: { usage } }), [10, 5]],
    ['in an early chunk', chatPath, stream({ ...hi, usage }, hi, stop), [10, 5]],
    ['in a chunk after the finish', chatPath, stream(hi, stop, usageChunk), [10, 5]],
    [
      '20 KB before the end',
      chatPath,
      stream(hi, { ...hi, usage }, ...Array(200).fill(says({ reasoning_content: 'x'.repeat(40) })), stop),
      [10, 5],
    ],
    [
      'before zeros',
      chatPath,
      stream(
        hi,
        { ...stop, usage },
        { ...usageChunk, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
      ),
      [10, 5],
    ],
    [
      'with reasoning beside the output',
      chatPath,
      stream(hi, { ...usageChunk, usage: { prompt_tokens: 21, completion_tokens: 0, total_tokens: 81 } }),
      [21, 60],
    ],
  ])('%s is counted once', async (_name, path, body, [inputTokens, outputTokens, cacheReadTokens]) => {
    const { send, entries } = await start({ body })
    expect((await send(path, ask)).status).toBe(200)
    expect(entries).toMatchObject([{ inputTokens, outputTokens, cacheReadTokens, error: undefined }])
    expect(entries[0]?.isEstimated).toBeUndefined()
  })

  test.each<[string, (body: Buffer) => Buffer]>([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
    ['Deflate', deflateRawSync],
    ['gzip, br', (body) => brotliCompressSync(gzipSync(body))],
  ])('of a response packed with %s is read, and the tool gets it unpacked', async (coding, pack) => {
    const body = stream(hi, stop, usageChunk)
    const { send, entries } = await start({ body: pack(Buffer.from(body)), headers: { 'content-encoding': coding } })
    const answer = await send(chatPath, ask)
    expect(answer.headers['content-encoding']).toBeUndefined()
    expect(answer.body).toBe(stream(hi, stop))
    expect(entries).toMatchObject([{ inputTokens: 10, outputTokens: 5 }])
  })
})

describe('a Responses request', () => {
  const responsesPath = '/t/x/v1/responses'
  const input = (isStream = true) =>
    JSON.stringify({
      model: 'm',
      input: prompt,
      stream: isStream,
      tools: [{ type: 'function', name: 'ls', parameters: {} }],
    })
  const lastOf = (body: string) => JSON.parse(body.trim().split('\n').at(-1)?.slice('data: '.length) ?? '').response

  test.each<[string, string, object]>([
    [
      'a late name',
      stream(
        calls({ id: 'c', function: { arguments: '' } }),
        calls({ function: { name: 'ls', arguments: '{"a":1}' } }),
        stop,
      ),
      { name: 'ls', arguments: '{"a":1}' },
    ],
    [
      'a name after the arguments',
      stream(calls({ id: 'c', function: { arguments: '{"a":1}' } }), calls({ function: { name: 'ls' } }), stop),
      { name: 'ls', arguments: '{"a":1}' },
    ],
    [
      'a name in pieces',
      stream(
        calls({ id: 'c', function: { name: 'l' } }),
        calls({ function: { name: 's' } }),
        calls({ function: { arguments: '{"a":1}' } }),
        stop,
      ),
      { name: 'ls', arguments: '{"a":1}' },
    ],
    [
      'a repeated name',
      stream(
        calls({ id: 'c', function: { name: 'ls', arguments: '{"a"' } }),
        calls({ id: 'c', function: { name: 'ls', arguments: ':1}' } }),
        stop,
      ),
      { name: 'ls', arguments: '{"a":1}' },
    ],
    [
      'arguments as an object',
      stream(calls({ id: 'c', function: { name: 'ls', arguments: { a: 1 } } }), stop),
      { name: 'ls', arguments: '{"a":1}' },
    ],
    [
      'an old function call',
      stream(
        says({ function_call: { name: 'ls', arguments: '{"a"' } }),
        says({ function_call: { arguments: ':1}' } }),
        says({}, 'function_call'),
      ),
      { name: 'ls', arguments: '{"a":1}' },
    ],
  ])('gets a call with %s', async (_name, body, call) => {
    const { send, entries } = await start({ body })
    const response = lastOf((await send(responsesPath, input())).body)
    expect([response.status, response.output]).toMatchObject(['completed', [{ type: 'function_call', ...call }]])
    expect(entries).toMatchObject([{ error: undefined }])
  })

  const lines = (value: unknown) => `${JSON.stringify(value, null, 1).replace(/^/gm, 'data: ')}\n\n`
  test.each<[string, string, string?]>([
    [
      'parts of content',
      stream(
        says({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'th' }] }] }),
        says({ content: [{ type: 'text', text: 'hé' }] }),
        stop,
        usageChunk,
      ),
    ],
    [
      'reasoning next to an empty field',
      stream(says({ reasoning_content: '', reasoning: 'th' }), hi, stop, usageChunk),
    ],
    ['a byte order mark', `\ufeff${stream(hi, stop, usageChunk)}`],
    ['data over several lines', lines(hi) + lines(stop) + lines(usageChunk) + event('[DONE]')],
    ['no content type', stream(hi, stop, usageChunk), ''],
    ['a wrong content type', stream(hi, stop, usageChunk), 'application/json'],
    [
      'a finish reason in every chunk',
      stream(says({ content: 'h' }, 'stop'), says({ content: 'é' }, 'stop'), usageChunk),
    ],
  ])('gets the whole text of a stream with %s', async (_name, body, type) => {
    const { send, entries } = await start({ body, type })
    const answer = await send(responsesPath, input())
    const response = lastOf(answer.body)
    expect(response).toMatchObject({ status: 'completed', usage: { input_tokens: 10, output_tokens: 5 } })
    expect(response.output.at(-1)).toMatchObject({ type: 'message', content: [{ text: 'hé' }] })
    expect(entries).toMatchObject([{ inputTokens: 10, outputTokens: 5, error: undefined }])
  })

  test.each<[string, string, string, RegExp, string]>([
    [
      'an error object with status 200',
      '{"error":{"message":"quota exhausted","code":"quota_exhausted"}}',
      'application/json',
      /quota exhausted/,
      'quota',
    ],
    ['an error as text', event(hi) + event({ error: 'boom' }), 'text/event-stream', /boom/, 'server'],
    ['an error event', `${event(hi)}event: error\ndata: {"message":"boom"}\n\n`, 'text/event-stream', /boom/, 'server'],
    [
      'an error in a choice',
      event(hi) + event(chunk({ delta: {}, error: { message: 'boom' } })),
      'text/event-stream',
      /boom/,
      'server',
    ],
    ['a bare line of JSON', `${event(hi)}{"error":{"message":"boom"}}\n\n`, 'text/event-stream', /boom/, 'server'],
    ['a web page', '<!doctype html><title>Sign in</title>', 'text/html', /web page.*Sign in/, 'path'],
    [
      'a call without a name',
      stream(calls({ id: 'c', function: { arguments: '{}' } }), stop),
      'text/event-stream',
      /without naming/,
      'server',
    ],
    ['a stream that just ends', event(hi), 'text/event-stream', /ended/, 'server'],
  ])('that meets %s fails in words, in the ledger too', async (_name, body, type, words, error) => {
    const { send, entries } = await start({ body, type })
    const response = lastOf((await send(responsesPath, input())).body)
    expect(response).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(words) } })
    expect(entries).toMatchObject([{ error }])
  })

  test.each([
    ['a body', '{"error":{"message":"quota exhausted","code":"quota_exhausted"}}', 'application/json'],
    ['the first event', event({ error: { message: 'quota exhausted', code: 'quota_exhausted' } }), 'text/event-stream'],
  ])('is sent with the next key when an error comes with status 200 as %s', async (_name, body, type) => {
    const { send, entries } = await start({ body, type }, { hasSecondKey: true })
    expect(JSON.parse((await send(responsesPath, input(false))).body)).toMatchObject({ status: 'completed' })
    expect(entries.map(({ error, keyId }) => [keyId, error])).toEqual([
      ['key-1', 'quota'],
      ['two', undefined],
    ])
  })

  test('gets keep-alive events for comments and empty deltas of the gateway', async () => {
    let proceed = (): void => undefined
    const gateway = await startGateway(async (request, response) => {
      await bodyOf(request)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const pieces = [': thinking\n\n', event(says({})), ': thinking\n\n', stream(hi, stop)]
      proceed = () => void (pieces.length === 1 ? response.end(pieces.shift()) : response.write(pieces.shift() ?? ''))
      proceed()
    })
    const { url } = await startBench(tableOf([upstream(gateway.url)]))
    const headers = { authorization: 'Bearer relay-token-of-tool-0123456789' }
    const response = await fetch(url + responsesPath, { method: 'POST', headers, body: input() })
    const decoder = new TextDecoder()
    const got: string[] = []
    for await (const bytes of response.body ?? []) {
      got.push(decoder.decode(bytes))
      proceed()
    }
    expect(got.slice(1, -1).every((text) => text.startsWith('event: response.in_progress'))).toBe(true)
    expect(got.length).toBeGreaterThanOrEqual(4)
  })
})

describe('a budget of tokens', () => {
  const budget: RelayBudget = {
    id: 'b',
    name: 'Team',
    of: { toolId: 'x' },
    unit: 'tokens',
    limit: 8,
    period: { kind: 'day' },
  }
  const text = stream(hi, stop)
  const withOptions = (options: string) => ask.replace('"stream":true', `"stream":true,"stream_options":${options}`)
  const json = JSON.stringify({ ...chatAnswer, usage: undefined })

  test.each<[string, string, string | Buffer, Reply]>([
    ['that ended without usage', chatPath, ask, { body: text }],
    [
      'of Messages without usage',
      messagesPath,
      ask,
      {
        body:
          event({ type: 'message_start', message: {} }) +
          event({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'hé' } }) +
          event({ type: 'message_stop' }),
      },
    ],
    ['that just ends', chatPath, ask, { body: event(hi) }],
    [
      'that ends with an error event',
      chatPath,
      ask,
      { body: `${event(hi)}event: error\ndata: {"message":"boom"}\n\n` },
    ],
    [
      'with usage of zeros',
      chatPath,
      ask,
      { body: stream(hi, stop, { ...usageChunk, usage: { prompt_tokens: 0, completion_tokens: 0 } }) },
    ],
    ['with null for options', chatPath, withOptions('null'), { body: text }],
    ['with empty options', chatPath, withOptions('{}'), { body: text }],
    ['with options that refuse usage', chatPath, withOptions('{"include_usage":false}'), { body: text }],
    ['with the name of the options as text', chatPath, ask.replace('{', '{"user":"stream_options",'), { body: text }],
    ['with a duplicate key', chatPath, ask.replace('{', '{"stream":false,'), { body: text }],
    ['with an escaped key', chatPath, ask.replace('"stream"', '"str\\u0065am"'), { body: text }],
    ['of more than 1 MB', chatPath, ask.replace(prompt, 'y '.repeat(600_000)), { body: text }],
    ['in one piece without usage', chatPath, ask.replace('true', 'false'), { body: json, type: 'application/json' }],
    ['in an unknown coding', chatPath, ask, { body: 'abcd', headers: { 'content-encoding': 'compress' } }],
    [
      'of the Responses protocol',
      '/t/x/v1/responses',
      JSON.stringify({ model: 'm', input: prompt, stream: true }),
      { body: text },
    ],
  ])('refuses the request after a response %s', async (_name, path, body, reply) => {
    const { send, entries } = await start(reply, { budgets: [budget] })
    expect((await send(path, body)).status).toBe(200)
    expect((await send(path, body)).status).toBe(429)
    expect(entries).toMatchObject([{ isEstimated: true }, { error: 'budget' }])
  })

  test('asks for usage in the place of a tool that refuses it, and hides it', async () => {
    const { send, asked, entries } = await start({ body: stream(hi, stop, usageChunk) })
    expect((await send(chatPath, withOptions('null'))).body).toBe(stream(hi, stop))
    expect(JSON.parse(asked[0] ?? '').stream_options).toEqual({ include_usage: true })
    expect(entries).toMatchObject([{ inputTokens: 10, outputTokens: 5 }])
  })
})
