import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { CallArguments } from '../../../../src/main/platform/build-request'
import { isOperationId, type OperationId } from '../../../../src/main/platform/services'
import { catchFailure, expectFailure } from '../../support/failures'
import {
  consoleOperations,
  createClient,
  createSilentListener,
  FRESH_TOKEN,
  json,
  KEY,
  type OperationFixture,
  prefixes,
  readFacts,
  sendTruncatedBody,
  startPlatform,
  TOKEN,
} from './harness'

const operationFacts = [...readFacts(), ...consoleOperations]

/** A parameter value that needs URL encoding, and its encoded form. */
const SAMPLE_VALUE = 'a/b %é:+'
const ENCODED_VALUE = 'a%2Fb%20%25%C3%A9%3A%2B'

const platform = await startPlatform()
afterAll(() => platform.close())

const toId = ({ id }: OperationFixture): OperationId => {
  if (isOperationId(id)) return id
  throw new Error(`no operation ${id}`)
}
const isGet = ({ method }: OperationFixture) => method === 'GET'
const hasRequestBody = ({ method }: OperationFixture) => !['GET', 'DELETE'].includes(method)
const hasToken = ({ service }: OperationFixture) => service !== 'gateway'
const chooseCredential = (fact: OperationFixture) => (hasToken(fact) ? TOKEN : KEY)
const toPath = ({ service, path }: OperationFixture) => prefixes[service] + path.replace(/\{\w+\}/g, ENCODED_VALUE)

/** Arguments with every parameter of an operation, and a body with an unknown field. */
function buildArguments(fact: OperationFixture): CallArguments {
  return {
    path: Object.fromEntries(fact.pathParams.map((name) => [name, SAMPLE_VALUE])),
    query: Object.fromEntries(fact.requiredQuery.filter((name) => name !== 'name').map((name) => [name, SAMPLE_VALUE])),
    ...(hasRequestBody(fact) ? { body: { name: 'sample-name', more: { of: ['ours'] } } } : {}),
  }
}

/** Expected query string for the arguments that this test generates. */
function readQuery({ requiredQuery, paging }: OperationFixture): string {
  const requiredParameters = requiredQuery.map((name) => (name === 'name' ? 'name=' : `${name}=${ENCODED_VALUE}`))
  const allParameters = [...requiredParameters, ...(paging === null ? [] : [`page=${paging.firstPage}`, 'size=20'])]
  return allParameters.length === 0 ? '' : `?${allParameters.join('&')}`
}

const authorizations = () => platform.server.received.map(({ headers }) => headers.authorization)

describe.each(operationFacts.map((fact) => [fact.id, fact] as const))('%s', (_, fact) => {
  let testClient: ReturnType<typeof createClient>
  beforeEach(() => {
    testClient = createClient(platform)
  })
  const call = () => testClient.client.call(toId(fact), buildArguments(fact))

  it('sends exactly the documented request, returns the whole response and logs neither', async () => {
    const answer = { id: 'x', surprise: { deep: [1, null, 'two'] }, __other: true }
    platform.answer(json(201, answer, { 'x-request-id': 'req-7' }))
    expect(await call()).toEqual({ status: 201, data: answer, requestId: 'req-7' })
    expect(testClient.logged).toEqual([['platform.call', { operation: fact.id, status: 201 }]])
    const [received, ...otherRequests] = platform.server.received
    expect(otherRequests).toEqual([])
    expect(`${received?.method} ${received?.path}`).toBe(`${fact.method} ${toPath(fact)}${readQuery(fact)}`)
    expect(received?.headers.authorization).toBe(`Bearer ${chooseCredential(fact)}`)
    expect(received?.headers['content-type']).toBe(hasRequestBody(fact) ? 'application/json' : undefined)
    expect(received?.body).toBe(hasRequestBody(fact) ? '{"name":"sample-name","more":{"of":["ours"]}}' : '')
  })

  it('retries once with a new token after a 401, but not with a key', async () => {
    platform.answer(json(401, { message: 'expired' }), json(200, { ok: 1 }))
    if (hasToken(fact)) {
      expect((await call()).data).toEqual({ ok: 1 })
      expect(authorizations()).toEqual([`Bearer ${TOKEN}`, `Bearer ${FRESH_TOKEN}`])
    } else {
      expect((await catchFailure(call())).code).toMatch(/^(api\.unauthorized|gateway\.keyRejected)$/)
      expect(authorizations()).toEqual([`Bearer ${KEY}`])
    }
  })

  it('fails after a second 401 without requesting a third token', async () => {
    platform.answer((request, response) => {
      const [, token = ''] = request.headers.authorization?.split(' ') ?? []
      json(401, { message: `<${token}> is bad` })(request, response)
    })
    const message = expect.stringContaining('The server says: <[secret]> is bad')
    await expectFailure(call(), hasToken(fact) ? 'api.unauthorized' : 'gateway.keyRejected', { message })
    expect(authorizations()).toHaveLength(hasToken(fact) ? 2 : 1)
    expect(testClient.iam.renewals).toBe(hasToken(fact) ? 1 : 0)
  })

  it('waits for the delay of a 429 when it only reads, or else reports the delay', async () => {
    platform.answer(json(429, { message: 'slow down' }, { 'retry-after': '7' }), json(200, { ok: 1 }))
    if (isGet(fact)) {
      expect((await call()).data).toEqual({ ok: 1 })
      expect(testClient.time.waited).toEqual([7000])
    } else {
      const code = hasToken(fact) ? 'api.rateLimited' : 'gateway.rateLimited'
      await expectFailure(call(), code, { retryAfterMs: 7000 })
      expect(platform.server.received).toHaveLength(1)
    }
  })

  it('is tried three times with a failing server when it only reads, or else once', async () => {
    platform.answer(json(503, { error: { message: 'out of order' } }, { 'x-request-id': 'req-9' }))
    const details = { message: expect.stringContaining('out of order'), requestId: 'req-9' }
    await expectFailure(call(), hasToken(fact) ? 'api.serverError' : 'gateway.serverError', details)
    expect(platform.server.received).toHaveLength(isGet(fact) ? 3 : 1)
    expect(testClient.time.waited).toEqual(isGet(fact) ? [188, 375] : [])
  })

  it('ends at its timeout', async () => {
    platform.answer(createSilentListener(() => testClient.time.expire()))
    expect((await catchFailure(call())).code).toBe('net.timeout')
    expect(platform.server.received).toHaveLength(1)
  })

  it('fails when a response breaks off', async () => {
    platform.answer(sendTruncatedBody)
    expect((await catchFailure(call())).code).toBe('net.cut')
    expect(platform.server.received).toHaveLength(isGet(fact) ? 3 : 1)
  })
})
