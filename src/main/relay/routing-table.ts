import { timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { ApiStandard } from '@shared/contract/common'
import type { Dispatcher } from 'undici'
import { isLoopbackHost, refuseRequestAddress } from '../core/net/address'
import type { Route } from '../core/net/proxy'
import type { Secret } from '../core/secret'
import type { Refusal, RefusalName } from './error-responses'
import { type RequestHead, readRequestHead } from './headers'
import type { RelayClient, RelayTable, RelayUpstream } from './ports'
import { readTarget, routeForMethod, type Target } from './target'

/** Returns the connections of a route, with certificate files to trust for it. */
type GetAgent = (route: Route, caFiles: readonly string[]) => Dispatcher
export type Upstream = ReturnType<typeof toUpstream>
export type Client = ReturnType<typeof toClient>
type RoutingTable = ReturnType<typeof createRoutingTable>

/** Creates the routing table. Omits upstreams whose address must not receive a key. */
export function createRoutingTable(table: RelayTable, getAgent: GetAgent) {
  const { clients, isPaused, allowsUncounted = false, metrics, mcp = [] } = table
  return {
    isPaused,
    allowsUncounted,
    clients: new Map(clients.map((client) => [client.toolId, toClient(client, getAgent)])),
    metricsToken: metrics?.token,
    /** MCP token of each tool. Empty while MCP is off. */
    mcpTokens: new Map(mcp.map(({ toolId, token }) => [toolId, token])),
  }
}

const toClient = ({ upstreams, ...client }: RelayClient, getAgent: GetAgent) => ({
  ...client,
  upstreams: upstreams
    .filter(({ gatewayUrl }) => refuseRequestAddress(gatewayUrl) === undefined)
    .map((upstream) => toUpstream(upstream, getAgent)),
})

function toUpstream(
  { planId, keyId, gatewayUrl, key, models, network, caFiles = [] }: RelayUpstream,
  getAgent: GetAgent,
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
    dispatcher: getAgent(route, caFiles),
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
  if (url === '/metrics' && method === 'GET' && directory.metricsToken !== undefined)
    return hasToken(head, directory.metricsToken) ? 'metrics' : createRefusal('token')
  if (directory.mcpTokens.size > 0 && url.startsWith('/mcp/')) {
    const mcpToolId = url.slice('/mcp/'.length)
    return hasToken(head, directory.mcpTokens.get(mcpToolId)) ? { mcpToolId } : createRefusal('token')
  }
  const target = readTarget(url)
  if (target === 'refused') return createRefusal('target')
  if (target === 'unknown') return createRefusal('unknownPath')
  const client = directory.clients.get(target.toolId)
  const { standard } = target.route
  if (client === undefined || !hasToken(head, client.token)) return createRefusal('token', standard)
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

/**
 * Whether a request contains this token as `Authorization: Bearer` or as `x-api-key`. Compares in constant time, except
 * for the length, which is not a secret.
 */
function hasToken({ authorization, apiKey }: RequestHead, token: Secret | undefined): boolean {
  const expected = Buffer.from(token?.expose() ?? '')
  const bearerToken = /^bearer +(\S+) *$/i.exec(authorization)?.[1] ?? ''
  const presentedTokens = [bearerToken, apiKey].map((text) => Buffer.from(text))
  return presentedTokens.some(
    (presented) => presented.length > 0 && presented.length === expected.length && timingSafeEqual(presented, expected),
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
