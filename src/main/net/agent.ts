import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici'
import type { Route } from './proxy'
import { trustOf } from './trust'

/** How many connections a host gets, and how long they may be silent in ms (0: for ever). */
export interface AgentLimits {
  /** As many as are needed when absent. */
  readonly connections?: number
  readonly headersTimeout: number
  readonly bodyTimeout: number
}

/**
 * Connections along one route, with the certificates in these files trusted besides the default roots. Fails with
 * `file.unreadable` or `file.unparsable`.
 */
export function createAgent(route: Route, caFiles: readonly string[], limits: AgentLimits): Dispatcher {
  const tls = tlsOf(caFiles)
  if (route.kind === 'direct') return new Agent({ ...limits, connect: tls })
  return new ProxyAgent({ ...limits, ...proxyAddress(route.url), requestTls: tls, proxyTls: tls })
}

/** The same to one origin alone, without a proxy: what each request costs an agent is left out. */
export function createPool(origin: string, caFiles: readonly string[], limits: AgentLimits): Dispatcher {
  return new Pool(origin, { ...limits, connect: tlsOf(caFiles) })
}

function tlsOf(caFiles: readonly string[]) {
  const secureContext = trustOf(caFiles)
  return secureContext === undefined ? {} : { secureContext }
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
