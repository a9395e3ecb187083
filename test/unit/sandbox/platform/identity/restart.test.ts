import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startHarness } from '../../support'

const basePath = '/identity/api/v1'
const lists = [
  'agent-identities',
  'outbound-auth/api-key-providers',
  'outbound-auth/delegated-api-key-providers',
  'outbound-auth/oauth2-providers',
]

test('a restart keeps all four lists and secrets, also through a PUT without them, and no derived key', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sandbox-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const stateFile = join(folder, 'state.json')
  const firstHarness = await startHarness({ stateFile })
  const body = {
    name: 'one',
    apiKey: 'ext-key-000000001234',
    clientId: 'a',
    clientSecret: 'entrusted-9f3a',
    note: { deep: [1, null] },
    tokenUrl: 'https://login.example.com/token',
    scopes: ['crm.read'],
  }
  for (const list of lists) expect((await firstHarness.api('POST', `${basePath}/${list}`, { body })).status).toBe(201)
  const oauth2 = `${basePath}/outbound-auth/oauth2-providers`
  await firstHarness.api('PUT', `${oauth2}/one`, { body: { ...body, clientSecret: undefined } })
  const listResponsesBefore = await Promise.all(
    lists.map(async (list) => (await firstHarness.api('GET', `${basePath}/${list}`)).body),
  )
  const agent = 'one/agent-identities/one'
  const delegatedKey = await firstHarness.api(
    'POST',
    `${basePath}/outbound-auth/delegated-api-key-providers/${agent}/api-key`,
  )
  await firstHarness.sandbox.close()
  const storedState = JSON.parse(await readFile(stateFile, 'utf8'))
  expect(JSON.stringify(storedState)).not.toContain(delegatedKey.body.apiKey)
  expect(storedState.identity.oauth2Providers[0].clientSecret).toBe('entrusted-9f3a')

  const secondHarness = await startHarness({ stateFile })
  const listResponsesAfter = await Promise.all(
    lists.map(async (list) => (await secondHarness.api('GET', `${basePath}/${list}`)).body),
  )
  expect(listResponsesAfter).toEqual(listResponsesBefore)
  expect(listResponsesAfter.map(({ totalElements }) => totalElements)).toEqual([1, 1, 1, 1])
  const key = await secondHarness.api('GET', `${basePath}/outbound-auth/api-key-providers/${agent}/api-key`)
  expect(key.body.apiKey).toBe('ext-key-000000001234')
  const token = await secondHarness.api('POST', `${oauth2}/${agent}/tokens/m2m`)
  expect(token.body.scope).toBe('crm.read')
})
