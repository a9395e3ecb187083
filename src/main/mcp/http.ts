import { randomUUID, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  createMcpHandler,
  isInitializeRequest,
  isJSONRPCRequest,
  isLegacyRequest,
  type McpServer,
  readRequestBody,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { hourMs, minuteMs } from '@shared/durations'
import { parseJson } from '@shared/json'
import { maxMcpMessageBytes } from '@shared/limits'
import type { Log } from '../core/ports'

interface HttpOptions {
  readonly createServer: (toolId: string) => McpServer
  /** Token that the relay sends with each request. */
  readonly secret: string
  readonly log: Log
  readonly onListen: (port: number) => void
  /** Resolves when the last client has left and the server has stopped. */
  readonly left: Promise<void>
  readonly limits?: Partial<HttpLimits>
}

interface HttpLimits {
  readonly sessions: number
  /** Idle timeout of a session in ms. */
  readonly sessionMs: number
  /** Idle timeout of the process in ms. */
  readonly idleMs: number
  readonly checkMs: number
}

const defaultLimits: HttpLimits = { sessions: 32, sessionMs: hourMs, idleMs: 10 * minuteMs, checkMs: 10_000 }

/** Headers with the relay's secret and the id of the authenticated tool. */
const backendHeaders = { secret: 'x-companion-secret', tool: 'x-companion-tool' } as const

/** Serves clients of the relay on a local port that only the relay may use, until all have left. */
export async function serveOverHttp(options: HttpOptions): Promise<void> {
  const { secret, log, onListen, left } = options
  const limits = { ...defaultLimits, ...options.limits }
  const clients = new HttpClients(options, limits)
  const server = createServer((request, response) => {
    const toolId = request.headers[backendHeaders.tool]
    if (!isSameSecret(request.headers[backendHeaders.secret], secret) || typeof toolId !== 'string') {
      response.writeHead(403).end()
      return
    }
    answer(clients, toolId, request, response).catch((error: unknown) => {
      log.error('mcp.http', error)
      response.destroy()
    })
  })
  const idlePromise = new Promise<void>((resolve) => {
    const timer = setInterval(() => (clients.isIdle() ? resolve() : undefined), limits.checkMs)
    server.once('close', () => clearInterval(timer))
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address === 'object' && address !== null) onListen(address.port)
  await Promise.race([left, idlePromise])
  await clients.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

function isSameSecret(presentedSecret: unknown, secret: string): boolean {
  const [a, b] = [Buffer.from(String(presentedSecret)), Buffer.from(secret)]
  return a.length === b.length && timingSafeEqual(a, b)
}

async function answer(
  clients: HttpClients,
  toolId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const requestController = new AbortController()
  response.once('close', () => requestController.abort())
  const { method = '', rawHeaders } = request
  const headers = new Headers()
  for (let position = 0; position < rawHeaders.length; position += 2)
    headers.append(rawHeaders[position] ?? '', rawHeaders[position + 1] ?? '')
  const hasBody = method === 'POST'
  const webRequest = new Request('http://127.0.0.1/mcp', {
    method,
    headers,
    signal: requestController.signal,
    ...(hasBody ? { body: Readable.toWeb(request), duplex: 'half' as const } : {}),
  })
  const handledResponse = await clients.handle(toolId, webRequest, response)
  if (handledResponse.status === 413) response.shouldKeepAlive = false
  response.writeHead(handledResponse.status, Object.fromEntries(handledResponse.headers))
  response.flushHeaders()
  if (handledResponse.body === null) response.end()
  // Ignore a disconnected client.
  else await pipeline(Readable.fromWeb(handledResponse.body), response).catch(() => undefined)
}

/** Session of a client with the 2025 protocol. */
interface Session {
  readonly toolId: string
  readonly transport: WebStandardStreamableHTTPServerTransport
  readonly server: McpServer
  underWay: number
  usedMs: number
}

/** Clients behind the relay: sessions of the older protocol, single requests of the newer one. */
class HttpClients {
  readonly #sessions = new Map<string, Session>()
  readonly #modern: ReturnType<typeof createMcpHandler>
  #requestCount = 0
  #usedMs = performance.now()

  constructor(
    private readonly options: Pick<HttpOptions, 'createServer' | 'log'>,
    private readonly limits: HttpLimits,
  ) {
    this.#modern = createMcpHandler(({ authInfo }) => options.createServer(authInfo?.clientId ?? ''), {
      legacy: 'reject',
      maxSubscriptions: limits.sessions,
      onerror: (error) => options.log.error('mcp.protocol', error),
    })
  }

  /** Closes idle sessions. Returns true when the process has been idle long enough to exit. */
  isIdle(): boolean {
    const nowMs = performance.now()
    const { sessionMs, idleMs } = this.limits
    for (const [id, session] of this.#sessions)
      if (session.underWay === 0 && nowMs - session.usedMs > sessionMs) void this.#end(id)
    return this.#requestCount === 0 && this.#sessions.size === 0 && nowMs - this.#usedMs > idleMs
  }

  async handle(toolId: string, request: Request, response: ServerResponse): Promise<Response> {
    this.#requestCount += 1
    response.once('close', () => {
      this.#requestCount -= 1
      this.#usedMs = performance.now()
    })
    const body = await readBody(request)
    if (body instanceof Response) return body
    const parsedOption = request.method === 'POST' ? { parsedBody: body } : {}
    // Build the request without its body, which was already read.
    const { method, headers, signal } = request
    const head = new Request(request.url, { method, headers, signal })
    if (!(await isLegacyRequest(head, body)))
      return this.#modern.fetch(head, { ...parsedOption, authInfo: { token: '', clientId: toolId, scopes: [] } })
    const session = await this.#sessionFor(toolId, head, body)
    if (session instanceof Response) return session
    session.underWay += 1
    response.once('close', () => {
      session.underWay -= 1
      session.usedMs = performance.now()
      if (!response.writableFinished) cancelRequests(session, body)
    })
    return session.transport.handleRequest(head, parsedOption)
  }

  async close(): Promise<void> {
    await Promise.all([this.#modern.close(), ...[...this.#sessions.keys()].map((id) => this.#end(id))])
  }

  async #sessionFor(toolId: string, { headers }: Request, body: unknown): Promise<Session | Response> {
    const id = headers.get('mcp-session-id')
    if (id !== null) {
      const session = this.#sessions.get(id)
      // Respond with status 404, by which a client knows that it must start a new session.
      return session?.toolId === toolId
        ? session
        : createErrorResponse(404, -32_001, 'This session has ended. Initialize again.')
    }
    if (!isInitializeRequest(body))
      return createErrorResponse(400, -32_600, 'Initialize first, then send "Mcp-Session-Id".')
    if (this.#sessions.size >= this.limits.sessions) {
      const [oldest] = [...this.#sessions]
        .filter(([, { underWay }]) => underWay === 0)
        .sort(([, a], [, b]) => a.usedMs - b.usedMs)
      if (oldest === undefined)
        return createErrorResponse(503, -32_000, 'Too many MCP sessions are open. Close one and try again.')
      await this.#end(oldest[0])
    }
    return this.#begin(toolId)
  }

  async #begin(toolId: string): Promise<Session> {
    const id = randomUUID()
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessioninitialized: () => void this.#sessions.set(id, session),
      onsessionclosed: () => void this.#sessions.delete(id),
    })
    const server = this.options.createServer(toolId)
    await server.connect(transport)
    const session: Session = { toolId, transport, server, underWay: 0, usedMs: performance.now() }
    return session
  }

  async #end(id: string): Promise<void> {
    const session = this.#sessions.get(id)
    this.#sessions.delete(id)
    await session?.server.close()
  }
}

/** Cancels running calls whose client has disconnected, because they may cost quota. */
function cancelRequests({ transport }: Session, body: unknown): void {
  for (const message of [body].flat())
    if (isJSONRPCRequest(message))
      transport.onmessage?.({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: message.id, reason: 'The client went away.' },
      })
}

const createErrorResponse = (status: number, code: number, message: string): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code, message } }, { status })

async function readBody(request: Request): Promise<unknown> {
  if (request.method !== 'POST') return undefined
  const requestBody = await readRequestBody(request, maxMcpMessageBytes)
  if (requestBody.tooLarge)
    return createErrorResponse(
      413,
      -32_600,
      `The message has more than ${maxMcpMessageBytes} bytes. Send less in one call.`,
    )
  return (
    parseJson(requestBody.text) ??
    createErrorResponse(400, -32_700, 'The body is not JSON. Send one JSON-RPC 2.0 message.')
  )
}
