import { createServer, type Server } from 'node:net'
import { Connection, type ConnectionLimits, type Serve } from './connection'

/** What a server takes at most. */
export interface ServerLimits extends ConnectionLimits {
  readonly connections: number
}

/** A server for HTTP/1.1 on 127.0.0.1: connections are sockets, and what they say is read by llhttp. */
export class HttpServer {
  readonly #server: Server
  readonly #connections = new Set<Connection>()
  readonly #checkEveryMs: number
  #check: NodeJS.Timeout | undefined
  #isClosing = false

  constructor(limits: ServerLimits, serve: Serve) {
    const isClosing = () => this.#isClosing
    this.#server = createServer({ noDelay: true }, (socket) => {
      const connection = new Connection({ socket, limits, serve, isClosing })
      this.#connections.add(connection)
      socket.once('close', () => this.#connections.delete(connection))
    })
    this.#server.maxConnections = limits.connections
    this.#checkEveryMs = Math.min(5_000, limits.headMs)
  }

  /** The port that it listens on, a free one for 0. Rejects with what the system says. */
  listen(port: number): Promise<number> {
    const server = this.#server
    return new Promise((resolve, reject) => {
      server.on('error', reject)
      server.listen(port, '127.0.0.1', () => {
        this.#check = setInterval(() => this.#checkAll(), this.#checkEveryMs)
        const address = server.address()
        resolve(typeof address === 'object' && address !== null ? address.port : port)
      })
    })
  }

  /** Takes nothing new, and ends what is under way after `graceMs`, having said so. */
  close(graceMs: number, beforeEnding: () => void): Promise<void> {
    this.#isClosing = true
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        beforeEnding()
        for (const connection of this.#connections) connection.destroy()
      }, graceMs)
      this.#server.close(() => {
        clearTimeout(timer)
        clearInterval(this.#check)
        resolve()
      })
      for (const connection of this.#connections) connection.endIdle()
    })
  }

  #checkAll(): void {
    const nowMs = Date.now()
    for (const connection of this.#connections) connection.check(nowMs)
  }
}
