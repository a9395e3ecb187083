import { STATUS_CODES } from 'node:http'
import { headerOf } from './request-being-read'

/** What a response needs of its connection. */
export interface ResponseLine {
  /** False when the client reads slower than this is written. */
  write(bytes: Buffer): boolean
  /** Whether another request may follow. */
  isKept(): boolean
  /** The response is complete. */
  end(isKept: boolean): void
  /** Ends the connection without a clean end of the response. */
  cut(how: 'close' | 'reset'): void
}

/** How the request was asked that this is the response to. */
export interface Asked {
  readonly method: string
  readonly isHttp10: boolean
}

/** The response to one request: its head leaves with the first bytes of its body. Behind its end it does nothing. */
export class HttpResponse {
  readonly #line: ResponseLine
  readonly #asked: Asked
  #head = ''
  #hasBody = true
  #isChunked = false
  #isKept = false
  #isHeadSent = false
  #isEnded = false
  #onDrain: (() => void) | undefined
  #onClose: ((isComplete: boolean) => void) | undefined

  constructor(line: ResponseLine, asked: Asked) {
    this.#line = line
    this.#asked = asked
  }

  /** Whether anything of it has left. */
  get isHeadSent(): boolean {
    return this.#isHeadSent
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Headers are names and values in turn; those of the connection are put in here. */
  writeHead(status: number, headers: readonly string[]): void {
    const { method, isHttp10 } = this.#asked
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n`
    for (let i = 0; i + 1 < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
    const hasLength = headerOf(headers, 'content-length') !== undefined
    this.#hasBody = method !== 'HEAD' && status !== 204 && status !== 304
    this.#isChunked = this.#hasBody && !hasLength && !isHttp10
    this.#isKept = this.#line.isKept() && (hasLength || this.#isChunked || !this.#hasBody)
    if (this.#isChunked) head += 'transfer-encoding: chunked\r\n'
    this.#head = head + (this.#isKept ? keptLines : closedLines)
  }

  /** The head leaves before there is any body. */
  flushHead(): void {
    if (this.#head !== '' && !this.#isEnded) this.#send('', nothing, '')
  }

  /** False when the client reads slower than this is written. */
  write(bytes: Buffer): boolean {
    // What comes behind the end would be read as part of the next response.
    if (this.#isEnded || !this.#hasBody || bytes.length === 0) return true
    return this.#isChunked ? this.#send(sizeOf(bytes), bytes, '\r\n') : this.#send('', bytes, '')
  }

  /** Nothing may follow. */
  end(bytes: Buffer = nothing): void {
    if (this.#isEnded) return
    this.#isEnded = true
    const last = this.#hasBody ? bytes : nothing
    if (!this.#isChunked) this.#send('', last, '')
    else if (last.length === 0) this.#send('', last, lastChunk)
    else this.#send(sizeOf(last), last, `\r\n${lastChunk}`)
    this.#line.end(this.#isKept)
    this.#close(true)
  }

  /** What was written still goes out, and then no clean end. Only a reset says so to a client of HTTP/1.0. */
  cut(): void {
    if (!this.#isEnded) this.#line.cut(this.#asked.isHttp10 ? 'reset' : 'close')
  }

  /** Called once, when there is room again. */
  onceDrained(then: () => void): void {
    this.#onDrain = then
  }

  /** Called once, when it is complete or the client is gone. */
  onceClosed(then: (isComplete: boolean) => void): void {
    this.#onClose = then
  }

  /** For the connection alone. */
  drain(): void {
    const then = this.#onDrain
    this.#onDrain = undefined
    then?.()
  }

  /** For the connection alone: the client is gone. */
  leave(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#close(false)
  }

  #close(isComplete: boolean): void {
    const then = this.#onClose
    this.#onClose = undefined
    this.#onDrain = undefined
    then?.(isComplete)
  }

  /** In one piece: for the system, and for a client that waits, two are twice the work. */
  #send(before: string, bytes: Buffer, after: string): boolean {
    const start = this.#head + before
    this.#head = ''
    this.#isHeadSent = true
    const length = start.length + bytes.length + after.length
    if (length === 0) return true
    return this.#line.write(length === bytes.length ? bytes : joined(start, bytes, after))
  }
}

const nothing: Buffer = Buffer.alloc(0)
const lastChunk = '0\r\n\r\n'
/** How long an idle connection is kept, in seconds: longer than clients do, so that none ends under a new request. */
export const keptSeconds = 65
const keptLines = `connection: keep-alive\r\nkeep-alive: timeout=${keptSeconds}\r\n\r\n`
const closedLines = 'connection: close\r\n\r\n'

const sizeOf = (bytes: Buffer): string => `${bytes.length.toString(16)}\r\n`

function joined(before: string, bytes: Buffer, after: string): Buffer {
  const all = Buffer.allocUnsafe(before.length + bytes.length + after.length)
  all.write(before, 'latin1')
  bytes.copy(all, before.length)
  if (after !== '') all.write(after, before.length + bytes.length, 'latin1')
  return all
}
