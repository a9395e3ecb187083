import { METHODS } from 'undici/lib/llhttp/constants.js'
import { Llhttp, pieceBytes } from './llhttp'
import { RequestBeingRead, type RequestHead } from './request-being-read'

/** A request's head, with what its first line says. */
export interface RequestLine extends RequestHead {
  readonly method: string
  readonly isHttp10: boolean
}

/** What a piece of a connection brought. */
export interface Parsed {
  readonly head: RequestLine | undefined
  readonly body: readonly Buffer[]
  /** The request ended. */
  readonly isComplete: boolean
  /** Part of a request was read, and not its end: empty lines before one are none of it. */
  readonly isWithin: boolean
  /** What stands behind its end. */
  readonly rest: Buffer | undefined
  /** Nothing more can be read: no HTTP, or a head that is too long. */
  readonly failure: 'malformed' | 'tooLong' | undefined
}

const methodNames = new Map(Object.entries(METHODS).map(([name, code]) => [code, name]))

let shared: Llhttp | undefined

/** Reads the requests of one connection, one after the other: it stops at the end of each. */
export class RequestParser {
  readonly #llhttp: Llhttp
  readonly #pointer: number
  readonly #request = new RequestBeingRead()

  constructor() {
    shared ??= new Llhttp()
    this.#llhttp = shared
    this.#pointer = shared.allocate()
  }

  /** Must not be called with what stands behind a request before that one was dealt with. */
  read(bytes: Buffer): Parsed {
    const request = this.#request
    let at = 0
    let isMalformed = false
    while (at < bytes.length && request.isOfLlhttp() && !isMalformed) {
      const count = this.#readPiece(part(bytes, at, at + pieceBytes))
      isMalformed = count === undefined
      at += count ?? 0
    }
    at += request.count(bytes, at)
    const { head: found, body, isComplete, isWithin, isTooLong } = request.takeFound()
    const head = isMalformed || found === undefined ? undefined : this.#lineOf(found)
    if (head === 'unknownVersion') isMalformed = true
    return {
      head: head === 'unknownVersion' ? undefined : head,
      body,
      isComplete,
      isWithin,
      rest: at < bytes.length ? bytes.subarray(at) : undefined,
      failure: isTooLong ? 'tooLong' : isMalformed ? 'malformed' : undefined,
    }
  }

  close(): void {
    this.#llhttp.free(this.#pointer)
  }

  #readPiece(piece: Buffer): number | undefined {
    const request = this.#request
    if (request.takePause()) this.#llhttp.resume(this.#pointer)
    request.take(piece)
    return this.#llhttp.read(this.#pointer, piece, request)
  }

  #lineOf(head: RequestHead): RequestLine | 'unknownVersion' {
    const version = this.#llhttp.version(this.#pointer)
    if (version !== 10 && version !== 11) return 'unknownVersion'
    const { url, rawHeaders, isKept, isUpgrade } = head
    const method = methodNames.get(this.#llhttp.method(this.#pointer)) ?? ''
    return { method, url, rawHeaders, isKept, isUpgrade, isHttp10: version === 10 }
  }
}

/** A view of some bytes costs more than most of what is done with it: all of them need none. */
const part = (bytes: Buffer, start: number, end: number): Buffer =>
  start === 0 && end >= bytes.length ? bytes : bytes.subarray(start, end)
