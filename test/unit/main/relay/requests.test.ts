import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import {
  answerChat,
  buildBudget as budget,
  buildTable,
  chatPath,
  chatRequestBody,
  chatResponseBody,
  compressZstdRaw,
  contentCodings,
  messagesPath,
  openRequest,
  readBody,
  respondWithJson,
  startGateway,
  startHarness,
  startRecordingRelay,
  startRelayTo,
  upstream,
} from './support'

test.each([
  ['companion-check', 403, 0],
  ['companion-check', 200, 1],
  ['aurora', 403, 1],
])('a request for %s with status %i is recorded %i times', async (model, status, count) => {
  const { send, entries } = await startRelayTo((_, response) => respondWithJson(response, chatResponseBody, status))
  expect((await send(chatPath, JSON.stringify({ model, messages: [] }))).status).toBe(status)
  expect(entries).toHaveLength(count)
})

test.each([
  '/v1/chat/%63ompletions',
  '/v1/messages/',
  '/v1/completions/',
  '/v1/fim/completions/',
  '/v1/moderations/',
  '/v1/messages/batches',
  '/v1/responses/',
  '/v1/images/generations',
  '/v1/audio/speech',
  '/v1/rerank',
  '/v1/embeddings/',
])('a used-up budget refuses and records %s', async (path) => {
  const { send, sendChat, received, entries } = await startRecordingRelay({ budgets: [budget()] })
  await sendChat()
  const body = path.includes('responses') ? '{"model":"aurora","input":"Hi"}' : chatRequestBody
  expect((await send(`/t/x${path}`, body)).status).toBe(429)
  expect([received.length, entries.at(-1)]).toMatchObject([1, { error: 'budget', status: 429, toolId: 'x' }])
})

describe('a path unknown to the relay', () => {
  const paths = [
    '/openai/v1/chat/completions',
    '/v1/chat/completions.json',
    '/v1/models/aurora',
    '/v1/responses/compact',
    '/v1/chat/completions%EF%BC%8F',
    '/v1/models',
    '/v1beta/models/aurora:generateContent',
  ]

  test.each(paths)('%s is refused under a budget, naming the setting that allows it', async (path) => {
    const { send, received, entries } = await startRecordingRelay({ budgets: [budget({ limit: 5 })] })
    const rejectedResponse = await send(`/t/x${path}`, chatRequestBody)
    expect([rejectedResponse.status, JSON.parse(rejectedResponse.body).error.message]).toEqual([
      403,
      expect.stringContaining('Relay: "Let requests through that budgets cannot count"'),
    ])
    expect([received, entries]).toMatchObject([[], [{ error: 'relay', status: 403 }]])
  })

  test('is passed on unchanged if the user allowed it, and is counted', async () => {
    const { send, received, entries } = await startRecordingRelay({
      budgets: [budget({ limit: 1 })],
      allowsUncounted: true,
    })
    expect((await send('/t/x/openai/v1/Chat/completions/?a=1', chatRequestBody)).status).toBe(200)
    expect((await send('/t/x/v2/generate', chatRequestBody)).status).toBe(429)
    expect(received).toMatchObject([{ url: '/openai/v1/Chat/completions/?a=1' }])
    expect(entries).toMatchObject([{ modelCode: 'aurora', inputTokens: 8, error: undefined }, { error: 'budget' }])
  })

  test('is recorded without a budget, unless it is read-only or missing at the gateway', async () => {
    const { send, entries } = await startRelayTo((request, response) =>
      respondWithJson(response, {}, request.url?.startsWith('/missing') ? 404 : 200),
    )
    for (const path of ['/v1/generate', '/missing', '/v1/messages/count_tokens'])
      await send(`/t/x${path}`, chatRequestBody)
    await send('/t/x/v1/files')
    expect(entries).toMatchObject([{ modelCode: 'aurora', status: 200 }])
  })
})

test.each<[string, number, object | string, object[]]>([
  ['missing', 404, { error: { message: 'no' } }, []],
  ['not implemented', 501, { error: { message: 'no' } }, []],
  ['refused in words', 400, { error: { message: 'count_tokens is not supported for this model' } }, []],
  ['an unknown address', 400, { error: { message: 'Invalid URL (POST /v1/messages/count_tokens)' } }, []],
  ['answered with a page', 200, '<!doctype html><title>App</title>', []],
  ['forbidden to the key', 401, { error: { message: 'no' } }, [{ status: 401, error: 'key' }]],
  ['refused for its body', 400, { error: { message: 'messages: required' } }, [{ status: 400, error: 'badRequest' }]],
])('counting tokens that is %s is recorded only if it is a failure', async (_, status, body, recorded) => {
  const { send, entries } = await startRelayTo((_, response) => {
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  expect((await send(`${messagesPath}/count_tokens`, chatRequestBody)).status).toBe(status)
  expect(entries).toMatchObject(recorded)
  expect(entries).toHaveLength(recorded.length)
})

/** Unusual request bodies that all gateways parse as a request for the model `m1`. */
const modelRequestJson = '{"model":"m1","messages":[]}'
const sameModelBodies: [string, string | Buffer, Record<string, string>][] = [
  ['a duplicate key', '{"model":"m2","messages":[],"model":"m1"}', {}],
  ['an escaped name', '{"mod\\u0065l":"m1","messages":[]}', {}],
  ['an escaped value', '{"model":"\\u006d1","messages":[]}', {}],
  ['a byte order mark', `\ufeff${modelRequestJson}`, {}],
  ['UTF-16 without a mark', Buffer.from(modelRequestJson, 'utf16le'), {}],
  ['UTF-16 of the other order', Buffer.from(`\ufeff${modelRequestJson}`, 'utf16le').swap16(), {}],
  ['gzip', gzipSync(modelRequestJson), { 'content-encoding': 'gzip' }],
  ['1.2 MB before the model', `{"messages":[{"role":"user","content":"${'x'.repeat(1_200_000)}"}],"model":"m1"}`, {}],
]
/** Ambiguous request bodies that only some gateways parse as a request for the model `m1`. */
const unreadableBodies: readonly (readonly [string, string | Buffer])[] = [
  ['a comment', `/**/${modelRequestJson}`],
  ['a number that is none', '{"model":"m1","temperature":NaN}'],
  ['another case', '{"model":"m2","Model":"m1"}'],
  ['a model in another case', '{"model":"M1"}'],
  ['a space after the model', '{"model":"m1 "}'],
  ['an invisible character in the model', '{"model":"m\\u200b1"}'],
  ['more spaces before the model than a model has letters', JSON.stringify({ model: `${' '.repeat(300)}m1` })],
  ['wide letters in the model', '{"model":"\\uff4d1"}'],
  ['UTF-32', Buffer.from([...modelRequestJson].flatMap((letter) => [letter.charCodeAt(0), 0, 0, 0]))],
  ['a form', 'model=m1&messages=[]'],
  ['no model', '{"messages":[]}'],
  ['a number as the model', '{"model":1}'],
  ['the model in a prototype', '{"__proto__":{"model":"m1"}}'],
  ['a second document', `{"model":"m2"}\n${modelRequestJson}`],
]

describe('a used-up budget for a model', () => {
  const budgets = [budget({ of: { modelCode: 'm1' } })]

  test.each(sameModelBodies)('refuses a body with %s', async (_, body, headers) => {
    const { send, received, entries } = await startRecordingRelay({ budgets })
    await send(chatPath, modelRequestJson)
    expect((await send(chatPath, body, headers)).status).toBe(429)
    expect([received.length, entries.at(-1)]).toMatchObject([1, { error: 'budget', modelCode: 'm1' }])
    expect((await send(chatPath, '{"model":"m2","messages":[]}')).status).toBe(200)
  })

  test.each(unreadableBodies)('refuses a body with %s, since its model is unknown', async (_, body) => {
    const { send, received, entries } = await startRecordingRelay({ budgets })
    const rejectedResponse = await send(chatPath, body)
    expect([rejectedResponse.status, JSON.parse(rejectedResponse.body).error.code]).toEqual([400, 'unreadable_model'])
    expect([received, entries]).toMatchObject([[], [{ error: 'relay', status: 400 }]])
  })

  test.each(unreadableBodies)('of another tool does not refuse %s', async (_, body) => {
    const { send } = await startRecordingRelay({ budgets: [budget({ of: { modelCode: 'm1', toolId: 'y' } })] })
    expect((await send(chatPath, body)).status).toBe(200)
  })
})

describe('a compressed request', () => {
  test.each(contentCodings)('with %s arrives decompressed', async (coding, pack) => {
    const { send, received, entries } = await startRecordingRelay()
    const headers = { 'content-encoding': coding }
    expect((await send(chatPath, pack(Buffer.from(chatRequestBody)), headers)).status).toBe(200)
    expect(received).toMatchObject([{ url: '/v1/chat/completions', body: chatRequestBody }])
    expect(received[0]?.headers.join()).not.toMatch(/content-encoding/i)
    expect(entries).toMatchObject([{ modelCode: 'aurora', inputTokens: 8 }])
    const encodedRequest = pack(Buffer.from('{"model":"aurora","input":"Hi"}'))
    expect((await send('/t/x/v1/responses', encodedRequest, headers)).status).toBe(200)
  })

  test.each([
    ['of an unknown coding', 'compress', gzipSync(chatRequestBody), 415],
    ['of an unknown coding in a list', 'gzip, snappy', gzipSync(chatRequestBody), 415],
    ['of too many codings', 'gzip, gzip, gzip, gzip, gzip', gzipSync(chatRequestBody), 415],
    ['that is damaged', 'gzip', Buffer.from(chatRequestBody), 400],
    ['that is cut', 'gzip', gzipSync(chatRequestBody).subarray(0, -10), 400],
    ['that is not zstd', 'zstd', Buffer.from(chatRequestBody), 400],
    ['that is cut in zstd', 'zstd', compressZstdRaw(Buffer.from(chatRequestBody)).subarray(0, -3), 400],
    ['that is too large unpacked', 'gzip', gzipSync(Buffer.alloc(2_000_001)), 413],
    ['that is too large unpacked twice', 'br, gzip', gzipSync(brotliCompressSync(Buffer.alloc(2_000_001))), 413],
  ])('%s is refused and recorded', async (_, coding, body, status) => {
    const { send, received, entries } = await startRecordingRelay({}, { bodyBytes: 2_000_000 })
    expect((await send(chatPath, body, { 'content-encoding': coding })).status).toBe(status)
    expect([received, entries]).toMatchObject([[], [{ error: 'relay', status }]])
  })
})

describe('usage of a stream', () => {
  const usage = { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }

  test.each([
    '"stream":true,"stream_options":null',
    '"stream":true,"stream_options":{}',
    '"stream":true,"stream_options":{"include_usage":false}',
    '"stream":true,"stream_options":"text"',
    '"stream":false,"stream":true',
    '"str\\u0065am":true',
    '"stream":true,"user":"stream_options"',
    `"stream":true,"text":"${'x'.repeat(1_200_000)}"`,
  ])('is requested and hidden from the tool: %#', async (members) => {
    const { send, entries } = await startRelayTo(async (request, response) => {
      const hasIncludeUsage = JSON.parse(await readBody(request)).stream_options?.include_usage === true
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\n')
      if (hasIncludeUsage) response.write(`data: ${JSON.stringify({ choices: [], usage })}\n\n`)
      response.end('data: [DONE]\n\n')
    })
    const { body } = await send(chatPath, `{"model":"m1","messages":[],${members}}`)
    expect(body).toBe('data: {"choices":[{"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n')
    expect(entries).toMatchObject([{ inputTokens: 7, outputTokens: 3 }])
  })

  test('that the tool requested is passed on unchanged', async () => {
    const text = `data: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`
    const { send } = await startRelayTo((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text)
    })
    const body = '{"model":"m1","stream":true,"stream_options":{"include_usage":true}}'
    expect((await send(chatPath, body)).body).toBe(text)
  })
})

describe('a model that rejects a field', () => {
  /** A gateway whose model `strict` responds 400 while `containsRefusedField`. */
  async function startStrictGateway(isRefused: (body: object) => boolean, message: string) {
    const receivedRequests: object[] = []
    const harness = await startRelayTo(async (request, response) => {
      const body = JSON.parse(await readBody(request))
      receivedRequests.push(body)
      if (body.model === 'strict' && isRefused(body)) respondWithJson(response, { error: { message } }, 400)
      else respondWithJson(response, chatResponseBody)
    })
    return { receivedRequests, ...harness }
  }
  const createFieldCheck = (name: string) => (body: object) => name in body
  const messages = [{ role: 'assistant', content: 'Hi', reasoning_content: 'Hm' }]
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
  const requestWithImage = [
    { role: 'tool', tool_call_id: '1', content: 'See below.' },
    { role: 'user', content: [image] },
  ]

  const contains = (text: string) => (body: object) => JSON.stringify(body).includes(text)
  const answers = [...messages, { role: 'assistant', content: 'Ho' }]
  const omittedImage = { type: 'text', text: expect.stringMatching(/image left out/) }

  interface RejectedField {
    readonly field: string
    readonly members: object
    readonly accepted: object
    readonly isRefused?: (body: object) => boolean
    readonly texts: readonly string[]
  }
  const rejectedFields: readonly RejectedField[] = [
    {
      field: 'stream_options',
      members: { stream: true },
      accepted: { stream: true },
      texts: [
        'body.include_usage: Extra inputs are not permitted',
        '{"detail":[{"type":"extra_forbidden","loc":["body","stream_options","include_usage"]}]}',
        'Unknown name "streamOptions": Cannot find field.',
        'Bad Request',
        'Extra inputs are not permitted',
        'Unknown parameter.',
      ],
    },
    {
      field: 'stream_options',
      members: { stream: true, stream_options: { include_usage: true } },
      accepted: { stream: true },
      texts: ['stream_options: extra fields'],
    },
    {
      field: 'max_tokens',
      members: { max_tokens: 9 },
      accepted: { max_completion_tokens: 9 },
      texts: [
        "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        '[{"type":"extra_forbidden","loc":["body","max_tokens"],"msg":"Extra inputs are not permitted"}]',
        'Unrecognized request argument supplied: max_tokens',
        'Unknown name "max_tokens": Cannot find field.',
        "property 'max_tokens' is unsupported",
        'Invalid parameter: max_tokens',
        "This model doesn't support max_tokens",
      ],
    },
    {
      field: 'max_completion_tokens',
      members: { max_completion_tokens: 9 },
      accepted: { max_tokens: 9 },
      texts: ['Unrecognized request argument supplied: max_completion_tokens', 'Unknown field: maxCompletionTokens'],
    },
    {
      field: 'parameters',
      members: { tools: [{ function: { name: 'ls' } }] },
      accepted: { tools: [{ function: { name: 'ls', parameters: { type: 'object', properties: {} } } }] },
      isRefused: (body) => !contains('parameters')(body),
      texts: ['tools.0.function.parameters: expected object'],
    },
    {
      field: 'reasoning_content',
      members: { messages },
      accepted: { messages: [{ role: 'assistant', content: 'Hi' }] },
      isRefused: contains('reasoning_content'),
      texts: [
        "property 'messages.2.assistant.reasoning_content' is unsupported",
        '{"loc":["body","messages",1,"assistant","reasoning_content"],"msg":"Extra inputs are not permitted"}',
      ],
    },
    {
      field: 'the absence of reasoning',
      members: { messages: answers },
      accepted: { messages: [...messages, { role: 'assistant', content: 'Ho', reasoning_content: '' }] },
      isRefused: (body) => JSON.stringify(body).split('reasoning_content').length < 3,
      texts: [
        'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
        'Missing `reasoning_content` field in the assistant message at message index 1',
        'The `reasoning_content` in the thinking mode must be passed back to the API.',
      ],
    },
    {
      field: 'images',
      members: { messages: requestWithImage },
      accepted: { messages: [requestWithImage[0], { role: 'user', content: [omittedImage] }] },
      isRefused: contains('image_url'),
      texts: [
        'At most 0 image(s) may be provided in one request.',
        'unknown variant `image_url`, expected `text`',
        "'messages.1.content' : value must be a string",
        'Only text tool_result blocks are supported when tool_result.content is an array.',
        "messages.content.type is invalid, allowed values: ['text']",
      ],
    },
  ]
  const rejections = rejectedFields.flatMap(({ texts, ...field }) => texts.map((text) => ({ ...field, text })))

  test.each(rejections)('$field is retried once without the field, and that is cached: $text', async (rejection) => {
    const { field, members, accepted, isRefused = createFieldCheck(field), text } = rejection
    const { send, receivedRequests, entries } = await startStrictGateway(isRefused, text)
    const body = { model: 'strict', ...members }
    for (let roundIndex = 0; roundIndex < 2; roundIndex += 1)
      expect((await send(chatPath, JSON.stringify(body))).status).toBe(200)
    expect(receivedRequests.map(isRefused)).toEqual([true, false, false])
    expect(receivedRequests[2]).toEqual({ model: 'strict', ...accepted })
    expect(entries.map(({ status }) => status)).toEqual([400, 200, 200])
    await send(chatPath, JSON.stringify({ ...body, model: 'other' }))
    expect(isRefused(receivedRequests[3] ?? {})).toBe(true)
  })

  const call = { type: 'function_call', call_id: 'c', name: 'ls', arguments: '{}' }
  const reasoningItem = { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] }
  const buildOutput = (output: unknown) => ({ type: 'function_call_output', call_id: 'c', output })
  test.each<[string, string, object, string]>([
    [
      'max_output_tokens',
      'max_tokens: use max_completion_tokens',
      { input: 'Hi', max_output_tokens: 9 },
      '"max_tokens"',
    ],
    [
      'reasoning',
      "property 'reasoning_content' is unsupported",
      { input: [reasoningItem, call, buildOutput('a')] },
      'reasoning_content',
    ],
    [
      'an image that a tool returned',
      'This model does not support images',
      { input: [call, buildOutput([{ type: 'input_image', image_url: image.image_url.url }])] },
      'image_url',
    ],
    ['stream_options', 'Unknown field stream_options', { input: 'Hi', stream: true }, 'stream_options'],
  ])('a Responses request with %s is retried once in another form', async (_, message, members, refused) => {
    const containsRefusedField = contains(refused)
    const { send, receivedRequests } = await startStrictGateway(containsRefusedField, message)
    const body = JSON.stringify({ model: 'strict', ...members })
    for (let roundIndex = 0; roundIndex < 2; roundIndex += 1)
      expect((await send('/t/x/v1/responses', body)).body).toContain('"status":"completed"')
    expect(receivedRequests.map(containsRefusedField)).toEqual([true, false, false])
  })

  test('is tried with the field again after a day', async () => {
    const isRefused = createFieldCheck('max_tokens')
    const { send, receivedRequests } = await startStrictGateway(isRefused, 'max_tokens: use max_completion_tokens')
    const body = JSON.stringify({ model: 'strict', max_tokens: 9 })
    const nowMs = Date.now()
    await send(chatPath, body)
    vi.spyOn(Date, 'now').mockReturnValue(nowMs + 86_500_000)
    onTestFinished(() => void vi.restoreAllMocks())
    await send(chatPath, body)
    expect(receivedRequests.map(isRefused)).toEqual([true, false, true, false])
  })

  test('gets reasoning again when it turns out to need it', async () => {
    let isRefusing = true
    const hasThoughts = contains('reasoning_content')
    const isRefused = (body: object) => hasThoughts(body) === isRefusing
    const { send, receivedRequests } = await startStrictGateway(isRefused, 'reasoning_content is wrong')
    const body = JSON.stringify({ model: 'strict', messages })
    await send(chatPath, body)
    isRefusing = false
    expect((await send(chatPath, body)).status).toBe(200)
    expect(receivedRequests.map(hasThoughts)).toEqual([true, false, false, true])
  })

  test('the tool gets a second refusal, and nothing is cached', async () => {
    const { send, receivedRequests } = await startStrictGateway(() => true, 'max_completion_tokens is too large')
    const body = JSON.stringify({ model: 'strict', max_tokens: 9 })
    expect((await send(chatPath, body)).body).toContain('too large')
    await send(chatPath, body)
    expect(receivedRequests[receivedRequests.length / 2]).toEqual({ model: 'strict', max_tokens: 9 })
  })
})

test('slow bodies of one tool leave capacity for another tool', async () => {
  const gateway = await startGateway(answerChat)
  const { clients } = buildTable([upstream(gateway.url)])
  const secondClient = { ...clients[0], toolId: 'y', token: new Secret('token-of-y') }
  const table = { clients: [...clients, secondClient], isPaused: false } as Parameters<typeof startHarness>[0]
  const { url, send, sendChat, relay } = await startHarness(table, { limits: { heldBytes: 400_000, openPerTool: 140 } })
  const slowRequests = Array.from({ length: 140 }, () => {
    const request = openRequest(url + chatPath)
    request.write(Buffer.alloc(1400, ' '))
    return request
  })
  onTestFinished(() => slowRequests.forEach((request) => void request.destroy()))
  await vi.waitFor(() => expect(relay.open().get('x')).toBe(140))
  expect((await sendChat()).status).toBe(503)
  const body = `{"model":"a","t":"${'x'.repeat(150_000)}"}`
  const headers = { authorization: 'Bearer token-of-y' }
  expect((await send('/t/y/v1/chat/completions', body, headers)).status).toBe(200)
})
