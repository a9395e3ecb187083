import { once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Fault } from '../faults'
import { type Exchange, HttpError } from './listener'

interface ResponseWriterOptions {
  readonly fault?: Fault | undefined
  /** Called just before the last bytes are sent. */
  readonly beforeLast?: () => void
}

/** Breaks the JSON of a whole response or of event data. */
const toMalformedJson = (text: string): string => text.replaceAll('":', '"=')

/** Writes a response body. A fault may truncate it. */
export class ResponseWriter {
  readonly #exchange: Exchange
  readonly #response: ServerResponse
  readonly #options: ResponseWriterOptions
  #bytesLeft: number
  #isCut = false

  constructor(exchange: Exchange, options: ResponseWriterOptions = {}) {
    this.#exchange = exchange
    this.#response = exchange.response
    this.#options = options
    this.#bytesLeft = options.fault?.cutAfterBytes ?? Number.POSITIVE_INFINITY
  }

  isCut(): boolean {
    return this.#isCut
  }

  json(status: number, body: unknown, headers: OutgoingHttpHeaders = {}): void {
    const text = this.#worded(JSON.stringify(body))
    const size = Buffer.byteLength(text)
    const jsonHeaders = { 'content-type': 'application/json; charset=utf-8', 'content-length': size }
    this.#response.writeHead(status, { ...jsonHeaders, ...headers })
    this.#last(text)
  }

  /** Sends an error in the format of a service, unless a response has begun. Other errors than `HttpError` are a 500. */
  error(error: unknown, format: (error: HttpError) => unknown): void {
    if (this.#response.destroyed || this.#response.headersSent) return
    const message = 'Unexpected error in the sandbox. Restart it and report this.'
    const httpError = error instanceof HttpError ? error : new HttpError({ status: 500, code: 'unexpected', message })
    this.json(httpError.status, format(httpError), httpError.headers)
  }

  empty(status: number): void {
    this.#response.writeHead(status)
    this.#options.beforeLast?.()
    this.#response.end()
  }

  /** Starts a streamed response. */
  begin(contentType: string): void {
    this.#response.writeHead(200, { 'content-type': contentType, 'cache-control': 'no-cache, no-transform' })
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
    return this.#options.fault?.isMalformed ? toMalformedJson(text) : text
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
