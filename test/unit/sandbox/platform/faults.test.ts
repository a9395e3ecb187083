import { describe, expect, test } from 'vitest'
import { type Harness, rawRequest, startHarness } from '../support'
import { runtimesPath } from './runtime/support'

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
    expect([
      await isFaultInjected('GET', flavors),
      await isFaultInjected('GET', runtimesPath),
      await isFaultInjected('POST', '/inference/v1/embeddings'),
    ]).toEqual([isFlavors, isRuntimes, isInference])
  })

  test('to the token operation too, in its standard’s format', async () => {
    const { harness } = await startWithFaults({ operations: 'iam.token', status: 503, retryAfterS: 3 })
    const response = await rawRequest(harness.sandbox.ready.iam.tokenUrl, { method: 'POST' })
    expect([response.status, response.headers['retry-after'], JSON.parse(response.text).error]).toEqual([
      503,
      '3',
      'injected_fault',
    ])
  })
})

describe('a fault', () => {
  test.each([400, 401, 404, 409, 429, 500, 502, 503, 599])('answers %i in the service’s format', async (status) => {
    const { harness, token } = await startWithFaults({ operations: '*', status, retryAfterS: 7 })
    const response = await sendRawRequest({ harness, token }, flavors)
    expect([response.status, response.headers['retry-after'], JSON.parse(response.text)]).toEqual([
      status,
      '7',
      { code: 'INJECTED_FAULT', message: expect.stringContaining(String(status)) },
    ])
    const inference = await harness.api('POST', '/inference/v1/embeddings', { body: {} })
    expect([inference.status, inference.body.error.code]).toEqual([status, 'injected_fault'])
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
