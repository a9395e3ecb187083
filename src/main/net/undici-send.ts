import { AppError } from '@shared/failure'
import { Agent, type Dispatcher, fetch, ProxyAgent } from 'undici'
import { refuseRequestAddress } from '../gateway/address'
import { isLoopbackHost } from '../gateway/host'
import type { ProxyFor, Route } from './proxy'
import type { Send, SendRequest } from './send'
import { trustOf } from './trust'

/** A sender and its connections, which stay open for a while between requests. */
export interface Sender {
  readonly send: Send
  /** Ends the connections; for the end of the program. */
  close(): Promise<void>
}

export interface SenderOptions {
  readonly proxyFor: ProxyFor
  /**
   * Files with certificates to trust besides the default roots. Once there is one, those of NODE_EXTRA_CA_CERTS count
   * only when they are listed here as well. Read at the first request.
   */
  readonly caFiles?: readonly string[]
}

const CONNECTIONS_PER_HOST = 16

/** How bytes go out: https, or http to this machine (never by a proxy); the proxy that `proxyFor` names is followed. */
export function createSender({ proxyFor, caFiles = [] }: SenderOptions): Sender {
  const agents = new Map<string, Dispatcher>()
  const agentOf = (route: Route): Dispatcher => {
    const name = route.kind === 'direct' ? '' : route.url
    const agent = agents.get(name) ?? createAgent(route, caFiles)
    agents.set(name, agent)
    return agent
  }
  return {
    async send(request) {
      const url = checkedUrl(request.url)
      const route: Route = isLoopbackHost(url.hostname) ? { kind: 'direct' } : await proxyFor(request.url)
      return exchange(request, route, agentOf(route))
    },
    async close() {
      const open = [...agents.values()]
      agents.clear()
      await Promise.all(open.map((agent) => agent.destroy()))
    },
  }
}

function checkedUrl(address: string): URL {
  const refused = refuseRequestAddress(address)
  if (refused !== undefined) throw new AppError(refused.code, refused.message)
  return new URL(address)
}

function createAgent(route: Route, caFiles: readonly string[]): Dispatcher {
  const secureContext = trustOf(caFiles)
  const tls = secureContext === undefined ? {} : { secureContext }
  // How long a call may take is the caller's to say, by its signal.
  const options = { connections: CONNECTIONS_PER_HOST, headersTimeout: 0, bodyTimeout: 0 }
  if (route.kind === 'direct') return new Agent({ ...options, connect: tls })
  return new ProxyAgent({ ...options, ...proxyAddress(route.url), requestTls: tls, proxyTls: tls })
}

/** Credentials come out of the address: the library keeps addresses in its errors, and forgets a lone user name. */
function proxyAddress(written: string): { uri: string; token?: string } {
  const { protocol, host, username, password } = new URL(written)
  const uri = `${protocol}//${host}`
  if (username === '' && password === '') return { uri }
  const pair = [username, password].map(decoded).join(':')
  return { uri, token: `Basic ${Buffer.from(pair).toString('base64')}` }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function exchange(request: SendRequest, route: Route, dispatcher: Dispatcher) {
  const { url, signal, body, method, headers } = request
  const init = {
    method,
    headers,
    signal,
    dispatcher,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  } as const
  try {
    return await fetch(url, init)
  } catch (error) {
    throw route.kind === 'proxy' && !signal.aborted && isOfProxy(error) ? proxyFailure(route.url) : error
  }
}

/** Only the proxy itself is connected to, so what stops a connection or a tunnel before it stands is the proxy's. */
const proxyCodes: readonly unknown[] = [
  'UND_ERR_ABORTED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]

function isOfProxy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && proxyCodes.includes(error.code)) || isOfProxy(error.cause)
}

function proxyFailure(proxyUrl: string): AppError {
  const { host } = new URL(proxyUrl)
  const message = `The proxy ${host} cannot be reached or did not let the request through. Check the proxy settings, and its user and password if it needs them.`
  return new AppError('net.proxy', message)
}
