import { describe, expect, vi } from 'vitest'
import { type Harness, rawRequest, test } from '../support'
import { runtimesPath } from './runtime/support'

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
    await harness.control('faults', { faults: [{ operations: '*', cutAfterBytes: 3 }] })
    await rawRequest(url, { headers })
    await harness.control('faults', { faults: [{ operations: '*', isDropped: true }] })
    await rawRequest(url, { headers }).catch(() => undefined)
    await harness.control('faults', { faults: [{ operations: '*', delayMs: 600_000 }] })
    const clientController = new AbortController()
    const abortedFetch = fetch(url, { headers, signal: clientController.signal }).catch(() => undefined)
    await harness.control('faults', { faults: [] })
    clientController.abort()
    await abortedFetch
    await vi.waitFor(
      async () =>
        expect((await records(harness)).slice(1).map(({ status, error }) => [status, error])).toEqual([
          [200, 'cut_by_fault'],
          [499, 'dropped_by_fault'],
          [499, 'client_closed'],
        ]),
      5_000,
    )
  })
})
