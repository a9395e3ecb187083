import { once } from 'node:events'
import type { RequestListener, ServerResponse } from 'node:http'
import { createBrotliCompress, createDeflate, createGzip, gzipSync } from 'node:zlib'
import { describe, expect, test, vi } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import type { RelayBudget } from '../../../../src/main/relay/ports'
import { getRounds, isDeepRun } from '../../../support/depth'
import {
  buildBudget,
  buildTable,
  chatPath,
  chatResponseBody,
  compressZstdRaw,
  contentCodings,
  messagesPath,
  openRequest,
  readBody,
  respondWithJson,
  startGateway,
  startHarness,
  startRelayTo,
  upstream,
} from './support'

interface Reply {
  /** Response body. An array is sent in separate packets. */
  readonly body: string | Buffer | readonly (string | Buffer)[]
  readonly type?: string | undefined
  readonly headers?: Record<string, string>
  readonly status?: number
}

/** Starts a gateway with a fixed response and a relay in front of it, optionally with a second key as fallback. */
async function startRelay(
  replyOrText: Reply | string,
  { hasSecondKey = false, budgets }: { hasSecondKey?: boolean; budgets?: RelayBudget[] } = {},
) {
  const reply: Reply = typeof replyOrText === 'string' ? { body: replyOrText } : replyOrText
  const gateway = await startGateway(async (request, response) => {
    await readBody(request)
    const usesSecondKey = request.headers.authorization === 'Bearer key-two'
    if (usesSecondKey) return respondWithJson(response, chatResponseBody)
    const { body, type = 'text/event-stream', headers = {}, status = 200 } = reply
    response.writeHead(status, { 'content-type': type, ...headers })
    for (const bodyChunk of Array.isArray(body) ? body : [])
      await new Promise((resolve) => response.write(bodyChunk, resolve))
    response.end(Array.isArray(body) ? undefined : body)
  })
  const secondUpstream = upstream(gateway.url, { keyId: 'two', key: new Secret('key-two') })
  const table = buildTable([upstream(gateway.url), ...(hasSecondKey ? [secondUpstream] : [])])
  return startHarness({ ...table, budgets })
}

/** Answers with an event stream. */
const answerStream =
  (write: (response: ServerResponse) => void): RequestListener =>
  async (request, response) => {
    await readBody(request)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    write(response)
  }

const chunk = (choice: object, extraFields: object = {}) => ({
  id: 'chatcmpl-x',
  created: 1,
  model: 'm',
  choices: [{ index: 0, ...choice }],
  ...extraFields,
})
const buildDelta = (delta: object, finish_reason: string | null = null) => chunk({ delta, finish_reason })
const calls = (toolCall: object) => buildDelta({ tool_calls: [{ index: 0, ...toolCall }] })
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const usageChunk = { id: 'chatcmpl-x', choices: [], usage }
const event = (value: unknown) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
const stream = (...values: readonly unknown[]) => [...values, '[DONE]'].map(event).join('')
const prompt = 'one two three four five six seven eight nine ten'
const requestBody = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: prompt }] })
const hiDelta = buildDelta({ content: 'hé' })
const finalDelta = buildDelta({}, 'stop')
const wholeStream = stream(hiDelta, finalDelta, usageChunk)
const budget = buildBudget({ unit: 'tokens', limit: 8 })

describe('usage', () => {
  const streamUsagePerChunk = (...usages: object[]) =>
    stream(hiDelta, ...usages.map((usage) => ({ ...hiDelta, usage })), finalDelta)
  const chatUsage = (prompt_tokens: number, completion_tokens: number, extraFields: object = {}) => ({
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    ...extraFields,
  })

  const cached = (cached_tokens: number, writes: object = {}) => ({
    prompt_tokens_details: { cached_tokens, ...writes },
  })

  type Counts = (number | undefined)[]
  type UsageCase = [name: string, body: string, counts?: Counts]
  /** Usage in the last chunk. */
  const lastUsageCases: [name: string, usage: object, counts?: Counts][] = [
    ['with null beside counts', { prompt_tokens: 10, completion_tokens: 5, total_tokens: null, cached_tokens: null }],
    ['with more cached than prompt tokens', chatUsage(18, 426, cached(8831)), [18, 426, 8831]],
    ['with decimals', { prompt_tokens: 10.0, completion_tokens: 4.6 }],
    ['as text with spaces', { prompt_tokens: ' 10 ', completion_tokens: '5.0' }],
    ['of a total alone', { completion_tokens: 5, total_tokens: 15 }],
    [
      'with DeepSeek’s names',
      chatUsage(100, 5, { prompt_cache_hit_tokens: 80, prompt_cache_miss_tokens: 20 }),
      [20, 5, 80],
    ],
    ['with Moonshot’s name', chatUsage(100, 5, { cached_tokens: 80 }), [20, 5, 80]],
    ['with a zero before the other form', chatUsage(100, 5, { cached_tokens: 0, ...cached(80) }), [20, 5, 80]],
    [
      'with Responses names',
      { input_tokens: 100, output_tokens: 5, input_tokens_details: { cached_tokens: 80 } },
      [20, 5, 80],
    ],
    [
      'with reasoning that has no place in the output',
      { prompt_tokens: 10, completion_tokens: 0, completion_tokens_details: { reasoning_tokens: 5 } },
    ],
    ['with a total that is more than its parts', { ...chatUsage(10, 5), total_tokens: 45 }, [10, 35]],
    [
      'with reasoning as part of the output',
      chatUsage(10, 50, { completion_tokens_details: { reasoning_tokens: 45 } }),
      [10, 50],
    ],
    ['with cache writes', chatUsage(100, 5, cached(60, { cache_write_tokens: 30 })), [10, 5, 60, 30]],
    ['with cache writes of new-api', chatUsage(100, 5, cached(60, { cached_creation_tokens: 30 })), [10, 5, 60, 30]],
    [
      'with both names, the cache in the prompt',
      chatUsage(100, 5, { input_tokens: 20, output_tokens: 5, cache_read_input_tokens: 80 }),
      [20, 5, 80],
    ],
    [
      'with both names, the cache beside the prompt',
      chatUsage(18, 426, { input_tokens: 18, output_tokens: 426, cache_read_input_tokens: 8831 }),
      [18, 426, 8831],
    ],
    [
      'with a cache beside the prompt, by its total',
      { ...chatUsage(100, 5), total_tokens: 185, cache_read_input_tokens: 80 },
      [100, 5, 80],
    ],
    ['with chat names that are zero beside others', chatUsage(0, 0, { input_tokens: 10, output_tokens: 5 })],
  ]
  const chatCases: UsageCase[] = [
    ['that grows in every chunk', streamUsagePerChunk(chatUsage(10, 1), chatUsage(10, 3), chatUsage(10, 5))],
    [
      'in two chunks, the second with the cache',
      streamUsagePerChunk(chatUsage(100, 5), chatUsage(100, 5, cached(80))),
      [20, 5, 80],
    ],
    [
      'with a negative count after a good one',
      streamUsagePerChunk(chatUsage(10, 5), { prompt_tokens: -1, completion_tokens: -1 }),
    ],
    ['in a choice', stream(hiDelta, chunk({ delta: {}, finish_reason: 'stop', usage }))],
    ['in x_groq', stream(hiDelta, { ...finalDelta, x_groq: { usage } })],
    ['in an early chunk', stream({ ...hiDelta, usage }, hiDelta, finalDelta)],
    ['in a chunk after the finish', wholeStream],
    [
      'before zeros',
      stream(
        hiDelta,
        { ...finalDelta, usage },
        { ...usageChunk, usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } },
      ),
    ],
    ['in a delta', stream(hiDelta, buildDelta({ content: '', usage }, 'stop'))],
    ['in a chunk without choices', stream(hiDelta, finalDelta, { usage })],
    ['without an end mark', stream(hiDelta, { ...finalDelta, usage }).replace('data: [DONE]', ': done')],
    ['of several choices', stream(chunk({ index: 1, delta: { content: 'b' } }), hiDelta, { ...finalDelta, usage })],
    [
      isDeepRun ? 'after 16 MB' : 'after 2 MB',
      stream(...Array(getRounds(8, 65)).fill(buildDelta({ content: 'x'.repeat(260_000) })), finalDelta, usageChunk),
    ],
    [
      'with reasoning beside the output',
      stream(hiDelta, { ...usageChunk, usage: { prompt_tokens: 21, completion_tokens: 0, total_tokens: 81 } }),
      [21, 60],
    ],
    [
      'without the cache after a chunk with it',
      streamUsagePerChunk(chatUsage(100, 1, cached(80)), chatUsage(100, 5)),
      [20, 5, 80],
    ],
    ...lastUsageCases.map(
      ([name, usage, counts = [10, 5]]): UsageCase => [
        name,
        stream(hiDelta, finalDelta, { ...usageChunk, usage }),
        counts,
      ],
    ),
  ]
  /** Usage of `message_start` and of each `message_delta`. */
  const messageUsageCases: [name: string, start: object, deltas: object[], counts?: Counts][] = [
    [
      'that grows in each message_delta',
      { input_tokens: 10, output_tokens: 1 },
      [{ output_tokens: 2 }, { output_tokens: 5 }],
    ],
    [
      'with cache writes by lifetime',
      { input_tokens: 10, cache_creation: { ephemeral_5m_input_tokens: 7, ephemeral_1h_input_tokens: 3 } },
      [{ output_tokens: 5 }],
      [10, 5, undefined, 10],
    ],
    [
      'with cache writes in total and by lifetime',
      { input_tokens: 10, cache_creation_input_tokens: 10, cache_creation: { ephemeral_5m_input_tokens: 10 } },
      [{ output_tokens: 5 }],
      [10, 5, undefined, 10],
    ],
    [
      'with the cache in message_delta alone',
      { input_tokens: 10, output_tokens: 0 },
      [{ cache_creation_input_tokens: 0, cache_read_input_tokens: 80, output_tokens: 5 }],
      [10, 5, 80],
    ],
    ['in message_delta with chat names', {}, [{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }]],
    [
      'in a later event that knows of the cache',
      { input_tokens: 8834, output_tokens: 0 },
      [{ input_tokens: 18, cache_read_input_tokens: 8831, output_tokens: 426 }],
      [18, 426, 8831],
    ],
    [
      'in a later event without input',
      { input_tokens: 18, output_tokens: 1 },
      [{ input_tokens: 0, output_tokens: 4 }],
      [18, 4],
    ],
  ]
  const startEvent = (usage: object) =>
    event({ type: 'message_start', message: { id: 'msg_a', model: 'm', content: [], usage } })
  const deltaEvent = (usage: object) => event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage })
  const messageStopEvent = event({ type: 'message_stop' })
  const messagesCases: UsageCase[] = [
    ...messageUsageCases.map(
      ([name, start, deltas, counts = [10, 5]]): UsageCase => [
        name,
        startEvent(start) + deltas.map(deltaEvent).join('') + messageStopEvent,
        counts,
      ],
    ),
    [
      'between pings and unknown events',
      `event: ping\ndata: {"type":"ping"}\n\n${startEvent({ input_tokens: 10 })}event: ping\n\nevent: vendor_status\ndata: {"message":"thinking"}\n\n${deltaEvent({ output_tokens: 5 })}${messageStopEvent}`,
    ],
    [
      'in a message_stop event',
      startEvent({}) + deltaEvent({}) + event({ type: 'message_stop', usage: { input_tokens: 10, output_tokens: 5 } }),
    ],
  ]

  const usageCases = [
    ...chatCases.map((usageCase) => [chatPath, ...usageCase] as const),
    ...messagesCases.map((usageCase) => [messagesPath, ...usageCase] as const),
  ].map(([path, name, body, counts = [10, 5]]) => ({ path, name, body, counts }))
  test.each(usageCases)(
    '$name is counted once, and a budget of that many tokens refuses the next request',
    async ({ path, body, counts }) => {
      const [input, output, cacheRead = 0, cacheWrite = 0] = counts
      const limit = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0)
      const { send, entries } = await startRelay(body, { budgets: [{ ...budget, limit }] })
      expect((await send(path, requestBody)).status).toBe(200)
      const [{ inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, ...entry } = {}] = entries
      const recorded = [inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens]
      expect(recorded).toEqual([input, output, cacheRead, cacheWrite])
      expect([entries.length, entry]).toMatchObject([1, { error: undefined }])
      expect(entry).not.toHaveProperty('isEstimated')
      expect((await send(path, requestBody)).status).toBe(429)
    },
  )

  test.each(contentCodings.filter(([coding]) => coding !== 'identity'))(
    'of a response compressed with %s is read, and the tool gets it decompressed',
    async (coding, pack) => {
      const headers = { 'content-encoding': coding }
      const { send, entries } = await startRelay({ body: pack(Buffer.from(wholeStream)), headers })
      const response = await send(chatPath, requestBody)
      expect(response.headers['content-encoding']).toBeUndefined()
      expect(response.body).toBe(stream(hiDelta, finalDelta))
      expect(entries).toMatchObject([{ inputTokens: 10, outputTokens: 5 }])
    },
  )
})

test.each([
  ['gzip', gzipSync],
  ['zstd', compressZstdRaw],
])('a refusal compressed with %s is read, and the next key is used', async (coding, pack) => {
  const body = pack(Buffer.from('{"error":{"code":"quota_exhausted","message":"boom"}}'))
  const reply = { body, type: 'application/json', headers: { 'content-encoding': coding }, status: 429 }
  const { send, entries } = await startRelay(reply, { hasSecondKey: true })
  expect((await send(chatPath, requestBody)).body).toBe(JSON.stringify(chatResponseBody))
  expect(entries.map(({ error }) => error)).toEqual(['quota', undefined])
})

test.each([
  ['gzip', createGzip],
  ['br', createBrotliCompress],
  ['deflate', createDeflate],
])('a stream compressed with %s reaches the tool as it arrives', async (coding, create) => {
  const compressor = create()
  const { url, entries } = await startRelayTo(async (request, response) => {
    await readBody(request)
    response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': coding })
    compressor.pipe(response)
    compressor.write(event(hiDelta))
    compressor.flush()
  })
  const [response] = await once(openRequest(url + chatPath).end(requestBody), 'response')
  expect(String((await once(response, 'data'))[0])).toBe(event(hiDelta))
  compressor.end(stream(finalDelta, usageChunk))
  await once(response, 'end')
  expect(entries).toMatchObject([{ inputTokens: 10, outputTokens: 5, error: undefined }])
})

type Malformed = [name: string, body: string | Buffer, error?: string, type?: string]
const inferType = (body: string | Buffer) => (/^[[{]/.test(body.toString()) ? 'application/json' : 'text/event-stream')
const fillDefaults = ([name, body, error = 'server', type = inferType(body)]: Malformed) => {
  return { name, body, error, type }
}

const malformedRows: Malformed[] = [
  ['an error with a number', '{"error":{"code":503,"message":"boom"}}'],
  ['an error that holds another', '{"error":{"error":{"message":"boom"}}}'],
  ['details in a message', '{"object":"error","message":{"detail":[{"msg":"boom"}]},"code":null}'],
  ['details as text', '{"detail":"boom"}'],
  ['an error of vLLM', '{"object":"error","message":"boom","type":"InternalServerError","code":500}'],
  ['a list of errors', '{"errors":[{"message":"boom"}]}'],
  ['an error of Gemini', '[{"error":{"code":503,"message":"boom","status":"UNAVAILABLE"}}]'],
  ['a code beside empty data', '{"code":500,"msg":"boom","data":{},"success":false}'],
  ['an error event without a space', 'event:error\ndata:{"message":"boom"}\n\n'],
  ['an error event of another name', 'event: response.error\ndata: {"code":"x","message":"boom"}\n\n'],
  ['a bare error after comments', ': OPENROUTER PROCESSING\n\n{"error":{"message":"boom"}}\n'],
  ['an error in a delta', event(buildDelta({ error: 'boom' }))],
  ['an overloaded engine', event(buildDelta({}, 'insufficient_system_resource'))],
  ['a web page after a comment', '<!-- proxy -->\n<html><title>boom</title>', 'path', 'text/html; charset=utf-8'],
  [
    'a page of XML',
    '<?xml version="1.0"?><!DOCTYPE html><html><title>boom</title></html>',
    'path',
    'text/html; charset=utf-8',
  ],
  ['a key in words', '{"error":{"type":"authentication_error","message":"boom"}}', 'key'],
  ['a balance in words', '{"error":{"code":"insufficient_balance","message":"boom"}}', 'plan'],
  ['an error as text', '{"error":"boom"}'],
  ['an error with a code', '{"code":"50001","msg":"boom"}'],
  ['a list of details', '{"detail":[{"msg":"boom","loc":[]}]}'],
  ['an error beside an empty list', '{"choices":[],"error":{"message":"boom"}}'],
  ['a failed base_resp', '{"base_resp":{"status_code":"1004","status_msg":"boom"}}'],
  ['an error of Messages', '{"type":"error","error":{"type":"overloaded_error","message":"boom"}}'],
  ['an error event of text', 'event: error\r\ndata: boom\r\n\r\n'],
  [
    'an error event after a role',
    event(buildDelta({ role: 'assistant', content: '' })) + event({ error: { code: 502, message: 'boom' } }),
  ],
  ['an error in a choice', event(chunk({ delta: {}, error: { message: 'boom' } }))],
  ['an error in a message', '{"choices":[{"message":{"content":"","error":{"message":"boom"}}}]}'],
  ['an error as the finish reason', event(buildDelta({}, 'error'))],
  ['a long web page', `\n<html><title>boom</title>${'<p>'.repeat(40_000)}`, 'path', 'text/html'],
  ['text', 'boom', 'path', 'text/plain'],
  ['JSON of another kind', '{"result":"boom"}', 'path'],
  ['a packed error', gzipSync('{"error":"boom"}'), 'server', 'gzip'],
  ['a quota in words', '{"error":"The quota of this key is used up: boom"}', 'quota'],
]
const malformedResponses = malformedRows.map(fillDefaults)
const buildReply = (body: string | Buffer, type: string): Reply =>
  type === 'gzip' ? { body, type: 'application/json', headers: { 'content-encoding': 'gzip' } } : { body, type }

describe('a response with status 200', () => {
  const failures: Malformed[] = [
    ['nothing', '', 'cut', 'application/json'],
    ['comments only', ': processing\n\n', 'cut'],
    ['a role only', event(buildDelta({ role: 'assistant', content: '' })), 'cut'],
    ['an error after text', event(hiDelta) + event({ error: 'boom' })],
  ]
  const recordedFailures = [...malformedResponses, ...failures.map(fillDefaults)]
  test.each(recordedFailures)('that is $name is passed on unchanged, and recorded as a failure', async (failure) => {
    const { body, type, error } = failure
    const { send, entries } = await startRelay(buildReply(body, type))
    const response = await send(chatPath, requestBody)
    expect([response.status, response.body]).toEqual([200, type === 'gzip' ? '{"error":"boom"}' : body])
    expect(entries).toMatchObject([{ error }])
  })

  const namelessCall = { id: 'c', function: { arguments: '{}' } }
  const emptyResponses: Malformed[] = [
    ['nothing', '', 'server', 'application/json'],
    ['comments only', ': processing\n\n'],
    ['a role only', event(buildDelta({ role: 'assistant', content: '' }))],
    ['a call without a name', stream(calls(namelessCall), finalDelta)],
    ['a call without a name in one piece', JSON.stringify(chunk({ message: { tool_calls: [namelessCall] } }))],
  ]
  const replacedResponses = [...malformedResponses, ...emptyResponses.map(fillDefaults)]
  test.each(replacedResponses)('that is $name is replaced by that of the next key', async ({ body, type, error }) => {
    for (const path of [chatPath, '/t/x/v1/responses']) {
      const { send, entries } = await startRelay(buildReply(body, type), { hasSecondKey: true })
      const request = path === chatPath ? requestBody : JSON.stringify({ model: 'm', input: prompt })
      const response = await send(path, request)
      if (path === chatPath) expect(response.body).toBe(JSON.stringify(chatResponseBody))
      else expect(response.body).toMatch(/"status":"completed".*"text":"Hi"/)
      expect(entries).toMatchObject([
        { keyId: 'key-1', error },
        { keyId: 'two', error: undefined },
      ])
    }
  })

  test.each<[string, string, string | undefined]>([
    ['an empty message', JSON.stringify(chunk({ message: { content: '' }, finish_reason: 'stop' })), undefined],
    ['an empty list of errors', JSON.stringify({ ...chatResponseBody, error: [], errors: [] }), undefined],
    [
      'a code of success',
      JSON.stringify({
        ...chatResponseBody,
        code: 200,
        error: { code: 200, message: 'ok' },
        base_resp: { status_code: 0 },
      }),
      undefined,
    ],
    ['a progress event', `event: progress\ndata: {"message":"queued"}\n\n${stream(hiDelta, finalDelta)}`, undefined],
    ['a bad request in words', '{"error":"Invalid request: no messages"}', 'badRequest'],
    ['a call limit in words', '{"error":"Rate limit exceeded"}', 'rateLimit'],
    ['a wrong parameter', '{"code":"InvalidParameter","message":"no"}', 'badRequest'],
    ['a bad request', '{"error":{"type":"invalid_request_error","message":"no"}}', 'badRequest'],
    ['a model that is not in the plan', '{"error":{"code":"model_not_in_plan","message":"no"}}', 'model'],
    ['a call limit', '{"error":{"code":429,"message":"slow down"}}', 'rateLimit'],
    [
      'an empty error',
      event({ ...hiDelta, error: {} }) + stream({ ...finalDelta, error: { code: 0, message: '' } }),
      undefined,
    ],
  ])('that is %s goes to the tool although there is another key', async (_, body, error) => {
    const { send, entries } = await startRelay(body, { hasSecondKey: true })
    expect((await send(chatPath, requestBody.replace('true', 'false'))).body).toBe(body)
    expect(entries).toMatchObject([{ keyId: 'key-1', error }])
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
  const parseLastEvent = (body: string) =>
    JSON.parse(body.trim().split('\n').at(-1)?.slice('data: '.length) ?? '').response

  const part = (name?: unknown, args?: unknown, place: object = { id: 'c' }) =>
    calls({ ...place, function: { name, arguments: args } })
  const unplaced = (id?: string) => ({ index: undefined, id })
  const wholeMessage = (toolCall: object) => chunk({ message: { tool_calls: [toolCall] }, finish_reason: 'stop' })
  const wholeCall = { id: 'c', function: { name: 'ls', arguments: '{"a":1}' } }
  const toBody = (body: string | object[]) => (typeof body === 'string' ? body : stream(...body, finalDelta))

  test.each<[name: string, body: string | object[], call?: object]>([
    ['a late name', [part(undefined, ''), part('ls', '{"a":1}', {})]],
    ['a name after the arguments', [part(undefined, '{"a":1}'), part('ls', undefined, {})]],
    ['a name in pieces', [part('l'), part('s', undefined, {}), part(undefined, '{"a":1}', {})]],
    ['a repeated name', [part('ls', '{"a"'), part('ls', ':1}')]],
    ['arguments as an object', [part('ls', { a: 1 })]],
    [
      'numbers as text, and null for what is absent',
      stream(
        buildDelta({
          content: null,
          tool_calls: [{ index: '0', ...wholeCall, type: null, function: { name: 'ls', arguments: null } }],
        }),
        buildDelta({ tool_calls: [{ index: '0', id: null, function: { name: null, arguments: '{"a"' } }] }),
        buildDelta({ tool_calls: [{ index: '0', function: { arguments: ':1}' } }] }),
        buildDelta({ tool_calls: [] }, 'tool_calls'),
      ),
    ],
    ['arguments under another index', [part('ls', ''), part(undefined, '{"a":1}', { index: 1 })], { call_id: 'c' }],
    ['no index and no id', [part('ls', '{"a"', unplaced()), part(undefined, ':1}', unplaced())]],
    ['an id after an empty one', [part('ls', '{"a"', { id: '' }), part(undefined, ':1}')], { call_id: 'c' }],
    ['another id in every chunk', [part('ls', '{"a"', { id: 'a' }), part('ls', ':1}', { id: 'b' })], { call_id: 'a' }],
    ['a name that grows in every chunk', [part('l'), part('ls'), part('ls', '{"a":1}', {})]],
    ['complete arguments that the last chunk repeats', [part('ls', '{"a":1}'), part('ls', '{"a":1}')]],
    ['an empty object as text before', [part('ls', '{}'), part(undefined, '{"a"', {}), part(undefined, ':1}', {})]],
    [
      'null for its arguments',
      [calls({ ...wholeCall, function: { name: 'ls', arguments: null } })],
      { arguments: '{}' },
    ],
    ['name and arguments beside the function', [calls({ id: 'c', name: 'ls', arguments: '{"a":1}', function: null })]],
    ['the message repeated after its deltas', stream(part('ls', '{"a":1}'), wholeMessage(wholeCall))],
    ['an empty object before its arguments', [part('ls', {}), part(undefined, '{"a":1}', {})]],
    [
      'an index that begins at 1, in a choice that does as well',
      stream(
        chunk({ index: 1, delta: { tool_calls: [{ index: 1, ...wholeCall }] } }),
        chunk({ index: 1, delta: {}, finish_reason: 'tool_calls' }),
      ),
    ],
    ['a message in a stream', stream(wholeMessage({ id: 'c', function: { name: 'ls', arguments: { a: 1 } } }))],
    ['a complete body in place of a stream', JSON.stringify(wholeMessage(wholeCall))],
    [
      'an old function call',
      stream(
        buildDelta({ function_call: { name: 'ls', arguments: '{"a"' } }),
        buildDelta({ function_call: { arguments: ':1}' } }),
        buildDelta({}, 'function_call'),
      ),
    ],
  ])('gets a call with %s', async (_name, body, call) => {
    const { send, entries } = await startRelay(toBody(body))
    const response = parseLastEvent((await send(responsesPath, input())).body)
    const expectedCall = { type: 'function_call', name: 'ls', arguments: '{"a":1}', ...call }
    expect([response.status, response.output]).toMatchObject(['completed', [expectedCall]])
    expect(entries).toMatchObject([{ error: undefined }])
  })

  test.each<[name: string, deltas: object[]]>([
    ['one index and different ids', [part('ls', '{"n":1}', { id: 'a' }), part('ls', '{"n":2}', { id: 'b' })]],
    [
      'one index and empty ids, in one chunk',
      [
        buildDelta({
          tool_calls: [1, 2].map((n) => ({ index: 0, id: '', function: { name: 'ls', arguments: `{"n":${n}}` } })),
        }),
      ],
    ],
    [
      'different indexes and one id',
      [part('ls', '{"n":1}', { id: 'a' }), part('ls', '{"n":2}', { index: 1, id: 'a' })],
    ],
    [
      'no index, each with its id in every chunk',
      [
        part('ls', '{"n"', unplaced('a')),
        part('ls', ':1}', unplaced('a')),
        part('ls', '{"n"', unplaced('b')),
        part(undefined, ':2}', unplaced('b')),
      ],
    ],
    [
      'an index that is right only for the arguments of the second',
      [part('ls', '{"n":1}', { id: 'a' }), part('ls', '', { id: 'b' }), part(undefined, '{"n":2}', { index: 1 })],
    ],
  ])('gets two calls with %s', async (_name, deltas) => {
    const { send } = await startRelay(toBody(deltas))
    const { output } = parseLastEvent((await send(responsesPath, input())).body)
    expect(output).toMatchObject([{ arguments: '{"n":1}' }, { arguments: '{"n":2}' }])
  })

  const hi = { content: 'hé' }
  const deltaCases: [name: string, ...deltas: object[]][] = [
    [
      'parts of content',
      { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'th' }] }] },
      { content: [{ type: 'text', text: 'hé' }] },
    ],
    ['reasoning next to an empty field', { reasoning_content: '', reasoning: 'th' }, hi],
    ['text as one part', { content: { type: 'text', text: 'hé' } }],
    ['thoughts as a part', { content: [{ type: 'reasoning', text: 'th' }, 'hé'] }],
    ['reasoning_text', { reasoning_text: 'th' }, hi],
    [
      'reasoning_details',
      {
        reasoning: null,
        reasoning_details: [
          { type: 'reasoning.text', text: 't' },
          { type: 'reasoning.summary', summary: 'h' },
          { type: 'reasoning.encrypted', data: 'x' },
        ],
      },
      hi,
    ],
  ]
  test.each<[string, Reply['body'], string?]>([
    ...deltaCases.map(([name, ...deltas]): [string, string] => [
      name,
      stream(...deltas.map((delta) => buildDelta(delta)), finalDelta, usageChunk),
    ]),
    ['a byte order mark behind a comment', `: hello\n\n\ufeff${wholeStream}`],
    [
      'its message repeated in the last chunk',
      stream(
        buildDelta({ content: 'h' }),
        buildDelta({ content: 'é' }),
        chunk({ message: { content: 'hé' }, finish_reason: 'stop' }),
        usageChunk,
      ),
    ],
    ['an end mark in quotes', stream(hiDelta, usageChunk).replace('[DONE]', '"[DONE]"')],
    ['spaces before the fields', wholeStream.replaceAll('data:', ' data:')],
    ['an empty first chunk', stream({ choices: [], prompt_filter_results: [] }, hiDelta, finalDelta, usageChunk)],
    [
      'a body after comments',
      `: keep-alive\n\n${JSON.stringify({ ...chunk({ message: { content: 'hé' }, finish_reason: 'stop' }), usage })}\n`,
    ],
    ['progress events', `event: progress\ndata: {"message":"queued"}\n\n${wholeStream}`],
    ['a wrong content type', wholeStream, 'application/json'],
    ['events without blank lines', wholeStream.replaceAll('\n\n', '\n')],
    ['values without events', [hiDelta, finalDelta, usageChunk].map((value) => `${JSON.stringify(value)}\n`).join('')],
    ['carriage returns', wholeStream.replaceAll('\n', '\r')],
    ['blank lines and comments before it', `\n\n: hello\n\n${wholeStream}`],
    [
      'a body of another choice first',
      JSON.stringify({
        choices: [
          { index: 1, message: { content: 'b' } },
          { index: 0, message: { content: 'hé' }, finish_reason: 'stop' },
        ],
        usage,
      }),
    ],
    ['no finish reason', stream(hiDelta, usageChunk)],
    ['characters that are split over packets', [...Buffer.from(wholeStream)].map((byte) => Buffer.of(byte))],
    [
      'null in each field',
      stream(
        buildDelta({ role: 'assistant', content: null, reasoning: null, tool_calls: null, refusal: null }),
        hiDelta,
        finalDelta,
        {
          ...usageChunk,
          choices: null,
        },
      ),
    ],
    [
      'a finish reason in every chunk',
      stream(buildDelta({ content: 'h' }, 'stop'), buildDelta({ content: 'é' }, 'stop'), usageChunk),
    ],
  ])('gets the complete text of a stream with %s', async (_name, body, type) => {
    const { send, entries } = await startRelay({ body, type })
    const answer = await send(responsesPath, input())
    const response = parseLastEvent(answer.body)
    expect(response).toMatchObject({ status: 'completed', usage: { input_tokens: 10, output_tokens: 5 } })
    expect(response.output.at(-1)).toMatchObject({ type: 'message', content: [{ text: 'hé' }] })
    const [thoughts] = response.output.length > 1 ? response.output : []
    if (thoughts !== undefined) expect(thoughts).toMatchObject({ type: 'reasoning', content: [{ text: 'th' }] })
    expect(entries).toMatchObject([{ inputTokens: 10, outputTokens: 5, error: undefined }])
  })

  test.each([
    ['length', 'max_output_tokens'],
    ['MAX_TOKENS', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
    ['SAFETY', 'content_filter'],
    ['sensitive', 'content_filter'],
  ])('gets an incomplete response without its last call for the finish reason %s', async (finish, reason) => {
    const truncatedToolCall = calls({ id: 'c', function: { name: 'ls', arguments: '{"path":"/' } })
    const { send } = await startRelay(stream(hiDelta, truncatedToolCall, buildDelta({}, finish)))
    const response = parseLastEvent((await send(responsesPath, input())).body)
    expect(response).toMatchObject({ status: 'incomplete', incomplete_details: { reason } })
    expect(response.output).toMatchObject([{ type: 'message' }])
  })

  const namelessCall = calls({ id: 'c', function: { arguments: '{}' } })
  const groqError = '{"error":{"message":"boom","code":"tool_use_failed","type":"invalid_request_error"}}'
  test.each<[name: string, reply: string | Reply, message: RegExp, error?: string]>([
    ['an unknown coding', { body: 'packed', headers: { 'content-encoding': 'compress' } }, /text/, 'path'],
    ['an error in a choice', event(hiDelta) + event(chunk({ delta: {}, error: { message: 'boom' } })), /boom/],
    ['a bare line of JSON', `${event(hiDelta)}{"error":{"message":"boom"}}\n\n`, /boom/],
    ['a web page', { body: '<!doctype html><title>Sign in</title>', type: 'text/html' }, /web page.*Sign in/, 'path'],
    ['a stream that just ends', event(hiDelta), /ended/],
    ['a stream that ends within a call', event(part('ls', '{"a')), /ended/],
    ['an overloaded engine', event(hiDelta) + event(buildDelta({}, 'insufficient_system_resource')), /insufficient_/],
    ['a call without a name after text', stream(hiDelta, namelessCall, finalDelta), /without naming/],
    ['an error of Groq', `${event(hiDelta)}event: error\ndata: ${groqError}\n\n`, /boom/, 'badRequest'],
  ])('that gets %s fails with a message, in the ledger too', async (...row) => {
    const [, reply, pattern, error = 'server'] = row
    const { send, entries } = await startRelay(reply)
    const { headers, body } = await send(responsesPath, input())
    expect(headers['content-encoding']).toBeUndefined()
    expect(parseLastEvent(body)).toMatchObject({ status: 'failed', error: { message: expect.stringMatching(pattern) } })
    expect(entries).toMatchObject([{ error }])
  })

  test.each(malformedResponses)('that gets $name fails with the gateway’s message', async ({ body, type, error }) => {
    const { send, entries } = await startRelay(buildReply(body, type))
    const answer = await send(responsesPath, input(false))
    const { status, error: reportedError } = JSON.parse(answer.body)
    if (error === 'quota') expect([answer.status, reportedError.type]).toEqual([429, 'usage_limit_reached'])
    else expect([answer.status, status]).toEqual([200, 'failed'])
    expect(reportedError.message).toMatch(/boom|ended its response with an error/)
    expect(entries).toMatchObject([{ error }])
  })

  test('gets keep-alive events for comments and empty deltas of the gateway', async () => {
    const chunks = [
      ': thinking\n\n',
      event(buildDelta({})),
      ': thinking\n\n',
      '\n',
      'event: ping\n\n',
      event({ type: 'ping' }),
      event(buildDelta({ content: '', tool_calls: [] })),
      stream(hiDelta, finalDelta),
    ]
    let writeNext = (): unknown => undefined
    const { url } = await startRelayTo(
      answerStream((response) => {
        writeNext = () => (chunks.length === 1 ? response.end(chunks.shift()) : response.write(chunks.shift() ?? ''))
        writeNext()
      }),
    )
    const [response] = await once(openRequest(url + responsesPath).end(input()), 'response')
    const receivedLines: string[] = []
    for await (const bytes of response) {
      receivedLines.push(String(bytes))
      writeNext()
    }
    expect(receivedLines.slice(1, -1).every((text) => text.startsWith('event: response.in_progress'))).toBe(true)
    expect(receivedLines.length).toBeGreaterThanOrEqual(8)
  })
})

describe('a token budget', () => {
  const text = stream(hiDelta, finalDelta)
  const json = JSON.stringify({ ...chatResponseBody, usage: undefined })

  const responses: [name: string, reply: string | Reply, request?: string, path?: string][] = [
    ['that ended without usage', text],
    [
      'of Messages without usage',
      event({ type: 'message_start', message: {} }) +
        event({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'hé' } }) +
        event({ type: 'message_stop' }),
      requestBody,
      messagesPath,
    ],
    ['that just ends', event(hiDelta)],
    ['that ends with an error event', `${event(hiDelta)}event: error\ndata: {"message":"boom"}\n\n`],
    [
      'with usage of zeros',
      stream(hiDelta, finalDelta, { ...usageChunk, usage: { prompt_tokens: 0, completion_tokens: 0 } }),
    ],
    ['in one piece without usage', { body: json, type: 'application/json' }, requestBody.replace('true', 'false')],
    ['of the second choice', stream(chunk({ index: 1, delta: { content: 'y '.repeat(40) } }), finalDelta)],
    ['in another form', { body: '{"result":"hi"}', type: 'application/json' }],
    ['of plain text', { body: 'hi', type: 'text/plain' }],
    [
      'of a prompt of numbers',
      { body: '{"choices":[{"text":"hi"}]}', type: 'application/json' },
      '{"model":"m","prompt":[1,2,3,4,5,6,7,8,9,10,11,12]}',
      '/t/x/v1/completions',
    ],
    ['in an unknown coding', { body: 'abcd', headers: { 'content-encoding': 'compress' } }],
    ['of nothing', ''],
    [
      'with negative usage',
      stream(hiDelta, finalDelta, { ...usageChunk, usage: { prompt_tokens: -5, completion_tokens: -5 } }),
    ],
    [
      'whose usage is not a number',
      event(hiDelta) + event(finalDelta) + event('{"choices":[],"usage":{"prompt_tokens":NaN}}'),
    ],
    [
      'of embeddings without usage',
      { body: '{"data":[{"embedding":[1]}]}', type: 'application/json' },
      JSON.stringify({ model: 'm', input: prompt }),
      '/t/x/v1/embeddings',
    ],
    [
      'of the Responses protocol',
      text,
      JSON.stringify({ model: 'm', input: prompt, stream: true }),
      '/t/x/v1/responses',
    ],
  ]
  test.each(responses)('refuses the next request after a response %s', async (...row) => {
    const [, reply, body = requestBody, path = chatPath] = row

    const { send, entries } = await startRelay(reply, { budgets: [budget] })
    expect((await send(path, body)).status).toBe(200)
    expect((await send(path, body)).status).toBe(429)
    expect(entries).toMatchObject([{ isEstimated: true }, { error: 'budget' }])
  })

  test.each<[string, string, string]>([
    [chatPath, requestBody, event(hiDelta)],
    [messagesPath, requestBody, event({ type: 'message_start', message: { usage: { input_tokens: 0 } } })],
    ['/t/x/v1/responses', JSON.stringify({ model: 'm', input: prompt, stream: true }), event(hiDelta)],
  ])('refuses the next request after a response of %s was torn', async (path, request, eventText) => {
    const tornAnswer = answerStream((response) => response.write(eventText, () => response.destroy()))
    const { send, entries } = await startRelayTo(tornAnswer, {}, { budgets: [budget] })
    await send(path, request).catch(() => undefined)
    await vi.waitFor(() => expect(entries).toMatchObject([{ error: 'cut', isEstimated: true }]), { interval: 1 })
    expect((await send(path, request)).status).toBe(429)
  })

  test('refuses the next request after a response of a gateway that rejects stream_options', async () => {
    const answer: RequestListener = async (request, response) => {
      const hasStreamOptions = (await readBody(request)).includes('stream_options')
      const [status, type, body] = hasStreamOptions ? [422, 'text/plain', ''] : [200, 'text/event-stream', text]
      response.writeHead(status, { 'content-type': type }).end(body)
    }
    const { send, entries } = await startRelayTo(answer, {}, { budgets: [budget] })
    expect((await send(chatPath, requestBody)).body).toBe(text)
    expect((await send(chatPath, requestBody)).status).toBe(429)
    expect(entries).toMatchObject([{ status: 422 }, { isEstimated: true }, { error: 'budget' }])
  })
})
