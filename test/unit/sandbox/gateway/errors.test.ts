import { describe, expect } from 'vitest'
import {
  buildBearerHeader,
  buildChatBody,
  chatPath,
  type Harness,
  messagesPath,
  rawRequest,
  sendRawPost,
  startHarness,
  test,
} from '../support'

/** Rows of the error table of the spec (section Errors, A), each with the request that causes the error. */
type Row = readonly [
  name: string,
  status: number,
  code: string,
  message: RegExp,
  request?: {
    readonly prepare?: (harness: Harness) => Promise<unknown>
    readonly key?: (harness: Harness) => string | undefined
    readonly body?: unknown
    readonly contentType?: string
  },
]

const readValidKey = (harness: Harness) => harness.readKey('sandbox-pro', 'default-key')
const readShortKey = (harness: Harness) => readValidKey(harness).slice(0, 48)
const readDisabledKey = (harness: Harness) => harness.readKey('sandbox-pro', 'old-laptop')
const readExpiredKey = (harness: Harness) => harness.readKey('sandbox-expired', 'default-key')
const deleteKey = (harness: Harness) => harness.control('keys/key-pro-default', { deleted: true })
const deletePlan = (harness: Harness) => harness.control('plans/plan-sandbox-pro', { deleted: true })
const useUpRequests = (harness: Harness) =>
  harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'vega-coder', requestsUsed: 999_999 })
const unansweredBody = buildChatBody('', { messages: [{ role: 'assistant' }, { role: 'user', content: 'hi' }] })
const withModel = (model: string) => buildChatBody('hi', { model })

const rows: readonly Row[] = [
  ['no key', 401, 'missing_key', /No subscription key/, { key: () => undefined }],
  ['an empty bearer', 401, 'missing_key', /No subscription key/, { key: () => '' }],
  ['a wrong key', 401, 'invalid_key', /Unknown subscription key/, { key: () => 'sk-something-else' }],
  ['a short key', 401, 'invalid_key', /it has 48 characters where 51 belong/, { key: readShortKey }],
  ['a disabled key', 401, 'key_disabled', /"old-laptop" of plan "sandbox-pro" is disabled/, { key: readDisabledKey }],
  ['a deleted key', 401, 'key_deleted', /"default-key" of plan "sandbox-pro" was deleted/, { prepare: deleteKey }],
  // The message does not suggest auto-renew, which the console refuses then.
  [
    'an expired plan',
    402,
    'plan_expired',
    /^The plan "sandbox-expired" has expired\. Buy it again\.$/,
    { key: readExpiredKey },
  ],
  ['a deleted plan', 402, 'plan_deleted', /"sandbox-pro" was deleted/, { prepare: deletePlan }],
  [
    'a foreign model',
    403,
    'model_not_in_plan',
    /"gpt-9" is not .*"sandbox-pro".*aurora-large/,
    { body: withModel('gpt-9') },
  ],
  ['a model in capitals', 403, 'model_not_in_plan', /"Aurora-Small"/, { body: withModel('Aurora-Small') }],
  ['a body that is not JSON', 400, 'invalid_json', /not valid JSON/, { body: '{"model": ' }],
  ['an empty body', 400, 'invalid_json', /not valid JSON/, { body: '' }],
  ['a body without model', 400, 'invalid_request', /^model: /, { body: { messages: [] } }],
  ['a body without messages', 400, 'invalid_request', /^messages: /, { body: { model: 'aurora-small' } }],
  [
    'an empty list of messages',
    400,
    'invalid_request',
    /^messages: /,
    { body: { model: 'aurora-small', messages: [] } },
  ],
  ['a body that is a list', 400, 'invalid_request', /^body: /, { body: [] }],
  ['no content', 400, 'invalid_request', /^messages\.0\.content: .*required/, { body: buildChatBody(undefined) }],
  ['null as content', 400, 'invalid_request', /^messages\.0\.content: .*required/, { body: buildChatBody(null) }],
  ['an empty answer', 400, 'invalid_request', /^messages\.0\.content: .*required/, { body: unansweredBody }],
  [
    'text',
    415,
    'unsupported_content_type',
    /must be "application\/json".*"text\/plain"/,
    { contentType: 'text/plain' },
  ],
  ['a form', 415, 'unsupported_content_type', /"multipart\/form-data"/, { contentType: 'multipart/form-data' }],
  ['max_tokens of zero', 400, 'invalid_request', /^max_tokens: /, { body: buildChatBody('hi', { max_tokens: 0 }) }],
  [
    'used-up tokens',
    429,
    'quota_exhausted',
    /token allowance .*"nova-vision" .*"sandbox-pro" is used up/,
    { body: withModel('nova-vision') },
  ],
  [
    'used-up requests',
    429,
    'quota_exhausted',
    /request allowance of model "vega-coder"/,
    { prepare: useUpRequests, body: withModel('vega-coder') },
  ],
]

const errorTypes: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  415: 'invalid_request_error',
  429: 'rate_limit_error',
}

async function send([, , , , request = {}]: Row, path: string) {
  const harness = await startHarness()
  await request.prepare?.(harness)
  const key = request.key ? request.key(harness) : readValidKey(harness)
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  if (request.contentType !== undefined) headers['content-type'] = request.contentType
  const response = await harness.post(path, request.body ?? buildChatBody('hi'), headers)
  return { harness, response, body: await response.json() }
}

const titledRows = rows.map((row) => ({ row, name: row[0], status: row[1] }))

test.each(titledRows)(
  'a refused request: $name has status $status in both standards, also for counting',
  async ({ row }) => {
    const [, status, code, message] = row
    const error = { message: expect.stringMatching(message), type: errorTypes[status], code }
    const { harness, response, body } = await send(row, chatPath)
    expect([response.status, body]).toEqual([status, { error: { ...error, param: null } }])
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('x-should-retry')).toBe(status === 429 ? 'false' : null)
    const secrets = harness.sandbox.ready.plans.flatMap(({ keys }) => keys.map(({ key }) => key.slice(11, 48)))
    for (const secret of [...secrets, 'sk-something-else']) expect(JSON.stringify(body)).not.toContain(secret)

    const messages = await send(row, messagesPath)
    const request_id = messages.response.headers.get('request-id')
    expect([messages.response.status, messages.body]).toEqual([status, { type: 'error', error, request_id }])
    expect(request_id).toMatch(/^req_[0-9a-f]{32}$/)
    if (status === 429) return
    const count = await send(row, `${messagesPath}/count_tokens`)
    expect([count.response.status, count.body.error.code]).toEqual([status, code])
  },
)

describe('limits of the standards', () => {
  const call = { id: 'call-1', type: 'function', function: { name: 'read', arguments: '{}' } }

  test('a request in the messages standard needs max_tokens, counting does not', async ({ harness }) => {
    const body = buildChatBody('hi', { max_tokens: undefined })
    const refusedResponse = await harness.post(messagesPath, body)
    expect([refusedResponse.status, (await refusedResponse.json()).error]).toEqual([
      400,
      { type: 'invalid_request_error', message: 'max_tokens: Field required', code: 'invalid_request' },
    ])
    expect((await harness.post(`${messagesPath}/count_tokens`, body)).status).toBe(200)
    expect((await harness.post(chatPath, body)).status).toBe(200)
  })

  test.each([{ content: null, tool_calls: [call] }, { tool_calls: [call] }, { content: null, refusal: 'No.' }])(
    'an earlier answer without content: %j',
    async (answer) => {
      const result = { role: 'tool', tool_call_id: call.id, content: 'done' }
      const messages = [{ role: 'user', content: 'hi' }, { role: 'assistant', ...answer }, result]
      const harness = await startHarness()
      expect((await harness.post(chatPath, buildChatBody('', { messages }))).status).toBe(200)
    },
  )

  test.for(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'a body declared as %s',
    async (contentType, { harness }) => {
      const headers = { ...buildBearerHeader(harness), 'content-type': contentType }
      expect((await harness.post(chatPath, buildChatBody('hi'), headers)).status).toBe(200)
      expect((await harness.post(messagesPath, buildChatBody('hi'), headers)).status).toBe(200)
    },
  )
})

const foreignModel = withModel('gpt-9')
const withKey = (key: string) => ({ authorization: `Bearer ${key}` })
const errorCases: readonly [string, number, (harness: Harness) => Promise<Response>][] = [
  ['wrong path before wrong key', 404, ({ post }) => post('/v1/nothing', foreignModel, {})],
  [
    'expired plan before foreign model',
    402,
    (harness) => harness.post(chatPath, foreignModel, withKey(readExpiredKey(harness))),
  ],
  ['foreign model before malformed body', 403, ({ post }) => post(chatPath, { model: 'gpt-9' })],
  ['malformed body before used-up allowance', 400, ({ post }) => post(chatPath, { model: 'nova-vision' })],
  ['wrong key before malformed body', 401, ({ post }) => post(chatPath, '{', withKey('sk-wrong'))],
  [
    'disabled key before expired plan',
    401,
    async (harness) => {
      await harness.control('plans/plan-sandbox-pro', { status: 'EXPIRED' })
      return harness.post(chatPath, foreignModel, withKey(readDisabledKey(harness)))
    },
  ],
]
test.each(errorCases)(
  'of several errors the first of 404, 401, 402, 403, 400, 429 is returned: %s',
  async (_, status, send) => {
    expect((await send(await startHarness())).status).toBe(status)
  },
)

test('the key is read from the bearer, and from x-api-key without one', async ({ harness }) => {
  const key = readValidKey(harness)
  for (const [status, headers] of [
    [200, { 'x-api-key': key }],
    [200, { authorization: `Bearer ${key}`, 'x-api-key': 'sk-wrong' }],
    [401, { authorization: 'Bearer sk-wrong', 'x-api-key': key }],
  ] as const)
    expect((await harness.post(messagesPath, buildChatBody('hi'), headers)).status).toBe(status)
})

test('a body above the limit is a 413 in both standards, with or without a declared size', async ({ harness }) => {
  const hugeBody = JSON.stringify(buildChatBody('x'.repeat(21 * 1024 * 1024)))
  const announcedResponse = await harness.post(chatPath, hugeBody)
  expect([announcedResponse.status, (await announcedResponse.json()).error.code]).toEqual([413, 'request_too_large'])
  const streamedResponse = await rawRequest(`${harness.gatewayUrl}${messagesPath}`, {
    method: 'POST',
    headers: { ...buildBearerHeader(harness), 'transfer-encoding': 'chunked' },
    body: hugeBody,
  })
  expect([streamedResponse.status, JSON.parse(streamedResponse.text).error.type]).toEqual([413, 'request_too_large'])
})

const pathCases: readonly [string, string, string][] = [
  ['POST', '/v1/v1/messages', 'for this standard set the base address to {url}'],
  ['POST', '/v1/v1/messages/count_tokens', 'for this standard set the base address to {url}'],
  ['POST', '/v1/messages/v1/messages', 'for this standard set the base address to {url}'],
  ['POST', '/messages', 'this tool adds only /messages, so set its base address to {url}/v1'],
  ['POST', '/chat/completions', 'for this standard set the base address to {url}/v1'],
  [
    'POST',
    '/v1/v1/chat/completions',
    'for this standard set the base address to {url}/v1, or to {url} if the tool adds /v1 itself',
  ],
  ['POST', '/v1/chat/completions/chat/completions', 'for this standard set the base address to {url}/v1'],
  ['POST', '/v1/responses', 'the Responses API is not served; use chat-completions with the base address {url}/v1'],
  ['GET', '/v1/models', 'there is no model list; name a model code of the plan'],
  ['GET', chatPath, 'this path takes POST requests'],
  ['PUT', messagesPath, 'this path takes POST requests'],
  ['POST', '/v1/embeddings', 'the gateway of a plan serves no embeddings; the inference API of the platform does'],
  [
    'POST',
    '/v1/completions',
    'set the base address to {url}/v1 for a chat-completions tool, or to {url} for a tool of the messages standard',
  ],
]
test.each(pathCases)('an unknown path: %s %s is a 404 that names the remedy', async (method, path, remedy) => {
  const { gatewayUrl } = await startHarness()
  const response = await fetch(`${gatewayUrl}${path}?beta=true`, { method })
  const body = await response.json()
  expect(response.status).toBe(404)
  expect(body.error.message).toBe(`You asked for ${method} ${path}; ${remedy.replaceAll('{url}', gatewayUrl)}`)
  expect(body.type === 'error').toBe(path.includes('/messages'))
})

test('every response contains the sandbox’s clock, like the platform’s', async ({ harness: { post, control } }) => {
  await control('clock', { advanceMs: 7 * 86_400_000 })
  const response = await post(chatPath, buildChatBody('hi'))
  const { created } = await response.json()
  for (const timeMs of [Date.parse(response.headers.get('date') ?? ''), created * 1000])
    expect(Math.round((timeMs - Date.now()) / 86_400_000)).toBe(7)
})

test('the start-up probe of a coding tool is a 404 without a body', async ({ harness: { gatewayUrl } }) => {
  const response = await rawRequest(`${gatewayUrl}/api/hello`, { method: 'HEAD' })
  expect([response.status, response.text, response.isComplete]).toEqual([404, '', true])
})

/** Every kind of gateway response: name, path, whether it is streamed, and operation id. */
const endpointCases = [
  ['chat-completions', chatPath, false, 'gateway.chatCompletions'],
  ['chat-completions, streamed', chatPath, true, 'gateway.chatCompletions'],
  ['messages', messagesPath, false, 'gateway.messages'],
  ['messages, streamed', messagesPath, true, 'gateway.messages'],
  ['counting tokens', `${messagesPath}/count_tokens`, false, 'gateway.countTokens'],
] as const

const injectFaults = (harness: Harness, fault: object) => harness.control('faults', { faults: [fault] })

const sendWords = (harness: Harness, path: string, isStream: boolean) =>
  sendRawPost(harness, path, buildChatBody('Say one two three four', { stream: isStream }))

describe.each(endpointCases)('a fault in %s', (_, path, isStream, operation) => {
  test.for([400, 401, 402, 403, 404, 429, 500, 503, 529])(
    'answers %i in the standard’s format',
    async (status, { harness }) => {
      await injectFaults(harness, { operations: operation, status, retryAfterS: 7 })
      const response = await sendWords(harness, path, isStream)
      const headers = { 'retry-after': '7', 'content-type': 'application/json; charset=utf-8' }
      expect(response).toMatchObject({ status, headers })
      const { error, type } = JSON.parse(response.text)
      expect([error.code, type === 'error']).toEqual(['injected_fault', path !== chatPath])
    },
  )

  test.for([0, 1, 5])('cuts the body after exactly %i bytes', async (cutAfterBytes, { harness }) => {
    await injectFaults(harness, { operations: operation, cutAfterBytes })
    const response = await sendWords(harness, path, isStream)
    expect([response.status, response.text.length, response.isComplete]).toEqual([200, cutAfterBytes, false])
    expect((await harness.requests())[0]?.error).toBe('cut_by_fault')
  })
})
