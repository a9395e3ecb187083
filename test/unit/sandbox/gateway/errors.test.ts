import { describe, expect, test } from 'vitest'
import { buildChatBody, chatPath, type Harness, messagesPath, rawRequest, startHarness } from '../support'

/** Rows of the error table of the spec (section Errors, A), each with a request that causes the error. */
interface Row {
  readonly name: string
  readonly status: number
  readonly code: string
  readonly says: RegExp
  readonly prepare?: (harness: Harness) => Promise<unknown>
  readonly key?: (harness: Harness) => string | undefined
  readonly body?: unknown
  readonly contentType?: string
}

const readValidKey = (harness: Harness) => harness.readKey('sandbox-pro', 'default-key')

const rows: readonly Row[] = [
  { name: 'no key', status: 401, code: 'missing_key', says: /No subscription key/, key: () => undefined },
  {
    name: 'a wrong key',
    status: 401,
    code: 'invalid_key',
    says: /Unknown subscription key/,
    key: () => 'sk-something-else',
  },
  {
    name: 'a key with characters missing',
    status: 401,
    code: 'invalid_key',
    says: /it has 48 characters where 51 belong/,
    key: (harness) => readValidKey(harness).slice(0, 48),
  },
  {
    name: 'a disabled key',
    status: 401,
    code: 'key_disabled',
    says: /"old-laptop" of plan "sandbox-pro" is disabled/,
    key: (harness) => harness.readKey('sandbox-pro', 'old-laptop'),
  },
  {
    name: 'a deleted key',
    status: 401,
    code: 'key_deleted',
    says: /"default-key" of plan "sandbox-pro" was deleted/,
    prepare: (harness) => harness.control('keys/key-pro-default', { deleted: true }),
  },
  {
    name: 'an expired plan',
    status: 402,
    code: 'plan_expired',
    says: /"sandbox-expired" has expired/,
    key: (harness) => harness.readKey('sandbox-expired', 'default-key'),
  },
  {
    name: 'a deleted plan',
    status: 402,
    code: 'plan_deleted',
    says: /"sandbox-pro" was deleted/,
    prepare: (harness) => harness.control('plans/plan-sandbox-pro', { deleted: true }),
  },
  {
    name: 'a model outside the plan',
    status: 403,
    code: 'model_not_in_plan',
    says: /"gpt-9" is not included in plan "sandbox-pro".*aurora-large/,
    body: buildChatBody('hi', { model: 'gpt-9' }),
  },
  {
    name: 'a model code in other letters',
    status: 403,
    code: 'model_not_in_plan',
    says: /"Aurora-Small"/,
    body: buildChatBody('hi', { model: 'Aurora-Small' }),
  },
  { name: 'a body that is not JSON', status: 400, code: 'invalid_json', says: /not valid JSON/, body: '{"model": ' },
  { name: 'an empty body', status: 400, code: 'invalid_json', says: /not valid JSON/, body: '' },
  { name: 'a body without model', status: 400, code: 'invalid_request', says: /^model: /, body: { messages: [] } },
  {
    name: 'a body without messages',
    status: 400,
    code: 'invalid_request',
    says: /^messages: /,
    body: { model: 'aurora-small' },
  },
  {
    name: 'a body with no message in it',
    status: 400,
    code: 'invalid_request',
    says: /^messages: /,
    body: { model: 'aurora-small', messages: [] },
  },
  { name: 'a body that is a list', status: 400, code: 'invalid_request', says: /^body: /, body: [] },
  {
    name: 'a message of the user without content',
    status: 400,
    code: 'invalid_request',
    says: /^messages\.0\.content: .*required/,
    body: buildChatBody(undefined),
  },
  {
    name: 'a message of the user with null',
    status: 400,
    code: 'invalid_request',
    says: /^messages\.0\.content: .*required/,
    body: buildChatBody(null),
  },
  {
    name: 'an answer without content or anything in its place',
    status: 400,
    code: 'invalid_request',
    says: /^messages\.0\.content: .*required/,
    body: buildChatBody('', { messages: [{ role: 'assistant' }, { role: 'user', content: 'hi' }] }),
  },
  {
    name: 'a body that is said to be a text',
    status: 415,
    code: 'unsupported_content_type',
    says: /must be "application\/json".*"text\/plain"/,
    contentType: 'text/plain',
  },
  {
    name: 'a body that is said to be a form',
    status: 415,
    code: 'unsupported_content_type',
    says: /"application\/x-www-form-urlencoded"/,
    contentType: 'application/x-www-form-urlencoded',
  },
  {
    name: 'max_tokens of zero',
    status: 400,
    code: 'invalid_request',
    says: /^max_tokens: /,
    body: buildChatBody('hi', { max_tokens: 0 }),
  },
  {
    name: 'a used-up token allowance',
    status: 429,
    code: 'quota_exhausted',
    says: /token allowance of model "nova-vision" in plan "sandbox-pro" is used up/,
    body: buildChatBody('hi', { model: 'nova-vision' }),
  },
  {
    name: 'a used-up request allowance',
    status: 429,
    code: 'quota_exhausted',
    says: /request allowance of model "vega-coder"/,
    prepare: (harness) =>
      harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'vega-coder', requestsUsed: 999_999 }),
    body: buildChatBody('hi', { model: 'vega-coder' }),
  },
]

async function send(row: Row, path: string) {
  const harness = await startHarness()
  await row.prepare?.(harness)
  const key = row.key ? row.key(harness) : readValidKey(harness)
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  if (row.contentType !== undefined) headers['content-type'] = row.contentType
  const response = await harness.post(path, row.body ?? buildChatBody('hi'), headers)
  return { harness, response, body: await response.json() }
}

describe('errors in the chat-completions standard', () => {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    415: 'invalid_request_error',
    429: 'rate_limit_error',
  }
  test.each(rows)('$name is a $status with a message', async (row) => {
    const { response, body } = await send(row, chatPath)
    expect(response.status).toBe(row.status)
    expect(body).toEqual({
      error: { message: expect.stringMatching(row.says), type: types[row.status], param: null, code: row.code },
    })
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9a-f]{32}$/)
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  })
})

describe('errors in the messages standard', () => {
  const types: Record<number, string> = {
    400: 'invalid_request_error',
    401: 'authentication_error',
    402: 'billing_error',
    403: 'permission_error',
    415: 'invalid_request_error',
    429: 'rate_limit_error',
  }
  test.each(rows)('$name is a $status with a message', async (row) => {
    const { response, body } = await send(row, messagesPath)
    expect(response.status).toBe(row.status)
    expect(body).toEqual({
      type: 'error',
      error: { type: types[row.status], message: expect.stringMatching(row.says), code: row.code },
      request_id: response.headers.get('request-id'),
    })
    expect(body.request_id).toMatch(/^req_[0-9a-f]{32}$/)
  })

  test.each(rows.filter(({ status }) => status !== 429))('counting tokens refuses $name as well', async (row) => {
    const { response, body } = await send(row, `${messagesPath}/count_tokens`)
    expect([response.status, body.error.code]).toEqual([row.status, row.code])
  })
})

describe('limits of the standards', () => {
  const call = { id: 'call-1', type: 'function', function: { name: 'read', arguments: '{}' } }

  test('a request in the messages standard needs max_tokens, counting does not', async () => {
    const harness = await startHarness()
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
      const messages = [
        { role: 'user', content: 'hi' },
        { role: 'assistant', ...answer },
      ]
      const result = { role: 'tool', tool_call_id: call.id, content: 'done' }
      const harness = await startHarness()
      expect((await harness.post(chatPath, buildChatBody('', { messages: [...messages, result] }))).status).toBe(200)
    },
  )

  test.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset=UTF-8'])(
    'a body declared as %s',
    async (contentType) => {
      const harness = await startHarness()
      const headers = { authorization: `Bearer ${readValidKey(harness)}`, 'content-type': contentType }
      expect((await harness.post(chatPath, buildChatBody('hi'), headers)).status).toBe(200)
      expect((await harness.post(messagesPath, buildChatBody('hi'), headers)).status).toBe(200)
    },
  )
})

test('an expired plan does not suggest auto-renew, which the console refuses then', async () => {
  const harness = await startHarness()
  const headers = { authorization: `Bearer ${harness.readKey('sandbox-expired', 'default-key')}` }
  const { error } = await (await harness.post(chatPath, buildChatBody('hi'), headers)).json()
  expect(error.message).toBe('The plan "sandbox-expired" has expired. Buy it again.')
})

test('no refusal repeats its key', async () => {
  for (const row of rows) {
    const { harness, body } = await send(row, chatPath)
    const secrets = harness.sandbox.ready.plans.flatMap(({ keys }) => keys.map(({ key }) => key.slice(11, 48)))
    for (const secret of [...secrets, 'sk-something-else']) expect(JSON.stringify(body)).not.toContain(secret)
  }
})

test('an exhausted quota asks clients not to retry', async () => {
  const harness = await startHarness()
  const response = await harness.post(chatPath, buildChatBody('hi', { model: 'nova-vision' }))
  expect(response.headers.get('x-should-retry')).toBe('false')
})

describe('of several errors the first of 404, 401, 402, 403, 400, 429 is returned', () => {
  const foreignModel = buildChatBody('hi', { model: 'gpt-9' })
  const errorCases: readonly [string, number, (harness: Harness) => Promise<Response>][] = [
    ['wrong path before wrong key', 404, (harness) => harness.post('/v1/nothing', foreignModel, {})],
    [
      'disabled key before expired plan',
      401,
      async (harness) => {
        await harness.control('plans/plan-sandbox-pro', { status: 'EXPIRED' })
        const key = harness.readKey('sandbox-pro', 'old-laptop')
        return harness.post(chatPath, foreignModel, { authorization: `Bearer ${key}` })
      },
    ],
    [
      'expired plan before foreign model',
      402,
      (harness) => {
        const key = harness.readKey('sandbox-expired', 'default-key')
        return harness.post(chatPath, foreignModel, { authorization: `Bearer ${key}` })
      },
    ],
    ['foreign model before malformed body', 403, (harness) => harness.post(chatPath, { model: 'gpt-9' })],
    ['malformed body before used-up allowance', 400, (harness) => harness.post(chatPath, { model: 'nova-vision' })],
    [
      'wrong key before malformed body',
      401,
      (harness) => harness.post(chatPath, '{', { authorization: 'Bearer sk-wrong' }),
    ],
  ]
  test.each(errorCases)('%s', async (_, status, send) => {
    expect((await send(await startHarness())).status).toBe(status)
  })
})

describe('the key', () => {
  test('is read from x-api-key without a bearer', async () => {
    const harness = await startHarness()
    const response = await harness.post(messagesPath, buildChatBody('hi'), { 'x-api-key': readValidKey(harness) })
    expect(response.status).toBe(200)
  })

  test('is read from the bearer when both exist', async () => {
    const harness = await startHarness()
    const wrongKey = 'sk-wrong'
    const validBearerHeaders = { authorization: `Bearer ${readValidKey(harness)}`, 'x-api-key': wrongKey }
    const invalidBearerHeaders = { authorization: `Bearer ${wrongKey}`, 'x-api-key': readValidKey(harness) }
    expect((await harness.post(messagesPath, buildChatBody('hi'), validBearerHeaders)).status).toBe(200)
    expect((await harness.post(messagesPath, buildChatBody('hi'), invalidBearerHeaders)).status).toBe(401)
  })

  test('counts as missing when the bearer is empty', async () => {
    const harness = await startHarness()
    const response = await harness.post(messagesPath, buildChatBody('hi'), { authorization: 'Bearer ' })
    expect((await response.json()).error.code).toBe('missing_key')
  })

  test('works again from the next request after it is enabled', async () => {
    const harness = await startHarness()
    const headers = { authorization: `Bearer ${harness.readKey('sandbox-pro', 'old-laptop')}` }
    expect((await harness.post(chatPath, buildChatBody('hi'), headers)).status).toBe(401)
    await harness.control('keys/key-pro-old-laptop', { status: 'ACTIVE' })
    expect((await harness.post(chatPath, buildChatBody('hi'), headers)).status).toBe(200)
  })
})

test('a body above the limit is a 413 in both standards, with or without a declared size', async () => {
  const harness = await startHarness()
  const hugeBody = JSON.stringify(buildChatBody('x'.repeat(21 * 1024 * 1024)))
  const announcedResponse = await harness.post(chatPath, hugeBody)
  expect([announcedResponse.status, (await announcedResponse.json()).error.code]).toEqual([413, 'request_too_large'])
  const streamedResponse = await rawRequest(`${harness.gatewayUrl}${messagesPath}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${readValidKey(harness)}`, 'transfer-encoding': 'chunked' },
    body: hugeBody,
  })
  expect([streamedResponse.status, JSON.parse(streamedResponse.text).error.type]).toEqual([413, 'request_too_large'])
})
