import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** A request and its response, with shared helpers for handlers. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  /** Request path without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Aborts when the connection or the response ends. */
  readonly signal: AbortSignal
}

/** Handles the requests of a listener. The returned promise must not reject. */
export type Handler = (exchange: Exchange) => Promise<void>

export interface Listener {
  readonly url: string
  /** Ends every connection and resolves when all handlers have finished. */
  readonly close: () => Promise<void>
}

export class PortInUse extends Error {
  constructor(readonly port: number) {
    super(`Port ${port} is in use.`)
  }
}

export async function waitWhileConnected(work: Promise<void>, { signal }: Exchange): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
    work.then(resolve, reject)
  })
}

/** Listens on 127.0.0.1. Port 0 picks a free one. Rejects with `PortInUse`. */
export function listen(port: number, handle: Handler): Promise<Listener> {
  const runningExchanges = new Set<Promise<void>>()
  const server = createServer((request, response) => {
    const [path = '/', ...search] = (request.url ?? '/').split('?')
    const closeController = new AbortController()
    response.once('close', () => closeController.abort('closed'))
    const { method = 'GET' } = request
    const query = new URLSearchParams(search.join('?'))
    const exchange = { request, response, method, path, query, signal: closeController.signal }
    const work = handle(exchange).finally(() => runningExchanges.delete(work))
    runningExchanges.add(work)
  })
  // Keep-alive timeout in ms. Longer than that of clients, to avoid closing a connection in use.
  server.keepAliveTimeout = 65_000
  const close = async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
    await Promise.all(runningExchanges)
  }
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortInUse(port) : error)
    })
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const actualPort = typeof address === 'object' && address ? address.port : port
      resolve({ url: `http://127.0.0.1:${actualPort}`, close })
    })
  })
}

const loopbackNames = ['127.0.0.1', 'localhost', '[::1]']

/** The address that the client used. */
export const ownUrl = (request: IncomingMessage): string => `http://127.0.0.1:${request.socket.localPort ?? 0}`

/**
 * Rejects requests that a browser page could send: a foreign host name (421, DNS rebinding) or any `Origin` (403).
 * Command-line tools and desktop apps send neither.
 */
export function refuseForeignOrigin(request: IncomingMessage): HttpError | undefined {
  const host = request.headers.host?.toLowerCase() ?? ''
  const port = request.socket.localPort ?? 0
  if (!loopbackNames.some((name) => host === `${name}:${port}`)) {
    const message = `The sandbox answers on this computer only: use the host ${ownUrl(request)}.`
    return new HttpError(421, 'wrong_host', message)
  }
  if (request.headers.origin === undefined) return undefined
  const message = 'The sandbox refuses requests from web pages (this one has an Origin header).'
  return new HttpError(403, 'browser_origin', message)
}

/** An error response. Its message is shown to the caller. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
  }
}

/** Reads the body as text. Throws 413 above the limit and rejects on disconnect. */
export async function readText(request: IncomingMessage, limitBytes: number): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  // Read the body to its end, because a client that is still sending would not read the response.
  for await (const chunk of request) {
    size += chunk.length
    if (size <= limitBytes) chunks.push(chunk)
  }
  if (size > limitBytes) throw new HttpError(413, 'request_too_large', `The body is larger than ${limitBytes} bytes.`)
  return Buffer.concat(chunks).toString('utf8')
}

/**
 * Parses the JSON body, or `emptyBody` in place of an empty one. Throws 413 above the limit and 400 for invalid JSON.
 * Rejects when the client disconnects.
 */
export async function readJson(request: IncomingMessage, limitBytes: number, emptyBody = ''): Promise<unknown> {
  const text = await readText(request, limitBytes)
  try {
    return JSON.parse(text.trim() || emptyBody)
  } catch {
    throw new HttpError(400, 'invalid_json', 'The body is not valid JSON.')
  }
}

/** A route. `{name}` matches one path segment. */
export interface Route<Handler> {
  readonly method: string
  readonly pattern: string
  readonly handler: Handler
}

/** The matching route with its decoded path parameters. */
export interface Match<Handler> {
  readonly handler: Handler
  readonly params: Readonly<Record<string, string>>
}

function decodeAll(groups: Readonly<Record<string, string>>): Record<string, string> | undefined {
  try {
    return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decodeURIComponent(value)]))
  } catch {
    return undefined
  }
}

/** Creates a route lookup. The first matching route wins. A path that cannot be URL-decoded matches none. */
export function createRouter<Handler>(routes: readonly Route<Handler>[]) {
  const compiledRoutes = routes.map((route) => {
    const escaped = route.pattern.replace(/[.*+?^$()|[\]\\]/g, '\\$&')
    return { ...route, expression: new RegExp(`^${escaped.replace(/\{(\w+)\}/g, '(?<$1>[^/]+?)')}$`) }
  })
  return (method: string, path: string): Match<Handler> | undefined => {
    for (const route of compiledRoutes) {
      const routeMatch = route.method === method ? route.expression.exec(path) : null
      const params = routeMatch ? decodeAll(routeMatch.groups ?? {}) : undefined
      if (params) return { handler: route.handler, params }
    }
    return undefined
  }
}
