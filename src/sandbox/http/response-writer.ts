import { once } from 'node:events'
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Fault } from '../faults'
import { type Exchange, HttpError } from './listener'

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
