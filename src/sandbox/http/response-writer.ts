import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Exchange } from './listener'

/** Alternating header names and values. */
type Headers = readonly string[]

interface ResponseWriterOptions {
  /** Headers of every response. */
  readonly headers?: Headers
  /** Truncates the body after this many bytes and closes the connection. */
  readonly cutAfterBytes?: number | undefined
  /** Whether the response contains invalid JSON, caused by a fault. */
  readonly isMalformed?: boolean | undefined
  /** Called just before the last bytes are sent. */
  readonly beforeLast?: () => void
}

const noHeaders: Headers = []

/** Breaks the JSON of a whole response or of event data. */
const toMalformedJson = (text: string): string => text.replaceAll('":', '"=')

/** Writes a response body. A fault may truncate it. */
export class ResponseWriter {
  readonly #exchange: Exchange
  readonly #response: ServerResponse
  readonly #options: ResponseWriterOptions
  readonly #headers: Headers
  #bytesLeft: number
  #isCut = false

  constructor(exchange: Exchange, options: ResponseWriterOptions = {}) {
    this.#exchange = exchange
    this.#response = exchange.response
    this.#options = options
    this.#headers = options.headers ?? noHeaders
    this.#bytesLeft = options.cutAfterBytes ?? Number.POSITIVE_INFINITY
  }

  isCut(): boolean {
    return this.#isCut
  }

  json(status: number, body: unknown, headers = noHeaders): void {
    const text = this.#worded(JSON.stringify(body))
    const size = String(Buffer.byteLength(text))
    this.#head(status, ['content-type', 'application/json; charset=utf-8', 'content-length', size, ...headers])
    this.#last(text)
  }

  empty(status: number): void {
    this.#head(status, noHeaders)
    this.#options.beforeLast?.()
    this.#response.end()
  }

  /** Starts a streamed response. */
  begin(contentType: string): void {
    this.#head(200, ['content-type', contentType, 'cache-control', 'no-cache, no-transform'])
    this.#response.flushHeaders()
  }

  /** Writes a piece and waits for backpressure. Returns false if the rest is not needed. */
  async write(text: string): Promise<boolean> {
    const reformattedBody = this.#worded(text)
    const response = this.#response
    if (this.#isCut || response.destroyed) return false
    if (this.#exceeds(reformattedBody)) {
      this.#cut(reformattedBody)
      return false
    }
    if (!response.write(reformattedBody))
      await once(response, 'drain', { signal: this.#exchange.signal }).catch(() => undefined)
    return !response.destroyed
  }

  end(text: string): void {
    this.#last(this.#worded(text))
  }

  #worded(text: string): string {
    return this.#options.isMalformed ? toMalformedJson(text) : text
  }

  #head(status: number, headers: Headers): void {
    this.#response.writeHead(status, this.#headers.concat(headers))
  }

  #last(text: string): void {
    const isTooLong = this.#exceeds(text)
    this.#options.beforeLast?.()
    if (isTooLong) this.#cut(text)
    else this.#response.end(text)
  }

  #exceeds(text: string): boolean {
    if (this.#isCut || this.#bytesLeft === Number.POSITIVE_INFINITY) return this.#isCut
    const size = Buffer.byteLength(text)
    this.#isCut = size > this.#bytesLeft
    if (!this.#isCut) this.#bytesLeft -= size
    return this.#isCut
  }

  #cut(text: string): void {
    this.#response.write(Buffer.from(text).subarray(0, this.#bytesLeft), () => this.#response.socket?.destroySoon())
  }
}
