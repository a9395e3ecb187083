import { writeFileSync } from 'node:fs'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { AppError, type Failure } from '@shared/failure'
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { proxyFromEnvironment, type ResolveProxy, readProxyList } from '../../../../../src/main/core/net/proxy'
import { createSender, type Send, type Sender } from '../../../../../src/main/core/net/send'
import { readBody } from '../../../../../src/main/gateway/server-message'
import { explainConnectionFailure } from '../../../../../src/main/platform/explain'
import { type StubServer, serve, startAnsweringServer } from '../../gateway/answering-server'
import { createAuthority } from './test-authority'
import { startProxy, startSocksProxy } from './test-proxy'

/** A host that only the test's proxy can resolve. */
const REMOTE_HOST = 'platform.test'

const authority = createAuthority([`DNS:${REMOTE_HOST}`, 'DNS:localhost', 'IP:127.0.0.1'])
let secureServer: StubServer
let securePort: string
const sockets = new Set<number | undefined>()
const answer: RequestListener = ({ socket }, response) => {
  sockets.add(socket.remotePort)
  response.writeHead(200, { 'x-mark': 'here' })
  response.end('{"ok": true}')
}

beforeAll(async () => {
  secureServer = await startAnsweringServer(answer, authority.identity)
  securePort = new URL(secureServer.url).port
})
afterAll(async () => {
  await secureServer.close()
  authority.remove()
})

afterEach(() => {
  secureServer.received.splice(0)
  sockets.clear()
})

const directProxy: ResolveProxy = async () => ({ kind: 'direct' })

function createTestSender(proxyFor: ResolveProxy = directProxy, caFiles: readonly string[] = []): Sender {
  const sender = createSender({ proxyFor, caFiles })
  onTestFinished(sender.close)
  return sender
}

const createTrustingSender = (proxyFor: ResolveProxy): Sender => createTestSender(proxyFor, [authority.pemFile])

async function startTestProxy(behaviour: Partial<Parameters<typeof startProxy>[0]> = {}) {
  const proxy = await startProxy({ targetPort: Number(securePort), ...behaviour })
  onTestFinished(proxy.close)
  return proxy
}

type SendRequest = Parameters<Send>[0]

const buildRequest = (url: string, overrides: Partial<SendRequest> = {}): SendRequest => ({
  method: 'GET',
  url,
  headers: { authorization: 'Bearer t' },
  signal: new AbortController().signal,
  ...overrides,
})

async function readText(sender: Sender, url: string): Promise<string> {
  const { body } = await sender.send(buildRequest(url))
  const { text, error } = await readBody(body, 1000)
  if (error !== undefined) throw error
  return text
}

/** Returns the failure code and message that the app derives from a rejected request. */
async function catchFailure(sender: Sender, url: string, overrides: Partial<SendRequest> = {}): Promise<Failure> {
  const error = await sender.send(buildRequest(url, overrides)).then(
    () => new Error('nothing failed'),
    (reason: unknown) => reason,
  )
  return error instanceof AppError ? error.failure : explainConnectionFailure(error, url)
}

describe('a sender', () => {
  it('sends a request exactly and returns status, headers and body', async () => {
    const server = await serve(answer)
    const url = `${server.url}/a%2Fb/c%20d:x?name=&n=%2F%25`
    const response = await createTestSender().send(buildRequest(url, { method: 'PATCH', body: '{"ü":1}' }))
    expect([response.status, response.headers.get('X-Mark')]).toEqual([200, 'here'])
    expect((await readBody(response.body, 1000)).text).toBe('{"ok": true}')
    const request = { method: 'PATCH', path: '/a%2Fb/c%20d:x?name=&n=%2F%25', body: '{"ü":1}' }
    expect(server.received).toMatchObject([{ ...request, headers: { authorization: 'Bearer t' } }])
  })

  it('reuses connections', async () => {
    const server = await serve(answer)
    const sender = createTestSender()
    for (let index = 0; index < 20; index++) await readText(sender, `${server.url}/${index}`)
    expect(server.received).toHaveLength(20)
    // More than one connection is allowed, because a request may start before the previous connection is free.
    expect(sockets.size).toBeLessThan(5)
  })

  it('follows no redirect', async () => {
    const otherServer = await serve(answer)
    const server = await serve((_request, response) => {
      response.writeHead(307, { location: `${otherServer.url}/stolen` })
      response.end()
    })
    const { status, headers } = await createTestSender().send(buildRequest(server.url))
    expect([status, headers.get('location')]).toEqual([307, `${otherServer.url}/stolen`])
    expect(otherServer.received).toEqual([])
  })

  it.each([
    ['http://api.example.com/x', 'address.insecure'],
    ['http://127.0.0.1.example.com/x', 'address.insecure'],
    ['https://u:p@api.example.com/x', 'address.credentials'],
    ['file:///etc/hosts', 'address.notAnAddress'],
    ['api.example.com', 'address.notAnAddress'],
    ['/v1/messages', 'address.notAnAddress'],
  ])('refuses %s before it resolves a proxy', async (url, code) => {
    const resolve = vi.fn(directProxy)
    expect((await catchFailure(createTestSender(resolve), url)).code).toBe(code)
    expect(resolve).not.toHaveBeenCalled()
  })

  it('reaches this computer without a proxy, whatever the settings', async () => {
    const proxy = await startTestProxy()
    const server = await serve(answer)
    const sender = createTrustingSender(async () => ({ kind: 'proxy', url: proxy.url }))
    expect(await readText(sender, server.url)).toBe('{"ok": true}')
    expect(await readText(sender, server.url.replace('127.0.0.1', 'localhost'))).toBe('{"ok": true}')
    expect(await readText(sender, secureServer.url)).toBe('{"ok": true}')
    expect(proxy.asked).toEqual([])
  })

  it('stops when its signal does', async () => {
    const controller = new AbortController()
    const server = await serve(() => controller.abort(new DOMException('x', 'TimeoutError')))
    const failure = await catchFailure(createTestSender(), server.url, { signal: controller.signal })
    expect(failure.code).toBe('net.timeout')
  })

  it('reports a refused connection', async () => {
    const server = await startAnsweringServer(answer)
    await server.close()
    expect((await catchFailure(createTestSender(), server.url)).code).toBe('net.refused')
  })
})

describe('a certificate', () => {
  it('of an unknown authority is not trusted, and no request is sent', async () => {
    expect((await catchFailure(createTestSender(), secureServer.url)).code).toBe('net.tls')
    expect(secureServer.received).toEqual([])
  })

  it('is trusted by a file with its authority as PEM, DER, or among others', async () => {
    const otherAuthority = createAuthority(['DNS:other.test'])
    onTestFinished(otherAuthority.remove)
    const bundle = join(authority.folder, 'bundle.pem')
    writeFileSync(bundle, `# two of them\n${otherAuthority.identity.cert}\n${authority.identity.cert}`)
    const { pemFile, derFile } = authority
    for (const files of [[pemFile], [derFile], [bundle], [otherAuthority.pemFile, pemFile]])
      expect(await readText(createTestSender(directProxy, files), secureServer.url)).toBe('{"ok": true}')
  })

  it('for another host is not trusted, even if its authority is', async () => {
    const otherAuthority = createAuthority(['DNS:other.test'])
    onTestFinished(otherAuthority.remove)
    const { url, close } = await startAnsweringServer(answer, otherAuthority.identity)
    onTestFinished(close)
    expect((await catchFailure(createTestSender(directProxy, [otherAuthority.pemFile]), url)).code).toBe('net.tls')
  })

  it.each([
    ['missing.pem', undefined, 'file.unreadable'],
    ['empty.pem', '', 'file.unparsable'],
    ['text.pem', 'hello', 'file.unparsable'],
    ['broken.pem', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', 'file.unparsable'],
  ])('file %s is refused and named', async (name, content, code) => {
    const path = join(authority.folder, name)
    if (content !== undefined) writeFileSync(path, content)
    const failure = await catchFailure(createTestSender(directProxy, [path]), secureServer.url)
    expect(failure).toMatchObject({ code, field: 'caFiles', message: expect.stringContaining(path) })
  })
})

const toRemoteUrl = () => `https://${REMOTE_HOST}:${securePort}/x`

async function startTestSocks(behavior: Partial<Parameters<typeof startSocksProxy>[0]> = {}) {
  const proxy = await startSocksProxy({ targetPort: Number(securePort), ...behavior })
  onTestFinished(proxy.close)
  return proxy
}

describe('a SOCKS proxy', () => {
  it.each(['socks', 'socks4', 'socks4a', 'socks5', 'socks5h'])(
    'with %s:// resolves the host and tunnels TLS to it',
    async (scheme) => {
      const proxy = await startTestSocks()
      const sender = createTrustingSender(proxyFromEnvironment({ ALL_PROXY: `${scheme}://${proxy.host}` }))
      expect(await readText(sender, toRemoteUrl())).toBe('{"ok": true}')
      const version = scheme.startsWith('socks4') ? 'SOCKS4' : 'SOCKS5'
      expect(proxy.asked).toEqual([{ line: `${version} ${REMOTE_HOST}:${securePort}`, authorization: undefined }])
      expect(secureServer.received.map(({ headers }) => headers.host)).toEqual([`${REMOTE_HOST}:${securePort}`])
    },
  )

  it('of a PAC script is used', async () => {
    const proxy = await startTestSocks()
    const sender = createTrustingSender(async () => readProxyList(`SOCKS5 ${proxy.host}; DIRECT`))
    expect(await readText(sender, toRemoteUrl())).toBe('{"ok": true}')
    expect(proxy.asked).toHaveLength(1)
  })

  it('gets its user and password, and the host does not', async () => {
    const proxy = await startTestSocks({ user: 'lan:p@ss' })
    const variables = { HTTPS_PROXY: `socks5://lan:p%40ss@${proxy.host}` }
    expect(await readText(createTrustingSender(proxyFromEnvironment(variables)), toRemoteUrl())).toBe('{"ok": true}')
    expect(proxy.asked).toMatchObject([{ authorization: 'lan:p@ss' }])
    expect(JSON.stringify(secureServer.received)).not.toContain('p@ss')
  })

  it('that refuses or is missing causes a proxy error, and nothing is sent directly', async () => {
    const refusingProxy = await startTestSocks({ refuses: true })
    const brokenProxy = await startSocksProxy({ targetPort: Number(securePort) })
    await brokenProxy.close()
    for (const proxy of [refusingProxy, brokenProxy]) {
      const variables = { HTTPS_PROXY: `socks5://lan:hunter2@${proxy.host}` }
      const failure = await catchFailure(createTrustingSender(proxyFromEnvironment(variables)), toRemoteUrl())
      expect(failure).toMatchObject({ code: 'net.proxy', message: expect.stringContaining(proxy.host) })
      expect(failure.message).not.toContain('hunter2')
    }
    expect(secureServer.received).toEqual([])
  })
})

describe('a proxy', () => {
  it('tunnels to a host that only it can resolve, with the host’s own certificate', async () => {
    const proxy = await startTestProxy()
    const sender = createTrustingSender(async () => readProxyList(`PROXY ${proxy.host}; DIRECT`))
    expect(await readText(sender, toRemoteUrl())).toBe('{"ok": true}')
    expect(proxy.asked).toEqual([{ line: `CONNECT ${REMOTE_HOST}:${securePort}`, authorization: undefined }])
    expect(secureServer.received.map(({ path, headers }) => [path, headers.host, headers.authorization])).toEqual([
      ['/x', `${REMOTE_HOST}:${securePort}`, 'Bearer t'],
    ])
  })

  it('from HTTPS_PROXY gets its own credentials, and the host does not', async () => {
    const proxy = await startTestProxy()
    const pairs = { 'lan:p%40ss%3A': 'lan:p@ss:', lan: 'lan:', 'lan:100%': 'lan:100%' }
    for (const [pair, expectedCredentials] of Object.entries(pairs)) {
      const proxyUrl = proxy.url.replace('://', `://${pair}@`)
      const sender = createTrustingSender(proxyFromEnvironment({ HTTPS_PROXY: proxyUrl }))
      await readText(sender, toRemoteUrl())
      expect(proxy.asked.at(-1)?.authorization).toBe(`Basic ${Buffer.from(expectedCredentials).toString('base64')}`)
    }
    expect(secureServer.received.flatMap(({ headers }) => headers['proxy-authorization'] ?? [])).toEqual([])
    expect(secureServer.received).toHaveLength(3)
  })

  it('may use TLS itself', async () => {
    const proxy = await startTestProxy({ identity: authority.identity })
    const host = proxy.host.replace('127.0.0.1', 'localhost')
    const sender = createTrustingSender(async () => readProxyList(`HTTPS ${host}`))
    expect(await readText(sender, toRemoteUrl())).toBe('{"ok": true}')
    expect(proxy.asked).toHaveLength(1)
  })

  it.each([407, 403, 502])('that refuses the tunnel with %i is distinguished from the platform', async (refuseWith) => {
    const proxy = await startTestProxy({ refuseWith })
    const proxyUrl = proxy.url.replace('://', '://lan:hunter2@')
    const sender = createTrustingSender(proxyFromEnvironment({ HTTPS_PROXY: proxyUrl }))
    const failure = await catchFailure(sender, toRemoteUrl())
    expect(failure).toMatchObject({ code: 'net.proxy', message: expect.stringContaining(proxy.host) })
    expect(failure.message).not.toContain('hunter2')
  })

  it('is not bypassed when it is missing', async () => {
    const proxy = await startProxy({ targetPort: Number(securePort) })
    await proxy.close()
    const sender = createTrustingSender(async () => readProxyList(`PROXY ${proxy.host}; DIRECT`))
    expect((await catchFailure(sender, toRemoteUrl())).code).toBe('net.proxy')
  })

  it.each([
    ['PROXY', startTestProxy],
    ['SOCKS5', startTestSocks],
  ])('(%s) does not make a wrong certificate valid', async (kind, start) => {
    const proxy = await start()
    const sender = createTestSender(async () => readProxyList(`${kind} ${proxy.host}`))
    expect((await catchFailure(sender, toRemoteUrl())).code).toBe('net.tls')
    expect(secureServer.received).toEqual([])
  })
})
