import { writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type ConnectionPart, ConnectionTestView, type TokenSource } from '@shared/contract'
import { AppError } from '@shared/failure'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SandboxReady } from '../../../../../src/main/app/sandbox'
import { Secret } from '../../../../../src/main/core/secret'
import { type Sandbox, startSandbox } from '../../../../../src/sandbox/sandbox'
import { makeConnections } from '../../../../support/connections'
import { makeFolder } from '../../../support/folders'
import { close, listen, selfSignedIdentity, serve } from '../../gateway/answering-server'
import { createSilentListener, json, replyText, sendTruncatedBody } from '../../platform/harness'

let sandbox: Sandbox
let readyMessage: SandboxReady
beforeAll(async () => {
  sandbox = await startSandbox({ gatewayPort: 0, platformPort: 0, timing: { paceMs: 0 } })
  readyMessage = SandboxReady.parse(sandbox.ready)
})
afterAll(() => sandbox.close())

const services = ['console', 'identity', 'runtime', 'memory', 'registry', 'aip', 'inference'] as const
const addressByPart = {
  console: 'consoleUrl',
  identity: 'identityApiUrl',
  runtime: 'runtimeApiUrl',
  memory: 'memoryApiUrl',
  registry: 'registryApiUrl',
  aip: 'aipApiUrl',
  inference: 'inferenceUrl',
} as const

const buildSource = (tokenUrl: string, clientId = 'a'): TokenSource => ({
  kind: 'client-credentials',
  tokenUrl,
  clientId,
})

interface ConnectionTestCase {
  readonly addresses?: Parameters<ReturnType<typeof makeConnections>['connections']['save']>[0]['addresses']
  readonly tokenSource?: TokenSource | undefined
  readonly secret?: Secret | undefined
  readonly caFile?: string
  readonly parts?: Parameters<typeof makeConnections>[0]
}

/** Creates a connection to the sandbox with the changes of a test case, and a function that tests its parts. */
async function createTester(overrides: ConnectionTestCase = {}) {
  const { addresses: readyAddresses, iam } = readyMessage
  const { addresses, tokenSource, secret, caFile } = {
    addresses: readyAddresses,
    tokenSource: buildSource(iam.tokenUrl, iam.clientId),
    secret: iam.clientSecret,
    ...overrides,
  }
  const { connections, logged } = makeConnections(overrides.parts)
  const { connection } = await connections.save({ name: 'tested', addresses, tokenSource, caFile }, secret)
  return {
    logged,
    test: async (part: ConnectionPart, signal?: AbortSignal) =>
      ConnectionTestView.parse(await connections.test(connection.id, part, signal ? { signal } : {})),
  }
}

const getTestCode = (view: ConnectionTestView) => (view.ok ? 'ok' : view.failure.code)

describe('a part of a connection to the sandbox', () => {
  it.each(services)('%s works with a token that was requested for it', async (part) => {
    const { test } = await createTester()
    const view = await test(part)
    expect(view).toMatchObject({ ok: true, part, proven: 'used' })
    expect(view.requestAddress?.startsWith(readyMessage.addresses[addressByPart[part]])).toBe(true)
  })

  it('token is requested again', async () => {
    const { test } = await createTester()
    expect(await test('token')).toMatchObject({ ok: true, proven: 'used', requestAddress: readyMessage.iam.tokenUrl })
  })

  it('gateway is reached without a key, and called with a known plan’s key, with and without a model code', async () => {
    const requestAddress = `${readyMessage.gatewayUrl}/v1/chat/completions`
    const { test } = await createTester()
    expect(await test('gateway')).toMatchObject({ ok: true, proven: 'reached', requestAddress })
    const [plan] = readyMessage.plans.filter(({ status }) => status === 'ACTIVE')
    const key = plan?.keys.find(({ status }) => status === 'ACTIVE')?.key ?? ''
    for (const modelCode of [plan?.models[0]?.modelCode, undefined]) {
      const requestPaths: string[] = []
      const createPlanAccess = (url: string) => {
        requestPaths.push(url)
        return { modelCode, key: async () => new Secret(key) }
      }
      const connectionTester = await createTester({ parts: { planAt: createPlanAccess } })
      expect(await connectionTester.test('gateway')).toMatchObject({ ok: true, proven: 'used', requestAddress })
      expect(new Set(requestPaths)).toEqual(new Set([readyMessage.gatewayUrl]))
    }
  })

  it('gateway is not called with an unknown key, which is reported', async () => {
    const createPlanAccess = () => ({ modelCode: 'm', key: async () => new Secret('sk-not-known-0123456789') })
    const { test } = await createTester({ parts: { planAt: createPlanAccess } })
    const view = await test('gateway')
    expect(getTestCode(view)).toBe('gateway.keyRejected')
    expect(JSON.stringify(view)).not.toContain('sk-not-known')
  })

  it('gateway reports a locked keychain', async () => {
    const key = async () => {
      throw new AppError('vault.unavailable', 'The OS keychain does not respond.')
    }
    const { test } = await createTester({ parts: { planAt: () => ({ modelCode: 'm', key }) } })
    expect(getTestCode(await test('gateway'))).toBe('vault.unavailable')
  })
})

it.each([
  ['identity', 'GET', '/agent-identities?page=0&size=1'],
  ['runtime', 'GET', '/agent-runtimes?page=1&size=1'],
  ['memory', 'GET', '/memories?page=1&size=1'],
  ['registry', 'GET', '/v1/repository?page=1&size=1'],
  ['aip', 'GET', '/v1/models?page=1&size=1'],
  ['console', 'GET', '/account'],
  ['inference', 'POST', '/chat/completions'],
] as const)('the test of %s is one cheap call', async (part, method, path) => {
  const server = await serve(json(200, {}))
  const { test } = await createTester({ addresses: { [addressByPart[part]]: server.url } })
  expect(await test(part)).toMatchObject({ ok: true })
  expect(server.received.map((request) => [request.method, request.path])).toEqual([[method, path]])
})

describe('a failing part reports the problem and its cause', () => {
  it.each([...services, 'gateway'] as const)('%s: no address', async (part) => {
    const { test } = await createTester({ addresses: {} })
    expect(await test(part)).toMatchObject({ ok: false, part, failure: { code: 'api.notConfigured' } })
  })

  it.each(['token', 'console'] as const)('%s: no token source', async (part) => {
    const { test } = await createTester({ tokenSource: undefined, secret: undefined })
    expect(await test(part)).toMatchObject({ ok: false, failure: { code: 'api.notConfigured', field: 'tokenSource' } })
  })

  it.each(['token', 'identity'] as const)('%s: a wrong secret, which is not repeated', async (part) => {
    const { test, logged } = await createTester({ secret: new Secret('wrong-secret-0123456789') })
    const view = await test(part)
    expect(getTestCode(view)).toBe('auth.rejected')
    expect(JSON.stringify([view, logged])).not.toContain('wrong-secret')
  })

  it.each(['token', 'identity'] as const)('%s: no secret', async (part) => {
    const { test } = await createTester({ secret: undefined })
    expect(getTestCode(await test(part))).toBe('auth.rejected')
  })

  it('a pasted token: missing, then rejected', async () => {
    const tokenSource = { kind: 'pasted' } as const
    const testWithoutSecret = await createTester({ tokenSource, secret: undefined })
    expect(getTestCode(await testWithoutSecret.test('token'))).toBe('auth.tokenNeeded')
    const expiredTokenTest = await createTester({ tokenSource, secret: new Secret('expired-token-0123456789') })
    expect(await expiredTokenTest.test('token')).toMatchObject({ ok: true, proven: 'reached' })
    expect(getTestCode(await expiredTokenTest.test('runtime'))).toBe('auth.tokenNeeded')
  })

  it('a token command, whose output is never shown', async () => {
    const code = 'console.error("canary-told"); console.log("canary-told two words"); process.exit(3)'
    const tokenSource: TokenSource = { kind: 'command', command: [process.execPath, '-e', code] }
    const { test, logged } = await createTester({ tokenSource, secret: undefined })
    const view = await test('token')
    expect(getTestCode(view)).toBe('auth.tokenSource')
    expect(JSON.stringify([view, logged])).not.toContain('canary-told')
  })

  it('a token that is rejected twice', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/token') return json(200, { access_token: 'token-0123456789' })(request, response)
      return json(401, { message: 'expired' })(request, response)
    })
    const tokenSource = buildSource(`${server.url}/token`)
    const { test } = await createTester({ addresses: { aipApiUrl: server.url }, tokenSource })
    expect(getTestCode(await test('aip'))).toBe('api.unauthorized')
    const paths = server.received.map(({ path }) => path.split('?')[0])
    expect(paths).toEqual(['/token', '/v1/models', '/token', '/v1/models'])
  })

  it.each<[string, RequestListener, string]>([
    ['another kind of service', replyText(200, '<!doctype html><title>Welcome</title>'), 'api.unreadable'],
    ['nothing there', json(404, { message: 'no route' }), 'api.notFound'],
    ['no right to it', json(403, {}), 'api.forbidden'],
    ['a failing service', json(500, {}), 'api.serverError'],
    ['a cut answer', sendTruncatedBody, 'net.cut'],
  ])('a service: %s', async (_, answer, code) => {
    const server = await serve(answer)
    const { test } = await createTester({ addresses: { consoleUrl: `${server.url}/console` } })
    const requestAddress = `${server.url}/console/account`
    expect(await test('console')).toMatchObject({ ok: false, failure: { code }, requestAddress })
  })

  it.each<[string, RequestListener, string, number | undefined]>([
    ['a page', replyText(200, '<!doctype html><title>Welcome</title>'), 'gateway.notAGateway', 200],
    ['a page to sign in', replyText(401, '<!doctype html><title>Sign in</title>'), 'gateway.notAGateway', 401],
    ['something else in JSON', json(200, { hello: 'world' }), 'gateway.notAGateway', 200],
    ['nothing at that suffix', json(404, {}), 'gateway.wrongSuffix', 404],
    ['another method wanted', replyText(405, ''), 'gateway.notAGateway', 405],
    ['a redirect', replyText(302, '', { location: 'https://sso.example.com/x' }), 'gateway.notAGateway', 302],
    ['a failing gateway', replyText(503, ''), 'gateway.serverError', 503],
    ['a cut answer', sendTruncatedBody, 'net.cut', undefined],
  ])('a gateway: %s', async (_, answer, code, status) => {
    const server = await serve(answer)
    const { test } = await createTester({ addresses: { tokenPlanUrl: server.url } })
    const view = await test('gateway')
    expect(view).toMatchObject({ ok: false, failure: { code } })
    expect(view.ok ? undefined : view.status).toBe(status)
    expect(server.received).toMatchObject([{ method: 'POST', path: '/v1/chat/completions' }])
    expect(server.received[0]?.headers.authorization).toBeUndefined()
  })

  it('a gateway that answers without a key is reached', async () => {
    const server = await serve(json(200, { choices: [{ message: { content: 'ok' } }] }))
    const { test } = await createTester({ addresses: { tokenPlanUrl: server.url } })
    expect(await test('gateway')).toMatchObject({ ok: true, proven: 'reached' })
  })

  it.each(['gateway', 'console', 'token'] as const)('%s: no server listens', async (part) => {
    const server = createServer()
    const url = `http://127.0.0.1:${await listen(server)}`
    await close(server)
    const source = part === 'token' ? { tokenSource: buildSource(url) } : {}
    const { test } = await createTester({ addresses: { tokenPlanUrl: url, consoleUrl: url }, ...source })
    expect(getTestCode(await test(part))).toBe('net.refused')
  })

  it.each(['gateway', 'console', 'token'] as const)(
    '%s: an untrusted certificate, until it is configured',
    async (part) => {
      const answer = json(200, { choices: [{ message: { content: 'ok' } }], access_token: 'token-0123456789' })
      const server = await serve(answer, selfSignedIdentity)
      const addresses = { tokenPlanUrl: server.url, consoleUrl: server.url }
      const tlsCase = { addresses, tokenSource: buildSource(`${server.url}/t`) }
      expect(getTestCode(await (await createTester(tlsCase)).test(part))).toBe('net.tls')
      const caFile = join(makeFolder(), 'ca.pem')
      writeFileSync(caFile, selfSignedIdentity.cert)
      expect(getTestCode(await (await createTester({ ...tlsCase, caFile })).test(part))).toBe('ok')
    },
  )

  it.each(['gateway', 'console', 'token'] as const)('%s: an unusable proxy', async (part) => {
    const resolveProxy = async () => {
      throw new AppError('net.proxy', 'The proxy settings name no proxy that speaks HTTP.')
    }
    const url = 'https://platform.example.com'
    const { test } = await createTester({
      addresses: { tokenPlanUrl: url, consoleUrl: url },
      tokenSource: buildSource(url),
      parts: { proxyFor: resolveProxy },
    })
    expect(getTestCode(await test(part))).toBe('net.proxy')
  })

  it.each(['gateway', 'console', 'token'] as const)('%s: cancelled before and during the request', async (part) => {
    const controller = new AbortController()
    const server = await serve(createSilentListener(() => controller.abort()))
    const addresses = { tokenPlanUrl: server.url, consoleUrl: server.url }
    const { test } = await createTester({ addresses, tokenSource: buildSource(`${server.url}/t`) })
    expect(getTestCode(await test(part, controller.signal))).toBe('net.cancelled')
    expect(server.received).toHaveLength(1)
    expect(getTestCode(await test(part, AbortSignal.abort()))).toBe('net.cancelled')
  })

  it('no answer in time', async () => {
    let expireTokens = () => {}
    const server = await serve(createSilentListener(() => expireTokens()))
    const sleep = (_: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        expireTokens = resolve
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    const { test } = await createTester({ addresses: { tokenPlanUrl: server.url }, parts: { sleep } })
    expect(getTestCode(await test('gateway'))).toBe('net.timeout')
  })
})
