import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Exchange } from './listener'

/** Writes a response body. A fault may truncate it. */
export interface ResponseWriter {
  readonly json: (status: number, body: unknown, headers?: Headers) => void
  readonly empty: (status: number) => void
  /** Starts a streamed response. */
  readonly begin: (contentType: string) => void
  /** Writes a piece and waits for backpressure. Returns false if the rest is not needed. */
  readonly write: (text: string) => Promise<boolean>
  readonly end: (text: string) => void
  readonly isCut: () => boolean
}

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

/** Keeps text bodies as strings, so Node sends the headers and body in one write. */
class HttpResponseWriter implements ResponseWriter {
  readonly #exchange: Exchange
  readonly #response: ServerResponse
  readonly #options: ResponseWriterOptions
  readonly #headers: Headers
  #bytesLeft: number
  #isCut = false

  constructor(exchange: Exchange, options: ResponseWriterOptions) {
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
    this.#last(text, endInNextBatch)
  }

  empty(status: number): void {
    this.#head(status, noHeaders)
    this.#options.beforeLast?.()
    this.#response.end()
  }

  begin(contentType: string): void {
    this.#head(200, ['content-type', contentType, 'cache-control', 'no-cache, no-transform'])
    this.#response.flushHeaders()
  }

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
    this.#last(this.#worded(text), (response, wordedText) => response.end(wordedText))
  }

  #worded(text: string): string {
    return this.#options.isMalformed ? toMalformedJson(text) : text
  }

  #head(status: number, headers: Headers): void {
    this.#response.writeHead(status, this.#headers.concat(headers))
  }

  #last(text: string, send: (response: ServerResponse, text: string) => void): void {
    const isTooLong = this.#exceeds(text)
    this.#options.beforeLast?.()
    if (isTooLong) this.#cut(text)
    else send(this.#response, text)
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

export const createResponseWriter = (exchange: Exchange, options: ResponseWriterOptions = {}): ResponseWriter =>
  new HttpResponseWriter(exchange, options)

let waitingResponses: { readonly response: ServerResponse; readonly text: string }[] = []

function removeWaiting(): void {
  const remainingResponses = waitingResponses
  waitingResponses = []
  for (const { response, text } of remainingResponses) response.end(text)
}

/**
 * Ends all responses of one event loop turn together. Waking up an idle client costs more than the rest of a small
 * response.
 */
function endInNextBatch(response: ServerResponse, text: string): void {
  if (waitingResponses.push({ response, text }) === 1) setImmediate(removeWaiting)
}
