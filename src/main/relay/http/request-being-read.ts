import { answers, type Findings } from './llhttp'

/** A request's head as it was written. */
export interface RequestHead {
  readonly url: string
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
  /** Whether the connection may go on behind it. */
  readonly isKept: boolean
  /** Asks for another protocol: what follows is not HTTP. */
  readonly isUpgrade: boolean
}

/** What was found in some bytes. */
interface Found {
  readonly head: RequestHead | undefined
  readonly body: readonly Buffer[]
  readonly isComplete: boolean
  /** Part of a request was read, and not its end. */
  readonly isWithin: boolean
  readonly isTooLong: boolean
}

/** Names, values and address together; also what stands between two pieces of a body. */
const longestHead = 16 * 1024
const usualHead = 2 * 1024
const nothing: Buffer = Buffer.alloc(0)

/** The value of a header, by its name in small letters. */
export function headerOf(rawHeaders: readonly string[], name: string): string | undefined {
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const written = rawHeaders[i]
    if (written?.length === name.length && written.toLowerCase() === name) return rawHeaders[i + 1]
  }
  return undefined
}

/**
 * What was found of a request. A name or value may come in two parts, where one piece ended and the next began. For llhttp
 * a body of a known length does not exist: it is counted here, so that its bytes need not be copied to be looked at.
 */
export class RequestBeingRead implements Findings {
  #body: Buffer[] = []
  #isComplete = false
  #isWithin = false
  #isPaused = false
  #piece: Buffer = nothing
  #beginning: string | undefined
  #head: RequestHead | undefined
  #url = ''
  #rawHeaders: string[] = []
  #isInName = false
  #isBehindHead = false
  #headBytes = 0
  #bodyLeft = 0
  #silentBytes = 0

  /** Whether it is llhttp that has to read on. */
  isOfLlhttp(): boolean {
    return !this.#isComplete && this.#bodyLeft === 0
  }

  takePause(): boolean {
    const isPaused = this.#isPaused
    this.#isPaused = false
    return isPaused
  }

  take(piece: Buffer): void {
    this.#piece = piece
    this.#beginning = undefined
    this.#silentBytes += piece.length
  }

  /** What was found since this was last asked; nothing of it is kept here. */
  takeFound(): Found {
    if (!this.#isBehindHead || this.#body.length > 0 || this.#isComplete) this.#silentBytes = 0
    const isTooLong = this.#headBytes > longestHead || this.#silentBytes > longestHead
    const isComplete = this.#isComplete
    this.#isWithin &&= !isComplete
    const found = { head: this.#head, body: this.#body, isComplete, isWithin: this.#isWithin, isTooLong }
    this.#head = undefined
    this.#body = []
    this.#isComplete = false
    this.take(nothing)
    return found
  }

  /** Takes what from here on is of a body of known length; how many bytes these were. */
  count(bytes: Buffer, start: number): number {
    const count = Math.min(this.#bodyLeft, bytes.length - start)
    if (count === 0) return 0
    this.#body.push(count === bytes.length ? bytes : bytes.subarray(start, start + count))
    this.#bodyLeft -= count
    this.#isComplete = this.#bodyLeft === 0
    return count
  }

  onBegin(): number {
    this.#isWithin = true
    this.#url = ''
    this.#rawHeaders = []
    this.#isInName = false
    this.#isBehindHead = false
    this.#headBytes = 0
    return 0
  }

  onUrl(start: number, end: number): number {
    // Not a part of the text of the head: it may be kept, and the head with its credentials would be as well.
    this.#url += this.#piece.toString('latin1', start, end)
    return this.#count(end - start)
  }

  onHeaderName(start: number, end: number): number {
    if (!this.#isBehindHead) {
      if (this.#isInName) this.#append(start, end)
      else this.#rawHeaders.push(this.#text(start, end))
      this.#isInName = true
    }
    return this.#count(end - start)
  }

  onHeaderValue(start: number, end: number): number {
    if (!this.#isBehindHead) {
      if (this.#isInName) this.#rawHeaders.push(this.#text(start, end))
      else this.#append(start, end)
      this.#isInName = false
    }
    return this.#count(end - start)
  }

  onHead(isUpgrade: boolean, isKept: boolean): number {
    this.#head = { url: this.#url, rawHeaders: withoutSpaceBehind(this.#rawHeaders), isKept, isUpgrade }
    this.#isBehindHead = true
    this.#isComplete = isUpgrade
    if (isUpgrade) return answers.pause
    // llhttp has seen to it that there is one length, in digits, and no coding beside it.
    this.#bodyLeft = Number(headerOf(this.#rawHeaders, 'content-length') ?? 0)
    return this.#bodyLeft > 0 ? answers.withoutBody : 0
  }

  onBody(start: number, end: number): number {
    this.#body.push(this.#piece.subarray(start, end))
    return 0
  }

  onEnd(): number {
    this.#isComplete = this.#bodyLeft === 0
    this.#isPaused = true
    return answers.pause
  }

  /** Trailers count as well; nobody reads them. */
  #count(bytes: number): number {
    this.#headBytes += bytes
    return this.#headBytes > longestHead ? answers.fail : 0
  }

  #append(start: number, end: number): void {
    this.#rawHeaders[this.#rawHeaders.length - 1] += this.#text(start, end)
  }

  /** Heads are short: most of them are made text once, and not header by header. */
  #text(start: number, end: number): string {
    if (end > usualHead) return this.#piece.toString('latin1', start, end)
    this.#beginning ??= this.#piece.toString('latin1', 0, usualHead)
    return this.#beginning.slice(start, end)
  }
}

/** llhttp leaves out the space before a value alone. */
function withoutSpaceBehind(rawHeaders: string[]): string[] {
  for (let i = 1; i < rawHeaders.length; i += 2) {
    const value = rawHeaders[i] ?? ''
    let end = value.length
    while (value[end - 1] === ' ' || value[end - 1] === '\t') end -= 1
    if (end < value.length) rawHeaders[i] = value.slice(0, end)
  }
  return rawHeaders
}
