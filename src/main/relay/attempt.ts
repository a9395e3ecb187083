import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { Dispatcher } from 'undici'
import { explainNetworkError, findLateErrorStatus } from '../gateway/explain'
import type { ResponseDelta, ResponseFacts, ResponseReader } from '../gateway/model-requests'
import { createResponseReader } from '../gateway/response-reader'
import { isHtml, isObject, parseExternalJson } from '../gateway/server-message'
import type { AttemptResult } from './attempt-recorder'
import { concernsKeyOrPlan, errorBody, failureKind, type ResponseText } from './error-responses'
import { type ResponseHead, readResponseHead, withoutHeaders } from './headers'
import type { RelayLimits } from './ports'
import { createDecoders, readCodings } from './request-body'
import type { TranslatedRequest } from './responses/request'
import { ResponseWriter } from './responses/response-writer'
import type { Upstream } from './routing-table'
import { isTextGeneration, type Target } from './target'

interface AttemptOptions {
  readonly target: Target
  readonly upstream: Upstream
  readonly response: ServerResponse
  /** Whether the relay requested usage that the tool must not see. */
  readonly hidesUsage: boolean
  readonly translated: TranslatedRequest | undefined
  /** Whether another upstream or request form can be tried after an error in a response with a status below 300. */
  readonly canTryAgain: boolean
  readonly limits: Pick<RelayLimits, 'refusalBytes' | 'refusalTimeoutMs'>
  /** Called once. */
  readonly onFinished: (finished: AttemptResult) => void
  /** Called with an error response before the tool sees it. Returns true if another attempt replaces it. */
  readonly onRefused: (refused: ResponseText) => boolean
  /** Called when no response arrived. `wasSent`: the gateway may have received a byte. Returns the error kind. */
  readonly onNoAnswer: (error: Error, wasSent: boolean) => UsageErrorKind
}

/** Maximum bytes of a JSON body or stream event that are read for usage. */
const maxBodyBytes = 16 * 1024 * 1024

/** One attempt with one upstream. Streams the response to the tool and reads it for the ledger. */
export class UpstreamAttempt implements Dispatcher.DispatchHandler {
  readonly #startedMs = performance.now()
  #abort: (() => void) | undefined
  #resumeUpstream: (() => void) | undefined
  #status: number | undefined
  #head: ResponseHead | undefined
  #firstByteMs: number | undefined
  #codings: readonly string[] = []
  #isLengthKnown = true
  #decoders: readonly Duplex[] = []
  #reader: ResponseReader | undefined
  /** Start of the response, buffered until no other attempt can replace it. Undefined if nothing is buffered. */
  #held: Buffer[] | undefined
  readonly #heldDeltas: ResponseDelta[] = []
  #refusalTimer: NodeJS.Timeout | undefined
  #refusal: string | undefined
  #retryHeader: readonly string[] = []
  #filter: UsageEventFilter | undefined
  #translation: ResponseWriter | undefined
  #receivedBytes = 0
  #isReplaced = false
  #isOver = false

  constructor(private readonly options: AttemptOptions) {}

  /** Aborts the upstream request. */
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
    const { target, limits, translated, canTryAgain } = this.options
    const head = readResponseHead(raw)
    this.#status = status
    this.#resumeUpstream = resume
    const contentCodings = readCodings(head.encoding)
    this.#codings = contentCodings ?? []
    this.#head = head
    this.#isLengthKnown = this.#codings.length === 0
    const { records, standard, operation } = target.route
    const readsResponse =
      status < 300 && (translated !== undefined || (contentCodings !== undefined && records !== 'failed'))
    const kind = operation === 'text_completion' ? 'completion' : 'chat'
    if (readsResponse) this.#reader = createResponseReader({ standard, kind, maxBytes: maxBodyBytes })
    if (readsResponse && translated !== undefined) this.#translation = new ResponseWriter(translated)
    if (status >= 400) this.#refusalTimer = setTimeout(() => this.#endRefusal(), limits.refusalTimeoutMs)
    if (status >= 400 || (readsResponse && (canTryAgain || translated !== undefined))) this.#held = []
    else this.#begin()
    return true
  }

  onData(chunk: Buffer): boolean {
    this.#firstByteMs ??= performance.now() - this.#startedMs
    if (this.#codings.length === 0) return this.#take(chunk)
    if (this.#decoders.length === 0) this.#startDecoding(chunk[0] ?? 0)
    const [input] = this.#decoders
    if (input === undefined || input.write(chunk)) return true
    input.once('drain', () => this.#resumeUpstream?.())
    return false
  }

  onComplete(): void {
    const [input] = this.#decoders
    if (input === undefined) this.#complete()
    else input.end()
  }

  onError(error: Error): void {
    if (this.#isOver) return
    const { response } = this.options
    // The error response is too long, or its connection broke. Its partial body still contains the gateway's error.
    if (this.#held !== undefined && (this.#status ?? 0) >= 400) this.#endRefusal()
    else if (!response.headersSent) {
      this.#isOver = true
      const kind = this.options.onNoAnswer(error, this.#abort !== undefined)
      this.#isOver = false
      this.#finish(kind)
    } else this.#breakOff(error)
  }

  #startDecoding(firstByte: number): void {
    this.#decoders = createDecoders(this.#codings, firstByte)
    const output = this.#decoders.reduce((stream, decoder) => stream.pipe(decoder))
    output.on('data', (chunk: Buffer) => {
      if (!this.#isOver && !this.#take(chunk)) output.pause()
    })
    output.on('end', () => this.#complete())
    for (const decoder of this.#decoders) {
      decoder.on('error', (error) => {
        this.onError(error)
        this.#abort?.()
      })
    }
    const resume = this.#resumeUpstream
    this.#resumeUpstream = () => {
      output.resume()
      resume?.()
    }
  }

  #take(chunk: Buffer): boolean {
    this.#receivedBytes += chunk.length
    const deltas = this.#reader?.feed(chunk) ?? []
    if (this.#held === undefined) return this.#pass(chunk, deltas)
    this.#held.push(chunk)
    this.#heldDeltas.push(...deltas)
    const { refusalBytes, refusalTimeoutMs } = this.options.limits
    const { events = 0, isEnded, lateError, unknown = '' } = this.#reader?.facts() ?? {}
    const isTooLong = this.#receivedBytes > refusalBytes
    if (isTooLong && !isHtml(unknown)) return this.#release()
    if (isTooLong || (events > 0 && lateError !== undefined)) this.#judge()
    // Forward a stream as soon as it contains output. Buffer a JSON body until it is complete.
    else if (events > 0 && (this.#heldDeltas.some(isUsable) || !this.options.canTryAgain)) return this.#release()
    else if (events > 0 && isEnded) this.#judge()
    else if (events > 0) this.#refusalTimer ??= setTimeout(() => this.#release(), refusalTimeoutMs)
    return true
  }

  #complete(): void {
    if (this.#isOver) return
    let lastDeltas = this.#reader?.end() ?? []
    if (this.#held !== undefined) {
      this.#heldDeltas.push(...lastDeltas)
      lastDeltas = []
      if (this.#judge()) return
    }
    const { response } = this.options
    const lastChunk = this.#translation?.write(lastDeltas, this.#facts(), true) ?? this.#filter?.end()
    response.end(lastChunk)
    this.#finish()
  }

  /** Decides whether to retry. Otherwise forwards the buffered response. */
  #judge(): boolean {
    const { target, onRefused } = this.options
    const { standard } = target.route
    const bufferedText = Buffer.concat(this.#held ?? []).toString()
    const receivedStatus = this.#status ?? 0
    const isAccepted = receivedStatus < 400
    if (!isAccepted) this.#refusal = bufferedText
    const isFinal =
      !isAccepted && concernsKeyOrPlan(failureKind({ status: receivedStatus, body: bufferedText, standard }))
    // Claude Code would retry for minutes before it shows the error.
    if (isFinal) this.#retryHeader = ['x-should-retry', 'false']
    const body = isAccepted ? this.#findLateError() : bufferedText
    const status = isAccepted ? findLateErrorStatus(body ?? '') : receivedStatus
    if (body !== undefined && onRefused({ status, body, standard, isAccepted, retryAfter: this.#head?.retryAfter })) {
      this.#isReplaced = true
      this.#finish()
      this.#abort?.()
      return true
    }
    this.#release()
    return false
  }

  /** The error of a complete response with a status below 300. Empty for one without usable output. */
  #findLateError(): string | undefined {
    const { lateError, unknown, isEnded } = this.#reader?.facts() ?? {}
    if (lateError !== undefined || !isTextGeneration(this.options.target.route)) return lateError
    const hasNoUsableOutput = this.#heldDeltas.length === 0 ? isEnded === false : !this.#heldDeltas.some(isUsable)
    return unknown ?? (hasNoUsableOutput ? '' : undefined)
  }

  /** Forwards a truncated error response. */
  #endRefusal(): void {
    if (this.#isOver) return
    this.options.response.shouldKeepAlive = false
    if (this.#held === undefined || !this.#judge()) {
      this.options.response.end()
      this.#finish()
    }
    this.#abort?.()
  }

  #release(): boolean {
    const [bytes, deltas] = [Buffer.concat(this.#held ?? []), this.#heldDeltas.splice(0)]
    this.#held = undefined
    // Only an error response has no reader. Its timeout stays active while the rest of the response is forwarded.
    if (this.#reader !== undefined) clearTimeout(this.#refusalTimer)
    else if (this.#head?.contentLength !== this.#receivedBytes) this.#isLengthKnown = false
    this.#begin()
    return this.#pass(bytes, deltas)
  }

  #begin(): void {
    const { response, hidesUsage } = this.options
    const { forwarded = [], isEventStream = false } = this.#head ?? {}
    if (hidesUsage && this.#reader !== undefined) this.#filter = new UsageEventFilter()
    if (this.#filter !== undefined || this.#translation !== undefined) this.#isLengthKnown = false
    const { contentType } = this.#translation ?? {}
    const isPacked = this.#codings.length === 0 && this.#head?.encoding !== ''
    const replacedHeaders = new Set([
      ...(this.#isLengthKnown ? [] : ['content-length']),
      ...(isPacked && this.#translation === undefined ? [] : ['content-encoding']),
      ...(contentType === undefined ? [] : ['content-type']),
    ])
    const contentTypeHeader = contentType === undefined ? [] : ['content-type', contentType]
    const headers = [...contentTypeHeader, ...this.#retryHeader, ...withoutHeaders(forwarded, replacedHeaders)]
    response.writeHead(this.#status ?? 502, headers)
    if (isEventStream) response.flushHeaders()
  }

  #pass(chunk: Buffer, deltas: readonly ResponseDelta[]): boolean {
    const { response } = this.options
    const bytes = this.#translation?.write(deltas, this.#facts(), false) ?? this.#filter?.push(chunk) ?? chunk
    if (bytes.length === 0 || response.write(bytes)) return true
    response.once('drain', () => this.#resumeUpstream?.())
    return false
  }

  /** Ends an interrupted response with an error message if the protocol allows one, or cuts the connection. */
  #breakOff(error: Error): void {
    const { response, upstream, target } = this.options
    const lastDeltas = this.#reader?.end() ?? []
    const { code, message } = explainNetworkError(error, upstream.origin)
    const facts = this.#facts()
    if (facts.isWhole || this.#translation !== undefined) {
      const errorText = facts.isWhole ? undefined : message
      const lastChunk = this.#translation?.write(lastDeltas, facts, true, errorText) ?? this.#filter?.end()
      response.end(lastChunk)
    } else {
      const body = errorBody({ name: 'timedOut', standard: target.route.standard, detail: message })
      if (facts.events && code === 'net.timeout') response.write(`\n\nevent: error\ndata: ${body}\n\n`)
      // Flush written data without a regular end of the response. Only a reset shows an HTTP/1.0 client that the
      // response is incomplete.
      if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy()
      else response.socket?.destroySoon()
    }
    this.#finish('cut')
  }

  #facts(): ResponseFacts {
    return this.#reader?.facts() ?? { isWhole: false }
  }

  #finish(error?: UsageErrorKind): void {
    this.#isOver = true
    clearTimeout(this.#refusalTimer)
    const read = this.#reader?.facts()
    this.options.onFinished({
      status: this.#status,
      durationMs: performance.now() - this.#startedMs,
      firstByteMs: this.#firstByteMs,
      // Some servers and tools close the connection abruptly after the complete response.
      error: read?.isWhole === true ? undefined : error,
      read,
      receivedBytes: this.#receivedBytes,
      refusal: this.#refusal ?? (this.#held && Buffer.concat(this.#held).toString()),
      hasFailed: this.#isReplaced || this.#translation?.hasFailed === true,
    })
  }
}

/** Whether a tool can use this output. It cannot run a call without a name. */
const isUsable = (delta: ResponseDelta): boolean =>
  delta.kind !== 'toolCalls' || delta.calls.every(({ name }) => name !== '')

const blankLine = /\r\n\r\n|\n\n|\r\r/g
const commentLines = /^(?::[^\r\n]*(?:\r\n|\n|\r(?!$)))+/
/** Maximum bytes to buffer of an incomplete event. A longer event is forwarded before its end. */
const maxEventBytes = 256 * 1024

/** Whether an event contains only usage. */
function isUsageEvent(event: string): boolean {
  if (!event.includes('usage')) return false
  const data = event.split(/[\r\n]+/).flatMap((line) => (line.startsWith('data:') ? [line.slice(5)] : []))
  const value = parseExternalJson(data.join('\n'))
  return isObject(value) && isObject(value.usage) && [value.choices ?? []].flat().length === 0
}

/**
 * Removes the usage event from a chat-completions stream for a tool that did not request it. Buffers incomplete
 * events, which tools cannot parse anyway. Decodes as latin1, so that no byte is lost.
 */
export class UsageEventFilter {
  #pending = ''
  #isGivenUp = false

  /** Adds a chunk and returns the bytes that can be forwarded now. */
  push(chunk: Buffer): Buffer {
    if (this.#isGivenUp) return chunk
    const text = this.#pending + chunk.toString('latin1')
    const blockEnds = [...text.matchAll(blankLine)].map(({ index, 0: mark }) => index + mark.length)
    const events = blockEnds.map((end, position) => text.slice(blockEnds[position - 1] ?? 0, end))
    const pendingText = text.slice(blockEnds.at(-1) ?? 0)
    // Forward comments immediately, because they keep the tool's connection alive.
    const comments = commentLines.exec(pendingText)?.[0] ?? ''
    this.#isGivenUp = pendingText.length > maxEventBytes
    const textToForward = this.#isGivenUp ? pendingText : comments
    this.#pending = pendingText.slice(textToForward.length)
    return Buffer.from(events.filter((event) => !isUsageEvent(event)).join('') + textToForward, 'latin1')
  }

  /** Returns the held-back bytes at the end of the stream. */
  end(): Buffer {
    return isUsageEvent(this.#pending) ? Buffer.alloc(0) : Buffer.from(this.#pending, 'latin1')
  }
}
