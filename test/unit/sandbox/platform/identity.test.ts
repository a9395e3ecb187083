import { describe, expect } from 'vitest'
import { type Harness, type Json, startHarness, test } from '../support'

const basePath = '/identity/api/v1'
const oauth = { clientId: 'crm-app', clientSecret: 'a-client-secret-9f3a', tokenUrl: 'https://login.example.com/token' }

/** The four kinds of identity resources with name, path and required fields other than the name. */
const identityLists = [
  { noun: 'agent identity', path: `${basePath}/agent-identities`, needs: {} },
  {
    noun: 'static API-key provider',
    path: `${basePath}/outbound-auth/api-key-providers`,
    needs: { apiKey: 'ext-key-000000001234' },
  },
  { noun: 'delegated API-key provider', path: `${basePath}/outbound-auth/delegated-api-key-providers`, needs: {} },
  { noun: 'OAuth2 provider', path: `${basePath}/outbound-auth/oauth2-providers`, needs: oauth },
] as const
const [identities, apiKeys, delegated, oauth2] = identityLists
const updatable = identityLists.filter((kind) => kind !== delegated)

/** Creates one resource of each kind, all named `one`. */
async function startWithOneOfEach(): Promise<Harness> {
  const harness = await startHarness()
  for (const { path, needs } of identityLists) {
    expect((await harness.api('POST', path, { body: { name: 'one', ...needs } })).status).toBe(201)
  }
  return harness
}

describe.each(identityLists)('$noun', ({ noun, path, needs }) => {
  test('refuses a duplicate name, keeps the existing one, and frees the name with its deletion', async ({
    harness,
  }) => {
    const extraFields = { description: 'Đọc thư', labels: { team: ['a', 'b'] }, enabled: false, note: null }
    const firstResponse = await harness.api('POST', path, { body: { name: 'one', ...needs, ...extraFields } })
    const { createdAt, updatedAt } = firstResponse.body
    expect([firstResponse.status, firstResponse.body]).toEqual([201, expect.objectContaining(extraFields)])
    expect([createdAt, Date.parse(createdAt) > Date.now() - 60_000]).toEqual([updatedAt, true])
    const message = `There is already a ${noun} named "one". Choose another name.`
    const secondAnswer = await harness.api('POST', path, { body: { name: 'one', ...needs, note: 'second' } })
    expect(secondAnswer).toEqual({ status: 409, body: { code: 'ALREADY_EXISTS', message } })
    expect((await harness.api('GET', `${path}/one`)).body).toEqual(firstResponse.body)
    expect((await harness.api('POST', path, { body: { name: 'ONE', ...needs } })).status).toBe(201)
    expect(await harness.api('DELETE', `${path}/one`)).toEqual({ status: 204, body: undefined })
    expect((await harness.api('GET', `${path}/one`)).status).toBe(404)
    expect((await harness.api('GET', path)).body.content).toMatchObject([{ name: 'ONE' }])
    expect((await harness.api('POST', path, { body: { name: 'one', ...needs } })).status).toBe(201)
  })
})

describe.each(updatable)('PUT of the $noun', ({ path, needs }) => {
  test('replaces the caller’s fields, and keeps name and creation time', async ({ harness }) => {
    const input = { name: 'one', ...needs, note: 'old', color: 'red' }
    const created = (await harness.api('POST', path, { body: input })).body
    await harness.control('clock', { advanceMs: 60_000 })
    const change = { ...needs, name: 'two', note: 'new', createdAt: 'x', id: 'mine' }
    const { status, body } = await harness.api('PUT', `${path}/one`, { body: change })
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: 'one', note: 'new', createdAt: created.createdAt })
    for (const name of ['color', 'id']) expect(body).not.toHaveProperty(name)
    expect(Date.parse(body.updatedAt) - Date.parse(created.updatedAt)).toBeGreaterThanOrEqual(60_000)
    expect((await harness.api('GET', path)).body.content).toEqual([body])
    expect((await harness.api('GET', `${path}/two`)).status).toBe(404)
  })
})

const keyPath = `${apiKeys.path}/one/agent-identities/one/api-key`

test('a static API key is returned in full only by its own operation, and rotated by PUT', async ({ harness }) => {
  const answers: Json[] = []
  const callAndStore = async (...call: Parameters<Harness['api']>) => {
    answers.push((await harness.api(...call)).body)
  }
  await harness.api('POST', identities.path, { body: { name: 'one' } })
  await callAndStore('POST', apiKeys.path, { body: { name: 'one', apiKey: 'first-key-abcd1111' } })
  await callAndStore('GET', `${apiKeys.path}/one`)
  await callAndStore('GET', apiKeys.path)
  const key = { apiKey: 'first-key-abcd1111', providerName: 'one', agentIdentityName: 'one' }
  expect((await harness.api('GET', keyPath)).body).toEqual(key)
  expect(JSON.stringify(answers.map((answer) => answer.apiKeyHint))).toContain('****1111')
  await callAndStore('PUT', `${apiKeys.path}/one`, { body: { apiKey: 'second-key-abcd2222' } })
  await callAndStore('GET', `${apiKeys.path}/one`)
  expect((await harness.api('GET', keyPath)).body.apiKey).toBe('second-key-abcd2222')
  expect(answers.at(-1).apiKeyHint).toBe('****2222')
  expect(JSON.stringify(answers)).not.toMatch(/-key-/)
})

test('an OAuth2 provider never returns its client secret, and keeps it with a PUT without one', async ({ harness }) => {
  const stateless = [
    await harness.api('POST', oauth2.path, { body: { name: 'one', ...oauth, scopes: ['crm.read'] } }),
    await harness.api('GET', `${oauth2.path}/one`),
    await harness.api('GET', oauth2.path),
    await harness.api('PUT', `${oauth2.path}/one`, { body: { ...oauth, clientSecret: undefined, clientId: 'other' } }),
    await harness.api('PUT', `${oauth2.path}/one`, { body: oauth }),
  ]
  expect(stateless.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200])
  expect(stateless[0]?.body).toMatchObject({ clientId: 'crm-app', scopes: ['crm.read'] })
  expect(stateless[3]?.body.clientId).toBe('other')
  expect(JSON.stringify(stateless)).not.toMatch(/clientSecret|a-client-secret/)
})

describe('credentials for an agent', () => {
  const operations = [
    { provider: apiKeys, method: 'GET', tail: 'api-key' },
    { provider: delegated, method: 'POST', tail: 'api-key' },
    { provider: oauth2, method: 'POST', tail: 'tokens/m2m' },
    { provider: oauth2, method: 'POST', tail: 'tokens/3lo' },
  ]
  const toProviderPath = (provider: { path: string }, names: [string, string], tail: string) =>
    `${provider.path}/${names[0]}/agent-identities/${names[1]}/${tail}`

  test.each(operations)('$method $tail names the unknown one of the two', async ({ provider, method, tail }) => {
    const harness = await startWithOneOfEach()
    const request = (...names: [string, string]) => harness.api(method, toProviderPath(provider, names, tail))
    const notFound = (message: string) => ({ status: 404, body: { message } })
    expect(await request('nope', 'one')).toMatchObject(notFound(`There is no ${provider.noun} named "nope".`))
    expect(await request('one', 'nope')).toMatchObject(notFound('There is no agent identity named "nope".'))
    expect(await request('nope', '%2F')).toMatchObject(notFound(expect.stringContaining(provider.noun)))
    await harness.api('DELETE', `${identities.path}/one`)
    expect((await request('one', 'one')).status).toBe(404)
  })

  test.each(operations)('$method $tail forbids caching', async ({ provider, method, tail }) => {
    const harness = await startWithOneOfEach()
    const response = await fetch(`${harness.platformUrl}${toProviderPath(provider, ['one', 'one'], tail)}`, {
      method,
      headers: { authorization: `Bearer ${await harness.token()}` },
    })
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store'])
  })

  test('a delegated key expires after an hour of the sandbox clock, and each request returns another', async () => {
    const harness = await startWithOneOfEach()
    await harness.control('clock', { advanceMs: 300_000 })
    const path = toProviderPath(delegated, ['one', 'one'], 'api-key')
    const firstResponse = await harness.api('POST', path, { body: { userId: 'u-1', purpose: 'kept to itself' } })
    expect(firstResponse.status).toBe(200)
    expect(firstResponse.body).toEqual({
      apiKey: expect.stringMatching(/^dk-sandbox-[0-9a-f]{40}$/),
      providerName: 'one',
      agentIdentityName: 'one',
      userId: 'u-1',
      expiresAt: expect.any(String),
    })
    const nowMs = Date.parse((await harness.state()).clock)
    expect(Math.abs(Date.parse(firstResponse.body.expiresAt) - nowMs - 3_600_000)).toBeLessThan(10_000)
    await harness.control('clock', { advanceMs: 1 })
    const secondAnswer = await harness.api('POST', path, { body: { userId: 'u-1' } })
    expect(secondAnswer.body.apiKey).not.toBe(firstResponse.body.apiKey)
    expect((await harness.api('POST', path)).body).not.toHaveProperty('userId')
  })

  test('tokens are bearer tokens with a lifetime and the scopes of their provider', async ({ harness }) => {
    await harness.api('POST', identities.path, { body: { name: 'one' } })
    const scopes = ['crm.read', 'crm.write']
    await harness.api('POST', oauth2.path, { body: { name: 'one', ...oauth, scopes } })
    const token = { token_type: 'Bearer', expires_in: 3600, scope: 'crm.read crm.write' }
    const requestToken = (tail: string, body?: object) =>
      harness.api('POST', toProviderPath(oauth2, ['one', 'one'], tail), { body })
    const machineTokenAnswer = await requestToken('tokens/m2m')
    const person = await requestToken('tokens/3lo', { userId: 'u-1' })
    const access_token = expect.stringMatching(/^dk-sandbox-[0-9a-f]{40}$/)
    expect(machineTokenAnswer).toEqual({ status: 200, body: { ...token, access_token } })
    expect(person).toEqual({ status: 200, body: { ...token, access_token, userId: 'u-1' } })
    expect(person.body.access_token).not.toBe(machineTokenAnswer.body.access_token)
  })

  test('a derived one grants no access to the platform', async () => {
    const harness = await startWithOneOfEach()
    const { apiKey } = (await harness.api('POST', toProviderPath(delegated, ['one', 'one'], 'api-key'))).body
    expect((await harness.api('GET', identities.path, { token: apiKey })).status).toBe(401)
  })
})
