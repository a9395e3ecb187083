import type { ResourceAnswer } from '@shared/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { readFacts } from '../harness'
import { createHarness, type Harness, type RecordedPlatform, startRecordedPlatform } from './bench'

let harness: Harness
let platform: RecordedPlatform
let connectionId: string
beforeAll(async () => {
  harness = createHarness()
  platform = await startRecordedPlatform()
  connectionId = await platform.connect(harness)
})
afterAll(async () => {
  await platform.close()
  await harness.close()
})

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
  { operation: 'identity.agentIdentities.create', body: identity, status: 201 },
  { operation: 'identity.agentIdentities.list', status: 200 },
  { operation: 'identity.agentIdentities.get', path: identity, status: 200 },
  {
    operation: 'identity.agentIdentities.update',
    path: identity,
    body: () => ({ description: 'changed' }),
    status: 200,
  },
  {
    operation: 'identity.apiKeyProviders.create',
    pastes: providerKey,
    status: 201,
    body: () => ({ name: 'provider-1', apiKey: pendingSecret() }),
  },
  { operation: 'identity.apiKeyProviders.list', status: 200 },
  { operation: 'identity.apiKeyProviders.get', path: provider, status: 200 },
  { operation: 'identity.apiKeyProviders.retrieveKey', path: buildAgentProviderPath, status: 200, secrets: 1 },
  {
    operation: 'identity.apiKeyProviders.update',
    path: provider,
    pastes: rotatedKey,
    status: 200,
    body: () => ({ apiKey: pendingSecret() }),
  },
  { operation: 'identity.apiKeyProviders.delete', path: provider, status: 204 },
  { operation: 'identity.delegatedProviders.create', body: provider, status: 201 },
  { operation: 'identity.delegatedProviders.list', status: 200 },
  { operation: 'identity.delegatedProviders.get', path: provider, status: 200 },
  {
    operation: 'identity.delegatedProviders.requestKey',
    path: buildAgentProviderPath,
    status: 200,
    secrets: 1,
    body: () => ({ userId: 'user-77' }),
  },
  { operation: 'identity.delegatedProviders.delete', path: provider, status: 204 },
  {
    operation: 'identity.oauth2Providers.create',
    pastes: clientSecret,
    status: 201,
    body: () => oauth2({ clientSecret: pendingSecret(), scopes: ['files.read', 'files.write'] }),
  },
  { operation: 'identity.oauth2Providers.list', status: 200 },
  { operation: 'identity.oauth2Providers.get', path: provider, status: 200 },
  { operation: 'identity.oauth2Providers.update', path: provider, body: oauth2, status: 200 },
  {
    operation: 'identity.oauth2Providers.tokenM2m',
    path: buildAgentProviderPath,
    body: () => ({}),
    status: 200,
    secrets: 1,
  },
  {
    operation: 'identity.oauth2Providers.token3lo',
    path: buildAgentProviderPath,
    status: 200,
    secrets: 1,
    body: () => ({ userId: 'user-77' }),
  },
  { operation: 'identity.oauth2Providers.delete', path: provider, status: 204 },
  { operation: 'identity.agentIdentities.delete', path: identity, status: 204 },

  { operation: 'runtime.flavors.list', status: 200, after: recordOperation('flavor', 'id') },
  {
    operation: 'runtime.agentRuntimes.create',
    status: 201,
    after: recordOperation('runtime', 'id'),
    body: () => ({ name: 'runtime-1', image: 'host/team/agent:1', flavorId: getValue('flavor'), replicas: 2 }),
  },
  { operation: 'runtime.agentRuntimes.list', query: () => ({ size: 100 }), status: 200 },
  { operation: 'runtime.agentRuntimes.get', path: runtime, status: 200 },
  { operation: 'runtime.agentRuntimes.update', path: runtime, body: () => ({ replicas: 10 }), status: 200 },
  { operation: 'runtime.versions.list', path: runtime, status: 200 },
  {
    operation: 'runtime.endpoints.create',
    path: runtime,
    status: 201,
    after: recordOperation('endpoint', 'id'),
    body: () => ({ name: 'production', version: 1 }),
  },
  { operation: 'runtime.endpoints.list', path: runtime, status: 200 },
  { operation: 'runtime.endpoints.setVersion', path: endpoint, query: () => ({ version: 2 }), status: 200 },
  { operation: 'runtime.agentRuntimes.logs', path: runtime, body: () => ({ from: 0, limit: 1000 }), status: 200 },
  { operation: 'runtime.endpoints.logs', path: endpoint, body: () => ({ from: 5000, limit: 1 }), status: 200 },
  { operation: 'runtime.endpoints.metrics', path: endpoint, status: 200 },
  { operation: 'runtime.agentRuntimes.resetServiceAccount', path: runtime, status: 200, secrets: 1 },
  { operation: 'runtime.endpoints.delete', path: endpoint, status: 204 },
  { operation: 'runtime.agentRuntimes.delete', path: runtime, status: 204 },

  {
    operation: 'memory.memories.create',
    status: 201,
    after: recordOperation('memory', 'id'),
    body: () => ({ name: 'memory.1', eventExpiryDuration: 365 }),
  },
  { operation: 'memory.memories.list', query: () => ({ size: 10 }), status: 200 },
  { operation: 'memory.memories.get', path: memory, status: 200 },
  { operation: 'memory.strategies.list', path: memory, status: 200, after: recordOperation('strategy', 'id') },
  {
    operation: 'memory.events.create',
    path: session,
    status: 201,
    body: () => ({ role: 'user', content: 'I live in Hanoi and I like green tea.' }),
  },
  { operation: 'memory.events.list', path: session, status: 200 },
  { operation: 'memory.actors.list', path: memory, status: 200 },
  {
    operation: 'memory.records.generateFromSession',
    path: memory,
    status: 201,
    query: () => ({ actorId: 'an/actor é', sessionId: 's-1', longTermMemoryStrategyId: getValue('strategy') }),
  },
  { operation: 'memory.records.list', path: memory, query: () => ({ ...namespace(), limit: 100 }), status: 200 },
  {
    operation: 'memory.records.search',
    path: memory,
    query: namespace,
    status: 200,
    body: () => ({ query: 'tea', limit: 5, scoreThreshold: 0 }),
  },
  { operation: 'memory.memories.delete', path: memory, status: 204 },

  { operation: 'registry.repositories.list', status: 200, after: recordOperation('filled', 'id') },
  {
    operation: 'registry.repositories.create',
    status: 201,
    after: recordOperation('repository', 'id'),
    body: () => ({ name: 'team/window-agent' }),
  },
  { operation: 'registry.repositories.get', path: repository, status: 200 },
  { operation: 'registry.repositories.delete', path: repository, status: 204 },
  { operation: 'registry.images.list', path: repositoryArgs, status: 200, after: recordOperation('image', 'name') },
  {
    operation: 'registry.images.delete',
    path: repositoryArgs,
    query: () => ({ imageName: getValue('image') }),
    status: 204,
  },
  { operation: 'registry.robotAccounts.permissions', status: 200 },
  { operation: 'registry.robotAccounts.list', status: 200 },
  {
    operation: 'registry.robotAccounts.create',
    status: 201,
    secrets: 1,
    after: recordOperation('robot', 'id'),
    body: () => ({ name: 'robot-of-ci', permissions: ['pull', 'push'] }),
  },
  { operation: 'registry.robotAccounts.delete', path: () => ({ repoUserId: getValue('robot') }), status: 204 },

  { operation: 'aip.apiKeys.create', body: apiKey, status: 202 },
  { operation: 'aip.apiKeys.list', status: 200 },
  { operation: 'aip.apiKeys.get', path: apiKey, status: 200, secrets: 1 },
  { operation: 'aip.apiKeys.update', path: apiKey, body: () => ({ description: 'for tests' }), status: 200 },
  { operation: 'aip.apiKeys.delete', path: apiKey, status: 202 },
  { operation: 'aip.models.list', status: 200, after: recordOperation('model', 'uuid') },
  { operation: 'aip.models.get', path: () => ({ uuid: getValue('model') }), status: 200 },

  {
    operation: 'inference.chatCompletions',
    status: 200,
    body: () => ({ model: 'aurora-small', messages: [{ role: 'user', content: 'Say hello' }] }),
  },
  { operation: 'inference.completions', body: () => ({ model: 'aurora-small', prompt: 'Once' }), status: 200 },
  { operation: 'inference.embeddings', body: () => ({ model: 'comet-embed', input: 'tea' }), status: 200 },
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
  const rawText = platform.answers[Number(answer.requestId?.slice(2)) - 1]?.text ?? ''
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
  if (pastes !== undefined) expect(platform.server.received.at(-1)?.body).toContain(pastes)
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
    const rawText = platform.answers[Number(page.requestId?.slice(2)) - 1]?.text ?? ''
    const { content, listData } = Fields.parse(JSON.parse(rawText))
    expect(page.rows).toEqual(content ?? listData)
    expect(page.rows.length).toBeGreaterThan(0)
    expect(page.secrets).toEqual([])
  }
})

it('follows the creation and the deletion of a platform API key to its end', async () => {
  const name = 'followed-key'
  const call = async (operation: string, args: object): Promise<string> => {
    const { operationId } = await harness.ask('resources.call', { connectionId, operation, ...args })
    return operationId ?? ''
  }
  const createdResource = await call('aip.apiKeys.create', { body: { name } })
  expect(await harness.core.operations.wait(createdResource)).toMatchObject({
    kind: 'apiKey.create',
    subject: name,
    state: 'succeeded',
  })
  const deleteResult = await call('aip.apiKeys.delete', { path: { name } })
  expect(await harness.core.operations.wait(deleteResult)).toMatchObject({
    kind: 'apiKey.delete',
    subject: name,
    state: 'succeeded',
  })
})
