import { describe, expect, test } from 'vitest'
import type { RequestRecord } from '../../../../src/sandbox/journal'
import { type Harness, rawRequest, startHarness } from '../support'

const runtimesPath = '/runtime/agent-runtimes'

const records = async (harness: Harness, query = 'area=platform'): Promise<readonly RequestRecord[]> =>
  (await (await harness.control(`requests?${query}`)).json()).requests

const poll = async (harness: Harness, fits: (requestRecords: readonly RequestRecord[]) => boolean) => {
  const deadlineMs = performance.now() + 5_000
  for (;;) {
    const journalRecords = await records(harness)
    if (fits(journalRecords) || performance.now() > deadlineMs) return journalRecords
  }
}

describe('recorded platform requests', () => {
  test('contain operation, status, error and user agent, but no token, query or body', async () => {
    const harness = await startHarness()
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

  test('contain their outcome', async () => {
    const harness = await startHarness()
    const { body } = await harness.api('POST', runtimesPath, {
      body: { name: 'a', image: 'a', flavorId: 'flavor-small' },
    })
    await harness.api('DELETE', `${runtimesPath}/${body.id}`)
    await harness.api('GET', `${runtimesPath}/${body.id}`)
    await harness.api('GET', '/nowhere')
    await harness.api('PUT', runtimesPath)
    await rawRequest(`${harness.platformUrl}${runtimesPath}`, { headers: { authorization: 'Bearer wrong' } })
    expect((await records(harness)).map(({ operation, status, error }) => [operation, status, error])).toEqual([
      ['iam.token', 200, undefined],
      ['runtime.agentRuntimes.create', 201, undefined],
      ['runtime.agentRuntimes.delete', 204, undefined],
      ['runtime.agentRuntimes.get', 404, 'NOT_FOUND'],
      [undefined, 404, 'NOT_FOUND'],
      [undefined, 405, 'METHOD_NOT_ALLOWED'],
      ['runtime.agentRuntimes.list', 401, 'UNAUTHORIZED'],
    ])
  })

  test('contain a cut response, a dropped connection and a disconnected client', async () => {
    const harness = await startHarness()
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
    const journalRecords = await poll(harness, (requestRecords) => requestRecords.length === 4)
    expect(journalRecords.slice(1).map(({ status, error }) => [status, error])).toEqual([
      [200, 'cut_by_fault'],
      [499, 'dropped_by_fault'],
      [499, 'client_closed'],
    ])
  })
})
