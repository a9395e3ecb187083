import { describe, expect } from 'vitest'
import { services } from '../../../../src/sandbox/platform/platform'
import { prefixes, readFacts } from '../../main/platform/harness'
import {
  buildBearerHeader,
  buildRuntimeInput,
  type Harness,
  makeRuntime,
  rawRequest,
  refusal,
  runtimesPath,
  startHarness,
  test,
} from '../support'

const listedOperations = readFacts().filter(({ service }) => service !== 'gateway')

const tables = services.flatMap(({ base, access, operations }) =>
  operations.map(({ id, method, path }) => ({ id, service: base, access, method, path })),
)

const fillPath = (path: string, name: string) => path.replace(/\{\w+\}/g, name)

describe('the tables of the services', () => {
  test('are compared with the operations of six services', () => {
    const serviceNames = ['identity', 'runtime', 'memory', 'registry', 'aip', 'inference']
    expect(new Set(listedOperations.map(({ service }) => service))).toEqual(new Set(serviceNames))
  })

  test.each(listedOperations)('contain $id as $method $path', ({ id, service, method, path }) => {
    expect(tables.filter((operation) => operation.id === id)).toEqual([
      expect.objectContaining({ id, service: prefixes[service], method, path }),
    ])
  })

  test('contain nothing else but our console, container sign-in and token operations', () => {
    const knownIds = new Set(listedOperations.map(({ id }) => id))
    const unknownTables = tables.filter(({ id }) => !knownIds.has(id))
    expect(new Set(unknownTables.map(({ service }) => service))).toEqual(new Set(['/console', '/v2', '/iam']))
  })

  test('contain no duplicate operation or route', () => {
    expect(new Set(tables.map(({ id }) => id)).size).toBe(tables.length)
    const operationPaths = tables.map(({ method, service, path }) => `${method} ${service}${fillPath(path, '{}')}`)
    expect(new Set(operationPaths).size).toBe(operationPaths.length)
  })
})

test.each<[string, string, (harness: Harness) => Record<string, string>]>([
  ['no token', 'Send an IAM token', () => ({})],
  ['a subscription key', 'subscription key', buildBearerHeader],
])('every operation except sign-in returns 401 for %s, and says: %s', async (_, hint, buildHeaders) => {
  const harness = await startHarness()
  const guardedOperations = tables.filter(({ access }) => access !== 'open')
  expect(tables.length - guardedOperations.length).toBe(2)
  for (const { id, method, service, path } of guardedOperations) {
    const url = `${harness.platformUrl}${service}${fillPath(path, 'x')}`
    const response = await fetch(url, { method, headers: buildHeaders(harness) })
    const body = await response.json()
    const challenge = response.headers.get('www-authenticate')
    expect([id, response.status, challenge]).toEqual([id, 401, 'Bearer realm="sandbox"'])
    expect((body.error ?? body).message).toContain(hint)
  }
  const records = await harness.requests('area=platform')
  expect(records.map(({ operation }) => operation)).toEqual(guardedOperations.map(({ id }) => id))
})

test.for(['x', 'a%2Fb', '..%2F..', '%20', 'a%00', '%F0%9F%8D%80', '__proto__', 'x'.repeat(150)])(
  'every operation on a resource returns 404 for the missing %s, before other errors',
  async (name, { harness }) => {
    for (const { id, method, service, path } of tables.filter((operation) => operation.path.includes('{'))) {
      // The console validates the body first.
      const hasBody = service === '/console' && !['GET', 'DELETE'].includes(method)
      const options = hasBody ? { body: { name: 'late', autoRenew: true } } : {}
      const { status, body } = await harness.api(method, service + fillPath(path, name), options)
      expect([id, status, body.code]).toEqual([id, 404, 'NOT_FOUND'])
      expect(body.message.length).toBeLessThan(250)
    }
  },
)

const runtimeInput = buildRuntimeInput()

const send = async (harness: Harness, body: string, headers: Record<string, string> = {}) => {
  const authorization = `Bearer ${await harness.token()}`
  const url = `${harness.platformUrl}${runtimesPath}`
  const response = await rawRequest(url, { method: 'POST', headers: { authorization, ...headers }, body })
  return { status: response.status, body: JSON.parse(response.text) }
}

const nestArrays = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels))

describe('a body', () => {
  const rows = [
    ['INVALID_JSON', 'The body is not valid JSON.', ['{', 'null,', "{'name': 'a'}", '{"name": "a",}', 'name=a', '[1']],
    ['INVALID_JSON', 'The body is not valid JSON.', ['\u0000', 'undefined']],
    ['INVALID_INPUT', 'The body: must be an object', ['[]', 'null', '"text"', '7', 'true', '[{"name":"a"}]']],
    // An empty body counts as an object without fields.
    ['INVALID_INPUT', 'name: is required', ['', '  \n']],
  ] as const
  test.for(rows)('is refused with %s and “%s”: %j', async ([code, message, texts], { harness }) => {
    for (const text of texts) {
      expect(await send(harness, text), text).toEqual({ status: 400, body: { code, message } })
    }
  })

  test('is accepted with any content type', async ({ harness }) => {
    expect((await send(harness, JSON.stringify(runtimeInput), { 'content-type': 'text/plain' })).status).toBe(201)
    expect((await send(harness, JSON.stringify(runtimeInput))).status).toBe(201)
  })

  test('of 4 MiB is accepted, a larger one is refused with 413, with or without a declared length', async ({
    harness,
  }) => {
    const limit = 4 * 1024 * 1024
    const buildBodyOfSize = (bytes: number) => {
      const minimalJson = JSON.stringify({ ...runtimeInput, note: '' })
      return minimalJson.replace('"note":""', `"note":"${'x'.repeat(bytes - minimalJson.length)}"`)
    }
    expect((await send(harness, buildBodyOfSize(limit))).status).toBe(201)
    for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
      const response = await send(harness, buildBodyOfSize(limit + 1), headers)
      expect(response).toEqual(refusal(413, 'REQUEST_TOO_LARGE', '4194304'))
    }
    expect((await harness.api('GET', runtimesPath)).body.totalItem).toBe(1)
  })

  test('may be nested 64 levels deep and not deeper, without a crash', async ({ harness }) => {
    const nestedBody = { ...runtimeInput, tree: nestArrays(63) }
    const { status, body } = await send(harness, JSON.stringify(nestedBody))
    expect([status, body.tree]).toEqual([201, nestedBody.tree])
    const text = JSON.stringify(runtimeInput).replace('{', `{"tree":${'['.repeat(100_000)}${']'.repeat(100_000)},`)
    for (const deeplyNestedBody of [JSON.stringify({ ...runtimeInput, tree: nestArrays(64) }), text]) {
      expect(await send(harness, deeplyNestedBody)).toEqual(refusal(400, 'INVALID_INPUT', '64 levels'))
    }
    expect((await harness.api('GET', runtimesPath)).body.totalItem).toBe(1)
  })

  test('keeps every unknown field, whatever its characters', async ({ harness }) => {
    const extraFields = { tên: 'Lan 👩‍👩‍👧', '': 'empty', 'a.b': [1, null, { c: false }], toString: 'x', n: 1e300 }
    const { body } = await send(harness, JSON.stringify({ ...runtimeInput, ...extraFields }))
    expect(body).toMatchObject(extraFields)
  })

  test('cannot change object prototypes', async ({ harness }) => {
    const text = JSON.stringify(runtimeInput).replace('{', '{"__proto__":{"status":"GOLD","polluted":true},')
    const { status, body } = await send(harness, text)
    expect([status, body.status, body.polluted]).toEqual([201, 'CREATING', undefined])
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })
})

const flavors = '/runtime/flavors'

async function startWithFaults(...faults: readonly object[]) {
  const harness = await startHarness()
  const token = await harness.token()
  await harness.api('GET', flavors)
  const { status } = await harness.control('faults', { faults })
  if (status !== 200) throw new Error(`fault not accepted: ${status}`)
  return { harness, token }
}

const sendRawRequest = ({ harness, token }: { harness: Harness; token: string }, path: string, method = 'GET') =>
  rawRequest(`${harness.platformUrl}${path}`, { method, headers: { authorization: `Bearer ${token}` } })

describe('a fault applies', () => {
  test.each([
    ['runtime.flavors.list', true, false, false],
    ['runtime.agentRuntimes.list', false, true, false],
    ['runtime.agentRuntimes.*', false, true, false],
    ['runtime.*', true, true, false],
    ['inference.*', false, false, true],
    ['*', true, true, true],
    ['gateway.*', false, false, false],
  ])('for %s only to its operation', async (operations, isFlavors, isRuntimes, isInference) => {
    const { harness } = await startWithFaults({ operations, status: 418 })
    const isFaultInjected = async (method: string, path: string) => (await harness.api(method, path)).status === 418
    expect(await isFaultInjected('GET', flavors)).toBe(isFlavors)
    expect(await isFaultInjected('GET', runtimesPath)).toBe(isRuntimes)
    expect(await isFaultInjected('POST', '/inference/v1/embeddings')).toBe(isInference)
  })

  test('to the token operation too, in its standard’s format', async () => {
    const { harness } = await startWithFaults({ operations: 'iam.token', status: 503, retryAfterS: 3 })
    const response = await rawRequest(harness.sandbox.ready.iam.tokenUrl, { method: 'POST' })
    expect(response).toMatchObject({ status: 503, headers: { 'retry-after': '3' } })
    expect(JSON.parse(response.text).error).toBe('injected_fault')
  })
})

describe('a fault', () => {
  test.each([400, 401, 404, 409, 429, 500, 502, 503, 599])('answers %i in the service’s format', async (status) => {
    const { harness, token } = await startWithFaults({ operations: '*', status, retryAfterS: 7 })
    const response = await sendRawRequest({ harness, token }, flavors)
    expect(response).toMatchObject({ status, headers: { 'retry-after': '7' } })
    const message = expect.stringContaining(String(status))
    expect(JSON.parse(response.text)).toEqual({ code: 'INJECTED_FAULT', message })
    const inference = await harness.api('POST', '/inference/v1/embeddings', { body: {} })
    expect(inference).toMatchObject({ status, body: { error: { code: 'injected_fault' } } })
  })

  test('applies for its count, then the next matching one, then none', async () => {
    const { harness } = await startWithFaults(
      { operations: 'runtime.*', status: 503, times: 2 },
      { operations: 'runtime.flavors.list', status: 429, times: 1 },
    )
    const statuses = []
    for (let index = 0; index < 4; index += 1) statuses.push((await harness.api('GET', flavors)).status)
    expect(statuses).toEqual([503, 503, 429, 200])
    expect((await harness.state()).faults).toEqual([])
  })
})

const records = (harness: Harness) => harness.requests('area=platform')

describe('recorded platform requests', () => {
  test('contain operation, status, error and user agent, but no token, query or body', async ({ harness }) => {
    const token = await harness.token()
    const headers = { authorization: `Bearer ${token}`, 'user-agent': 'tool/1.0' }
    await rawRequest(`${harness.platformUrl}${runtimesPath}?page=0&q=a-secret-word`, { headers })
    const [, record] = await records(harness)
    expect(record).toEqual({
      n: 2,
      area: 'platform',
      operation: 'runtime.agentRuntimes.list',
      at: expect.stringMatching(/Z$/),
      method: 'GET',
      path: runtimesPath,
      status: 400,
      standard: null,
      credentialHeaders: ['authorization'],
      userAgent: 'tool/1.0',
      stream: false,
      durationMs: expect.any(Number),
      error: 'INVALID_INPUT',
    })
    expect(JSON.stringify(await records(harness))).not.toMatch(/a-secret-word|iam-sandbox-|cs-sandbox-/)
  })

  test('contain a cut response, a dropped connection and a disconnected client', async ({ harness }) => {
    const token = await harness.token()
    const headers = { authorization: `Bearer ${token}` }
    const url = `${harness.platformUrl}/runtime/flavors`
    const setFault = (fault: object) => harness.control('faults', { faults: [{ operations: '*', ...fault }] })
    await setFault({ cutAfterBytes: 3 })
    await rawRequest(url, { headers })
    await setFault({ isDropped: true })
    await rawRequest(url, { headers }).catch(() => undefined)
    await setFault({ delayMs: 600_000 })
    const clientController = new AbortController()
    const abortedFetch = fetch(url, { headers, signal: clientController.signal }).catch(() => undefined)
    await harness.control('faults', { faults: [] })
    clientController.abort()
    await abortedFetch
    const expectedRecords = [
      { status: 200, error: 'cut_by_fault' },
      { status: 499, error: 'dropped_by_fault' },
      { status: 499, error: 'client_closed' },
    ]
    const readRecords = async () => (await records(harness)).slice(1)
    await expect.poll(readRecords, { timeout: 5_000 }).toMatchObject(expectedRecords)
  })
})

interface RequestAttempt {
  readonly method?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** A request with every error, fixed step by step. Each attempt returns the next error. */
const steps: readonly (readonly [status: number, code: string, RequestAttempt])[] = [
  [421, 'WRONG_HOST', { headers: { host: 'evil.example', origin: 'https://evil.example' }, path: '/nowhere' }],
  [403, 'BROWSER_ORIGIN', { headers: { origin: 'https://evil.example' }, path: '/nowhere' }],
  [404, 'NOT_FOUND', { path: '/nowhere' }],
  [405, 'METHOD_NOT_ALLOWED', { method: 'PUT' }],
  [503, 'INJECTED_FAULT', { method: 'POST', body: 'not json' }],
]

describe('of several errors the first is returned', () => {
  test.each(steps)(
    '%i %s',
    async (status, code, { method = 'POST', path = runtimesPath, headers = {}, body = '{' }) => {
      const harness = await startHarness()
      await harness.control('faults', { faults: [{ operations: '*', status: 503 }] })
      const response = await rawRequest(`${harness.platformUrl}${path}`, { method, headers, body })
      expect([response.status, JSON.parse(response.text)]).toEqual([status, { code, message: expect.any(String) }])
      expect(response.headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
    },
  )

  test('then 401, then 404 of the resource, then 400 of the body', async ({ harness }) => {
    const runtime = await makeRuntime(harness)
    const send = async (path: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const response = await rawRequest(`${harness.platformUrl}${path}`, { method: 'PATCH', headers, body: '{' })
      return [response.status, JSON.parse(response.text).code]
    }
    expect(await send(`${runtimesPath}/nobody`, 'wrong')).toEqual([401, 'UNAUTHORIZED'])
    expect(await send(`${runtimesPath}/nobody`, await harness.token())).toEqual([404, 'NOT_FOUND'])
    expect(await send(`${runtimesPath}/${runtime.id}`, await harness.token())).toEqual([400, 'INVALID_JSON'])
  })

  test('an unmatched fault is not used up', async ({ harness }) => {
    await harness.control('faults', { faults: [{ operations: 'runtime.*', status: 503, times: 1 }] })
    await harness.api('GET', '/nowhere')
    await harness.api('PUT', runtimesPath)
    await rawRequest(`${harness.platformUrl}${runtimesPath}`, { headers: { origin: 'https://evil.example' } })
    expect((await harness.state()).faults).toEqual([{ operations: 'runtime.*', status: 503, times: 1 }])
    expect((await harness.api('GET', runtimesPath)).status).toBe(503)
  })
})

describe('a wrong path', () => {
  test.each([
    ['PUT', runtimesPath, 'GET, POST'],
    ['DELETE', runtimesPath, 'GET, POST'],
    ['HEAD', runtimesPath, 'GET, POST'],
    ['OPTIONS', runtimesPath, 'GET, POST'],
    ['POST', `${runtimesPath}/x`, 'GET, PATCH, DELETE'],
    ['GET', `${runtimesPath}/x/reset-service-account`, 'PATCH'],
    ['POST', '/runtime/flavors', 'GET'],
    ['GET', '/inference/v1/chat/completions', 'POST'],
  ])('%s %s returns 405 and the methods %s', async (method, path, allow) => {
    const harness = await startHarness()
    const response = await rawRequest(`${harness.platformUrl}${path}`, { method })
    expect([response.status, response.headers.allow]).toEqual([405, allow])
    if (method !== 'HEAD') expect(response.text).toContain(`takes ${allow}, not ${method}`)
  })

  test.for([
    '/',
    '/runtime',
    '/runtime/',
    '/runtime/agent-runtimes/',
    '/runtime/agent-runtimes/x/nothing',
    '/runtime//agent-runtimes',
    '/Runtime/agent-runtimes',
    '/runtime/agent-runtimes/%zz',
    '/agent-runtimes',
    '/memory/agent-runtimes',
    '/console/nothing',
    '/identity/api/v1/nothing',
    '/sandboxes',
    `/${'x'.repeat(5_000)}`,
  ])('%s returns 404', async (path, { harness }) => {
    const response = await rawRequest(`${harness.platformUrl}${path}`)
    const body = { code: 'NOT_FOUND', message: expect.stringContaining('The platform has no') }
    expect([response.status, JSON.parse(response.text)]).toEqual([404, body])
    expect(response.text.length).toBeLessThan(400)
  })

  test('of inference is reported in its standard’s format', async ({ harness }) => {
    const message = expect.stringContaining('/inference/v1/models')
    const error = { message, type: 'invalid_request_error', param: null, code: 'not_found' }
    expect(await harness.api('GET', '/inference/v1/models')).toEqual({ status: 404, body: { error } })
  })
})
