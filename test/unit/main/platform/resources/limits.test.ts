import { AppError } from '@shared/failure'
import { expect, it } from 'vitest'
import { startRecordedHarness } from './bench'

const { harness, received, connectionId } = await startRecordedHarness()

interface Limit {
  readonly operation: string
  readonly path?: Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body?: Record<string, string | number>
  /** Name of the invalid field, expected in the error together with the text of the rule. */
  readonly field: string
  readonly rule: string
}

const runtime = { path: { id: 'r' } }
const endpoint = { path: { id: 'r', endpointId: 'e' } }
const newRuntime = { name: 'r', image: 'i', flavorId: 'flavor-small' }
const longName = 'n'.repeat(51)

const listNameLimits = (operation: string, names: readonly string[], rule: string): Limit[] =>
  names.map((name) => ({ operation, body: { name }, field: 'name', rule }))

const listConfigLimits = (field: string, values: readonly number[], rule: string): Limit[] =>
  values.flatMap((value) => [
    { operation: 'runtime.agentRuntimes.update', ...runtime, body: { [field]: value }, field, rule },
    { operation: 'runtime.agentRuntimes.create', body: { ...newRuntime, [field]: value }, field, rule },
  ])

const listLogLimits = (field: string, value: number, rule: string): Limit[] => [
  { operation: 'runtime.agentRuntimes.logs', ...runtime, body: { [field]: value }, field, rule },
  { operation: 'runtime.endpoints.logs', ...endpoint, body: { [field]: value }, field, rule },
]

const listSearchLimits = (field: string, values: readonly number[], rule: string): Limit[] =>
  values.map((value) => ({
    operation: 'memory.records.search',
    path: { id: 'm' },
    query: { namespace: '/' },
    body: { query: 'tea', [field]: value },
    field,
    rule,
  }))

/** Every limit of the platform's spec (section "Limits", area B), exceeded by one. */
const limits: readonly Limit[] = [
  ...['agentIdentities', 'apiKeyProviders', 'delegatedProviders', 'oauth2Providers'].flatMap((kind) =>
    listNameLimits(`identity.${kind}.create`, [longName, 'a b', 'a.b', ''], '1 to 50 letters, digits, - and _'),
  ),
  ...listConfigLimits('replicas', [0, 11], 'a whole number from 1 to 10'),
  ...listConfigLimits('cpuUtilizationThreshold', [24, 76], 'from 25 to 75 percent'),
  ...listConfigLimits('memoryUtilizationThreshold', [24, 76], 'from 25 to 75 percent'),
  ...listLogLimits('from', 5001, 'from 0 to 5000'),
  ...listLogLimits('limit', 1001, 'from 1 to 1000'),
  ...listNameLimits('memory.memories.create', [longName, 'a b'], 'up to 50 letters, digits, ., - and _'),
  ...[0, 366].map((eventExpiryDuration) => ({
    operation: 'memory.memories.create',
    body: { name: 'm', eventExpiryDuration },
    field: 'eventExpiryDuration',
    rule: 'from 1 to 365',
  })),
  ...listSearchLimits('limit', [4, 201], 'from 5 to 200'),
  ...listSearchLimits('scoreThreshold', [-0.1, 1.1], 'from 0 to 1'),
  ...['registry.repositories', 'registry.robotAccounts', 'runtime.agentRuntimes', 'memory.memories', 'aip.models'].map(
    (kind) => ({ operation: `${kind}.list`, query: { page: 0 }, field: 'page', rule: 'from 1' }),
  ),
  ...listNameLimits(
    'aip.apiKeys.create',
    ['abcd', longName, 'Upper-case', 'with_underscore'],
    '5 to 50 small letters, digits and -',
  ),
]

const titledLimits = limits.map((limit) => ({
  ...limit,
  title: `${limit.operation} ${JSON.stringify(limit.body ?? limit.query)}`,
}))

it.each(titledLimits)('refuses $title before sending, with the rule', async ({ title: _, field, rule, ...call }) => {
  const countBefore = received.length
  const failure = await harness.catchFailure('resources.call', { connectionId, ...call })
  expect(failure).toMatchObject({ code: 'input.invalid', field, message: expect.stringContaining(rule) })
  expect(received).toHaveLength(countBefore)
})

it.each([
  'console.tokenPlans.create',
  'console.account.get',
  'console.keys.list',
  'gateway.chatCompletions',
  'memory.memories.nothing',
  '__proto__',
])('does not call %s', async (operation) => {
  const countBefore = received.length
  const callInput = { connectionId, operation }
  const callVariants = [
    () => harness.ask('resources.call', callInput),
    () => harness.ask('resources.page', callInput),
    () => harness.ask('resources.rows', callInput),
    () => harness.ask('resources.code', { ...callInput, language: 'curl' as const }),
  ]
  for (const callVariant of callVariants) await expect(callVariant()).rejects.toThrow()
  expect(received).toHaveLength(countBefore)
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
