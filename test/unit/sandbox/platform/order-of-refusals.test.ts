import { describe, expect } from 'vitest'
import { rawRequest, startHarness, test } from '../support'
import { makeRuntime, runtimesPath } from './runtime/support'

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
