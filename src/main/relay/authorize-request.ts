import type { IncomingMessage } from 'node:http'
import type { ApiStandard } from '@shared/contract/common'
import type { Refusal, RefusalName } from './error-responses'
import { type RequestHead, readRequestHead } from './headers'
import { type Client, hasClientToken, type RoutingTable } from './routing-table'
import { readTarget, routeForMethod, type Target } from './target'

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
