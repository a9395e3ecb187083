import { gzipSync } from 'node:zlib'
import { Failure } from '@shared/failure'
import { afterAll, describe, expect, it } from 'vitest'
import type { Sleep } from '../../../../../src/main/core/net/deadline'
import { catchFailure } from '../../../support/failures'
import {
  createClient,
  createSilentListener,
  createTokenSequence,
  json,
  LONG_LIMIT_MS,
  replyText,
  sendTruncatedBody,
  startPlatform,
  TOKEN,
} from '../harness'

const platform = await startPlatform()
afterAll(() => platform.close())

type Client = ReturnType<typeof createClient>['client']

const FLAVORS = 'runtime.flavors.list'
const requests = () => platform.server.received.length
const catchCallFailure = (
  options: Parameters<Client['call']>[2] = {},
  parts: Parameters<typeof createClient>[1] = {},
) => catchFailure(createClient(platform, parts).client.call(FLAVORS, {}, options))

describe('a refusal', () => {
  it.each([
    [400, 'api.badRequest'],
    [402, 'api.badRequest'],
    [403, 'api.forbidden'],
    [404, 'api.notFound'],
    [408, 'api.serverError'],
    [409, 'api.conflict'],
    [410, 'api.notFound'],
    [412, 'api.conflict'],
    [422, 'api.badRequest'],
    [500, 'api.serverError'],
    [599, 'api.serverError'],
  ])('with %i is %s, in the server’s words', async (status, code) => {
    platform.answer(json(status, { message: 'words of the server' }))
    const failure = await catchFailure(createClient(platform).client.call('aip.models.list'))
    expect(Failure.parse(failure).code).toBe(code)
    expect(requests()).toBe(code === 'api.serverError' ? 3 : 1)
    expect(failure.message).toMatch(new RegExp(`^${platform.server.url} .*\\(${status}\\).*words of the server$`))
  })

  it('repeats no secret, neither the token nor one from the body', async () => {
    platform.answer((request, response) => {
      const responseText = `bad: ${request.headers.authorization?.slice(7)} top/secret+value clientsecret1 apivalue1 plain-word`
      json(400, { message: responseText }, { 'x-request-id': `r-${TOKEN}` })(request, response)
    })
    const config = [{ client_secret: 'clientsecret1', apiKeyValue: 'apivalue1' }]
    const body = { name: 'plain-word', apiKey: 'top/secret+value', config }
    const failure = await catchFailure(createClient(platform).client.call('identity.apiKeyProviders.create', { body }))
    expect(failure.message).toContain('bad: [secret] [secret] [secret] [secret] plain-word')
    expect(failure.requestId).toBe('r-[secret]')
  })

  it.each([
    [400, { code: 'INVALID_NAME', message: 'no spaces' }, { code: 'account.invalidName', field: 'name' }],
    [403, { code: 'ROLE_NOT_ALLOWED', message: 'only admins' }, { code: 'account.roleNotAllowed' }],
    [409, { code: 'INSUFFICIENT_CREDITS', message: 'add credits' }, { code: 'account.insufficientCredits' }],
    [409, { code: 'KEY_LIMIT_REACHED', message: 'five keys' }, { code: 'account.keyLimitReached' }],
    [409, { code: 'PLAN_EXPIRED', message: 'buy again' }, { code: 'account.planExpired' }],
    [404, { code: 'NOT_FOUND', message: 'no plan' }, { code: 'api.notFound' }],
    [409, { code: 'SOMETHING_NEW', message: 'who knows' }, { code: 'api.conflict' }],
    [403, { message: 'no code' }, { code: 'api.forbidden' }],
    [500, { code: 'INSUFFICIENT_CREDITS', message: 'broken' }, { code: 'api.serverError' }],
  ])('of the console with %i %j is explained as %j, in its words', async (status, body, expected) => {
    platform.answer(json(status, body))
    const call = createClient(platform).client.call('console.tokenPlans.create', {
      body: { name: 'team', packageId: 'p', autoRenew: true },
    })
    const failure = await catchFailure(call)
    expect(failure).toMatchObject(expected)
    expect(failure.message).toContain(body.message)
  })

  it.each([301, 302, 303, 307, 308])('is a redirect with %i, which no token follows', async (status) => {
    platform.answer(replyText(status, '', { location: `${platform.server.url}/elsewhere?t=1` }))
    const failure = await catchCallFailure()
    expect(failure).toMatchObject({ code: 'api.unreadable', message: expect.stringContaining('redirect') })
    expect(requests()).toBe(1)
  })
})

describe('a response', () => {
  it.each([
    ['a page', '<!doctype html><title>Sign in</title>', /page for people/],
    ['a text', 'upstream says hello', /not the JSON/],
    ['half of a JSON', '{"a": ', /not the JSON/],
    ['two JSONs', '{} {}', /not the JSON/],
  ])('that is %s is refused, and not repeated', async (_, body, messagePattern) => {
    platform.answer(replyText(200, body))
    const failure = await catchCallFailure()
    expect(failure).toMatchObject({ code: 'api.unreadable', message: expect.stringMatching(messagePattern) })
    expect(failure.message).not.toContain('hello')
    expect(requests()).toBe(1)
  })

  it.each([
    ['null', null],
    ['[]', []],
    ['"text"', 'text'],
    ['0', 0],
    ['\ufeff{"a":1}', { a: 1 }],
    ['', undefined],
    [' \n', undefined],
  ])('of %j is accepted, whatever its content type', async (body, data) => {
    platform.answer(replyText(200, body, { 'content-type': 'text/plain' }))
    expect(await createClient(platform).client.call(FLAVORS)).toEqual({ status: 200, data })
  })

  it('may be compressed', async () => {
    platform.answer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.end(gzipSync('{"a":[1]}'))
    })
    expect((await createClient(platform).client.call(FLAVORS)).data).toEqual({ a: [1] })
  })

  it('of more than 50 MB is not read to its end', async () => {
    const block = Buffer.alloc(1_000_000, ' ')
    let sentCount = 0
    platform.answer((_request, response) => {
      response.writeHead(200)
      const writeUntilFull = () => {
        while (!response.destroyed && sentCount < 500 && response.write(block)) sentCount += 1
        if (sentCount >= 500) response.end('1')
      }
      response.on('drain', writeUntilFull)
      writeUntilFull()
    })
    const failure = await catchCallFailure()
    expect(failure).toMatchObject({ code: 'api.unreadable', message: expect.stringContaining('50 MB') })
    expect(sentCount).toBeLessThan(100)
  })

  it('that breaks off during a refusal is still explained by its status', async () => {
    platform.answer((_request, response) => {
      response.writeHead(409, { 'content-length': '100' })
      response.write('{"mess')
      setImmediate(() => response.destroy())
    })
    expect(
      (await catchFailure(createClient(platform).client.call('aip.apiKeys.delete', { path: { name: 'k' } }))).code,
    ).toBe('api.conflict')
  })
})

describe('a retry', () => {
  it('succeeds at the third attempt, with growing waits and jitter', async () => {
    for (const [random, waits] of [
      [0, [125, 250]],
      [0.999, [250, 500]],
    ] as const) {
      platform.answer(sendTruncatedBody, json(500, {}), json(200, { ok: 1 }))
      const { client, time } = createClient(platform, { random: () => random })
      expect((await client.call(FLAVORS)).data).toEqual({ ok: 1 })
      expect(time.waited).toEqual(waits)
    }
  })

  it.each([
    ['7', 7000],
    ['0', 0],
    ['60', 60_000],
    ['Sun, 01 Mar 2026 12:00:20 GMT', 20_000],
    ['Sun, 01 Mar 2026 11:00:00 GMT', 0],
  ])('follows Retry-After: %s', async (header, waitMs) => {
    for (const status of [429, 503]) {
      platform.answer(json(status, {}, { 'retry-after': header }), json(200, {}))
      const { client, time } = createClient(platform)
      await client.call(FLAVORS, {}, { timeoutMs: LONG_LIMIT_MS })
      expect(time.waited).toEqual([waitMs])
    }
  })

  it.each([
    ['61', 61_000],
    ['Sun, 01 Mar 2026 13:00:00 GMT', 3_600_000],
  ])('is left to the caller when Retry-After exceeds a minute: %s', async (header, retryAfterMs) => {
    platform.answer(json(429, {}, { 'retry-after': header }))
    const { client, time } = createClient(platform)
    const failure = await catchFailure(client.call(FLAVORS, {}, { timeoutMs: LONG_LIMIT_MS }))
    expect(failure).toMatchObject({ code: 'api.rateLimited', retryAfterMs })
    expect(time.waited).toEqual([])
    expect(requests()).toBe(1)
  })

  it('is left to the caller when the wait would exceed the timeout', async () => {
    platform.answer(json(429, {}, { 'retry-after': '30' }))
    const failure = await catchCallFailure()
    expect(failure).toMatchObject({ code: 'api.rateLimited', retryAfterMs: 30_000 })
    expect(requests()).toBe(1)
  })

  it('uses the default delay when Retry-After is invalid or for another status', async () => {
    platform.answer(json(429, {}, { 'retry-after': 'soon' }), json(500, {}, { 'retry-after': '50' }), json(200, {}))
    const { client, time } = createClient(platform)
    await client.call(FLAVORS)
    expect(time.waited).toEqual([188, 375])
  })
})

describe('a caller', () => {
  it('cancels a running call', async () => {
    const controller = new AbortController()
    platform.answer(createSilentListener(() => controller.abort()))
    expect((await catchCallFailure({ signal: controller.signal })).code).toBe('net.cancelled')
    expect(requests()).toBe(1)
  })

  it('cancels a call during its response', async () => {
    const controller = new AbortController()
    platform.answer((_request, response) => {
      response.writeHead(200)
      response.write('{"a":')
      setImmediate(() => controller.abort())
    })
    expect((await catchCallFailure({ signal: controller.signal })).code).toBe('net.cancelled')
  })

  it('cancels a call between two attempts', async () => {
    const controller = new AbortController()
    platform.answer(json(503, {}))
    const sleep: Sleep = (ms, signal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        if (ms < 1000) controller.abort()
      })
    expect((await catchCallFailure({ signal: controller.signal }, { sleep })).code).toBe('net.cancelled')
    expect(requests()).toBe(1)
  })

  it('cancels a call that waits for its token', async () => {
    const controller = new AbortController()
    platform.answer(json(200, {}))
    const stoppedTokens = { token: () => new Promise<never>(() => controller.abort()), renew: async () => undefined }
    const failure = await catchCallFailure({ signal: controller.signal }, { tokens: { iam: stoppedTokens } })
    expect(failure.code).toBe('net.cancelled')
    expect(requests()).toBe(0)
  })

  it('that cancelled before the call sends nothing and requests no token', async () => {
    platform.answer(json(200, {}))
    const { client, iam } = createClient(platform)
    const failure = await catchFailure(client.call(FLAVORS, {}, { signal: AbortSignal.abort() }))
    expect(failure.code).toBe('net.cancelled')
    expect([requests(), iam.renewals]).toEqual([0, 0])
  })

  it('leaves no listener on a long-lived signal', async () => {
    platform.answer(json(200, {}))
    const { signal } = new AbortController()
    let listeners = 0
    const addListener = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof addListener>) => {
      listeners += 1
      addListener(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners -= 1
      remove(...args)
    }
    await createClient(platform).client.call(FLAVORS, {}, { signal })
    expect(listeners).toBe(0)
  })
})

describe('a client', () => {
  it('names the missing address and credential, and sends nothing', async () => {
    platform.answer(json(200, {}))
    const missingAddress = await catchCallFailure({}, { addresses: {}, tokens: {} })
    expect(missingAddress).toMatchObject({ code: 'api.notConfigured', field: 'runtimeApiUrl' })
    const missingToken = await catchCallFailure({}, { tokens: {} })
    expect(missingToken).toMatchObject({ code: 'api.notConfigured', field: 'tokenSource' })
    const { client } = createClient(platform, { tokens: {} })
    expect(await catchFailure(client.call('gateway.chatCompletions'))).toMatchObject({ field: 'key' })
    expect(requests()).toBe(0)
  })

  it('leaks nothing into a concurrent call', async () => {
    platform.answer(json(200, {}))
    const secondTokens = createTokenSequence('token-of-the-second-1')
    const clients = [createClient(platform).client, createClient(platform, { tokens: { iam: secondTokens } }).client]
    await Promise.all(Array.from({ length: 20 }, (_, index) => clients[index % 2]?.call(FLAVORS)))
    const authorizations = platform.server.received.map(({ headers }) => headers.authorization).sort()
    expect(authorizations).toEqual([
      ...Array(10).fill(`Bearer ${TOKEN}`),
      ...Array(10).fill('Bearer token-of-the-second-1'),
    ])
  })
})
