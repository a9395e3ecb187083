import type { Socket } from 'node:net'
import { HttpRequest, type RequestSource } from './http-request'
import { HttpResponse, keptSeconds, type ResponseLine } from './http-response'
import { headerOf } from './request-being-read'
import { type Parsed, type RequestLine, RequestParser } from './request-parser'

/** Answers a request. Whoever wants its body reads it before this returns. */
export type Serve = (request: HttpRequest, response: HttpResponse) => void

/** How long a client may take, in ms. */
export interface ConnectionLimits {
  /** Until a request's head is complete. */
  readonly headMs: number
  /** Until a request is complete. */
  readonly requestMs: number
  /** Without a byte in either direction. */
  readonly silentMs: number
}

interface ConnectionOptions {
  readonly socket: Socket
  readonly limits: ConnectionLimits
  readonly serve: Serve
  /** Whether no other request is wanted. */
  readonly isClosing: () => boolean
}

/** How much of what stands behind a request is taken while that one is being answered. */
const mostWaiting = 64 * 1024

/** One connection of a client: takes its requests one after the other, and each only when the one before is answered. */
export class Connection implements RequestSource, ResponseLine {
  readonly #options: ConnectionOptions
  readonly #parser = new RequestParser()
  /** The request that is being read. */
  #request: HttpRequest | undefined
  /** The response that is due. */
  #response: HttpResponse | undefined
  #mayGoOn = true
  #awaitsWord = false
  #isReading = false
  #waiting: Buffer | undefined
  /** Since when a request is being read. */
  #startedMs: number | undefined
  #activeMs = Date.now()

  constructor(options: ConnectionOptions) {
    this.#options = options
    const { socket } = options
    socket.on('data', (bytes: Buffer) => this.#receive(bytes))
    socket.on('drain', () => this.#response?.drain())
    socket.on('error', () => socket.destroy())
    // Whoever ends its side has left, unless all is said: then that still goes out.
    socket.on('end', () => (this.#response?.isEnded === false ? socket.destroy() : socket.destroySoon()))
    socket.on('close', () => this.#leave())
  }

  pause(): void {
    this.#options.socket.pause()
  }

  resume(): void {
    this.#options.socket.resume()
  }

  askForBody(): void {
    if (!this.#awaitsWord) return
    this.#awaitsWord = false
    this.write(continueLine)
  }

  write(bytes: Buffer): boolean {
    this.#activeMs = Date.now()
    return this.#options.socket.write(bytes)
  }

  isKept(): boolean {
    // A client that was never told to go on may send its body or another request: nobody could say which.
    return this.#mayGoOn && !this.#awaitsWord && !this.#options.isClosing()
  }

  end(isKept: boolean): void {
    this.#mayGoOn = isKept
    if (this.#request === undefined) {
      this.#goOn()
      return
    }
    // What is still to come is read all the same: a connection closed before that would take the response with it.
    if (!isKept) this.#options.socket.end()
    this.#request.drop()
  }

  cut(how: 'close' | 'reset'): void {
    if (how === 'reset') this.#options.socket.resetAndDestroy()
    else this.#options.socket.destroySoon()
  }

  /** Ends it when nothing is under way on it. */
  endIdle(): void {
    if (this.#startedMs === undefined && this.#response === undefined) this.#options.socket.destroySoon()
  }

  destroy(): void {
    this.#options.socket.destroy()
  }

  /** Ends what takes too long. */
  check(nowMs: number): void {
    const { limits, socket } = this.#options
    const silentMs = nowMs - this.#activeMs
    if (this.#startedMs !== undefined) {
      const mostMs = this.#response === undefined ? limits.headMs : limits.requestMs
      if (nowMs - this.#startedMs > mostMs) this.#fail('408 Request Timeout')
    } else if (this.#response === undefined && silentMs > keptSeconds * 1000) socket.destroySoon()
    if (silentMs > limits.silentMs) socket.destroy()
  }

  #receive(bytes: Buffer): void {
    this.#activeMs = Date.now()
    if (this.#mayGoOn || this.#request !== undefined) this.#read(bytes)
  }

  #read(bytes: Buffer): void {
    this.#isReading = true
    let next: Buffer | undefined = bytes
    while (next !== undefined && !this.#options.socket.destroyed) {
      if (this.#isAnswering()) {
        this.#wait(next)
        break
      }
      const parsed = this.#parser.read(next)
      if (parsed.isWithin) this.#startedMs ??= this.#activeMs
      this.#deliver(parsed)
      next = this.#mayGoOn ? parsed.rest : undefined
    }
    this.#isReading = false
  }

  #isAnswering(): boolean {
    return this.#response !== undefined && this.#request === undefined
  }

  #wait(bytes: Buffer): void {
    this.#waiting = this.#waiting === undefined ? bytes : Buffer.concat([this.#waiting, bytes])
    if (this.#waiting.length > mostWaiting) this.pause()
  }

  #deliver({ head, body, isComplete, failure }: Parsed): void {
    if (head !== undefined) this.#begin(head, isComplete)
    for (const chunk of body) this.#request?.add(chunk)
    if (failure !== undefined) this.#fail(failureLines[failure])
    else if (isComplete) this.#complete()
  }

  #begin(line: RequestLine, isComplete: boolean): void {
    this.#mayGoOn = line.isKept && !line.isUpgrade
    this.#awaitsWord = !isComplete && !line.isHttp10 && awaitsWord(line.rawHeaders)
    const request = new HttpRequest(line, this)
    const response = new HttpResponse(this, line)
    this.#request = request
    this.#response = response
    this.#options.serve(request, response)
  }

  #complete(): void {
    const request = this.#request
    this.#request = undefined
    this.#startedMs = undefined
    this.#awaitsWord = false
    this.resume()
    request?.end('complete')
    if (this.#response?.isEnded) this.#goOn()
  }

  /** The response is complete, and its request as well. */
  #goOn(): void {
    this.#response = undefined
    if (!this.#mayGoOn || this.#options.isClosing()) {
      this.#options.socket.destroySoon()
      return
    }
    const waiting = this.#waiting
    if (waiting === undefined || this.#isReading) return
    this.#waiting = undefined
    this.resume()
    this.#read(waiting)
  }

  /** Nothing that follows could be understood. */
  #fail(status: string): void {
    const { socket } = this.#options
    this.#mayGoOn = false
    const mayBeTold = this.#response?.isHeadSent !== true && !socket.writableEnded
    if (mayBeTold) socket.write(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    socket.destroySoon()
  }

  #leave(): void {
    this.#request?.end('left')
    this.#request = undefined
    this.#response?.leave()
    this.#response = undefined
    this.#parser.close()
  }
}

const failureLines = { malformed: '400 Bad Request', tooLong: '431 Request Header Fields Too Large' }

const continueLine = Buffer.from('HTTP/1.1 100 Continue\r\n\r\n')

const awaitsWord = (rawHeaders: readonly string[]): boolean =>
  headerOf(rawHeaders, 'expect')?.toLowerCase() === '100-continue'
