import { AppError, type Failure } from '@shared/failure'
import { type Dispatcher, fetch } from 'undici'
import { refuseRequestAddress } from '../gateway/address'
import { isLoopbackHost } from '../gateway/host'
import { createAgent } from './agent'
import type { ProxyFor, Route } from './proxy'
import { proxyFailure } from './proxy-failure'
import type { Send, SendRequest } from './send'

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
  /** Why nothing may be sent to an address; unless given, what would send a key unprotected is refused. */
  readonly refuse?: (address: string) => Failure | undefined
}

// How long a call may take is the caller's to say, by its signal.
const limits = { connections: 16, headersTimeout: 0, bodyTimeout: 0 }

/** How bytes go out: https, or http to this machine (never by a proxy); the proxy that `proxyFor` names is followed. */
export function createSender({ proxyFor, caFiles = [], refuse = refuseRequestAddress }: SenderOptions): Sender {
  const agents = new Map<string, Dispatcher>()
  const agentOf = (route: Route): Dispatcher => {
    const name = route.kind === 'direct' ? '' : route.url
    const agent = agents.get(name) ?? createAgent(route, caFiles, limits)
    agents.set(name, agent)
    return agent
  }
  return {
    async send(request) {
      const url = checkedUrl(request.url, refuse)
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

function checkedUrl(address: string, refuse: NonNullable<SenderOptions['refuse']>): URL {
  const refused = refuse(address)
  if (refused !== undefined) throw new AppError(refused.code, refused.message)
  return new URL(address)
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
    throw (signal.aborted ? undefined : proxyFailure(error, route)) ?? error
  }
}
