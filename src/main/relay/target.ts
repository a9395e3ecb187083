import type { ApiStandard } from '@shared/contract/common'
import type { LedgerEntry } from '../usage/ports'

export interface Route {
  /** API standard, which determines the format of error responses. */
  readonly standard: ApiStandard
  /** Recorded requests. `offered` and `failed` exclude paths that the gateway does not have (404, 405, 501). */
  readonly records: 'all' | 'offered' | 'failed' | 'none'
  /** Whether streams need `stream_options` for usage. */
  readonly hasUsageOption: boolean
  /** Kind of request. Default: chat. `other`: an unknown path, whose cost is unknown. */
  readonly operation?: LedgerEntry['operation']
  /** Whether requests are translated from the Responses protocol, which gateways do not support, to chat-completions. */
  readonly isTranslated?: boolean
}

/** Whether the response contains generated text. */
export const isTextGeneration = ({ operation = 'text_completion' }: Route): boolean => operation === 'text_completion'

export interface Target {
  readonly toolId: string
  /** Path and query, relative to the gateway's root. */
  readonly path: string
  readonly route: Route
}

const chat: Route = { standard: 'chat-completions', records: 'all', hasUsageOption: true }
const messages: Route = { standard: 'messages', records: 'all', hasUsageOption: false }
const freeRoute: Route = { standard: 'chat-completions', records: 'none', hasUsageOption: false }
const createBilledRoute = (operation: LedgerEntry['operation']): Route => ({
  ...chat,
  hasUsageOption: false,
  operation,
})

/** Known paths below the base URL, with or without a leading `v1`. */
const routes: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['chat/completions', chat],
  ['completions', { ...chat, operation: 'text_completion' }],
  ['fim/completions', { ...chat, operation: 'text_completion' }],
  ['responses', { ...chat, isTranslated: true }],
  ['messages', messages],
  ['messages/count_tokens', { ...messages, records: 'failed' }],
  ['messages/batches', { ...messages, operation: 'batch' }],
  ['batches', createBilledRoute('batch')],
  ['embeddings', createBilledRoute('embeddings')],
  ['rerank', createBilledRoute('rerank')],
  ['score', createBilledRoute('rerank')],
  ['moderations', createBilledRoute('moderation')],
  ...['generations', 'edits', 'variations'].map((name) => [`images/${name}`, createBilledRoute('image')] as const),
  ...['speech', 'transcriptions', 'translations'].map((name) => [`audio/${name}`, createBilledRoute('audio')] as const),
  ['videos', createBilledRoute('video')],
  ['models', freeRoute],
])

/** Route of an unknown path, which may cost anything. */
const unknownRoute: Route = { ...createBilledRoute('other'), records: 'offered' }
/**
 * GET and HEAD of an unknown path, such as a file list, do not use a model. Other methods on a free path may, because
 * some gateways serve models below `models`.
 */
export function routeForMethod(route: Route, method: string): Route {
  if (method === 'GET' || method === 'HEAD') return route.operation === 'other' ? { ...route, records: 'none' } : route
  return route.records === 'none' ? unknownRoute : route
}

/** Path traversal, and escapes that a server may decode twice: dots, slashes, `%`, `?`, `#` and control characters. */
const ambiguousPath = /(?:^|\/)\.{1,2}(?:[/;]|$)|%(?:2[ef35]|5c|3f|[01]|7f)|\\/i
const unprintableCharacter = /[^\x21-\x7e]|#/
const relayPath = /^\/t\/([a-z0-9][a-z0-9._-]{0,63})(\/.*)?$/i

/**
 * Parses a path such as `/t/<tool>/chat/completions`. Normalizes known paths: `/chat/completions`,
 * `/v1/v1/chat/completions/` and `/V1//chat/%63ompletions;x=1` are equal. Other paths stay unchanged. `refused`: the
 * path is ambiguous.
 */
export function readTarget(url: string): Target | 'refused' | 'unknown' {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  if (!path.startsWith('/') || unprintableCharacter.test(url) || ambiguousPath.test(path)) return 'refused'
  const [, toolId, below = '/'] = relayPath.exec(path) ?? []
  if (toolId === undefined) return 'unknown'
  const name = normalizePath(below)
  if (name === undefined) return 'refused'
  const query = mark < 0 ? '' : url.slice(mark)
  const route = routes.get(name)
  if (route !== undefined)
    return { toolId, path: `/v1/${route.isTranslated ? 'chat/completions' : name}${query}`, route }
  // Requests for a model's description are free.
  if (/^models\/[^:]+$/.test(name)) return { toolId, path: below + query, route: freeRoute }
  const apiStandard = /(?:^|\/)messages(?:\/|$)/.test(name) ? 'messages' : 'chat-completions'
  return { toolId, path: below + query, route: { ...unknownRoute, standard: apiStandard } }
}

/** The path without `v1`, normalized as far as any server may do it. Undefined for invalid escapes. */
function normalizePath(path: string): string | undefined {
  try {
    const segments = decodeURIComponent(path)
      .toLowerCase()
      .split('/')
      .map((segment) => segment.replace(/;.*$/, '').trim())
      .filter((segment) => segment !== '')
    const start = segments.findIndex((segment) => segment !== 'v1')
    return start < 0 ? '' : segments.slice(start).join('/')
  } catch {
    return undefined
  }
}
