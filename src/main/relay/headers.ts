/** Names of headers that the relay reads. Those in `lists` may occur repeatedly. */
const readHeaders = new Set([
  'host',
  'authorization',
  'x-api-key',
  'content-length',
  'content-encoding',
  'connection',
  'origin',
  'upgrade',
  'sec-fetch-site',
  'x-codex-turn-metadata',
])
const lists = new Set(['connection', 'content-encoding', 'x-codex-turn-metadata'])

/** Hop-by-hop headers (RFC 9110, 7.6.1). */
const hopByHopHeaders = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/**
 * Headers that are not forwarded to the gateway: hop-by-hop headers, credentials of the tool, headers that the relay
 * sets itself, and headers that override method or path. Content codings are dropped too, because the relay
 * decompresses bodies to read model and usage.
 */
const droppedHeaders = new Set([
  ...hopByHopHeaders,
  'host',
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'content-length',
  'content-encoding',
  'origin',
  'expect',
  'http2-settings',
  'accept-encoding',
  'x-http-method-override',
  'x-http-method',
  'x-method-override',
  'x-original-url',
  'x-rewrite-url',
])

export type RequestHead = ReturnType<typeof readRequestHead>

/** Reads request headers from alternating names and values. */
export function readRequestHead(raw: readonly string[]) {
  const { values, contentLength, isRepeated, forwarded } = splitHeaders(
    raw,
    readHeaders,
    (key) => !droppedHeaders.has(key),
  )
  return {
    host: values.get('host') ?? '',
    authorization: values.get('authorization') ?? '',
    apiKey: values.get('x-api-key') ?? '',
    contentLength,
    /** Content coding of the body. Empty for none. */
    coding: values.get('content-encoding') ?? '',
    /** Metadata of Codex, in JSON. It contains the working folder. */
    turnMetadata: values.get('x-codex-turn-metadata'),
    /** Whether the request comes from a web page. */
    isOfPage: values.has('origin') || (values.get('sec-fetch-site') ?? 'none') !== 'none',
    /** Whether the request uses another protocol or repeats a header that must be unique. */
    isOdd: isRepeated || values.has('upgrade'),
    /** Headers for the gateway, as alternating names and values. */
    forwarded,
  }
}

/** The headers in `names` by lower-case name, and those to forward. `isRepeated`: one that must be unique is not. */
function splitHeaders(raw: readonly string[], names: ReadonlySet<string>, isForwarded: (key: string) => boolean) {
  const values = new Map<string, string>()
  const forwarded: string[] = []
  let isRepeated = false
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]]
    const key = name.toLowerCase()
    if (isForwarded(key)) forwarded.push(name, value)
    if (!names.has(key)) continue
    const earlierValue = values.get(key)
    if (earlierValue !== undefined && !lists.has(key)) isRepeated = true
    values.set(key, earlierValue !== undefined && lists.has(key) ? `${earlierValue},${value}` : value)
  }
  const length = values.get('content-length')
  const contentLength = length === undefined ? undefined : Number(length)
  return { values, contentLength, isRepeated, forwarded: removeConnectionHeaders(forwarded, values.get('connection')) }
}

/** Headers named by `Connection` are hop-by-hop too. */
function removeConnectionHeaders(headers: string[], connection: string | undefined): string[] {
  if (connection === undefined || /^\s*(?:keep-alive|close)\s*$/i.test(connection)) return headers
  const names = connection.toLowerCase().split(',')
  return withoutHeaders(headers, new Set(names.map((name) => name.trim())))
}

/** Removes headers by their lower-case names. */
export const withoutHeaders = (headers: readonly string[], names: ReadonlySet<string>): string[] =>
  headers.filter((_, index) => !names.has((headers[index - (index % 2)] ?? '').toLowerCase()))

const connectionHeaders = new Set([...hopByHopHeaders, 'alt-svc'])

const readResponseHeaders = new Set(['connection', 'content-encoding', 'content-length', 'content-type', 'retry-after'])

export type ResponseHead = ReturnType<typeof readResponseHead>

/** Reads the gateway's response headers. Removes CORS headers, so that no web page can read a response. */
export function readResponseHead(raw: readonly Buffer[]) {
  const { values, contentLength, forwarded } = splitHeaders(
    raw.map((part) => part.toString('latin1')),
    readResponseHeaders,
    (key) => !connectionHeaders.has(key) && !key.startsWith('access-control-'),
  )
  return {
    contentLength,
    isEventStream: /^text\/event-stream\b/i.test(values.get('content-type') ?? ''),
    /** Content coding of the response, which the relay does not request. Empty for none. */
    encoding: values.get('content-encoding') ?? '',
    /** A number of seconds or a date. */
    retryAfter: values.get('retry-after'),
    /** Headers for the tool, as alternating names and values. */
    forwarded,
  }
}
