import type { Standard } from '@shared/contract/common'
import type { LedgerEntry } from '../usage/ports'
import { type Body, WholeBody } from './buffered-body'
import type { Refusal } from './error-responses'
import { type AnswerHead, withoutHeaders } from './headers'
import type { RelayLimits } from './ports'
import { responses, type Translated, type Translation } from './responses/translation'

/** What the relay knows of a path of the gateway. */
interface Route {
  /** Whose words errors are put into. */
  readonly standard: Standard
  /** Whether requests go into the ledger: as the gateway books them, all, the failed ones (counting tokens), or none. */
  readonly records: 'all' | 'failed' | 'none'
  /** Whether a streamed answer tells its usage only when `stream_options` ask for it. */
  readonly hasUsageOption: boolean
  /** What is asked for; a chat unless told. */
  readonly operation?: LedgerEntry['operation']
  /** For a protocol that gateways do not have. */
  readonly translation?: Translation
}

/** Where a request goes. */
export interface Target {
  readonly toolId: string
  /** Below the gateway's root, with the query. */
  readonly path: string
  readonly route: Route
}

const chat: Route = { standard: 'chat-completions', records: 'all', hasUsageOption: true }
const messages: Route = { standard: 'messages', records: 'all', hasUsageOption: false }

/** What tools append to their base, with or without `/v1` before it. */
const routes: ReadonlyMap<string, Route> = new Map([
  ['/chat/completions', chat],
  ['/completions', { ...chat, operation: 'text_completion' }],
  ['/embeddings', { ...chat, hasUsageOption: false, operation: 'embeddings' }],
  ['/responses', { ...chat, translation: responses }],
  ['/models', { ...chat, records: 'none', hasUsageOption: false }],
  ['/messages', messages],
  ['/messages/count_tokens', { ...messages, records: 'failed' }],
])

const elsewhere: Route = { standard: 'chat-completions', records: 'none', hasUsageOption: false }
const elsewhereOfMessages: Route = { ...elsewhere, standard: 'messages' }

/** Steps out of a folder, however they are written, and what servers on the way may read in different ways. */
const ambiguous = /(?:^|\/)\.{1,2}(?:[/;]|$)|%(?:25)*(?:2e|2f|5c|0)|\\/i
const unprintable = /[^\x21-\x7e]|#/
const ofTool = /^\/t\/([a-z0-9][a-z0-9._-]{0,63})(\/.*)?$/i

/** What was read of addresses that were asked for: a tool has a handful of them. None with a query, which may be secret. */
const known = new Map<string, ReturnType<typeof readTarget>>()
const mostKnown = 256
const longestKnown = 200

/** The same as `readTarget`, which is what it does for an address that it has not seen. */
export function findRelayTarget(url: string): ReturnType<typeof readTarget> {
  const before = known.get(url)
  if (before !== undefined) return before
  const target = readTarget(url)
  if (url.length > longestKnown || url.includes('?')) return target
  if (known.size >= mostKnown) known.clear()
  known.set(url, target)
  return target
}

/**
 * Reads `/t/<tool>/...`. Both shapes of a base lead to the same place: `/v1/chat/completions`, `/chat/completions` and
 * `/v1/v1/chat/completions` are one. Every other path is kept to the letter. `refused`: could be read in two ways.
 */
export function readTarget(url: string): Target | 'refused' | 'unknown' {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  if (!path.startsWith('/') || unprintable.test(url) || ambiguous.test(path)) return 'refused'
  const [, toolId, below = '/'] = ofTool.exec(path) ?? []
  if (toolId === undefined) return 'unknown'
  const query = mark < 0 ? '' : url.slice(mark)
  const suffix = below.replace(/^(?:\/+v1(?=\/))*\/+/, '/')
  const route = routes.get(suffix)
  if (route !== undefined) return { toolId, path: (route.translation?.path ?? `/v1${suffix}`) + query, route }
  return { toolId, path: below + query, route: /\/messages(?:\/|$)/.test(below) ? elsewhereOfMessages : elsewhere }
}

/** What a path takes: a request that is translated has to be there as a whole. */
export function limitsForRoute({ translation }: Route, limits: RelayLimits): RelayLimits {
  if (translation === undefined) return limits
  const bytes = Math.min(limits.bodyBytes, translation.longestBody)
  return { ...limits, bodyBytes: bytes, keptBytes: bytes }
}

/** Why a request is longer than its path takes. */
export function tooLarge({ standard, translation }: Route, { bodyBytes }: RelayLimits): Refusal {
  const megabytes = Math.round(bodyBytes / 1024 / 1024)
  const detail = `The request is larger than Platform Companion's relay translates (${megabytes} MB).`
  return { name: 'tooLarge', standard, detail: translation === undefined ? undefined : detail }
}

/** A body as the gateway is to get it. */
export interface ReadyBody {
  readonly body: Body
  readonly translated: Translated | undefined
}

/** The body in the gateway's protocol, or why it cannot be. */
export function readyBody(body: Body, route: Route, limits: RelayLimits): ReadyBody | Refusal {
  const { standard, translation } = route
  if (translation === undefined) return { body, translated: undefined }
  if (body.kind === 'passing') {
    return body.beginning.length > limits.keptBytes ? tooLarge(route, limits) : { name: 'busy', standard }
  }
  const said = translation.translate(body.bytes())
  if ('refusal' in said) return { name: 'untranslatable', standard, detail: said.refusal }
  return { body: new WholeBody([said.body]), translated: said }
}

const ofBody = new Set(['content-type', 'content-length', 'content-encoding'])

/** Names and values in turn: the head of an answer whose body was translated. */
export function translatedHead({ forwarded }: AnswerHead, contentType: string): string[] {
  return ['content-type', contentType, ...withoutHeaders(forwarded, ofBody)]
}
