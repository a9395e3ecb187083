import type { ResourceAnswer } from '@shared/contract'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { readFacts } from '../harness'
import { startRecordedHarness } from './bench'

const { harness, received, answers, connectionId } = await startRecordedHarness()

const Fields = z.looseObject({})
const Rows = z.union([
  z.array(z.unknown()),
  z.looseObject({ listData: z.array(z.unknown()) }).transform((it) => it.listData),
])

/** Values from earlier responses, under names that the test chooses. */
const valuesByName = new Map<string, string>()
const getValue = (name: string): string => valuesByName.get(name) ?? ''

/** Saves a field of a response, or of a list's first row, for later calls. */
const recordOperation =
  (name: string, field: string) =>
  ({ data }: ResourceAnswer): void => {
    const [firstRow = data] = Rows.safeParse(data).data ?? []
    const value = Fields.parse(firstRow)[field]
    expect(value, `${name} in ${JSON.stringify(data)}`).toBeTypeOf('string')
    valuesByName.set(name, String(value))
  }

interface Row {
  readonly operation: string
  readonly path?: () => Record<string, string>
  readonly query?: () => Record<string, string | number>
  readonly body?: () => unknown
  readonly status: number
  readonly after?: (answer: ResourceAnswer) => void
  /** Number of secrets in the operation's response. */
  readonly secrets?: number
  /** Name of the body field whose secret is pasted from the clipboard. */
  readonly pastes?: string
}

const row = (operation: string, status: number, details: Omit<Row, 'operation' | 'status'> = {}): Row => ({
  operation,
  status,
  ...details,
})

/** Secrets that a user enters. No response to the window may contain one. */
const providerKey = 'canary-provider-key-5501'
const rotatedKey = 'canary-rotated-key-7702'
const clientSecret = 'canary-client-secret-9903'

const identity = () => ({ name: 'agent-1' })
const provider = () => ({ name: 'provider-1' })
const buildAgentProviderPath = () => ({ name: 'provider-1', agentName: 'agent-1' })
const runtime = () => ({ id: getValue('runtime') })
const endpoint = () => ({ id: getValue('runtime'), endpointId: getValue('endpoint') })
const memory = () => ({ id: getValue('memory') })
const session = () => ({ id: getValue('memory'), actorId: 'an/actor é', sessionId: 's-1' })
const namespace = () => ({ namespace: '/' })
const repository = () => ({ repoId: getValue('repository') })
const repositoryArgs = () => ({ repoId: getValue('filled') })
const apiKey = () => ({ name: 'window-key' })
const oauth2 = (extra = {}) => ({
  name: 'provider-1',
  clientId: 'client-9',
  tokenUrl: 'https://iam.example.com/token',
  ...extra,
})
const pendingSecret = () => ({ $pending: getValue('pending') })

const rows: readonly Row[] = [
  row('identity.agentIdentities.create', 201, { body: identity }),
  row('identity.agentIdentities.list', 200),
  row('identity.agentIdentities.get', 200, { path: identity }),
  row('identity.agentIdentities.update', 200, { path: identity, body: () => ({ description: 'changed' }) }),
  row('identity.apiKeyProviders.create', 201, {
    pastes: providerKey,
    body: () => ({ name: 'provider-1', apiKey: pendingSecret() }),
  }),
  row('identity.apiKeyProviders.list', 200),
  row('identity.apiKeyProviders.get', 200, { path: provider }),
  row('identity.apiKeyProviders.retrieveKey', 200, { path: buildAgentProviderPath, secrets: 1 }),
  row('identity.apiKeyProviders.update', 200, {
    path: provider,
    pastes: rotatedKey,
    body: () => ({ apiKey: pendingSecret() }),
  }),
  row('identity.apiKeyProviders.delete', 204, { path: provider }),
  row('identity.delegatedProviders.create', 201, { body: provider }),
  row('identity.delegatedProviders.list', 200),
  row('identity.delegatedProviders.get', 200, { path: provider }),
  row('identity.delegatedProviders.requestKey', 200, {
    path: buildAgentProviderPath,
    secrets: 1,
    body: () => ({ userId: 'user-77' }),
  }),
  row('identity.delegatedProviders.delete', 204, { path: provider }),
  row('identity.oauth2Providers.create', 201, {
    pastes: clientSecret,
    body: () => oauth2({ clientSecret: pendingSecret(), scopes: ['files.read', 'files.write'] }),
  }),
  row('identity.oauth2Providers.list', 200),
  row('identity.oauth2Providers.get', 200, { path: provider }),
  row('identity.oauth2Providers.update', 200, { path: provider, body: oauth2 }),
  row('identity.oauth2Providers.tokenM2m', 200, { path: buildAgentProviderPath, body: () => ({}), secrets: 1 }),
  row('identity.oauth2Providers.token3lo', 200, {
    path: buildAgentProviderPath,
    secrets: 1,
    body: () => ({ userId: 'user-77' }),
  }),
  row('identity.oauth2Providers.delete', 204, { path: provider }),
  row('identity.agentIdentities.delete', 204, { path: identity }),

  row('runtime.flavors.list', 200, { after: recordOperation('flavor', 'id') }),
  row('runtime.agentRuntimes.create', 201, {
    after: recordOperation('runtime', 'id'),
    body: () => ({ name: 'runtime-1', image: 'host/team/agent:1', flavorId: getValue('flavor'), replicas: 2 }),
  }),
  row('runtime.agentRuntimes.list', 200, { query: () => ({ size: 100 }) }),
  row('runtime.agentRuntimes.get', 200, { path: runtime }),
  row('runtime.agentRuntimes.update', 200, { path: runtime, body: () => ({ replicas: 10 }) }),
  row('runtime.versions.list', 200, { path: runtime }),
  row('runtime.endpoints.create', 201, {
    path: runtime,
    after: recordOperation('endpoint', 'id'),
    body: () => ({ name: 'production', version: 1 }),
  }),
  row('runtime.endpoints.list', 200, { path: runtime }),
  row('runtime.endpoints.setVersion', 200, { path: endpoint, query: () => ({ version: 2 }) }),
  row('runtime.agentRuntimes.logs', 200, { path: runtime, body: () => ({ from: 0, limit: 1000 }) }),
  row('runtime.endpoints.logs', 200, { path: endpoint, body: () => ({ from: 5000, limit: 1 }) }),
  row('runtime.endpoints.metrics', 200, { path: endpoint }),
  row('runtime.agentRuntimes.resetServiceAccount', 200, { path: runtime, secrets: 1 }),
  row('runtime.endpoints.delete', 204, { path: endpoint }),
  row('runtime.agentRuntimes.delete', 204, { path: runtime }),

  row('memory.memories.create', 201, {
    after: recordOperation('memory', 'id'),
    body: () => ({ name: 'memory.1', eventExpiryDuration: 365 }),
  }),
  row('memory.memories.list', 200, { query: () => ({ size: 10 }) }),
  row('memory.memories.get', 200, { path: memory }),
  row('memory.strategies.list', 200, { path: memory, after: recordOperation('strategy', 'id') }),
  row('memory.events.create', 201, {
    path: session,
    body: () => ({ role: 'user', content: 'I live in Hanoi and I like green tea.' }),
  }),
  row('memory.events.list', 200, { path: session }),
  row('memory.actors.list', 200, { path: memory }),
  row('memory.records.generateFromSession', 201, {
    path: memory,
    query: () => ({ actorId: 'an/actor é', sessionId: 's-1', longTermMemoryStrategyId: getValue('strategy') }),
  }),
  row('memory.records.list', 200, { path: memory, query: () => ({ ...namespace(), limit: 100 }) }),
  row('memory.records.search', 200, {
    path: memory,
    query: namespace,
    body: () => ({ query: 'tea', limit: 5, scoreThreshold: 0 }),
  }),
  row('memory.memories.delete', 204, { path: memory }),

  row('registry.repositories.list', 200, { after: recordOperation('filled', 'id') }),
  row('registry.repositories.create', 201, {
    after: recordOperation('repository', 'id'),
    body: () => ({ name: 'team/window-agent' }),
  }),
  row('registry.repositories.get', 200, { path: repository }),
  row('registry.repositories.delete', 204, { path: repository }),
  row('registry.images.list', 200, { path: repositoryArgs, after: recordOperation('image', 'name') }),
  row('registry.images.delete', 204, { path: repositoryArgs, query: () => ({ imageName: getValue('image') }) }),
  row('registry.robotAccounts.permissions', 200),
  row('registry.robotAccounts.list', 200),
  row('registry.robotAccounts.create', 201, {
    secrets: 1,
    after: recordOperation('robot', 'id'),
    body: () => ({ name: 'robot-of-ci', permissions: ['pull', 'push'] }),
  }),
  row('registry.robotAccounts.delete', 204, { path: () => ({ repoUserId: getValue('robot') }) }),

  row('aip.apiKeys.create', 202, { body: apiKey }),
  row('aip.apiKeys.list', 200),
  row('aip.apiKeys.get', 200, { path: apiKey, secrets: 1 }),
  row('aip.apiKeys.update', 200, { path: apiKey, body: () => ({ description: 'for tests' }) }),
  row('aip.apiKeys.delete', 202, { path: apiKey }),
  row('aip.models.list', 200, { after: recordOperation('model', 'uuid') }),
  row('aip.models.get', 200, { path: () => ({ uuid: getValue('model') }) }),

  row('inference.chatCompletions', 200, {
    body: () => ({ model: 'aurora-small', messages: [{ role: 'user', content: 'Say hello' }] }),
  }),
  row('inference.completions', 200, { body: () => ({ model: 'aurora-small', prompt: 'Once' }) }),
  row('inference.embeddings', 200, { body: () => ({ model: 'comet-embed', input: 'tea' }) }),
]

it('covers every operation of the platform once', () => {
  const operationFacts = readFacts().filter(({ service }) => service !== 'gateway')
  expect(rows.map(({ operation }) => operation).sort()).toEqual(operationFacts.map(({ id }) => id).sort())
})

/** The secrets in the platform's responses. */
const sentSecrets = new Set<string>()

it.each(rows)('calls $operation, shows the response and holds its secrets', async (row) => {
  const { operation, path, query, body, status, pastes, secrets = 0, after } = row
  if (pastes !== undefined) {
    harness.clipboard.text = pastes
    valuesByName.set('pending', (await harness.ask('resources.takeSecret', {})).pendingId)
  }
  const answer = await harness.ask('resources.call', {
    connectionId,
    operation,
    ...(path === undefined ? {} : { path: path() }),
    ...(query === undefined ? {} : { query: query() }),
    ...(body === undefined ? {} : { body: z.json().parse(body()) }),
  })
  expect(answer.status).toBe(status)
  expect(answer.secrets).toHaveLength(secrets)
  // Background polling sends requests as well, so the response is found by its request id.
  const rawText = answers[Number(answer.requestId?.slice(2)) - 1] ?? ''
  const rawJson: unknown = rawText === '' ? undefined : JSON.parse(rawText)
  if (secrets === 0) expect(answer.data).toEqual(rawJson)
  for (const { handle, at, masked } of answer.secrets) {
    const name = at.slice(1)
    const secret = String(Fields.parse(rawJson)[name])
    expect(answer.data).toEqual({ ...Fields.parse(rawJson), [name]: masked })
    await harness.ask('resources.copySecret', { handle })
    expect(harness.clipboard.text).toBe(secret)
    sentSecrets.add(secret)
  }
  if (pastes !== undefined) expect(received.at(-1)?.body).toContain(pastes)
  after?.(answer)
})

it('sent the window no secret of any response or from the clipboard', () => {
  const sentText = harness.told.join('\n')
  expect(sentSecrets.size).toBe(7)
  for (const secret of [...sentSecrets, providerKey, rotatedKey, clientSecret]) expect(sentText).not.toContain(secret)
})

it('shows every list of the seed data unchanged, without secrets', async () => {
  const lists = readFacts().filter(({ paging, pathParams }) => paging !== null && pathParams.length === 0)
  expect(lists).toHaveLength(10)
  for (const { id: operation } of lists) {
    const page = await harness.ask('resources.page', { connectionId, operation, size: 100 })
    const rawText = answers[Number(page.requestId?.slice(2)) - 1] ?? ''
    const { content, listData } = Fields.parse(JSON.parse(rawText))
    expect(page.rows).toEqual(content ?? listData)
    expect(page.rows.length).toBeGreaterThan(0)
    expect(page.secrets).toEqual([])
  }
})

it('follows the creation and the deletion of a platform API key to its end', async () => {
  const name = 'followed-key'
  for (const [kind, args] of [
    ['create', { body: { name } }],
    ['delete', { path: { name } }],
  ] as const) {
    const { operationId = '' } = await harness.ask('resources.call', {
      connectionId,
      operation: `aip.apiKeys.${kind}`,
      ...args,
    })
    const endedOperation = { kind: `apiKey.${kind}`, subject: name, state: 'succeeded' }
    expect(await harness.core.operations.wait(operationId)).toMatchObject(endedOperation)
  }
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
