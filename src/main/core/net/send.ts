import type { Socket } from 'node:net'
import { AppError, type Failure } from '@shared/failure'
import { SocksClient } from 'socks'
import { Agent, buildConnector, type Dispatcher, fetch, Pool, ProxyAgent } from 'undici'
import { decodeUriOrKeep, isLoopbackHost, refuseRequestAddress } from './address'
import { proxyFailure, type ResolveProxy, type Route, socksErrorCode } from './proxy'
import { loadTrustedCertificates } from './trust'

/** One request. `url` is already encoded. A body that is a text is sent as UTF-8. */
interface SendRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly signal: AbortSignal
}

/** A response whose body is unread. Read or cancel the body. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: { get(name: string): string | null; entries?(): Iterable<[string, string]> }
  readonly body: Response['body']
}

/** Sends one request without redirects or retries. Rejects with an `AppError` or the transport error. */
export type Send = (request: SendRequest) => Promise<HttpAnswer>

/** A sender with its kept-alive connections. */
export interface Sender {
  readonly send: Send
  /** Closes the connections on exit. */
  close(): Promise<void>
}

export interface SenderOptions {
  readonly proxyFor: ResolveProxy
  /** Certificate files to trust in addition to Node's and the system's, read on the first request. */
  readonly caFiles?: readonly string[]
  /** Returns why an address must not be used. Default: rejects what would send a key unencrypted. */
  readonly refuse?: (address: string) => Failure | undefined
}

// No timeouts here, because callers abort requests by their signal.
const limits = { connections: 16, headersTimeout: 0, bodyTimeout: 0 }

/** Sends https requests, or http to this machine without a proxy. Uses the proxy that `proxyFor` returns. */
export function createSender({ proxyFor, caFiles = [], refuse = refuseRequestAddress }: SenderOptions): Sender {
  const agents = createAgents(limits)
  return {
    async send(request) {
      const addressFailure = refuse(request.url)
      if (addressFailure !== undefined) throw new AppError(addressFailure.code, addressFailure.message)
      const { hostname } = new URL(request.url)
      const route: Route = isLoopbackHost(hostname) ? { kind: 'direct' } : await proxyFor(request.url)
      const { url, ...init } = request
      const dispatcher = agents.get(route, caFiles)
      try {
        return await fetch(url, { ...init, dispatcher, redirect: 'manual' })
      } catch (error) {
        throw (request.signal.aborted ? undefined : proxyFailure(error, route)) ?? error
      }
    },
    close: () => agents.close(),
  }
}

/** Limits of a connection pool. Timeouts are in ms, where 0 means none. */
interface AgentLimits {
  /** Maximum number of connections. Default: unlimited. */
  readonly connections?: number
  readonly headersTimeout: number
  readonly bodyTimeout: number
}

/** Maximum bytes of response headers. Gateways behind several proxies send more than Node's 16 KB. */
const maxHeaderSize = 128 * 1024

/** Agents with their kept-alive connections, one per route and set of certificate files. Created on first use. */
export function createAgents(limits: AgentLimits) {
  const agents = new Map<string, Dispatcher>()
  return {
    /** `caFiles` are trusted in addition to the default roots. Fails with `file.unreadable` or `file.unparsable`. */
    get(route: Route, caFiles: readonly string[]): Dispatcher {
      const name = JSON.stringify([route, caFiles])
      const agent = agents.get(name) ?? createAgent(route, caFiles, limits)
      agents.set(name, agent)
      return agent
    },
    /** Ends all requests and connections. */
    async close(): Promise<void> {
      const openAgents = [...agents.values()]
      agents.clear()
      await Promise.all(openAgents.map((agent) => agent.destroy()))
    },
  }
}

function createAgent(route: Route, caFiles: readonly string[], limits: AgentLimits): Dispatcher {
  const tls = toTlsOptions(caFiles)
  const options = { ...limits, maxHeaderSize }
  if (route.kind === 'direct') return new Agent({ ...options, connect: withoutInformational(buildConnector(tls)) })
  if (route.url.startsWith('socks')) {
    return new Agent({ ...options, connect: withoutInformational(socksConnector(new URL(route.url), tls)) })
  }
  // Remove credentials from the address, because undici's errors contain it and a user name alone is ignored.
  const { protocol, host, username, password } = new URL(route.url)
  const pair = [username, password].map(decodeUriOrKeep).join(':')
  return new ProxyAgent({
    ...options,
    uri: `${protocol}//${host}`,
    ...(pair !== ':' && { token: `Basic ${Buffer.from(pair).toString('base64')}` }),
    requestTls: tls,
    proxyTls: tls,
    factory: (origin, { connect, ...rest }: Pool.Options) =>
      new Pool(origin, typeof connect === 'function' ? { ...rest, connect: withoutInformational(connect) } : rest),
  })
}

const informationalStart = /^HTTP\/1\.1 1(?!01)/
const informationalHead = /^HTTP\/1\.1 1(?!01)\d\d(?: [^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*\r\n/

/** Removes 1xx responses, which servers may send unrequested (RFC 9110, 15.2). undici ends the connection for them. */
const withoutInformational =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...result) => {
      if (result[1]) stripInformational(result[1])
      callback(...result)
    })

function stripInformational(socket: Socket): void {
  const readFromSocket = socket.read.bind(socket)
  let writtenBytes = 0
  let start: Buffer | undefined
  socket.read = (size) => {
    const chunk: Buffer | null = readFromSocket(size)
    if (chunk === null) return null
    // The first bytes after a written request are the start of its response.
    if (socket.bytesWritten !== writtenBytes) start = Buffer.alloc(0)
    writtenBytes = socket.bytesWritten
    if (start === undefined) return chunk
    let text = Buffer.concat([start, chunk]).toString('latin1')
    while (informationalHead.test(text)) text = text.replace(informationalHead, '')
    const isOpen = text.length < maxHeaderSize && (informationalStart.test(text) || 'HTTP/1.1 1'.startsWith(text))
    start = isOpen ? Buffer.from(text, 'latin1') : undefined
    return isOpen ? null : Buffer.from(text, 'latin1')
  }
}

const socksTimeoutMs = 10_000

/** Connects by a SOCKS proxy, which also resolves the host. undici's support is experimental and ignores `limits`. */
function socksConnector(proxy: URL, tls: ReturnType<typeof toTlsOptions>): buildConnector.connector {
  const secureConnector = buildConnector(tls)
  const credentials = {
    ...(proxy.username && { userId: decodeUriOrKeep(proxy.username) }),
    ...(proxy.password && { password: decodeUriOrKeep(proxy.password) }),
  }
  return (options, callback) => {
    const isSecure = options.protocol === 'https:'
    SocksClient.createConnection({
      command: 'connect',
      proxy: {
        host: withoutBrackets(proxy.hostname),
        port: Number(proxy.port) || 1080,
        type: proxy.protocol.startsWith('socks4') ? 4 : 5,
        ...credentials,
      },
      destination: { host: withoutBrackets(options.hostname), port: Number(options.port) || (isSecure ? 443 : 80) },
      timeout: socksTimeoutMs,
    }).then(
      ({ socket }) =>
        isSecure ? secureConnector({ ...options, httpSocket: socket }, callback) : callback(null, socket),
      // Replace the library's errors, because they contain the options, including the password.
      () => callback(Object.assign(new Error('The SOCKS proxy failed.'), { code: socksErrorCode }), null),
    )
  }
}

const withoutBrackets = (host: string): string => host.replace(/^\[|\]$/g, '')

function toTlsOptions(caFiles: readonly string[]) {
  const secureContext = loadTrustedCertificates(caFiles)
  return secureContext === undefined ? {} : { secureContext }
}
