import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import type { RelayLimits } from './ports'

/** Handles a request. The next request on the same connection starts after this response has ended. */
type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** Keep-alive timeout. Longer than the clients', to avoid resetting a connection in use. */
const keepAliveTimeoutMs = 65_000
const maxHeaderBytes = 16 * 1024

/** Listen backlog. Node's default of 511 drops clients in a burst of 1,000, and they retry only after 1 s. */
const backlog = 4096

/** Maximum interval of connection checks in ms. */
const maxCheckMs = 5_000

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

interface Connection {
  isAnswering: boolean
  readonly waiting: Exchange[]
  /** Number of bytes that the client has received so far, and the time at which it last received some. */
  taken: number
  readAtMs: number
}

/**
 * node:http on 127.0.0.1 with further limits: pipelined requests run in order, clients that do not read are closed, unauthenticated
 * connections make room for new ones.
 */
export class HttpServer {
  readonly #server: Server
  readonly #connections = new Map<Socket, Connection>()
  /** Unauthenticated connections, oldest first. */
  readonly #unauthenticated = new Set<Socket>()
  readonly #checkEveryMs: number
  #check: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(
    private readonly limits: Pick<RelayLimits, 'headersMs' | 'idleMs' | 'unreadMs' | 'connections' | 'pipelined'>,
    private readonly serve: RequestHandler,
  ) {
    this.#checkEveryMs = Math.min(maxCheckMs, limits.headersMs, limits.unreadMs)
    this.#server = createServer({
      insecureHTTPParser: false,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: limits.headersMs,
      requestTimeout: limits.idleMs,
      connectionsCheckingInterval: this.#checkEveryMs,
      keepAliveTimeout: keepAliveTimeoutMs,
    })
    // Node would silently drop headers after the first 2,000. The total size is limited anyway.
    this.#server.maxHeadersCount = 0
    // Longer than the timeout for the gateway, so that the gateway's timeout occurs first and its explanation is sent.
    this.#server.timeout = limits.idleMs + minuteMs
    this.#server.on('connection', (socket: Socket) => this.#take(socket))
    this.#server.on('request', (request, response) => this.#receive({ request, response }))
    this.#server.on('checkContinue', (request, response) => {
      sendContinueOnRead({ request, response })
      this.#receive({ request, response })
    })
    this.#server.on('connect', (_, socket) => {
      // node:http no longer handles errors of this socket, and a reset would end the process.
      socket.on('error', () => undefined)
      socket.end('HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
    })
  }

  /** Starts listening and returns the port. 0 selects a free one. Rejects with `relay.portInUse` or `relay.failed`. */
  listen(port: number): Promise<number> {
    const server = this.#server
    return new Promise((resolve, reject) => {
      server.on('error', (cause: NodeJS.ErrnoException) => {
        const inUse = `Port ${port} is in use by another program. Choose another port for the relay.`
        const failed = `The relay cannot listen on port ${port} (${cause.code ?? 'no cause given'}). Choose another port.`
        const isInUse = cause.code === 'EADDRINUSE'
        reject(new AppError(isInUse ? 'relay.portInUse' : 'relay.failed', isInUse ? inUse : failed, { cause }))
      })
      server.listen({ port, host: '127.0.0.1', backlog }, () => {
        this.#check = setInterval(() => this.#checkUnread(), this.#checkEveryMs)
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : port)
      })
    })
  }

  /** Marks a connection as authenticated, so that it is not closed to make room for others. */
  markAuthenticated({ socket }: IncomingMessage): void {
    this.#unauthenticated.delete(socket)
  }

  /** Stops accepting connections, and aborts open requests after `graceMs`. */
  close(graceMs: number, beforeEnding: () => void): Promise<void> {
    this.#isClosing = true
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        beforeEnding()
        for (const socket of this.#connections.keys()) socket.destroy()
      }, graceMs)
      this.#server.close(() => {
        clearTimeout(timer)
        clearInterval(this.#check)
        resolve()
      })
      // Close connections that have not sent anything, because node:http does not count them as idle.
      for (const socket of this.#connections.keys()) if (socket.bytesRead === 0) socket.destroy()
    })
  }

  #take(socket: Socket): void {
    if (this.#connections.size >= this.limits.connections) {
      const [oldest = socket] = this.#unauthenticated
      oldest.destroy()
      if (oldest === socket) return
      this.#forget(oldest)
    }
    this.#connections.set(socket, { isAnswering: false, waiting: [], taken: 0, readAtMs: 0 })
    this.#unauthenticated.add(socket)
    socket.once('close', () => this.#forget(socket))
  }

  #forget(socket: Socket): void {
    this.#connections.delete(socket)
    this.#unauthenticated.delete(socket)
  }

  #receive(exchange: Exchange): void {
    const { socket } = exchange.request
    const connection = this.#connections.get(socket)
    // Requests that were already buffered arrive even after their connection was closed. Call `destroy` without an
    // error, so that node:http builds no stack trace.
    if (connection === undefined) exchange.request.destroy()
    else if (!connection.isAnswering) this.#begin(connection, exchange)
    else if (connection.waiting.length < this.limits.pipelined) connection.waiting.push(exchange)
    else {
      socket.destroy()
      this.#forget(socket)
    }
  }

  #begin(connection: Connection, { request, response }: Exchange): void {
    connection.isAnswering = true
    response.sendDate = false
    if (this.#isClosing) response.shouldKeepAlive = false
    response.on('error', () => undefined)
    response.once('close', () => {
      connection.isAnswering = false
      if (this.#isClosing) request.socket.destroySoon()
      const nextExchange = connection.waiting.shift()
      if (nextExchange !== undefined && !request.socket.destroyed && !this.#isClosing)
        this.#begin(connection, nextExchange)
    })
    this.serve(request, response)
  }

  #checkUnread(): void {
    const nowMs = performance.now()
    for (const [socket, connection] of this.#connections) {
      const sentBytes = socket.bytesWritten - socket.writableLength
      if (socket.writableLength === 0 || sentBytes !== connection.taken) {
        connection.taken = sentBytes
        connection.readAtMs = nowMs
      } else if (nowMs - connection.readAtMs >= this.limits.unreadMs) socket.destroy()
    }
  }
}

/** Sends `100 Continue` when reading the body starts. */
function sendContinueOnRead({ request, response }: Exchange): void {
  const { shouldKeepAlive } = response
  // If `100 Continue` was not sent, close the connection after the response, because the next bytes of the client may
  // be the body or a new request.
  response.shouldKeepAlive = false
  request.once('resume', () => {
    if (response.headersSent) return
    response.shouldKeepAlive = shouldKeepAlive
    response.writeContinue()
  })
}
