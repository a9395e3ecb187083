import type { IncomingMessage } from 'node:http'
import type { Standard } from '@shared/contract/common'
import type { Refusal, RefusalName } from './error-responses'
import { type RequestHead, readRequestHead } from './headers'
import { type Client, type RoutingTable, showsToken } from './routing-table'
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

interface McpRequest {
  readonly mcpToolId: string
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'])

/**
 * Authorizes a request by its headers: host, browser origin, path and token. A request without a valid token learns
 * nothing about the configuration. The path `health` needs no token, `metrics` and MCP have their own tokens.
 */
export function authorizeRequest(
  { method = '', url = '', rawHeaders, httpVersionMajor }: IncomingMessage,
  directory: RoutingTable,
  port: number,
): AuthorizedRequest | RejectedRequest | Refusal | McpRequest | 'health' | 'metrics' {
  const head = readRequestHead(rawHeaders)
  const refuse = (name: RefusalName, standard: Standard = 'chat-completions') => ({ name, standard })
  if (head.host === '') return refuse('odd')
  if (!isOurHost(head.host, port)) return refuse('wrongHost')
  if (head.isOfPage) return refuse('page')
  if (!methods.has(method)) return refuse('method')
  if (head.isOdd || httpVersionMajor !== 1) return refuse('odd')
  if (url === '/health' && method === 'GET') return 'health'
  if (url === '/metrics' && method === 'GET' && directory.metrics !== undefined)
    return showsToken(directory.metrics, head) ? 'metrics' : refuse('token')
  if (directory.mcp !== undefined && url.startsWith('/mcp/')) {
    const mcpToolId = url.slice('/mcp/'.length)
    const knownBackend = directory.mcp.get(mcpToolId)
    return knownBackend !== undefined && showsToken(knownBackend, head) ? { mcpToolId } : refuse('token')
  }
  const target = readTarget(url)
  if (target === 'refused') return refuse('target')
  if (target === 'unknown') return refuse('unknownPath')
  const client = directory.clients.get(target.toolId)
  const { standard } = target.route
  if (client === undefined || !showsToken(client, head)) return refuse('token', standard)
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
  const ownPort = `:${port}`
  if (!host.endsWith(ownPort)) return false
  const name = host.slice(0, -ownPort.length)
  return name === '127.0.0.1' || ['localhost', '[::1]'].includes(name.toLowerCase())
}
