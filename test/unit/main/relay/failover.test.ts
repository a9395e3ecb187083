import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import type { RelayOptions } from '../../../../src/main/relay/ports'
import { close, listen } from '../gateway/answering-server'
import {
  buildTable,
  chatPath,
  chatRequestBody,
  chatResponseBody,
  messagesPath,
  readBody,
  respondWithJson,
  startGateway,
  startHarness,
  upstream,
} from './support'

type Responder = (respond: (status: number, body: unknown, headers?: Record<string, string>) => void) => void

/** Starts two gateways, the first of which sends the given response. Records their requests with keys. */
async function startRelay(firstAnswer: Responder, onSwitch?: RelayOptions['onSwitch']) {
  const usedKeys: string[] = []
  const bodies: string[] = []
  const gateway = await startGateway(async (request, response) => {
    const { authorization } = request.headers
    usedKeys.push(String(authorization).replace('Bearer ', ''))
    bodies.push(await readBody(request))
    if (authorization === 'Bearer key-two') respondWithJson(response, chatResponseBody)
    else {
      firstAnswer((status, body, headers = {}) => {
        for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
        respondWithJson(response, body, status)
      })
    }
  })
  const one = upstream(gateway.url, { keyId: 'one', key: new Secret('key-one') })
  const two = upstream(gateway.url, { planId: 'plan-2', keyId: 'two', key: new Secret('key-two') })
  return { ...(await startHarness(buildTable([one, two]), { onSwitch })), usedKeys, bodies, one, two }
}

const quota = { error: { code: 'quota_exhausted', message: 'Used up' } }

test.each<[string, number, unknown, string]>([
  ['the key is refused', 401, { error: { message: 'No' } }, 'key'],
  ['the plan has expired', 402, { error: { message: 'Expired' } }, 'plan'],
  ['the allowance is used up', 429, quota, 'quota'],
  ['any refusal speaks of the allowance', 403, { message: 'Your allowance is gone' }, 'quota'],
])('the next key is tried when %s, and both attempts are recorded', async (_, status, body, error) => {
  const { sendChat, usedKeys, bodies, entries } = await startRelay((respond) => respond(status, body))
  expect(await sendChat()).toMatchObject({ status: 200, body: JSON.stringify(chatResponseBody) })
  expect(usedKeys).toEqual(['key-one', 'key-two'])
  expect(bodies).toEqual([chatRequestBody, chatRequestBody])
  expect(entries).toMatchObject([
    { planId: 'plan-1', keyId: 'one', status, error, modelCode: 'aurora' },
    { planId: 'plan-2', keyId: 'two', status: 200, error: undefined, inputTokens: 8, cacheReadTokens: 4 },
  ])
})

test.each<[string, number, unknown, string]>([
  ['too many requests', 429, { error: { message: 'Slow down' } }, 'rateLimit'],
  ['a model that is not in the plan', 403, { error: { code: 'model_not_in_plan', message: 'No' } }, 'model'],
  ['a bad request', 400, { error: { message: 'messages: required' } }, 'badRequest'],
  ['a path that is not served', 404, { error: { message: 'Not found' } }, 'path'],
  ['a fault of the gateway', 503, quota, 'server'],
])('no other key is tried after %s, and the tool gets that response', async (_, status, body, error) => {
  const { sendChat, usedKeys, entries } = await startRelay((respond) => respond(status, body, { 'retry-after': '7' }))
  expect(await sendChat()).toMatchObject({ status, body: JSON.stringify(body), headers: { 'retry-after': '7' } })
  expect([usedKeys, entries.map((entry) => entry.error)]).toEqual([['key-one'], [error]])
})

test('a refusal longer than the inspection limit reaches the tool completely', async () => {
  const longError = { error: { message: `quota ${'x'.repeat(200_000)}` } }
  const { sendChat, usedKeys } = await startRelay((respond) => respond(429, longError))
  expect(await sendChat()).toMatchObject({ status: 429, body: JSON.stringify(longError) })
  expect(usedKeys).toEqual(['key-one'])
})

test('the tool gets the last refusal, with a header against retries', async () => {
  const { send, relay, one, usedKeys } = await startRelay((respond) => respond(401, { error: { message: 'No' } }))
  relay.setTable(buildTable([one, one]))
  const refused = { status: 401, body: '{"error":{"message":"No"}}', headers: { 'x-should-retry': 'false' } }
  expect(await send(messagesPath, chatRequestBody)).toMatchObject(refused)
  expect(usedKeys).toEqual(['key-one', 'key-one'])
})

describe('a gateway', () => {
  test('that refuses the connection is skipped, since nothing was sent', async () => {
    const closedServer = createServer()
    const port = await listen(closedServer)
    await close(closedServer)
    const { sendChat, relay, two, entries } = await startRelay(() => undefined)
    const deadUpstream = upstream(`http://127.0.0.1:${port}`)
    relay.setTable(buildTable([deadUpstream, two]))
    expect((await sendChat()).status).toBe(200)
    relay.setTable(buildTable([deadUpstream]))
    const { status, body } = await sendChat()
    const message = expect.stringContaining(`127.0.0.1:${port} refused the connection`)
    expect([status, JSON.parse(body).error]).toMatchObject([502, { code: 'relay_unreachable', message }])
    const refused = { error: 'network', status: undefined }
    expect(entries).toMatchObject([refused, { error: undefined, status: 200 }, refused])
  })

  test.each([
    ['takes the request', chatRequestBody],
    ['begins to take a long request', JSON.stringify({ model: 'aurora', text: 'x'.repeat(900_000) })],
  ])('that %s and closes is not skipped, since it may have processed the request', async (_, body) => {
    const { send, relay, two, usedKeys, entries } = await startRelay(() => undefined)
    const disconnectingGateway = await startGateway((request) => request.socket.destroy())
    relay.setTable(buildTable([upstream(disconnectingGateway.url), two]))
    expect((await send(chatPath, body)).status).toBe(502)
    expect([usedKeys, entries.length]).toEqual([[], 1])
  })

  test('that requires another key gets a long request completely both times', async () => {
    const body = JSON.stringify({ model: 'aurora', text: 'x'.repeat(900_000) })
    const { send, bodies } = await startRelay((respond) => respond(401, {}))
    expect((await send(chatPath, body)).status).toBe(200)
    expect(bodies.map((sentBody) => sentBody === body)).toEqual([true, true])
  })

  test('without the requested model is skipped, unless no gateway lists it', async () => {
    const { send, sendChat, relay, one, two, usedKeys } = await startRelay((respond) => respond(403, {}))
    const otherUpstream = { ...one, models: ['other'] }
    relay.setTable(buildTable([otherUpstream, { ...two, models: ['aurora'] }]))
    await sendChat()
    await send(chatPath, '{"messages":[]}')
    relay.setTable(buildTable([otherUpstream, { ...two, models: ['another'] }]))
    await sendChat()
    expect(usedKeys).toEqual(['key-two', 'key-one', 'key-one'])
  })
})

test('a new key or token applies from the next request', async () => {
  const { send, sendChat, relay, one, two, usedKeys } = await startRelay((respond) => respond(200, chatResponseBody))
  await sendChat()
  relay.setTable(buildTable([two]))
  await sendChat()
  relay.setTable(buildTable([one], { token: new Secret('another-token') }))
  const responses = [await sendChat(), await send(chatPath, chatRequestBody, { authorization: 'Bearer another-token' })]
  expect(responses.map(({ status }) => status)).toEqual([401, 200])
  expect(usedKeys).toEqual(['key-one', 'key-two', 'key-one'])
})

describe('on overload', () => {
  const busy = { error: { message: 'Overloaded' } }
  const limited = { error: { message: 'Slow down' } }

  /** Starts the relay with the opt-in of the tool, and with both upstreams. */
  async function startWithOptIn(overload: 'rejected' | 'any' | undefined, ...[status, body, headers]: OverloadAnswer) {
    const switches: unknown[] = []
    const onSwitch: RelayOptions['onSwitch'] = (toolId, { from, to }) => switches.push([toolId, from.keyId, to.keyId])
    const harness = await startRelay((respond) => respond(status, body, headers), onSwitch)
    harness.relay.setTable(buildTable([harness.one, harness.two], { overload }))
    return { ...harness, switches }
  }
  type OverloadAnswer = [status: number, body: unknown, headers?: Record<string, string>]

  test.each<[string, 'rejected' | 'any', OverloadAnswer]>([
    ['a long rate limit', 'rejected', [429, limited, { 'retry-after': '60' }]],
    ['503', 'rejected', [503, busy]],
    ['529', 'rejected', [529, busy]],
    ['500, if chosen', 'any', [500, busy]],
    ['504, if chosen', 'any', [504, busy, { 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' }]],
  ])('the next key is tried after %s, then first during the pause, with one notice', async (_, overload, answer) => {
    const { sendChat, usedKeys, entries, switches } = await startWithOptIn(overload, ...answer)
    expect((await sendChat()).status).toBe(200)
    expect((await sendChat()).status).toBe(200)
    expect(usedKeys).toEqual(['key-one', 'key-two', 'key-two'])
    const second = { keyId: 'two', status: 200 }
    expect(entries).toMatchObject([{ keyId: 'one', status: answer[0] }, second, second])
    expect(switches).toEqual([['x', 'one', 'two']])
  })

  test.each<[string, 'rejected' | 'any' | undefined, OverloadAnswer]>([
    ['a short rate limit', 'any', [429, limited, { 'retry-after': '5' }]],
    ['a rate limit without a time', 'rejected', [429, limited]],
    ['500, which may have cost tokens', 'rejected', [500, busy]],
    ['504, which may have cost tokens', 'rejected', [504, busy]],
    ['a bad request', 'any', [400, { error: { message: 'messages: required' } }]],
    ['503 without opt-in', undefined, [503, busy]],
  ])('the tool gets the response after %s', async (_, overload, answer) => {
    const { sendChat, usedKeys, switches } = await startWithOptIn(overload, ...answer)
    expect((await sendChat()).status).toBe(answer[0])
    expect([usedKeys, switches]).toEqual([['key-one'], []])
  })

  test.each([
    ['any', 200, ['key-two']],
    ['rejected', 502, []],
  ] as const)('a request that may have arrived is sent again only with “any”: %s', async (overload, status, keys) => {
    const { sendChat, relay, two, usedKeys } = await startRelay(() => undefined)
    const disconnectingGateway = await startGateway((request) => request.socket.destroy())
    relay.setTable(buildTable([upstream(disconnectingGateway.url), two], { overload }))
    expect((await sendChat()).status).toBe(status)
    expect(usedKeys).toEqual(keys)
  })

  test('an overloaded upstream is still tried when all others fail too', async () => {
    const { sendChat, relay, one, usedKeys } = await startWithOptIn('rejected', 503, busy)
    relay.setTable(buildTable([one, { ...one, keyId: 'other' }], { overload: 'rejected' }))
    await sendChat()
    await sendChat()
    expect(usedKeys).toHaveLength(4)
  })
})
