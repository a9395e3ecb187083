import { describe, expect } from 'vitest'
import { buildBearerHeader, buildChatBody, chatPath, messagesPath, rawRequest, startHarness, test } from '../support'

const dayMs = 86_400_000

const readRefusal = async (response: Response) => [response.status, (await response.json()).code]

describe('the control API', () => {
  test.for<readonly [string, string, string?]>([
    ['GET', 'state'],
    ['GET', 'requests'],
    ['POST', 'plans/plan-sandbox-pro', JSON.stringify({ deleted: true })],
  ])('refuses %s %s without its token or with a wrong one', async ([method, path, body = null], { harness }) => {
    for (const headers of [{}, { authorization: 'Bearer nonsense' }]) {
      const response = await fetch(`${harness.platformUrl}/sandbox/${path}`, { method, headers, body })
      const refusal = { code: 'unauthorized', message: expect.stringContaining('control token') }
      expect([response.status, await response.json()]).toEqual([401, refusal])
    }
    expect((await harness.state()).plans[0]?.deleted).toBe(false)
  })

  test('returns the state without secrets', async ({ harness }) => {
    const state = await harness.state()
    expect(state.plans.map(({ name, status, keys }) => [name, status, keys.map((key) => key.name)])).toEqual([
      ['sandbox-pro', 'ACTIVE', ['default-key', 'old-laptop']],
      ['sandbox-expired', 'EXPIRED', ['default-key']],
    ])
    for (const { keys } of harness.sandbox.ready.plans) {
      for (const { key } of keys) expect(JSON.stringify(state)).not.toContain(key)
    }
  })

  test.each([
    ['plans/plan-sandbox-pro', { status: 'PAUSED' }],
    ['plans/plan-sandbox-pro', { name: 'other' }],
    ['plans/plan-sandbox-pro', { expiresAt: 'tomorrow' }],
    ['keys/key-pro-default', { status: 'EXPIRED' }],
    ['models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', tokensUsed: -1 }],
    ['models', { modelCode: 'aurora-small' }],
    ['faults', { faults: [{ operations: '*', status: 200 }] }],
    ['faults', { faults: [{ operations: '*', delay: 5 }] }],
    ['faults', { faults: [{ operations: 'gateway.chat' }] }],
    ['faults', { faults: [{ operations: 'nowhere.*' }] }],
    ['faults', { faults: Array.from({ length: 101 }, () => ({ operations: '*' })) }],
    ['faults', {}],
    ['clock', { advanceMs: -1 }],
    ['clock', { advanceMs: 0.5 }],
    ['clock', { advanceMs: 3_650 * dayMs + 1 }],
    ['clock', {}],
    ['account', { role: 'OWNER' }],
    ['account', { credits: -1 }],
    ['account', { credits: 0.5 }],
    ['account', { accountId: 'other' }],
    ['timing', { paceMs: -1 }],
    ['timing', { asyncMs: 3_600_001 }],
    ['timing', { tokenLifetimeS: 0 }],
    ['timing', { pace: 1 }],
    ['reset', { seed: '' }],
    ['reset', { seed: 'x'.repeat(201) }],
    ['reset', []],
  ])('refuses %s %j and changes nothing', async (path, body) => {
    const harness = await startHarness()
    const { clock: _before, ...before } = await harness.state()
    expect(await readRefusal(await harness.control(path, body))).toEqual([400, 'invalid_input'])
    const { clock: _after, ...after } = await harness.state()
    expect(after).toEqual(before)
  })

  test.for(['requests?area=elsewhere', 'requests?after=-1', 'requests?after=x'])(
    'refuses GET %s',
    async (path, { harness }) => {
      expect(await readRefusal(await harness.control(path))).toEqual([400, 'invalid_input'])
    },
  )

  test('refuses a body that is not JSON or too large', async ({ harness: { sandbox, platformUrl } }) => {
    const send = async (body: string) => {
      const headers = { authorization: `Bearer ${sandbox.ready.controlToken}` }
      return readRefusal(await fetch(`${platformUrl}/sandbox/reset`, { method: 'POST', headers, body }))
    }
    expect(await send('')).toEqual([400, 'invalid_json'])
    expect(await send('{"seed"')).toEqual([400, 'invalid_json'])
    expect(await send(JSON.stringify({ seed: 'x'.repeat(65_536) }))).toEqual([413, 'request_too_large'])
  })

  test.each([
    ['plans/nobody', {}],
    ['keys/nobody', {}],
    ['models', { planId: 'plan-sandbox-pro', modelCode: 'nobody' }],
    ['elsewhere', {}],
    ['state', {}],
    ['plans/a/b', {}],
  ])('rejects POST %s as unknown', async (path, body) => {
    const harness = await startHarness()
    expect(await readRefusal(await harness.control(path, body))).toEqual([404, 'not_found'])
  })
})

test('a reset with a seed creates that seed’s data with the same texts and keys', async () => {
  const [harness, coffee] = [await startHarness({ seed: 'tea' }), await startHarness({ seed: 'coffee' })]
  const headers = [harness, coffee].map((sandbox) => buildBearerHeader(sandbox))
  const readStatuses = () =>
    Promise.all(headers.map(async (header) => (await harness.post(chatPath, buildChatBody('hi'), header)).status))
  expect(await readStatuses()).toEqual([200, 401])
  await harness.control('reset', { seed: 'coffee' })
  expect(await harness.requests()).toEqual([])
  expect(await readStatuses()).toEqual([401, 200])
  await harness.control('reset', {})
  expect(await readStatuses()).toEqual([401, 200])
})

test('the list of requests shows caller and usage of each request, but no key or text', async ({ harness }) => {
  const key = harness.readKey('sandbox-pro', 'default-key')
  const bothHeaders = { authorization: `Bearer ${key}`, 'x-api-key': key, 'user-agent': `tool/1.0 ${key}` }
  const body = buildChatBody('Say a-secret-word', { stream: true })
  await (await harness.post(`${messagesPath}?beta=true`, body, bothHeaders)).text()
  await harness.post(chatPath, buildChatBody('hi', { model: key }), { 'x-api-key': key })
  await harness.post(`/v1/${key}/messages`, {}, {})
  const records = await harness.requests()
  expect(records).toEqual([
    {
      n: 1,
      area: 'gateway',
      operation: 'gateway.messages',
      at: expect.stringMatching(/Z$/),
      method: 'POST',
      path: '/v1/messages',
      status: 200,
      standard: 'messages',
      modelCode: 'aurora-small',
      planName: 'sandbox-pro',
      keyName: 'default-key',
      credentialHeaders: ['authorization', 'x-api-key'],
      userAgent: 'tool/1.0 [key]',
      stream: true,
      inputTokens: expect.any(Number),
      outputTokens: expect.any(Number),
      durationMs: expect.any(Number),
    },
    expect.objectContaining({ n: 2, status: 403, modelCode: '[key]', error: 'model_not_in_plan' }),
    expect.objectContaining({ n: 3, path: '/v1/[key]/messages', status: 404, error: 'not_found' }),
  ])
  expect(records[1]?.credentialHeaders).toEqual(['x-api-key'])
  expect(JSON.stringify(records)).not.toMatch(/a-secret-word/)
  expect((await harness.requests('after=2')).map(({ n }) => n)).toEqual([3])
})

describe('requests from a web page', () => {
  const hosts = [
    'evil.example',
    'evil.example:{port}',
    '127.0.0.1',
    '127.0.0.1:1',
    '[::2]:{port}',
    '127.0.0.1.evil.example:{port}',
  ]
  test.for(hosts)('with the host %s are refused by both listeners', async (host, { harness }) => {
    const authorization = `Bearer ${await harness.token()}`
    const paths = ['/sandbox/state', '/runtime/agent-runtimes'].map((path) => `${harness.platformUrl}${path}`)
    for (const url of [`${harness.gatewayUrl}${chatPath}`, ...paths]) {
      const headers = { host: host.replace('{port}', new URL(url).port), authorization }
      const response = await rawRequest(url, { headers })
      expect([response.status, response.text.includes('this computer only')]).toEqual([421, true])
    }
  })

  test.for(['LOCALHOST:{port}', '[::1]:{port}', '127.0.0.1:{port}'])(
    'with the host %s are served',
    async (host, { harness }) => {
      const { sandbox, platformUrl } = harness
      const authorization = `Bearer ${sandbox.ready.controlToken}`
      const headers = { host: host.replace('{port}', new URL(platformUrl).port), authorization }
      expect((await rawRequest(`${platformUrl}/sandbox/state`, { headers })).status).toBe(200)
    },
  )

  test.for(['https://evil.example', 'null', 'http://localhost:3000', ''])(
    'from the origin %j are refused, including token requests and CORS preflights',
    async (origin, { harness }) => {
      const gateway = await rawRequest(`${harness.gatewayUrl}${messagesPath}`, {
        method: 'POST',
        headers: { origin, ...buildBearerHeader(harness) },
        body: JSON.stringify(buildChatBody('hi')),
      })
      const controlResponse = await rawRequest(`${harness.platformUrl}/sandbox/state`, {
        headers: { origin, authorization: `Bearer ${harness.sandbox.ready.controlToken}` },
      })
      expect([gateway.status, JSON.parse(gateway.text).error.code]).toEqual([403, 'browser_origin'])
      expect([controlResponse.status, gateway.headers['access-control-allow-origin']]).toEqual([403, undefined])
      const headers = { origin, authorization: `Bearer ${await harness.token()}` }
      for (const [method, path] of [
        ['GET', '/runtime/agent-runtimes'],
        ['POST', '/iam/oauth2/token'],
        ['OPTIONS', '/runtime/agent-runtimes'],
      ] as const) {
        const response = await rawRequest(`${harness.platformUrl}${path}`, { method, headers })
        expect([response.status, response.headers['access-control-allow-origin']]).toEqual([403, undefined])
      }
    },
  )
})
