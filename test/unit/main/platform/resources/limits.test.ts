import { AppError } from '@shared/failure'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createHarness, type Harness, type RecordedPlatform, startRecordedPlatform } from './bench'

let harness: Harness
let platform: RecordedPlatform
let connectionId: string
const createdIds = { runtime: '', endpoint: '', memory: '' }

beforeAll(async () => {
  harness = createHarness()
  platform = await startRecordedPlatform()
  connectionId = await platform.connect(harness)
  const requestBody = async (operation: string, args: object): Promise<string> => {
    const { data } = await harness.ask('resources.call', { connectionId, operation, ...args })
    return typeof data === 'object' && data !== null && 'id' in data ? String(data.id) : ''
  }
  createdIds.memory = await requestBody('memory.memories.create', { body: { name: 'limits' } })
  createdIds.runtime = await requestBody('runtime.agentRuntimes.create', {
    body: { name: 'limits', image: 'host/a:1', flavorId: 'flavor-small' },
  })
  createdIds.endpoint = await requestBody('runtime.endpoints.create', {
    path: { id: createdIds.runtime },
    body: { name: 'limits' },
  })
})
afterAll(async () => {
  await platform.close()
  await harness.close()
})

interface Limit {
  readonly operation: string
  readonly path?: () => Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body?: unknown
  /** Name of the invalid field, expected in the error together with the text of the rule. */
  readonly field: string
  readonly rule: string
}

const runtime = () => ({ id: createdIds.runtime })
const endpoint = () => ({ id: createdIds.runtime, endpointId: createdIds.endpoint })
const memory = () => ({ id: createdIds.memory })
const longName = 'n'.repeat(51)

const toName = (operation: string, name: string, rule: string): Limit => ({
  operation,
  body: { name },
  field: 'name',
  rule,
})
const identityNames = ['agentIdentities', 'apiKeyProviders', 'delegatedProviders', 'oauth2Providers'].flatMap((kind) =>
  [longName, 'a b', 'a.b', ''].map((name) =>
    toName(`identity.${kind}.create`, name, '1 to 50 letters, digits, - and _'),
  ),
)
const config = (body: Record<string, unknown>, rule: string): Limit[] => [
  { operation: 'runtime.agentRuntimes.update', path: runtime, body, field: Object.keys(body)[0] ?? '', rule },
  {
    operation: 'runtime.agentRuntimes.create',
    body: { name: 'r', image: 'i', flavorId: 'flavor-small', ...body },
    field: Object.keys(body)[0] ?? '',
    rule,
  },
]
const logs = (body: Record<string, number>, rule: string): Limit[] => [
  { operation: 'runtime.agentRuntimes.logs', path: runtime, body, field: Object.keys(body)[0] ?? '', rule },
  { operation: 'runtime.endpoints.logs', path: endpoint, body, field: Object.keys(body)[0] ?? '', rule },
]
const search = (body: Record<string, number>, rule: string): Limit => ({
  operation: 'memory.records.search',
  path: memory,
  query: { namespace: '/' },
  rule,
  body: { query: 'tea', ...body },
  field: Object.keys(body)[0] ?? '',
})

/** Every limit of the platform's spec (section "Limits", area B), exceeded by one. */
const limits: readonly Limit[] = [
  ...identityNames,
  ...config({ replicas: 0 }, 'a whole number from 1 to 10'),
  ...config({ replicas: 11 }, 'a whole number from 1 to 10'),
  ...config({ cpuUtilizationThreshold: 24 }, 'from 25 to 75 percent'),
  ...config({ cpuUtilizationThreshold: 76 }, 'from 25 to 75 percent'),
  ...config({ memoryUtilizationThreshold: 24 }, 'from 25 to 75 percent'),
  ...config({ memoryUtilizationThreshold: 76 }, 'from 25 to 75 percent'),
  ...logs({ from: 5001 }, 'from 0 to 5000'),
  ...logs({ limit: 1001 }, 'from 1 to 1000'),
  toName('memory.memories.create', longName, 'up to 50 letters, digits, ., - and _'),
  toName('memory.memories.create', 'a b', 'up to 50 letters, digits, ., - and _'),
  {
    ...toName('memory.memories.create', 'm', 'from 1 to 365'),
    body: { name: 'm', eventExpiryDuration: 0 },
    field: 'eventExpiryDuration',
  },
  {
    ...toName('memory.memories.create', 'm', 'from 1 to 365'),
    body: { name: 'm', eventExpiryDuration: 366 },
    field: 'eventExpiryDuration',
  },
  search({ limit: 4 }, 'from 5 to 200'),
  search({ limit: 201 }, 'from 5 to 200'),
  search({ scoreThreshold: -0.1 }, 'from 0 to 1'),
  search({ scoreThreshold: 1.1 }, 'from 0 to 1'),
  { operation: 'registry.repositories.list', query: { page: 0 }, field: 'page', rule: 'from 1' },
  { operation: 'registry.robotAccounts.list', query: { page: 0 }, field: 'page', rule: 'from 1' },
  { operation: 'runtime.agentRuntimes.list', query: { page: 0 }, field: 'page', rule: 'from 1' },
  { operation: 'memory.memories.list', query: { page: 0 }, field: 'page', rule: 'from 1' },
  { operation: 'aip.models.list', query: { page: 0 }, field: 'page', rule: 'from 1' },
  ...['abcd', longName, 'Upper-case', 'with_underscore'].map((name) =>
    toName('aip.apiKeys.create', name, '5 to 50 small letters, digits and -'),
  ),
]

const titledLimits = limits.map((limit) => ({
  ...limit,
  title: `${limit.operation} ${JSON.stringify(limit.body ?? limit.query)}`,
}))

it.each(titledLimits)(
  'refuses $title before sending, with the rule',
  async ({ operation, path, query, body, field, rule }) => {
    const countBefore = platform.server.received.length
    const failure = await harness.catchFailure('resources.call', {
      connectionId,
      operation,
      ...(path === undefined ? {} : { path: path() }),
      ...(query === undefined ? {} : { query }),
      ...(body === undefined ? {} : { body: JSON.parse(JSON.stringify(body)) }),
    })
    expect(failure).toMatchObject({ code: 'input.invalid', field, message: expect.stringContaining(rule) })
    expect(platform.server.received).toHaveLength(countBefore)
  },
)

it.each([
  'console.tokenPlans.create',
  'console.account.get',
  'console.keys.list',
  'gateway.chatCompletions',
  'memory.memories.nothing',
  '__proto__',
])('does not call %s', async (operation) => {
  const countBefore = platform.server.received.length
  const callInput = { connectionId, operation }
  const callVariants = [
    () => harness.ask('resources.call', callInput),
    () => harness.ask('resources.page', callInput),
    () => harness.ask('resources.rows', callInput),
    () => harness.ask('resources.code', { ...callInput, language: 'curl' as const }),
  ]
  for (const callVariant of callVariants) await expect(callVariant()).rejects.toThrow()
  expect(platform.server.received).toHaveLength(countBefore)
})

it('reports missing values before anything is sent', async () => {
  const emptyConnection = await harness.core.connections.save({ name: 'bare', addresses: {} })
  const failure = await harness.catchFailure('resources.page', {
    connectionId: emptyConnection.connection.id,
    operation: 'memory.memories.list',
  })
  expect(failure).toMatchObject({ code: 'api.notConfigured', field: 'memoryApiUrl' })
  await expect(
    harness.ask('resources.call', { connectionId: 'none', operation: 'memory.memories.list' }),
  ).rejects.toThrow(AppError)
})
