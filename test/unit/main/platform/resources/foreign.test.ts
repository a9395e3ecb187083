import type { RequestListener } from 'node:http'
import { beforeEach, expect, it } from 'vitest'
import { json } from '../harness'
import { startFileHarness } from './bench'

const { harness, platform, connectionId } = await startFileHarness()
beforeEach(() => {
  harness.clipboard.text = ''
})

const memoryCall = { connectionId, operation: 'memory.memories.get', path: { id: 'x' } }
const readRequestUrl = () => new URL(platform.server.received.at(-1)?.path ?? '', 'http://x')

it('passes on unknown fields of another service, and pages a list with the documented envelope', async () => {
  const rows = [
    { repo_uid: 'q-1', titel: 'Erstes', bytes: 12, nested: { deep: [1, { two: null }] } },
    { repo_uid: 'q-2', titel: 'Zweites', bytes: 0.5, nested: 'flat' },
  ]
  platform.answer(json(200, { listData: rows, totalItem: '7', totalPage: 4, took_ms: 3 }))
  const page = await harness.ask('resources.page', {
    connectionId,
    operation: 'registry.repositories.list',
    page: 2,
    size: 2,
  })
  expect(page).toEqual({ rows, page: 2, firstPage: 1, totalItems: 7, totalPages: 4, secrets: [] })
  expect(readRequestUrl().search).toBe('?page=2&size=2')
  platform.answer(json(200, { thing: { is_it: true }, 'a/b~c': [[]] }))
  expect((await harness.ask('resources.call', memoryCall)).data).toEqual({ thing: { is_it: true }, 'a/b~c': [[]] })
})

it.each([
  ['identity.agentIdentities.list', 0],
  ['runtime.agentRuntimes.list', 1],
])('requests page %i of %s first', async (operation, expectedPage) => {
  platform.answer(json(200, []))
  const page = await harness.ask('resources.page', { connectionId, operation })
  expect(page).toEqual({ rows: [], page: expectedPage, firstPage: expectedPage, secrets: [] })
  expect(readRequestUrl().searchParams.get('page')).toBe(String(expectedPage))
})

it.each([
  ['another envelope', { results: [{ id: 1 }], next: 2 }],
  ['a single thing', { id: 1 }],
  ['rows that are no list', { listData: { 0: 'a' }, totalItem: 1 }],
  ['a word', 'nothing'],
])('explains a list that arrived as %s, which a single call still shows', async (_, body) => {
  platform.answer(json(200, body, { 'x-request-id': 'q-9' }))
  const operation = 'runtime.agentRuntimes.list'
  const failure = await harness.catchFailure('resources.page', { connectionId, operation })
  expect(failure).toMatchObject({
    code: 'api.unreadable',
    requestId: 'q-9',
    message: expect.stringContaining('listData'),
  })
  expect((await harness.ask('resources.call', { connectionId, operation })).data).toEqual(body)
})

it('does not page a response without a list', async () => {
  const failure = await harness.catchFailure('resources.page', { connectionId, operation: 'runtime.flavors.list' })
  expect(failure).toMatchObject({ code: 'input.invalid', field: 'operation' })
})

/** Possible names and places of secrets on other platforms. */
it.each([
  ['registry.robotAccounts.create', { zugang: 'Xq81-Zzt0-Qp92-Lmn4' }, '/zugang'],
  ['registry.robotAccounts.create', { robot: { docker_auth: 'cm9ib3Q6cGFzcw==' } }, '/robot/docker_auth'],
  ['identity.apiKeyProviders.retrieveKey', { wert: 'only-letters-here' }, '/wert'],
  ['identity.apiKeyProviders.retrieveKey', 'bare-text-of-a-key', ''],
  ['identity.delegatedProviders.requestKey', { result: [{ v: 'delegated-value' }] }, '/result/0/v'],
  ['identity.oauth2Providers.tokenM2m', { accessToken: 'tokenlike' }, '/accessToken'],
  ['identity.oauth2Providers.token3lo', { 'a/b': { '~x': 'three-legged' } }, '/a~1b/~0x'],
  ['runtime.agentRuntimes.resetServiceAccount', { sa: { PASSWORT: 'k9ZqP2mX8tVbN4wL' } }, '/sa/PASSWORT'],
  ['memory.memories.get', { config: { secret_value: 'hunter2hunter2' } }, '/config/secret_value'],
  ['memory.memories.get', { environment: [{ name: 'OPENAI_API_KEY', value: 'abcdef-1' }] }, '/environment/0/value'],
  ['memory.memories.get', { tokens: ['first-token'] }, '/tokens/0'],
  ['aip.apiKeys.update', { name: 'k', key: 'secret-of-it', value: 1 }, '/key'],
  ['aip.apiKeys.update', { key: 'aB3dE5fG7hJ9kL1m', value: 1 }, '/key'],
  ['memory.memories.get', { credentials: { value: 'in-an-object' } }, '/credentials/value'],
  ['memory.memories.get', { note: 'eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl' }, '/note'],
  ['memory.memories.get', { privateKey: '-----BEGIN KEY-----\nabc\n-----END KEY-----\n' }, '/privateKey'],
])('holds the secret that %s returns as %j', async (operation, body, secretPointer) => {
  platform.answer(json(200, body))
  const paths: Record<string, object> = { identity: { name: 'p', agentName: 'a' }, registry: {}, aip: { name: 'k' } }
  const path = { ...(paths[operation.split('.')[0] ?? ''] ?? { id: 'x' }) }
  const { secrets, data } = await harness.ask('resources.call', { connectionId, operation, path })
  expect(secrets.map((secret) => secret.at)).toEqual([secretPointer])
  await harness.ask('resources.copySecret', { handle: secrets[0]?.handle ?? '' })
  const secret = harness.clipboard.text
  expect(JSON.stringify(body)).toContain(JSON.stringify(secret))
  expect(JSON.stringify(data)).not.toContain(JSON.stringify(secret).slice(1, -1))
})

it.each([
  {
    keyId: 'key-1234567890',
    clientId: 'client-1234567890',
    secretName: 'name-of-it',
    tokenUrl: 'https://iam.example.com',
  },
  { nextPageToken: 'abcdef123456', continuationToken: 'abcdef123456', tokenType: 'Bearer', token_type: 'Bearer-mac' },
  { apiKeyHint: '****abcd', key: '****a1b2', token: 'sk-...a1b2', password: 'none', secret: '' },
  {
    maxTokens: 4096,
    tokens: 12,
    secretRotation: true,
    credentials: { userName: 'anna.schmidt' },
    tokenizer: 'o200k_base',
  },
  {
    tags: [{ key: 'environment', value: 'production' }],
    publicKey: 'ssh-ed25519 AAAAC3Nza',
    idempotencyKey: 'abcdef123',
  },
  { id: 'b3e0f4a2-58b5-4a3a-9c7e-1f2d3c4b5a69', createdAt: '2026-11-22T01:02:03Z', uri: 'host/team/agent:1.2.3' },
])('shows a value that is not a secret: %j', async (body) => {
  platform.answer(json(200, body))
  expect(await harness.ask('resources.call', memoryCall)).toEqual({ status: 200, data: body, secrets: [] })
})

it('masks a sent secret under any name, in a response and a refusal', async () => {
  const secret = 'canary-of-the-clipboard'
  const send = async () => {
    harness.clipboard.text = secret
    const { pendingId, masked } = await harness.ask('resources.takeSecret', {})
    expect(masked).not.toContain(secret)
    return {
      connectionId,
      operation: 'identity.apiKeyProviders.create',
      body: { name: 'p', wert: { $pending: pendingId }, list: ['x'] },
    }
  }
  platform.answer(
    json(201, { echo: secret, note: `You sent ${secret}.`, name: 'p' }, { 'x-request-id': `r-${secret}` }),
  )
  const response = await harness.ask('resources.call', await send())
  expect(JSON.parse(platform.server.received.at(-1)?.body ?? '')).toEqual({ name: 'p', wert: secret, list: ['x'] })
  expect(response.data).toMatchObject({ echo: response.secrets[0]?.masked, note: 'You sent [secret].' })
  platform.answer(json(400, { message: `${secret} is too short` }))
  const failure = await harness.catchFailure('resources.call', await send())
  expect(failure.message).toContain('[secret] is too short')
  expect(harness.told.join('\n')).not.toContain(secret)
})

it('drops a pasted secret after a success, and keeps it after a refusal', async () => {
  harness.clipboard.text = 'pasted-once-123'
  const { pendingId } = await harness.ask('resources.takeSecret', {})
  const callInput = {
    connectionId,
    operation: 'identity.apiKeyProviders.create',
    body: { name: 'p', apiKey: { $pending: pendingId } },
  }
  platform.answer(json(409, { message: 'taken' }))
  expect((await harness.catchFailure('resources.call', callInput)).code).toBe('api.conflict')
  platform.answer(json(201, {}))
  await harness.ask('resources.call', callInput)
  expect((await harness.catchFailure('resources.call', callInput)).code).toBe('key.notFound')
})

it('replaces a masked secret by the held one, and refuses an unknown masked value', async () => {
  platform.answer(json(200, { id: 'x', environment: { API_TOKEN: 'value-of-the-environment' } }))
  const operation = 'runtime.agentRuntimes.get'
  const { secrets } = await harness.ask('resources.call', { connectionId, operation, path: { id: 'x' } })
  const [{ handle, masked } = { handle: '', masked: '' }] = secrets
  const update = (value: string | { $held: string }) => ({
    connectionId,
    operation: 'runtime.agentRuntimes.update',
    path: { id: 'x' },
    body: { replicas: 2, environment: { API_TOKEN: value } },
  })
  const failure = await harness.catchFailure('resources.call', update(masked))
  expect(failure).toMatchObject({ code: 'input.invalid', field: 'API_TOKEN' })
  await harness.ask('resources.call', update({ $held: handle }))
  expect(JSON.parse(platform.server.received.at(-1)?.body ?? '').environment.API_TOKEN).toBe('value-of-the-environment')
})

it('fails on a deeply nested response without a crash', async () => {
  platform.answer((_, response) => response.end(`${'['.repeat(5000)}${']'.repeat(5000)}`))
  const failure = await harness.catchFailure('resources.call', { connectionId, operation: 'runtime.flavors.list' })
  expect(failure.code).toBe('api.unreadable')
})

it('stops when the window cancels', async () => {
  const requestPromise = new Promise<void>((resolve) => {
    platform.answer((_, response) => {
      response.write(' ')
      resolve()
    })
  })
  const runningCall = harness.catchFailure('resources.call', {
    connectionId,
    operation: 'runtime.flavors.list',
    callId: 'c-1',
  })
  await requestPromise
  harness.calls.cancel('c-1')
  expect((await runningCall).code).toBe('net.cancelled')
})

const pageQuery = { operation: 'runtime.versions.list', path: { id: 'r-1' } }

it('collects every row of a list, with masked secrets', async () => {
  const row = { version: 1, apiKey: 'sk-abcdef0123456789abcdef' }
  platform.answer(
    json(200, { listData: [row, { version: 2 }], totalItem: 3 }),
    json(200, { listData: [{ version: 3 }], totalItem: 3 }),
  )
  const { rows } = await harness.ask('resources.every', { connectionId, ...pageQuery, size: 100 })
  expect(rows).toMatchObject([{ version: 1 }, { version: 2 }, { version: 3 }])
  expect(JSON.stringify(rows)).not.toContain(row.apiKey)
  expect(readRequestUrl().search).toBe('?page=2&size=100')
})

it('collects a list with a time limit, and can be cancelled', async () => {
  const serveEndlessPages: RequestListener = (request, response) => {
    const page = new URL(request.url ?? '', 'http://x').searchParams.get('page')
    if (page === '40') harness.calls.cancel('a-call')
    json(200, { listData: Array.from({ length: 100 }, (_, index) => ({ page, at: index })), totalItem: 1e12 })(
      request,
      response,
    )
  }
  platform.answer(serveEndlessPages)
  expect(await harness.catchFailure('resources.every', { connectionId, ...pageQuery })).toMatchObject({
    code: 'api.listTooLong',
    message: 'The list returned 10000 rows on 100 pages and has more. This is the limit for one list.',
  })
  platform.answer(serveEndlessPages)
  const stoppedFailure = await harness.catchFailure('resources.every', { connectionId, ...pageQuery, callId: 'a-call' })
  expect(stoppedFailure.code).toBe('net.cancelled')
  expect(platform.server.received).toHaveLength(40)
})

it.each([
  ['numbers beyond all numbers', '{"n": 1e999, "list": [-1e999, 1]}', { n: null, list: [null, 1] }],
  ['a byte order mark', '\uFEFF{"a": 1}', { a: 1 }],
  ['bytes that are no text', Buffer.from([0x22, 0xff, 0xfe, 0x22]), '\uFFFD\uFFFD'],
  ['half of a character', '{"a": "\\ud800"}', { a: '\ud800' }],
  ['a member called __proto__', '{"a": 1, "__proto__": {"b": 2}}', { a: 1 }],
])('shows a response with %s', async (_, body, data) => {
  platform.answer((_request, response) => response.end(body))
  expect((await harness.ask('resources.call', memoryCall)).data).toEqual(data)
})

it.each([
  [{ listData: [], totalItem: -1 }, {}],
  [{ listData: [], totalItem: 1e300, totalPage: '9'.repeat(40) }, {}],
  [{ listData: [], totalItem: 1.5, totalPage: '3' }, { totalPages: 3 }],
])('treats invalid totals as absent: %j', async (body, totals) => {
  platform.answer(json(200, body))
  const page = await harness.ask('resources.page', { connectionId, operation: 'memory.memories.list' })
  expect(page).toEqual({ rows: [], page: 1, firstPage: 1, secrets: [], ...totals })
})
