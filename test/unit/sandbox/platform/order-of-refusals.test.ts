import { describe, expect, test } from 'vitest'
import { type Harness, rawRequest, startHarness } from '../support'

const runtimesPath = '/runtime/agent-runtimes'
const buildFault = (operations: string) => ({ faults: [{ operations, status: 503 }] })
const injectFaults = (harness: Harness) => harness.control('faults', buildFault('*'))

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
      await injectFaults(harness)
      const response = await rawRequest(`${harness.platformUrl}${path}`, { method, headers, body })
      expect([response.status, JSON.parse(response.text)]).toEqual([status, { code, message: expect.any(String) }])
      expect(response.headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
    },
  )

  test('then 401, then 404 of the resource, then 400 of the body', async () => {
    const harness = await startHarness()
    const { body: runtime } = await harness.api('POST', runtimesPath, {
      body: { name: 'a', image: 'a', flavorId: 'flavor-small' },
    })
    const send = async (path: string, token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const response = await rawRequest(`${harness.platformUrl}${path}`, { method: 'PATCH', headers, body: '{' })
      return [response.status, JSON.parse(response.text).code]
    }
    expect(await send(`${runtimesPath}/nobody`, 'wrong')).toEqual([401, 'UNAUTHORIZED'])
    expect(await send(`${runtimesPath}/nobody`, await harness.token())).toEqual([404, 'NOT_FOUND'])
    expect(await send(`${runtimesPath}/${runtime.id}`, await harness.token())).toEqual([400, 'INVALID_JSON'])
  })

  test('an unmatched fault is not used up', async () => {
    const harness = await startHarness()
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

  test.each([
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
    `/${'x'.repeat(5_000)}`,
  ])('%s returns 404', async (path) => {
    const harness = await startHarness()
    const response = await rawRequest(`${harness.platformUrl}${path}`)
    expect([response.status, JSON.parse(response.text).code, response.text.length < 400]).toEqual([
      404,
      'NOT_FOUND',
      true,
    ])
  })

  test('of inference is reported in its standard’s format', async () => {
    const harness = await startHarness()
    const { status, body } = await harness.api('GET', '/inference/v1/models')
    expect([status, body]).toEqual([
      404,
      {
        error: {
          message: expect.stringContaining('/inference/v1/models'),
          type: 'invalid_request_error',
          param: null,
          code: 'not_found',
        },
      },
    ])
  })
})
