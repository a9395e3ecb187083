import { describe, expect } from 'vitest'
import { type Harness, type Json, makeRuntime, rawRequest, refusal, runtimesPath, startHarness, test } from '../support'

type Fields = Record<string, string> | string

const requestToken = (harness: Harness, fields: Fields, headers: Record<string, string> = {}) =>
  rawRequest(harness.sandbox.ready.iam.tokenUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })

const buildBasicHeader = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})

const buildTokenBody = ({ sandbox }: Harness, change: object = {}): Record<string, string> => {
  const { clientId: client_id, clientSecret: client_secret } = sandbox.ready.iam
  return { grant_type: 'client_credentials', client_id, client_secret, ...change }
}

const call = async (harness: Harness, token: string) => {
  const headers = { authorization: `Bearer ${token}` }
  const { status, text } = await rawRequest(`${harness.platformUrl}${runtimesPath}`, { headers })
  return { status, body: JSON.parse(text) }
}

const getAccessStatus = async (harness: Harness, token: string) => (await call(harness, token)).status

describe('a token', () => {
  test('is issued for a client in the body, with its lifetime and without caching', async () => {
    const harness = await startHarness({ timing: { tokenLifetimeS: 321 } })
    const response = await requestToken(harness, buildTokenBody(harness))
    expect([response.status, JSON.parse(response.text)]).toEqual([
      200,
      { access_token: expect.stringMatching(/^iam-sandbox-/), token_type: 'Bearer', expires_in: 321 },
    ])
    expect([response.headers['cache-control'], response.headers.pragma]).toEqual(['no-store', 'no-cache'])
    expect(await getAccessStatus(harness, JSON.parse(response.text).access_token)).toBe(200)
  })

  test('is issued for a client in the Authorization header, form-encoded inside Basic', async ({ harness }) => {
    const { clientId, clientSecret } = harness.sandbox.ready.iam
    const fields = { grant_type: 'client_credentials', scope: 'any' }
    const { text } = await requestToken(harness, fields, buildBasicHeader(clientId, clientSecret))
    expect(await getAccessStatus(harness, JSON.parse(text).access_token)).toBe(200)
    const percent = (part: string) => part.replaceAll('-', '%2D')
    const encodedHeader = buildBasicHeader(percent(clientId), percent(clientSecret))
    expect((await requestToken(harness, { ...fields, client_id: clientId }, encodedHeader)).status).toBe(200)
  })

  test('is rejected after its expiry', async () => {
    const harness = await startHarness({ timing: { tokenLifetimeS: 600 } })
    const token = await harness.token()
    await harness.control('clock', { advanceMs: 590_000 })
    expect(await getAccessStatus(harness, token)).toBe(200)
    await harness.control('clock', { advanceMs: 10_000 })
    expect(await call(harness, token)).toEqual(refusal(401, 'UNAUTHORIZED', 'expired'))
    expect(await getAccessStatus(harness, await harness.token())).toBe(200)
  })
})

describe('the service account of a runtime', () => {
  const requestAccountToken = (harness: Harness, { clientId, clientSecret }: Json) =>
    requestToken(harness, buildTokenBody(harness, { client_id: clientId, client_secret: clientSecret }))

  test('gets tokens only with the secret of its last reset, which appears only in that response', async ({
    harness,
  }) => {
    const runtime = await makeRuntime(harness)
    const reset = async () => (await harness.api('PATCH', `${runtimesPath}/${runtime.id}/reset-service-account`)).body
    const newCredentials = await reset()
    expect(newCredentials).toEqual({
      id: runtime.id,
      clientId: runtime.clientId,
      clientSecret: expect.stringMatching(/^cs-sandbox-[0-9a-f]{40}$/),
      updatedAt: expect.stringMatching(/Z$/),
    })
    const response = await requestAccountToken(harness, newCredentials)
    expect(await getAccessStatus(harness, JSON.parse(response.text).access_token)).toBe(200)
    const laterCredentials = await reset()
    expect(laterCredentials.clientSecret).not.toBe(newCredentials.clientSecret)
    expect((await requestAccountToken(harness, newCredentials)).status).toBe(401)
    expect((await requestAccountToken(harness, laterCredentials)).status).toBe(200)
    for (const path of ['', `/${runtime.id}`, `/${runtime.id}/versions`])
      expect(JSON.stringify(await harness.api('GET', `${runtimesPath}${path}`))).not.toContain('cs-sandbox-')
  })

  test('gets no token, and its tokens are invalid, once the runtime is deleted', async ({ harness }) => {
    const runtime = await makeRuntime(harness)
    const { body: account } = await harness.api('PATCH', `${runtimesPath}/${runtime.id}/reset-service-account`)
    const token = JSON.parse((await requestAccountToken(harness, account)).text).access_token
    expect(await getAccessStatus(harness, token)).toBe(200)
    await harness.api('DELETE', `${runtimesPath}/${runtime.id}`)
    expect(await getAccessStatus(harness, token)).toBe(401)
    expect((await requestAccountToken(harness, account)).status).toBe(401)
  })
})

describe('no token is issued', () => {
  const credentials = 'client_id=sandbox-client&client_secret=x'
  const invalidRequests: readonly (readonly [why: string, status: number, error: string, body: string])[] = [
    ['without a grant type', 400, 'invalid_request', credentials],
    ['with an empty grant type', 400, 'invalid_request', `grant_type=&${credentials}`],
    ['with a parameter twice', 400, 'invalid_request', `grant_type=client_credentials&grant_type=x&${credentials}`],
    ['for a password', 400, 'unsupported_grant_type', `grant_type=password&${credentials}`],
    ['for a code', 400, 'unsupported_grant_type', `grant_type=authorization_code&${credentials}`],
    ['for a wrong secret', 401, 'invalid_client', `grant_type=client_credentials&${credentials}`],
    ['without a secret', 401, 'invalid_client', 'grant_type=client_credentials&client_id=sandbox-client'],
    ['without a client', 401, 'invalid_client', 'grant_type=client_credentials'],
    ['for an unknown client', 401, 'invalid_client', 'grant_type=client_credentials&client_id=x&client_secret=x'],
  ]
  test.for(invalidRequests)('%s (%i %s)', async ([_why, status, error, body], { harness }) => {
    const response = await requestToken(harness, body)
    const errorBody = { error, error_description: expect.any(String) }
    expect([response.status, JSON.parse(response.text)]).toEqual([status, errorBody])
    expect(response.headers['www-authenticate']).toBe(status === 401 ? 'Basic realm="sandbox"' : undefined)
  })

  test('for a subscription key instead of a secret', async ({ harness }) => {
    const key = harness.readKey('sandbox-pro', 'default-key')
    expect((await requestToken(harness, buildTokenBody(harness, { client_secret: key }))).status).toBe(401)
  })

  test('for a client in both the header and the body', async ({ harness }) => {
    const { clientId, clientSecret } = harness.sandbox.ready.iam
    const response = await requestToken(harness, buildTokenBody(harness), buildBasicHeader(clientId, clientSecret))
    expect([response.status, JSON.parse(response.text).error]).toEqual([400, 'invalid_request'])
  })

  test.for([
    'Basic',
    'Basic !!!',
    'Basic eA==',
    `Basic ${Buffer.from('%zz:%zz').toString('base64')}`,
    `Basic ${Buffer.from('sandbox-client:').toString('base64')}`,
    'Bearer sandbox-client',
  ])('for the header %s', async (authorization, { harness }) => {
    const response = await requestToken(harness, { grant_type: 'client_credentials' }, { authorization })
    expect([response.status, JSON.parse(response.text).error]).toEqual([401, 'invalid_client'])
  })

  test.for(['application/json', 'multipart/form-data', ''])('for a body of the type %j', async (type, { harness }) => {
    const response = await requestToken(harness, buildTokenBody(harness), { 'content-type': type })
    expect([response.status, JSON.parse(response.text).error]).toEqual([400, 'invalid_request'])
  })

  test('for a body of more than 16 KiB', async ({ harness }) => {
    expect((await requestToken(harness, buildTokenBody(harness, { scope: 'x'.repeat(17_000) }))).status).toBe(413)
  })

  test('for a GET', async ({ harness }) => {
    const response = await rawRequest(harness.sandbox.ready.iam.tokenUrl)
    expect(response).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect(JSON.parse(response.text).error).toBe('method_not_allowed')
  })
})

describe('an invalid token is rejected', () => {
  const changeSignedToken = (token: string, change: (claims: string, signature: string) => string) => {
    const [claims = '', signature = ''] = token.slice('iam-sandbox-'.length).split('.')
    return `iam-sandbox-${change(claims, signature)}`
  }
  const encodeClaims = (...values: readonly unknown[]) => Buffer.from(JSON.stringify(values)).toString('base64url')

  const tokenCases: readonly (readonly [string, (token: string, harness: Harness) => string])[] = [
    ['a word', () => 'nonsense'],
    ['the prefix alone', () => 'iam-sandbox-'],
    ['a dot', () => 'iam-sandbox-.'],
    ['without its last letter', (token) => token.slice(0, -1)],
    ['with a letter more', (token) => `${token}A`],
    ['with a part more', (token) => `${token}.x`],
    ['without its prefix', (token) => token.slice('iam-sandbox-'.length)],
    ['without a signature', (token) => changeSignedToken(token, (claims) => claims)],
    ['with an empty signature', (token) => changeSignedToken(token, (claims) => `${claims}.`)],
    ['with its parts swapped', (token) => changeSignedToken(token, (claims, signature) => `${signature}.${claims}`)],
    [
      'with a longer life',
      (token) => changeSignedToken(token, (_, sig) => `${encodeClaims('sandbox-client', 9e15, 0)}.${sig}`),
    ],
    ['for another client', (token) => changeSignedToken(token, (_, sig) => `${encodeClaims('admin', 9e15, 0)}.${sig}`)],
    ['in capitals', (token) => token.toUpperCase()],
    ['of two words', (token) => `${token} ${token}`],
    ['very long', () => `iam-sandbox-${'a'.repeat(8_000)}`],
    ['the client secret', (_, harness) => harness.sandbox.ready.iam.clientSecret],
    ['the control token', (_, harness) => harness.sandbox.ready.controlToken],
    ['a subscription key', (_, harness) => harness.readKey('sandbox-pro', 'default-key')],
  ]
  test.for(tokenCases)('%s', async ([_kind, make], { harness }) => {
    const invalidToken = make(await harness.token(), harness)
    const { status, body } = await call(harness, invalidToken)
    expect([status, body]).toEqual([401, { code: 'UNAUTHORIZED', message: expect.not.stringContaining(invalidToken) }])
  })

  test.for(['', 'Bearer', 'Bearer ', 'Basic eDp5', 'Token x', 'bearer'])(
    'the header %j',
    async (authorization, { harness }) => {
      const response = await rawRequest(`${harness.platformUrl}${runtimesPath}`, { headers: { authorization } })
      expect([response.status, response.headers['www-authenticate']]).toEqual([401, 'Bearer realm="sandbox"'])
    },
  )

  test('a token of another sandbox', async () => {
    const [harness, otherHarness] = [await startHarness(), await startHarness()]
    expect(await getAccessStatus(harness, await otherHarness.token())).toBe(401)
  })

  test('but Bearer is case-insensitive', async ({ harness }) => {
    const headers = { authorization: `bEARER ${await harness.token()}` }
    expect((await rawRequest(`${harness.platformUrl}${runtimesPath}`, { headers })).status).toBe(200)
  })
})
