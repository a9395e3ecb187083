import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../support/folders'
import { getSeededWorld, type Harness, type Json, startHarness } from './support'

const asyncMs = 60_000
const authPath = '/identity/api/v1/outbound-auth'
const runtimePath = '/runtime/agent-runtimes/runtime-support-agent'
const memoryPath = '/memory/memories/memory-support-agent'
const eventsPath = `${memoryPath}/actors/${encodeURIComponent('a/b 100%')}/sessions/s1/events`
const imagesPath = '/registry/v1/repository/repository-agents-support-agent/images'
const apiKeysPath = '/aip/v1/api-keys'
const agentPath = 'one/agent-identities/one'
const identityBody = {
  name: 'one',
  apiKey: 'ext-key-000000001234',
  clientId: 'a',
  clientSecret: 'entrusted-9f3a',
  tokenUrl: 'https://login.example.com/token',
  scopes: ['crm.read'],
}

/** Requests that change something in every service. Unknown fields test that nothing is dropped. */
const changes: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['POST', '/identity/api/v1/agent-identities', identityBody],
  ['POST', `${authPath}/api-key-providers`, identityBody],
  ['POST', `${authPath}/delegated-api-key-providers`, identityBody],
  ['POST', `${authPath}/oauth2-providers`, identityBody],
  ['PUT', `${authPath}/oauth2-providers/one`, { ...identityBody, clientSecret: undefined }],
  ['PATCH', runtimePath, { replicas: 3, team: { name: 'sales' } }],
  ['POST', `${runtimePath}/endpoints`, { name: 'canary', version: 1, colour: 'blue' }],
  ['POST', '/memory/memories', { name: 'notes', owner: { name: 'Ân' } }],
  ['POST', eventsPath, { content: 'I prefer trains to planes.', trace: [1, { deep: null }] }],
  ['POST', '/registry/v1/repository', { name: 'new', note: { deep: [null] } }],
  ['POST', apiKeysPath, { name: 'key-active', note: { deep: [null] } }],
  ['POST', apiKeysPath, { name: 'key-deleting' }],
]

const reads = [
  '/identity/api/v1/agent-identities',
  `${authPath}/api-key-providers`,
  `${authPath}/api-key-providers/${agentPath}/api-key`,
  `${authPath}/delegated-api-key-providers`,
  `${authPath}/oauth2-providers`,
  runtimePath,
  `${runtimePath}/versions`,
  `${runtimePath}/endpoints`,
  '/memory/memories',
  `${memoryPath}/long-term-memory-strategies`,
  `${memoryPath}/actors`,
  `${memoryPath}/memory-records?namespace=/`,
  eventsPath,
  '/registry/v1/repository',
  `${imagesPath}?name=`,
  '/registry/v1/user',
  `${apiKeysPath}/key-active`,
  `${apiKeysPath}/key-deleting`,
  `${apiKeysPath}/key-creating`,
]

test('a restart keeps the resources of every service, and saves no derived secret', async () => {
  const options = { stateFile: join(makeFolder(), 'state.json'), begin: getSeededWorld, timing: { paceMs: 0, asyncMs } }
  const harness = await startHarness(options)
  for (const [method, path, body] of changes) {
    const { status } = await harness.api(method, path, body === undefined ? {} : { body })
    expect([path, status]).toEqual([path, expect.toBeOneOf([200, 201, 202, 204])])
  }
  const robot = (await harness.api('POST', '/registry/v1/user', { body: { name: 'ci', permissions: ['list'] } })).body
  const [image] = (await harness.api('GET', `${imagesPath}?name=`)).body.listData
  await harness.api('DELETE', `${imagesPath}/delete?imageName=${image.name}`)
  await harness.control('clock', { advanceMs: asyncMs })
  await harness.api('DELETE', `${apiKeysPath}/key-deleting`)
  await harness.api('POST', apiKeysPath, { body: { name: 'key-creating' } })
  const delegated = await harness.api('POST', `${authPath}/delegated-api-key-providers/${agentPath}/api-key`)
  const readAll = async ({ api, sandbox }: Harness): Promise<Json[]> => {
    const answers = await Promise.all(reads.map(async (path) => ({ path, ...(await api('GET', path)) })))
    // The port differs after a restart.
    return JSON.parse(JSON.stringify(answers).replaceAll(sandbox.ready.addresses.registryHost, 'registry'))
  }
  const before = await readAll(harness)
  expect(before.filter(({ status }) => status !== 200)).toEqual([])
  expect(before.slice(-3).map(({ body }) => body.status)).toEqual(['ACTIVE', 'DELETING', 'CREATING'])
  const voidedToken = await harness.token()
  await harness.control('tokens:expire', {})
  const token = await harness.token()
  await harness.sandbox.close()

  const stored = await readFile(options.stateFile, 'utf8')
  for (const secret of [robot.secret, delegated.body.apiKey, before.at(-3).body.key])
    expect(stored).not.toContain(secret)
  const notices: string[] = []
  const second = await startHarness({ ...options, notify: (text) => notices.push(text) })
  expect(await readAll(second)).toEqual(before)
  expect(notices).toEqual([])
  const readStatus = async (bearer: string) => (await second.api('GET', runtimePath, { token: bearer })).status
  expect([await readStatus(token), await readStatus(voidedToken)]).toEqual([200, 401])
  expect((await second.api('POST', `${authPath}/oauth2-providers/${agentPath}/tokens/m2m`)).body.scope).toBe('crm.read')
  await second.control('clock', { advanceMs: asyncMs })
  const keys = (await second.api('GET', apiKeysPath)).body.listData
  expect(keys.map(({ name }: { name: string }) => name)).not.toContain('key-deleting')
})
