import { describe, expect, test } from 'vitest'
import { services } from '../../../../src/sandbox/platform/platform'
import { prefixes, readFacts } from '../../main/platform/harness'
import { buildBearerHeader, type Harness, startHarness } from '../support'

const listedOperations = readFacts().filter(({ service }) => service !== 'gateway')

const tables = services.flatMap(({ base, access, operations }) =>
  operations.map(({ id, method, path }) => ({ id, service: base, access, method, path })),
)

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
    const operationPaths = tables.map(
      ({ method, service, path }) => `${method} ${service}${path.replace(/\{\w+\}/g, '{}')}`,
    )
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
    const url = `${harness.platformUrl}${service}${path.replace(/\{\w+\}/g, 'x')}`
    const response = await fetch(url, { method, headers: buildHeaders(harness) })
    const body = await response.json()
    const challenge = response.headers.get('www-authenticate')
    expect([id, response.status, challenge]).toEqual([id, 401, 'Bearer realm="sandbox"'])
    expect((body.error ?? body).message).toContain(hint)
  }
  const records = await harness.requests('area=platform')
  expect(records.map(({ operation }) => operation)).toEqual(guardedOperations.map(({ id }) => id))
})
