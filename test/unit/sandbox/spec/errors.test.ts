import { describe, expect, test } from 'vitest'
import { buildChatBody, chatPath, type Harness, messagesPath, startHarness } from '../support'

/* Tests of each row of the spec's section "Errors", in both API standards. */

const buildBearerHeader = (key: string) => ({ authorization: `Bearer ${key}` })
const readProKey = (harness: Harness) => harness.readKey('sandbox-pro', 'default-key')

interface Row {
  readonly status: number
  readonly condition: string
  readonly key?: (harness: Harness) => string
  readonly model?: string
  readonly before?: (harness: Harness) => Promise<unknown>
  readonly says: RegExp
}

const gatewayRows: readonly Row[] = [
  { status: 401, condition: 'wrong key', key: () => `sk-sandbox-${'0'.repeat(40)}`, says: /key/i },
  {
    status: 401,
    condition: 'key characters missing',
    key: (harness) => readProKey(harness).slice(0, -3),
    says: /characters|copy/i,
  },
  {
    status: 401,
    condition: 'disabled key',
    key: (harness) => harness.readKey('sandbox-pro', 'old-laptop'),
    says: /disabled/i,
  },
  { status: 403, condition: 'model requested is not included in the plan', model: 'lyra-reason', says: /not included/ },
  {
    status: 402,
    condition: 'plan expired',
    key: (harness) => harness.readKey('sandbox-expired', 'default-key'),
    says: /expired/,
  },
  {
    status: 402,
    condition: 'plan was deleted',
    before: (harness) => harness.api('DELETE', '/console/token-plans/plan-sandbox-pro'),
    says: /deleted/,
  },
  {
    status: 429,
    condition: 'quota: the token pool of that model reached 0 mid-cycle (the status is ours)',
    before: (harness) =>
      harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', tokensUsed: 60_000_000 }),
    says: /token allowance .* used up/,
  },
  {
    status: 429,
    condition: 'quota: the request allowance of that model reached 0 mid-cycle (the status is ours)',
    before: (harness) =>
      harness.control('models', { planId: 'plan-sandbox-pro', modelCode: 'aurora-small', requestsUsed: 60_000 }),
    says: /request allowance .* used up/,
  },
]

describe.each([chatPath, messagesPath])('A. Gateway, %s', (path) => {
  test.each(gatewayRows)(
    '$status: $condition',
    async ({ status, key = readProKey, model = 'aurora-small', before, says }) => {
      const harness = await startHarness()
      const credential = key(harness)
      await before?.(harness)
      const response = await harness.post(path, buildChatBody('hi', { model }), buildBearerHeader(credential))
      expect(response.status).toBe(status)
      expect((await response.json()).error.message).toMatch(says)
    },
  )

  test('calls to an exhausted model are refused until the next cycle, and other models work', async () => {
    const harness = await startHarness()
    const call = async (model: string) =>
      (await harness.post(path, buildChatBody('hi', { model }), buildBearerHeader(readProKey(harness)))).status
    expect([await call('nova-vision'), await call('aurora-small')]).toEqual([429, 200])
    const { expiresAt } = (await harness.api('GET', '/console/token-plans/plan-sandbox-pro')).body
    await harness.control('clock', { advanceMs: Date.parse(expiresAt) - Date.parse((await harness.state()).clock) })
    expect(await call('nova-vision')).toBe(200)
  })
})

describe('A. Gateway, base URL', () => {
  test.each([
    ['missing /v1 for a chat-completions tool', '/chat/completions', '/v1'],
    ['a doubled /v1 of a chat-completions tool', '/v1/v1/chat/completions', '/v1'],
    ['extra /v1 for a tool of the second standard', '/v1/v1/messages', ''],
  ])('404: %s, with the correct address', async (_case, path, suffix) => {
    const harness = await startHarness()
    const response = await harness.post(path, buildChatBody('hi'), buildBearerHeader(readProKey(harness)))
    expect(response.status).toBe(404)
    expect((await response.json()).error.message).toContain(`${harness.gatewayUrl}${suffix}`)
  })

  test.each(['/v1/embeddings', '/v1/models', '/v1/completions', '/v1/responses', '/'])(
    '404: %s is not served',
    async (path) => {
      const harness = await startHarness()
      expect((await harness.post(path, buildChatBody('hi'), buildBearerHeader(readProKey(harness)))).status).toBe(404)
    },
  )
})

test('A. Gateway: the Errors metric counts failed requests', async () => {
  const harness = await startHarness()
  const statuses = []
  for (const model of ['aurora-small', 'lyra-reason', 'nova-vision']) {
    statuses.push(
      (await harness.post(chatPath, buildChatBody('hi', { model }), buildBearerHeader(readProKey(harness)))).status,
    )
  }
  statuses.push(
    (await harness.post(chatPath, buildChatBody('hi'), buildBearerHeader(harness.readKey('sandbox-pro', 'old-laptop'))))
      .status,
  )
  expect(statuses).toEqual([200, 403, 429, 401])
  const usage = (await harness.api('GET', '/console/token-plans/plan-sandbox-pro/usage?interval=hour')).body
  expect(usage.totals).toMatchObject({ requests: 1, errors: 3 })
})

describe('B. Platform API', () => {
  test.each([
    '/registry/v1/repository',
    '/runtime/agent-runtimes',
    '/memory/memories',
    '/aip/v1/models',
    '/aip/v1/api-keys',
  ])('400: page 0 on the 1-indexed %s', async (path) => {
    const harness = await startHarness()
    expect((await harness.api('GET', `${path}?page=0`)).status).toBe(400)
    expect((await harness.api('GET', `${path}?page=1`)).status).toBe(200)
  })

  test('401: token expired; a new one is accepted', async () => {
    const harness = await startHarness({ timing: { paceMs: 0, tokenLifetimeS: 60 } })
    const token = await harness.token()
    const fetchStatus = async (bearerToken: string) =>
      (await harness.api('GET', '/memory/memories', { token: bearerToken })).status
    expect(await fetchStatus(token)).toBe(200)
    await harness.control('clock', { advanceMs: 60_000 })
    expect(await fetchStatus(token)).toBe(401)
    expect(await fetchStatus(await harness.token())).toBe(200)
  })

  test.each([null, 'nonsense', 'iam-sandbox-e30.e30'])('401: the token %j is invalid', async (token) => {
    const harness = await startHarness()
    expect((await harness.api('GET', '/memory/memories', { token })).status).toBe(401)
  })

  test('404: GET of a platform API key once its asynchronous deletion has finished', async () => {
    const harness = await startHarness()
    const { asyncMs } = (await harness.state()).timing
    await harness.api('POST', '/aip/v1/api-keys', { body: { name: 'short-lived' } })
    await harness.control('clock', { advanceMs: asyncMs })
    await harness.api('DELETE', '/aip/v1/api-keys/short-lived')
    await harness.control('clock', { advanceMs: asyncMs })
    expect((await harness.api('GET', '/aip/v1/api-keys/short-lived')).status).toBe(404)
  })
})
