import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

/** One request and its answer, with what every handler needs from the raw pair. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly query: URLSearchParams
  /** Aborted when the connection is gone or the answer is complete. */
  readonly signal: AbortSignal
}

/** Answers an exchange; it must not reject. */
export type Handler = (exchange: Exchange) => Promise<void>

/** A server on the loopback address. */
export interface Listener {
  readonly url: string
  /** Ends every connection, also those with an answer under way. */
  readonly close: () => Promise<void>
}

/** The port to listen on belongs to somebody else. */
export class PortInUse extends Error {
  readonly port: number

  constructor(port: number) {
    super(`Port ${port} is in use.`)
    this.name = 'PortInUse'
    this.port = port
  }
}

function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const [path = '/', ...query] = (request.url ?? '/').split('?')
  const closed = new AbortController()
  response.once('close', () => closed.abort('closed'))
  return {
    request,
    response,
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(query.join('?')),
    signal: closed.signal,
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

/** Listens on 127.0.0.1; port 0 takes a free one. Rejects with `PortInUse`. */
export function listen(port: number, handle: Handler): Promise<Listener> {
  const server = createServer((request, response) => void handle(exchangeOf(request, response)))
  // Longer than clients keep idle connections, so that none is closed under a request that is just being sent.
  server.keepAliveTimeout = 65_000
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortInUse(port) : error)
    })
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      const actualPort = typeof address === 'object' && address ? address.port : port
      resolve({ url: `http://127.0.0.1:${actualPort}`, close: () => close(server) })
    })
  })
}
