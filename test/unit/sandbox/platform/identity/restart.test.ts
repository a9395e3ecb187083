import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startBench } from '../../support'

const base = '/identity/api/v1'
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
  const first = await startBench({ stateFile })
  const body = {
    ...{
      name: 'one',
      apiKey: 'ext-key-000000001234',
      clientId: 'a',
      clientSecret: 'entrusted-9f3a',
      note: { deep: [1, null] },
    },
    tokenUrl: 'https://login.example.com/token',
    scopes: ['crm.read'],
  }
  for (const list of lists) expect((await first.api('POST', `${base}/${list}`, { body })).status).toBe(201)
  const oauth2 = `${base}/outbound-auth/oauth2-providers`
  await first.api('PUT', `${oauth2}/one`, { body: { ...body, clientSecret: undefined } })
  const before = await Promise.all(lists.map(async (list) => (await first.api('GET', `${base}/${list}`)).body))
  const agent = 'one/agent-identities/one'
  const delegated = await first.api('POST', `${base}/outbound-auth/delegated-api-key-providers/${agent}/api-key`)
  await first.sandbox.close()
  const kept = JSON.parse(await readFile(stateFile, 'utf8'))
  expect(JSON.stringify(kept)).not.toContain(delegated.body.apiKey)
  expect(kept.identity.oauth2Providers[0].clientSecret).toBe('entrusted-9f3a')

  const second = await startBench({ stateFile })
  const after = await Promise.all(lists.map(async (list) => (await second.api('GET', `${base}/${list}`)).body))
  expect(after).toEqual(before)
  expect(after.map(({ totalElements }) => totalElements)).toEqual([1, 1, 1, 1])
  const key = await second.api('GET', `${base}/outbound-auth/api-key-providers/${agent}/api-key`)
  expect(key.body.apiKey).toBe('ext-key-000000001234')
  const token = await second.api('POST', `${oauth2}/${agent}/tokens/m2m`)
  expect(token.body.scope).toBe('crm.read')
})
