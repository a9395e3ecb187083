import type { Duplex } from 'node:stream'
import pg from 'pg'

/** Also limits unrequested data. A full register (100,000 keys) takes about half of it. */
const maxResponseBytes = 32 * 1024 * 1024
/** Maximum number of messages per response. Nearly all are rows of a full register, and pg keeps an object for each. */
const maxMessages = 101_000
/** Timeout for one statement in ms. The server's own timeout is shorter, so that normally the server reports it. */
const statementTimeoutMs = 15_000

declare module 'pg' {
  interface Connection {
    attachListeners(stream: Duplex): void
  }
}

/** A violated protocol or limit. `reason` continues a sentence about the database, without server text. */
export class DatabaseProtocolError extends Error {
  constructor(readonly reason: string) {
    super(reason)
  }
}

/** Destroyed when the server exceeds a limit or sends data that pg cannot parse, which pg would throw uncaught. */
class BoundedConnection extends pg.Connection {
  #bytes = 0
  #messages = 0
  #deadline: NodeJS.Timeout | undefined

  constructor(config: pg.ConnectionConfig) {
    super(config)
    this.on('message', () => {
      this.#messages += 1
      if (this.#messages > maxMessages) throw new DatabaseProtocolError(`sent more than ${maxMessages} messages`)
    })
    for (const event of ['readyForQuery', 'end']) this.on(event, () => clearTimeout(this.#deadline))
  }

  override query(text: string): void {
    this.#start()
    super.query(text)
  }

  override parse(...input: Parameters<pg.Connection['parse']>): void {
    this.#start()
    super.parse(...input)
  }

  override attachListeners(stream: Duplex): void {
    const emit = stream.emit.bind(stream)
    stream.emit = (event: string | symbol, ...values: unknown[]): boolean => {
      if (event !== 'data') return emit(event, ...values)
      // Ignore buffered data that a destroyed stream still delivers.
      if (stream.destroyed) return false
      try {
        this.#bytes += Buffer.isBuffer(values[0]) ? values[0].length : 0
        if (this.#bytes > maxResponseBytes) throw new DatabaseProtocolError('sent more than 32 MB')
        return emit(event, ...values)
      } catch (error) {
        const isLimit = error instanceof DatabaseProtocolError
        stream.destroy(isLimit ? error : new DatabaseProtocolError('asks for something that this app does not support'))
        return false
      }
    }
    super.attachListeners(stream)
  }

  #start(): void {
    this.#bytes = 0
    this.#messages = 0
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(
      () => this.stream.destroy(new DatabaseProtocolError(`did not answer within ${statementTimeoutMs / 1000} s`)),
      statementTimeoutMs,
    )
    this.#deadline.unref()
  }
}

export class BoundedClient extends pg.Client {
  readonly #connection: BoundedConnection

  constructor(config: pg.ClientConfig) {
    const connection = new BoundedConnection({ ssl: config.ssl, keepAlive: true })
    super({ ...config, connection } as pg.ClientConfig)
    this.#connection = connection
  }

  /** Closes the connection without waiting for the server. */
  destroy(): void {
    this.#connection.stream.destroy()
  }
}
