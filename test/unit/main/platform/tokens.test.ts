import { readFileSync, writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../../src/main/core/secret'
import { createTokenSource, keySource, runCommand } from '../../../../src/main/platform/tokens'
import { directSend } from '../../../support/direct-send'
import { catchFailure, expectFailure } from '../../support/failures'
import { makeFileFolder } from '../../support/folders'
import {
  createClient,
  createSilentListener,
  fakeTime,
  json,
  replyText,
  sendTruncatedBody,
  startPlatform,
} from './harness'

const platform = await startPlatform()
const issuer = await startPlatform()
const folder = makeFileFolder()
afterAll(async () => {
  await platform.close()
  await issuer.close()
})

const SECRET = 'se:cret+/%2F&=word'

/** Dependencies that the tested token source must not use. All of them fail. */
const unusedPorts: Parameters<typeof createTokenSource>[1] = {
  ...fakeTime(),
  send: () => Promise.reject(new Error('sent')),
  run: () => Promise.reject(new Error('run')),
  secret: () => Promise.reject(new Error('read')),
}

interface TokenTestParts {
  readonly time?: ReturnType<typeof fakeTime>
  readonly clientId?: string
  readonly scope?: string
  readonly secret?: string
}

function buildSource({ time = fakeTime(), clientId = 'agent', scope, secret = SECRET }: TokenTestParts = {}) {
  return createTokenSource(
    {
      kind: 'client-credentials',
      tokenUrl: `${issuer.server.url}/iam/oauth2/token`,
      clientId,
      ...(scope === undefined ? {} : { scope }),
    },
    {
      ...unusedPorts,
      send: directSend,
      clock: time.clock,
      sleep: time.sleep,
      secret: async () => (secret === '' ? undefined : new Secret(secret)),
    },
  )
}

/** Makes the issuer return token-1, token-2 and so on. */
function mockIssuedTokens(expiresIn: unknown = 3600): void {
  let issuedCount = 0
  issuer.answer((request, response) => {
    issuedCount += 1
    const token = { access_token: `token-${issuedCount}`, token_type: 'bearer', expires_in: expiresIn }
    json(200, token)(request, response)
  })
}

const exposeToken = async (token: Promise<Secret | undefined>) => (await token)?.expose()

describe('client credentials', () => {
  it('are sent as in RFC 6749, as a form, and Basic with both parts form-encoded', async () => {
    mockIssuedTokens()
    expect(await exposeToken(buildSource({ clientId: 'a b:ü', scope: 'read write' }).token())).toBe('token-1')
    const [received] = issuer.server.received
    expect(received).toMatchObject({
      method: 'POST',
      path: '/iam/oauth2/token',
      body: 'grant_type=client_credentials&scope=read+write',
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    })
    const [scheme, pair = ''] = received?.headers.authorization?.split(' ') ?? []
    expect(scheme).toBe('Basic')
    expect(Buffer.from(pair, 'base64').toString()).toBe('a+b%3A%C3%BC:se%3Acret%2B%2F%252F%26%3Dword')
  })

  it('reuse a token until 60 s before it expires', async () => {
    mockIssuedTokens(3600)
    const time = fakeTime()
    const source = buildSource({ time })
    expect(await exposeToken(source.token())).toBe('token-1')
    time.advance(3_539_999)
    expect(await exposeToken(source.token())).toBe('token-1')
    time.advance(1)
    expect(await exposeToken(source.token())).toBe('token-2')
    expect(issuer.server.received).toHaveLength(2)
  })

  it.each([
    [60, 29_999, 1],
    [10, 4999, 1],
    ['120', 59_999, 1],
  ])('reuse a token of %j s for a while too', async (expiresIn, goodForMs, moreMs) => {
    mockIssuedTokens(expiresIn)
    const time = fakeTime()
    const source = buildSource({ time })
    await source.token()
    time.advance(goodForMs)
    expect(await exposeToken(source.token())).toBe('token-1')
    time.advance(moreMs)
    expect(await exposeToken(source.token())).toBe('token-2')
  })

  it.each([null, '', 'soon', -5])('reuse a token that expires in %j until it is rejected', async (expiresIn) => {
    mockIssuedTokens(expiresIn)
    const time = fakeTime()
    const source = buildSource({ time })
    const token = await source.token()
    time.advance(1e10)
    expect(await exposeToken(source.token())).toBe('token-1')
    expect(await exposeToken(source.renew(token))).toBe('token-2')
  })

  it('send one request for concurrent callers, and another after a failure', async () => {
    issuer.answer(json(500, {}), json(200, { access_token: 'good-token' }))
    const source = buildSource()
    await Promise.all([1, 2, 3].map(() => expectFailure(source.token(), 'auth.tokenSource')))
    expect(issuer.server.received).toHaveLength(1)
    expect(await exposeToken(source.token())).toBe('good-token')
  })

  it('do not renew a token that another caller has renewed', async () => {
    mockIssuedTokens()
    const source = buildSource()
    const oldToken = await source.token()
    expect(await exposeToken(source.renew(oldToken))).toBe('token-2')
    expect(await exposeToken(source.renew(oldToken))).toBe('token-2')
    expect(issuer.server.received).toHaveLength(2)
  })

  it('go into the body for a server that accepts them only there, and later immediately', async () => {
    issuer.answer((request, response) => {
      const isInHeader = request.headers.authorization !== undefined
      const refusal = json(401, { error: 'invalid_client' })
      ;(isInHeader ? refusal : json(200, { access_token: 'from-the-body' }))(request, response)
    })
    const source = buildSource()
    const token = await source.token()
    await source.renew(token)
    const usesHeader = issuer.server.received.map(({ headers }) => headers.authorization !== undefined)
    expect(usesHeader).toEqual([true, false, false])
    const body = 'grant_type=client_credentials&client_id=agent&client_secret=se%3Acret%2B%2F%252F%26%3Dword'
    expect(issuer.server.received[1]?.body).toBe(body)
  })

  it.each<[string, RequestListener, string]>([
    ['the client is unknown', json(401, { error: 'invalid_client' }), 'auth.rejected'],
    ['the client is unknown, said by 400', json(400, { error: 'invalid_client' }), 'auth.rejected'],
    ['the scope is refused', json(400, { error: 'invalid_scope' }), 'auth.rejected'],
    ['nothing is there', json(404, {}), 'auth.tokenSource'],
    ['the server fails', json(503, {}), 'auth.tokenSource'],
    ['it is sent elsewhere', replyText(302, '', { location: 'https://elsewhere.example.com' }), 'auth.tokenSource'],
    ['there is no token', json(200, { token: 'x' }), 'auth.tokenSource'],
    ['the token is empty', json(200, { access_token: '' }), 'auth.tokenSource'],
    ['the token is no header', json(200, { access_token: 'a b\nc' }), 'auth.tokenSource'],
    ['the token is of another kind', json(200, { access_token: 'x', token_type: 'mac' }), 'auth.tokenSource'],
    ['a page comes', replyText(200, '<html>'), 'auth.tokenSource'],
    ['the answer breaks off', sendTruncatedBody, 'net.cut'],
  ])('fail when %s', async (_, answer, code) => {
    issuer.answer(answer)
    await expectFailure(buildSource().token(), code)
  })

  it('repeat neither the secret nor the header in a failure', async () => {
    issuer.answer((request, response) => {
      const [, pair = ''] = request.headers.authorization?.split(' ') ?? []
      json(400, { message: `bad: ${SECRET} ${pair}` })(request, response)
    })
    const message = expect.stringMatching(/bad: \[secret\] \[secret\]$/)
    await expectFailure(buildSource().token(), 'auth.rejected', { message })
  })

  it('report the server’s retry delay', async () => {
    issuer.answer(json(429, {}, { 'retry-after': '12' }))
    expect(await catchFailure(buildSource().token())).toMatchObject({ code: 'auth.tokenSource', retryAfterMs: 12_000 })
  })

  it('fail without a request when no secret is set', async () => {
    issuer.answer(json(200, {}))
    expect((await catchFailure(buildSource({ secret: '' }).token())).code).toBe('auth.rejected')
    expect(issuer.server.received).toEqual([])
  })

  it('are not sent over an unencrypted network', async () => {
    const client = { kind: 'client-credentials', tokenUrl: 'http://iam.example.com/token', clientId: 'c' } as const
    const secret = async () => new Secret(SECRET)
    const source = createTokenSource(client, { ...unusedPorts, send: directSend, secret })
    await expectFailure(source.token(), 'address.insecure', { field: 'tokenUrl' })
  })

  it('time out when the server does not respond', async () => {
    const time = fakeTime()
    issuer.answer(createSilentListener(() => time.expire()))
    expect((await catchFailure(buildSource({ time }).token())).code).toBe('net.timeout')
  })
})

describe('fifty concurrent calls', () => {
  const refuseOldTokens: RequestListener = (request, response) => {
    const hasNewToken = request.headers.authorization === 'Bearer token-2'
    json(hasNewToken ? 200 : 401, {})(request, response)
  }
  const runFiftyTimes = (call: () => Promise<unknown>) => Promise.all(Array.from({ length: 50 }, call))

  it('with a token that the platform rejects cause exactly one token request', async () => {
    mockIssuedTokens()
    const source = buildSource()
    await source.token()
    issuer.server.received.splice(0)
    platform.answer(refuseOldTokens)
    const { client } = createClient(platform, { tokens: { iam: source } })
    const answers = await runFiftyTimes(() => client.call('runtime.flavors.list'))
    expect(answers).toHaveLength(50)
    expect(issuer.server.received).toHaveLength(1)
    // Requests that were still queued used the new token, and no other request was sent more than twice.
    expect(platform.server.received.length).toBeLessThanOrEqual(100)
    expect(platform.server.received.length).toBeGreaterThan(50)
  })

  it('with an expired token cause exactly one token request', async () => {
    mockIssuedTokens()
    const testClient = createClient(platform)
    const source = buildSource({ time: testClient.time })
    await source.token()
    issuer.server.received.splice(0)
    testClient.time.advance(3_600_000)
    platform.answer(refuseOldTokens)
    const { client } = createClient(platform, { tokens: { iam: source } })
    await runFiftyTimes(() => client.call('runtime.agentRuntimes.create', { body: {} }))
    expect(issuer.server.received).toHaveLength(1)
    expect(platform.server.received).toHaveLength(50)
  })

  it('leave the token request to the others when one is cancelled', async () => {
    const controller = new AbortController()
    issuer.answer((request, response) => {
      controller.abort()
      json(200, { access_token: 'token-2' })(request, response)
    })
    platform.answer(refuseOldTokens)
    const { client } = createClient(platform, { tokens: { iam: buildSource() } })
    const stoppedFailure = catchFailure(client.call('runtime.flavors.list', {}, { signal: controller.signal }))
    const otherCallPromise = client.call('runtime.flavors.list')
    expect((await stoppedFailure).code).toBe('net.cancelled')
    expect((await otherCallPromise).status).toBe(200)
  })
})

const createPastedTokenSource = (secret: () => Promise<Secret | undefined>) =>
  createTokenSource({ kind: 'pasted' }, { ...unusedPorts, secret })

/** A command that prints one output after another, with its recorded calls. */
function createCommand(...outputs: readonly string[]) {
  const runs: unknown[] = []
  const time = fakeTime()
  const run: typeof runCommand = async (argv, limits) => {
    runs.push([argv, limits])
    return outputs[runs.length - 1] ?? ''
  }
  const command = ['helper', '--for', 'a b; $(x)']
  const source = createTokenSource({ kind: 'command', command }, { ...unusedPorts, clock: time.clock, run })
  return { source, runs, time }
}

describe('a token command', () => {
  it('runs with unchanged arguments, for at most 30 s', async () => {
    const { source, runs } = createCommand('token-1\n')
    expect(await exposeToken(source.token())).toBe('token-1')
    expect(runs).toEqual([[['helper', '--for', 'a b; $(x)'], { timeoutMs: 30_000, maxBytes: 64_000 }]])
  })

  it.each([
    ['token-1', 'token-1'],
    ['  token-1 \r\n', 'token-1'],
    ['{"access_token": "token-1"}', 'token-1'],
    ['{"access_token": "token-1", "expires_in": 3600, "more": {}}\n', 'token-1'],
  ])('that prints %j returns a token', async (printed, token) => {
    expect(await exposeToken(createCommand(printed).source.token())).toBe(token)
  })

  it('runs again only when its token expires or is rejected', async () => {
    const { source, runs, time } = createCommand(
      '{"access_token": "token-1", "expires_in": 100}',
      '{"access_token": "token-2", "expires_in": 100}',
      'token-3',
    )
    await source.token()
    time.advance(39_999)
    expect(await exposeToken(source.token())).toBe('token-1')
    time.advance(1)
    const secondToken = await source.token()
    expect(await exposeToken(source.renew(secondToken))).toBe('token-3')
    time.advance(1e9)
    expect(await exposeToken(source.token())).toBe('token-3')
    expect(runs).toHaveLength(3)
  })

  const wrongOutputs = ['', '\n', 'hunter2 hunter2', 'hunter2\nhunter2', '{hunter2', '[]x é']
  it.each([...wrongOutputs, '{"access_token": ""}', '{"token": "hunter2"}'])(
    'that prints %j returns none, and its output is not repeated',
    async (printed) => {
      const failure = await catchFailure(createCommand(printed).source.token())
      expect(failure.code).toBe('auth.tokenSource')
      expect(failure.message).toContain('helper')
      expect(failure.message).not.toContain('hunter2')
    },
  )
})

const node = (script: string, ...args: readonly string[]) => [process.execPath, '-e', script, ...args]
const limits = { timeoutMs: 20_000, maxBytes: 1000 }
const expectProblem = async (work: Promise<unknown>, program: string | undefined, problem: string) => {
  const message = `The token command ${program} ${problem}. Run it in a terminal to see why.`
  expect(await catchFailure(work)).toEqual({ code: 'auth.tokenSource', message })
}

describe('running a command', () => {
  it('uses no shell', async () => {
    const witnessFile = join(folder, 'witness')
    const printArgumentsScript = 'process.stdout.write(process.argv.slice(1).join("|"))'
    const output = await runCommand(node(printArgumentsScript, `$(touch ${witnessFile})`, '; exit 9', '*'), limits)
    expect(output).toBe(`$(touch ${witnessFile})|; exit 9|*`)
    expect(() => readFileSync(witnessFile)).toThrow('ENOENT')
  })

  const failingProgram = node('console.error("hunter2"); console.log("hunter2"); process.exit(3)')
  const stubbornProgram = node('process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)')

  it('passes no input to wait for', async () => {
    const script = 'process.stdin.on("end", () => process.stdout.write("ended")).resume()'
    expect(await runCommand(node(script), limits)).toBe('ended')
  })

  it.each([
    ['ends badly', failingProgram, {}, 'failed with exit code 3'],
    ['prints too much', node('process.stdout.write("hunter2".repeat(1000))'), {}, 'printed too much'],
    ['does not end', node('setInterval(() => {}, 1000)'), { timeoutMs: 300 }, 'did not end in time'],
    ['will not be told', stubbornProgram, { timeoutMs: 300 }, 'did not end in time'],
    ['is not there', ['/nowhere/hunter-helper'], {}, 'cannot be started (ENOENT)'],
    ['is empty', [''], {}, 'cannot be started'],
    ['is no name', ['a\0b'], {}, 'cannot be started'],
  ])('that %s reports only that', async (_, argv, lowerLimits, message) => {
    await expectProblem(runCommand(argv, { ...limits, ...lowerLimits }), argv[0], message)
  })

  it('that may not run reports that', async () => {
    const path = join(folder, 'not-executable')
    writeFileSync(path, 'x', { mode: 0o600 })
    await expectProblem(runCommand([path], limits), path, 'cannot be started (EACCES)')
  })
})

describe('a pasted token', () => {
  it('is read once and reused', async () => {
    let reads = 0
    const source = createPastedTokenSource(async () => {
      reads += 1
      return new Secret('pasted-token')
    })
    for (let count = 0; count < 2; count += 1) expect(await exposeToken(source.token())).toBe('pasted-token')
    expect(reads).toBe(1)
  })

  it('must be pasted first', async () => {
    expect((await catchFailure(createPastedTokenSource(async () => undefined).token())).code).toBe('auth.tokenNeeded')
  })

  it('must be replaced once it is rejected', async () => {
    let newestToken = 'old-token'
    const source = createPastedTokenSource(async () => new Secret(newestToken))
    const oldToken = await source.token()
    expect((await catchFailure(source.renew(oldToken))).code).toBe('auth.tokenNeeded')
    newestToken = 'new-token'
    expect(await exposeToken(source.token())).toBe('new-token')
    expect(await exposeToken(source.renew(oldToken))).toBe('new-token')
  })
})

it('a key is the current one and cannot be renewed', async () => {
  const source = keySource(async () => new Secret('the-key'))
  expect(await exposeToken(source.token())).toBe('the-key')
  expect(await source.renew(new Secret('the-key'))).toBeUndefined()
  expect((await catchFailure(keySource(async () => undefined).token())).code).toBe('api.notConfigured')
})
