import { describe, expect, test } from 'vitest'
import type { RequestRecord } from '../../../../src/sandbox/journal'
import { ask, type Bench, chatPath, rawRequest, startBench } from '../support'

const anything = '/runtime/agent-runtimes'

const records = async (bench: Bench, query = 'area=platform'): Promise<readonly RequestRecord[]> =>
  (await (await bench.control(`requests?${query}`)).json()).requests

const poll = async (bench: Bench, fits: (all: readonly RequestRecord[]) => boolean) => {
  const untilMs = performance.now() + 5_000
  for (;;) {
    const found = await records(bench)
    if (fits(found) || performance.now() > untilMs) return found
  }
}

describe('recorded platform requests', () => {
  test('contain operation, status, error and user agent, but no token, query or body', async () => {
    const bench = await startBench()
    const token = await bench.token()
    const headers = { authorization: `Bearer ${token}`, 'user-agent': 'tool/1.0' }
    await rawRequest(`${bench.platformUrl}${anything}?page=0&q=a-secret-word`, { headers })
    const [, record] = await records(bench)
    expect(record).toEqual({
      n: 2,
      area: 'platform',
      operation: 'runtime.agentRuntimes.list',
      at: expect.stringMatching(/Z$/),
      method: 'GET',
      path: anything,
      status: 400,
      standard: null,
      credentialHeaders: ['authorization'],
      userAgent: 'tool/1.0',
      stream: false,
      durationMs: expect.any(Number),
      error: 'INVALID_INPUT',
    })
    expect(JSON.stringify(await records(bench))).not.toMatch(/a-secret-word|iam-sandbox-|cs-sandbox-/)
  })

  test('contain their outcome', async () => {
    const bench = await startBench()
    const { body } = await bench.api('POST', anything, { body: { name: 'a', image: 'a', flavorId: 'flavor-small' } })
    await bench.api('DELETE', `${anything}/${body.id}`)
    await bench.api('GET', `${anything}/${body.id}`)
    await bench.api('GET', '/nowhere')
    await bench.api('PUT', anything)
    await rawRequest(`${bench.platformUrl}${anything}`, { headers: { authorization: 'Bearer wrong' } })
    expect((await records(bench)).map(({ operation, status, error }) => [operation, status, error])).toEqual([
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
    const bench = await startBench()
    const token = await bench.token()
    const headers = { authorization: `Bearer ${token}` }
    const url = `${bench.platformUrl}/runtime/flavors`
    await bench.control('faults', { faults: [{ operations: '*', cutAfterBytes: 3 }] })
    await rawRequest(url, { headers })
    await bench.control('faults', { faults: [{ operations: '*', isDropped: true }] })
    await rawRequest(url, { headers }).catch(() => undefined)
    await bench.control('faults', { faults: [{ operations: '*', delayMs: 600_000 }] })
    const leaving = new AbortController()
    const left = fetch(url, { headers, signal: leaving.signal }).catch(() => undefined)
    await bench.control('faults', { faults: [] })
    leaving.abort()
    await left
    const found = await poll(bench, (all) => all.length === 4)
    expect(found.slice(1).map(({ status, error }) => [status, error])).toEqual([
      [200, 'cut_by_fault'],
      [499, 'dropped_by_fault'],
      [499, 'client_closed'],
    ])
  })

  test('contain model and tokens of inference, without text', async () => {
    const bench = await startBench()
    const body = ask('Say a-secret-word', { stream: true })
    const response = await fetch(`${bench.platformUrl}/inference/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await bench.token()}` },
      body: JSON.stringify(body),
    })
    await response.text()
    const record = (await records(bench)).at(-1)
    expect(record).toMatchObject({
      operation: 'inference.chatCompletions',
      modelCode: 'aurora-small',
      stream: true,
      inputTokens: expect.any(Number),
      outputTokens: expect.any(Number),
    })
    expect(JSON.stringify(record)).not.toContain('a-secret-word')
  })

  test('are separate from the gateway’s', async () => {
    const bench = await startBench()
    await bench.api('GET', anything)
    await bench.post(chatPath, ask('hi'))
    const areas = async (query: string) => (await records(bench, query)).map(({ area }) => area)
    expect(await areas('area=platform')).toEqual(['platform', 'platform'])
    expect(await areas('area=gateway')).toEqual(['gateway'])
    expect(await areas('area=all')).toEqual(['platform', 'platform', 'gateway'])
    expect(await areas('')).toEqual(['gateway'])
    expect((await bench.control('requests?area=moon')).status).toBe(400)
  })
})
