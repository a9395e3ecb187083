import type { ServerResponse } from 'node:http'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { Dispatcher } from 'undici'
import { AnswerSampler, type FinishedAttempt } from './attempt-recorder'
import type { Body } from './buffered-body'
import type { ResponseText } from './error-responses'
import { type AnswerHead, readAnswerHead, withoutHeaders } from './headers'
import { UsageEventRemoval } from './read-answer'
import type { AnswerTranslation, Translated } from './responses/translation'
import type { Upstream } from './routing-table'
import { type Target, translatedHead } from './target'

/** One try with one upstream: what it answers for. */
interface AttemptOptions {
  readonly target: Target
  readonly upstream: Upstream
  readonly modelCode: string | undefined
  readonly response: ServerResponse
  /** Whether usage was asked for in the tool's place, so that it must not see it. */
  readonly hidesUsage: boolean
  /** Of a request that was translated: the way back for its answer. */
  readonly translated: Translated | undefined
  /** How much of a refusal (4xx) is read before the tool sees any of it; 0 when nothing else could be tried. */
  readonly judgedBytes: number
  readonly body: Body
  /** When it counts as begun; now unless given. */
  readonly at?: number | undefined
  /** Told once, when it is over. */
  readonly onFinished: (finished: FinishedAttempt) => void
  /** Told of a refusal before the tool is; true when another try takes its place. */
  readonly onRefused: (refused: ResponseText) => boolean
  /** Told when no answer came; `wasSent`: a byte of the request may have arrived. Says what kind of failure it was. */
  readonly onNoAnswer: (error: Error, wasSent: boolean) => UsageErrorKind
}

/** Passes one answer on, byte for byte as it comes, and keeps what the ledger needs of it. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly #options: AttemptOptions
  readonly #at: number
  readonly #startedMs = performance.now()
  readonly #sampler = new AnswerSampler()
  #abort: (() => void) | undefined
  #resume: (() => void) | undefined
  #status: number | undefined
  #head: AnswerHead | undefined
  #firstByteMs: number | undefined
  #judged: Buffer[] | undefined
  #judgedBytes = 0
  #change: UsageEventRemoval | AnswerTranslation | undefined
  #isOver = false

  constructor(options: AttemptOptions) {
    this.#options = options
    this.#at = options.at ?? Date.now()
  }

  /** Ends the exchange with the gateway at once. */
  end(error: UsageErrorKind): void {
    if (this.#isOver) return
    this.#finish(error)
    this.#abort?.()
  }

  onConnect(abort: () => void): void {
    this.#abort = abort
    if (this.#isOver) abort()
  }

  onHeaders(status: number, raw: Buffer[], resume: () => void): boolean {
    if (status < 200) return true
    this.#status = status
    this.#head = readAnswerHead(raw)
    this.#resume = resume
    const isJudged = this.#options.judgedBytes > 0 && status >= 400 && status < 500
    if (isJudged) this.#judged = []
    else this.#begin(this.#head)
    return true
  }

  onData(chunk: Buffer): boolean {
    this.#firstByteMs ??= performance.now() - this.#startedMs
    if (this.#head?.isPacked === false) this.#sampler.add(chunk)
    if (this.#judged === undefined) return this.#pass(chunk)
    this.#judged.push(chunk)
    this.#judgedBytes += chunk.length
    return this.#judgedBytes <= this.#options.judgedBytes || this.#passJudged()
  }

  onComplete(): void {
    if (this.#isOver) return
    if (this.#judged !== undefined) {
      const refused = this.#refused(Buffer.concat(this.#judged))
      if (this.#options.onRefused(refused)) {
        this.#finish()
        return
      }
      this.#passJudged()
    }
    const { response } = this.#options
    // An answer in one piece has ended already.
    if (!response.writableEnded) response.end(this.#change?.rest())
    this.#finish()
  }

  onError(error: Error): void {
    if (this.#isOver) return
    const { response } = this.#options
    if (response.headersSent) {
      this.#finish('cut')
      cut(response)
    } else {
      this.#finish(this.#options.onNoAnswer(error, this.#abort !== undefined))
    }
  }

  #begin(head: AnswerHead): void {
    const { response, hidesUsage, translated } = this.#options
    const status = this.#status ?? 502
    const translation = status < 300 ? translated?.answer(head.isEventStream) : undefined
    this.#change = translation
    if (hidesUsage && head.isEventStream && !head.isPacked) this.#change = new UsageEventRemoval()
    response.writeHead(status, [...headOf(head, this.#change, translation?.contentType)])
    if (head.isEventStream) response.flushHeaders()
  }

  #pass(chunk: Buffer): boolean {
    const { response } = this.#options
    const bytes = this.#change === undefined ? chunk : this.#change.push(chunk)
    if (bytes.length === 0) return true
    // An answer in one piece leaves with its head.
    if (this.#change === undefined && bytes.length === this.#head?.contentLength) {
      response.end(bytes)
      return true
    }
    if (response.write(bytes)) return true
    response.once('drain', () => this.#resume?.())
    return false
  }

  #passJudged(): boolean {
    const bytes = Buffer.concat(this.#judged ?? [])
    this.#judged = undefined
    if (this.#head !== undefined) this.#begin(this.#head)
    return this.#pass(bytes)
  }

  #refused(body: Buffer): ResponseText {
    return { status: this.#status ?? 0, body: body.toString(), standard: this.#options.target.route.standard }
  }

  #finish(error?: UsageErrorKind): void {
    this.#isOver = true
    const { target, upstream, modelCode, body, onFinished } = this.#options
    const facts = {
      target,
      upstream,
      modelCode,
      at: this.#at,
      durationMs: performance.now() - this.#startedMs,
      firstByteMs: this.#firstByteMs,
      status: this.#status,
      isEventStream: this.#head?.isEventStream ?? false,
      error,
    }
    onFinished({ facts, sampler: this.#sampler, body })
  }
}

/** What was written still goes out, and then no clean end. Only a reset says so to a client of HTTP/1.0. */
function cut({ socket, req }: ServerResponse): void {
  if (req.httpVersion === '1.0') socket?.resetAndDestroy()
  else socket?.destroySoon()
}

/** A length that was named is not that of what is changed on its way. */
function headOf(head: AnswerHead, change: object | undefined, contentType: string | undefined): readonly string[] {
  if (contentType !== undefined) return translatedHead(head, contentType)
  return change === undefined || head.contentLength === undefined
    ? head.forwarded
    : withoutHeaders(head.forwarded, ofLength)
}

const ofLength = new Set(['content-length'])
