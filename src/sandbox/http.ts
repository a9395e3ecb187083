import { once } from 'node:events'
import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'

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

/** An injected fault. `operations` is an id, a prefix with `*`, or `*`. */
export const Fault = z
  .strictObject({
    operations: z.string().regex(/^(?:[\w-]+\.)*(?:[\w-]+|\*)$/),
    /** Delay before the response. */
    delayMs: z.number().int().min(0).max(600_000).optional(),
    status: z.number().int().min(400).max(599).optional(),
    retryAfterS: z.number().int().min(0).max(86_400).optional(),
    /** Sends invalid JSON. */
    isMalformed: z.boolean().optional(),
    /** Aborts the response after this many bytes of its body. */
    cutAfterBytes: z.number().int().min(0).optional(),
    /** Closes the connection without a response. */
    isDropped: z.boolean().optional(),
    /** Number of uses. Default: unlimited. */
    times: z.number().int().min(1).optional(),
  })
  .readonly()
export type Fault = z.infer<typeof Fault>

export type Faults = ReturnType<typeof createFaultStore>

export function createFaultStore() {
  let faults: readonly Fault[] = []
  return {
    current: () => faults,
    set(nextFaults: readonly Fault[]) {
      faults = nextFaults
    },
    /** Returns the first fault that matches the operation and decrements its `times`. */
    take(operation: string): Fault | undefined {
      const match = faults.find(({ operations }) =>
        operations.endsWith('*') ? operation.startsWith(operations.slice(0, -1)) : operations === operation,
      )
      if (match?.times !== undefined) {
        const usedFault = { ...match, times: match.times - 1 }
        faults = faults.map((fault) => (fault === match ? usedFault : fault)).filter(({ times }) => times !== 0)
      }
      return match
    },
  }
}

/** Returns early when the client disconnects. */
export async function waitMs(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await setTimeout(ms, undefined, { signal }).catch(() => undefined)
}

/** Applies a fault before the response: delays, drops the connection (returns false) or throws its status. */
export async function applyFault(fault: Fault, exchange: Exchange): Promise<boolean> {
  const { response, signal } = exchange
  const { delayMs = 0, isDropped, status, retryAfterS } = fault
  await waitMs(delayMs, signal)
  if (isDropped) response.destroy()
  else if (status !== undefined) {
    const headers = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
    const message = `Simulated problem: the sandbox returns ${status}. Stop the simulation to continue.`
    throw new HttpError(status, 'injected_fault', message, headers)
  }
  return !response.destroyed
}

/** Writes a response body. A fault may truncate it. */
export class ResponseWriter {
  readonly #response: ServerResponse
  #bytesLeft: number
  #isCut = false

  /** `beforeLast` is called just before the last bytes are sent. */
  constructor(
    private readonly exchange: Exchange,
    private readonly options: { readonly fault?: Fault | undefined; readonly beforeLast?: () => void } = {},
  ) {
    this.#response = exchange.response
    this.#bytesLeft = options.fault?.cutAfterBytes ?? Number.POSITIVE_INFINITY
  }

  isCut(): boolean {
    return this.#isCut
  }

  json(status: number, body: unknown, headers: OutgoingHttpHeaders = {}): void {
    const text = this.#format(JSON.stringify(body))
    this.#response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(text),
      ...headers,
    })
    this.#last(text)
  }

  /** Sends an error in the format of a service, unless a response has begun. Other errors than `HttpError` are a 500. */
  error(error: unknown, format: (error: HttpError) => unknown): void {
    if (this.#response.destroyed || this.#response.headersSent) return
    const message = 'Unexpected error in the sandbox. Restart it and report this.'
    const httpError = error instanceof HttpError ? error : new HttpError(500, 'unexpected', message)
    this.json(httpError.status, format(httpError), httpError.headers)
  }

  empty(status: number): void {
    this.#response.writeHead(status)
    this.options.beforeLast?.()
    this.#response.end()
  }

  /** Starts a streamed response. */
  begin(contentType: string): void {
    this.#response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache, no-transform' })
    this.#response.flushHeaders()
  }

  /** Writes a piece and waits for backpressure. Returns false if the rest is not needed. */
  async write(text: string): Promise<boolean> {
    const piece = this.#format(text)
    const response = this.#response
    if (this.#isCut || response.destroyed) return false
    if (this.#exceeds(piece)) {
      this.#cut(piece)
      return false
    }
    if (!response.write(piece)) await once(response, 'drain', { signal: this.exchange.signal }).catch(() => undefined)
    return !response.destroyed
  }

  end(text: string): void {
    this.#last(this.#format(text))
  }

  /** A fault may break the JSON of a whole response or of event data. */
  #format(text: string): string {
    return this.options.fault?.isMalformed ? text.replaceAll('":', '"=') : text
  }

  #last(text: string): void {
    const isTooLong = this.#exceeds(text)
    this.options.beforeLast?.()
    if (isTooLong) this.#cut(text)
    else this.#response.end(text)
  }

  #exceeds(text: string): boolean {
    const size = Buffer.byteLength(text)
    this.#isCut ||= size > this.#bytesLeft
    if (!this.#isCut) this.#bytesLeft -= size
    return this.#isCut
  }

  #cut(text: string): void {
    this.#response.write(Buffer.from(text).subarray(0, this.#bytesLeft), () => this.#response.socket?.destroySoon())
  }
}
