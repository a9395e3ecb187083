import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ApiStandard } from '@shared/contract/common'
import type { Dispatcher } from 'undici'
import { isLoopbackHost, refuseRequestAddress } from '../core/net/address'
import type { Route } from '../core/net/proxy'
import { createAgent, createPool } from '../core/net/send'
import type { Secret } from '../core/secret'
import type { Refusal, RefusalName } from './error-responses'
import { type RequestHead, readRequestHead } from './headers'
import type { RelayClient, RelayTable, RelayUpstream } from './ports'
import { readTarget, routeForMethod, type Target } from './target'

export type Upstream = ReturnType<typeof toUpstream>
export type Client = ReturnType<typeof toClient>
type Token = ReturnType<typeof toComparableToken>
type RoutingTable = ReturnType<typeof createRoutingTable>

/** Creates the routing table. Omits upstreams whose address must not receive a key. */
export function createRoutingTable(table: RelayTable, dispatchers: Dispatchers) {
  const clients = table.clients.map((client) => [client.toolId, toClient(client, dispatchers)] as const)
  const usedDispatchers = clients.flatMap(([, { upstreams }]) => upstreams.map(({ dispatcher }) => dispatcher))
  dispatchers.keep(new Set(usedDispatchers))
  const { isPaused, allowsUncounted = false, metrics, mcp = [] } = table
  return {
    isPaused,
    allowsUncounted,
    clients: new Map(clients),
    metrics: metrics?.token && toComparableToken(metrics.token),
    /** MCP token of each tool. Undefined while MCP is off. */
    mcp: mcp.length === 0 ? undefined : new Map(mcp.map(({ toolId, token }) => [toolId, toComparableToken(token)])),
  }
}

function toClient({ toolId, token, upstreams, overload, reason }: RelayClient, dispatchers: Dispatchers) {
  const usableUpstreams = upstreams.filter(({ gatewayUrl }) => refuseRequestAddress(gatewayUrl) === undefined)
  return {
    toolId,
    ...toComparableToken(token),
    upstreams: usableUpstreams.map((upstream) => toUpstream(upstream, dispatchers)),
    overload,
    reason,
  }
}

/** `shownToken`: buffer into which the token of a request is copied, to compare it in constant time. */
function toComparableToken(secret: Secret) {
  const token = Buffer.from(secret.expose(), 'latin1')
  return { token, shownToken: Buffer.alloc(token.length) }
}

function toUpstream(
  { planId, keyId, gatewayUrl, key, models, network, caFiles = [] }: RelayUpstream,
  dispatchers: Dispatchers,
) {
  const url = new URL(gatewayUrl)
  // Requests to loopback addresses bypass the proxy.
  const route: Route = isLoopbackHost(url.hostname) ? { kind: 'direct' } : network
  return {
    planId,
    keyId,
    origin: url.origin,
    host: url.host,
    /** Path prefix of the gateway. Empty for a gateway at its host's root. */
    base: url.pathname.replace(/\/+$/, ''),
    authorization: `Bearer ${key.expose()}`,
    models: new Set(models),
    route,
    dispatcher: dispatchers.to(url.origin, route, caFiles),
  }
}

export interface AuthorizedRequest {
  readonly client: Client
  readonly target: Target
  readonly head: RequestHead
  /** Whether budgets allow requests whose cost the relay cannot measure. */
  readonly allowsUncounted: boolean
}

/** A request with a valid token that the relay rejects, with the reason. */
export type RejectedRequest = Pick<AuthorizedRequest, 'client' | 'target'> & { readonly refusal: Refusal }

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Authorizes a request by its headers: host, browser origin, path and token. A request without a valid token learns
 * nothing about the configuration. The path `health` needs no token, `metrics` and MCP have their own tokens.
 */
export function authorizeRequest(
  { method = '', url = '', rawHeaders, httpVersionMajor }: IncomingMessage,
  directory: RoutingTable,
  port: number,
): AuthorizedRequest | RejectedRequest | Refusal | { readonly mcpToolId: string } | 'health' | 'metrics' {
  const head = readRequestHead(rawHeaders)
  const createRefusal = (name: RefusalName, standard: ApiStandard = 'chat-completions') => ({ name, standard })
  if (head.host === '') return createRefusal('odd')
  if (!isOurHost(head.host, port)) return createRefusal('wrongHost')
  if (head.isOfPage) return createRefusal('page')
  if (!methods.has(method)) return createRefusal('method')
  if (head.isOdd || httpVersionMajor !== 1) return createRefusal('odd')
  if (url === '/health' && method === 'GET') return 'health'
  if (url === '/metrics' && method === 'GET' && directory.metrics !== undefined)
    return hasClientToken(directory.metrics, head) ? 'metrics' : createRefusal('token')
  if (directory.mcp !== undefined && url.startsWith('/mcp/')) {
    const mcpToolId = url.slice('/mcp/'.length)
    const mcpBackend = directory.mcp.get(mcpToolId)
    return mcpBackend !== undefined && hasClientToken(mcpBackend, head) ? { mcpToolId } : createRefusal('token')
  }
  const target = readTarget(url)
  if (target === 'refused') return createRefusal('target')
  if (target === 'unknown') return createRefusal('unknownPath')
  const client = directory.clients.get(target.toolId)
  const { standard } = target.route
  if (client === undefined || !hasClientToken(client, head)) return createRefusal('token', standard)
  const stop = (refusal: Refusal): RejectedRequest => ({ client, target, refusal })
  if (directory.isPaused) return stop({ name: 'paused', standard })
  if (client.upstreams.length === 0) return stop({ name: 'noUpstream', standard, detail: client.reason?.message })
  return {
    client,
    target: { ...target, route: routeForMethod(target.route, method) },
    head,
    allowsUncounted: directory.allowsUncounted,
  }
}

/** Accepts only host names of this computer, to prevent DNS rebinding. */
function isOurHost(host: string, port: number): boolean {
  const portSuffix = `:${port}`
  if (!host.endsWith(portSuffix)) return false
  const name = host.slice(0, -portSuffix.length)
  return name === '127.0.0.1' || ['localhost', '[::1]'].includes(name.toLowerCase())
}

/** Whether a request contains this token as `Authorization: Bearer` or as `x-api-key`. */
function hasClientToken(client: Token, { authorization, apiKey }: RequestHead): boolean {
  const bearerToken = /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? ''
  return isToken(client, bearerToken) || isToken(client, apiKey)
}

/** Compares a token in constant time. The length is compared first, because it is not a secret. */
function isToken({ token, shownToken }: Token, presentedToken: string): boolean {
  return (
    presentedToken.length === token.length &&
    shownToken.write(presentedToken, 'latin1') > 0 &&
    timingSafeEqual(shownToken, token)
  )
}

/** Upstreams that list the requested model, in table order. If none does, only the first upstream. */
export function selectUpstreams(client: Client, model: string | undefined): readonly Upstream[] {
  if (client.upstreams.length === 1) return client.upstreams
  const upstreamsWithModel = client.upstreams.filter(
    ({ models }) => model === undefined || models.size === 0 || models.has(model),
  )
  return upstreamsWithModel.length > 0 ? upstreamsWithModel : client.upstreams.slice(0, 1)
}

type Dispatchers = ReturnType<typeof createDispatchers>

/**
 * Connection pools: one per gateway with a direct route, and one per proxy. Reads certificate files when a route is first
 * used. `idleMs`: idle timeout of gateway responses.
 */
export function createDispatchers(sharedCaFiles: readonly string[], idleMs: number) {
  const openDispatchers = new Map<string, Dispatcher>()
  return {
    to(origin: string, route: Route, ownCaFiles: readonly string[]): Dispatcher {
      const caFiles = [...new Set([...sharedCaFiles, ...ownCaFiles])]
      const name = [route.kind === 'direct' ? origin : `by ${route.url}`, ...caFiles].join('\n')
      const existingDispatcher = openDispatchers.get(name)
      if (existingDispatcher !== undefined) return existingDispatcher
      const limits = { headersTimeout: idleMs, bodyTimeout: idleMs }
      const newDispatcher =
        route.kind === 'direct' ? createPool(origin, caFiles, limits) : createAgent(route, caFiles, limits)
      openDispatchers.set(name, newDispatcher)
      return newDispatcher
    },
    /** Closes dispatchers that are not in `usedDispatchers`, after their requests have finished. */
    keep(usedDispatchers: ReadonlySet<Dispatcher>): void {
      for (const [name, dispatcher] of openDispatchers) {
        if (usedDispatchers.has(dispatcher)) continue
        openDispatchers.delete(name)
        void dispatcher.close()
      }
    },
    async close(): Promise<void> {
      const dispatchers = [...openDispatchers.values()]
      openDispatchers.clear()
      await Promise.all(dispatchers.map((dispatcher) => dispatcher.destroy()))
    },
  }
}
