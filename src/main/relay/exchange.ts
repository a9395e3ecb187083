import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { Dispatcher } from 'undici'
import { explainNetworkError } from '../gateway/explain'
import { proxyFailure } from '../net/proxy'
import { AnswerSampler, type FinishedAttempt } from './attempt-recorder'
import type { Admitted, RejectedRequest } from './authorize-request'
import type { BudgetMeter, BudgetRefusal, Reservation } from './budget-meter'
import { type Body, BodyTooLarge, type WholeBody } from './buffered-body'
import { failureKind, type Refusal, type RefusalName, type ResponseText, refuse } from './error-responses'
import { type AnswerHead, readAnswerHead, withoutHeaders } from './headers'
import type { RelayLimits } from './ports'
import { UsageEventRemoval } from './read-answer'
import { findModel, withUsageOption } from './request-body'
import type { AnswerTranslation, Translated } from './responses/translation'
import { type Upstream, upstreamsFor } from './routing-table'
import { type ReadyBody, type Target, translatedHead } from './target'

/** What an exchange works with. */
interface ExchangeOptions {
  /** The request's. */
  readonly method: string
  readonly response: ServerResponse
  readonly admitted: Admitted
  readonly ready: ReadyBody
  readonly limits: RelayLimits
  /** Told of each try that is over. */
  readonly onFinished: (finished: FinishedAttempt) => void
  /** Origins of gateways that refuse `stream_options`; learned as they do. */
  readonly withoutUsageOption: Set<string>
  readonly budgets: BudgetMeter
  /** Answers with the relay's own refusal, and records it. */
  readonly stop: (response: ServerResponse, rejected: RejectedRequest, modelCode: string | undefined) => void
}

/** Which errors another key or plan may not have (spec, "Errors", A); nothing was spent before them. */
const ofKeyOrPlan: readonly (UsageErrorKind | undefined)[] = ['key', 'plan', 'quota']

/** Whether the next key or plan may serve what this one refused: 401, 402 or a used-up allowance. */
function isWorthAnotherKey(refused: ResponseText): boolean {
  return refused.status === 401 || refused.status === 402 || ofKeyOrPlan.includes(failureKind(refused))
}

/** One request of a tool: tries its upstreams in their order until one answers for good. */
export class Exchange {
  readonly #options: ExchangeOptions
  readonly #modelCode: string | undefined
  readonly #upstreams: readonly Upstream[]
  #place = 0
  #attempt: Attempt | undefined
  #reservation: Reservation | undefined
  #isEnded = false

  constructor(options: ExchangeOptions) {
    const { ready, admitted } = options
    this.#options = options
    this.#modelCode = findModel(ready.body)
    this.#upstreams = upstreamsFor(admitted.client, this.#modelCode)
  }

  start(): void {
    const upstream = this.#upstreams[this.#place]
    if (upstream === undefined) return
    const admission = this.#admission(upstream)
    // Without budgets a request goes out right away.
    if (admission === undefined) this.#try(upstream)
    else if (admission instanceof Promise) void admission.then((late) => this.#begin(upstream, late))
    else this.#begin(upstream, admission)
  }

  /** Ends what is under way; the gateway is told at once. */
  end(error: UsageErrorKind): void {
    this.#isEnded = true
    this.#attempt?.end(error)
  }

  /** Room in the budgets for a request to an upstream; undefined where none counts it. */
  #admission({ planId, keyId }: Upstream): ReturnType<BudgetMeter['admit']> | undefined {
    const { budgets, admitted } = this.#options
    const { toolId, route } = admitted.target
    if (budgets.isEmpty || route.records !== 'all') return undefined
    return budgets.admit({ planId, keyId, toolId, modelCode: this.#modelCode })
  }

  #begin(upstream: Upstream, admission: Reservation | BudgetRefusal): void {
    const { admitted, budgets, response, stop } = this.#options
    if ('detail' in admission) {
      const { standard } = admitted.target.route
      const refusal: Refusal = { name: 'budget', standard, detail: admission.detail }
      if (!this.#isEnded) stop(response, { ...admitted, refusal }, this.#modelCode)
    } else if (!this.#isEnded) {
      this.#reservation = admission
      this.#try(upstream)
    } else budgets.release(admission)
  }

  #try(upstream: Upstream): void {
    const { method, response, admitted, ready, limits, onFinished } = this.#options
    const { body, translated } = ready
    const { target, head } = admitted
    const asking = this.#asking(upstream)
    const canTryAgain = body.kind === 'whole' && (asking !== undefined || this.#place + 1 < this.#upstreams.length)
    const attempt: Attempt = new Attempt({
      target,
      upstream,
      modelCode: this.#modelCode,
      response,
      hidesUsage: asking !== undefined && translated === undefined,
      translated,
      judgedBytes: canTryAgain ? limits.refusalBytes : 0,
      body,
      at: this.#reservation?.at,
      // A request is settled with its last try, by the room that it holds then.
      onFinished:
        this.#reservation === undefined
          ? onFinished
          : (finished) =>
              onFinished(attempt === this.#attempt ? { ...finished, reservation: this.#reservation } : finished),
      onRefused: (refused) => this.#tryAfter(refused, upstream, asking !== undefined),
      onNoAnswer: (error, wasSent) => this.#giveUp(error, wasSent, upstream),
    })
    this.#attempt = attempt
    upstream.dispatcher.dispatch(
      {
        origin: upstream.origin,
        path: upstream.base + target.path,
        method,
        headers: headersFor(upstream, head, asking ?? body),
        body: payloadOf(asking ?? body),
      },
      attempt,
    )
  }

  /** The body with a request for usage in it, where the answer would not tell otherwise. */
  #asking({ origin }: Upstream): WholeBody | undefined {
    const { ready, admitted, withoutUsageOption } = this.#options
    const { body } = ready
    const isPossible = admitted.target.route.hasUsageOption && body.kind === 'whole' && !withoutUsageOption.has(origin)
    return isPossible ? withUsageOption(body) : undefined
  }

  #tryAfter(refused: ResponseText, upstream: Upstream, hasAsked: boolean): boolean {
    if (hasAsked && failureKind(refused) === 'badRequest' && refused.body.includes('stream_options')) {
      this.#options.withoutUsageOption.add(upstream.origin)
      this.#try(upstream)
      return true
    }
    return isWorthAnotherKey(refused) && this.#tryNext()
  }

  #tryNext(): boolean {
    const next = this.#upstreams[this.#place + 1]
    if (next === undefined || !this.#moveReservation(next)) return false
    this.#place += 1
    this.#try(next)
    return true
  }

  /** Gives back the room that a refused try held, and takes it for the next upstream: false when its budgets have none. */
  #moveReservation(next: Upstream): boolean {
    if (this.#reservation !== undefined) this.#options.budgets.release(this.#reservation)
    this.#reservation = undefined
    const admission = this.#admission(next)
    if (admission === undefined) return true
    if (admission instanceof Promise) {
      // Counts are being read: the tool gets the first refusal, and room that is given to nobody goes back.
      void admission.then((late) => 'gauges' in late && this.#options.budgets.release(late))
      return false
    }
    if ('detail' in admission) return false
    this.#reservation = admission
    return true
  }

  /** What never left may be tried elsewhere; what may have arrived is never sent twice. */
  #giveUp(error: Error, wasSent: boolean, { origin, route }: Upstream): UsageErrorKind {
    const { response, admitted, ready } = this.#options
    if (!wasSent && ready.body.kind === 'whole' && this.#tryNext()) return 'network'
    const { standard } = admitted.target.route
    const { code, message } = proxyFailure(error, route)?.failure ?? explainNetworkError(error, origin)
    const name: RefusalName = code === 'net.timeout' ? 'timedOut' : 'unreachable'
    if (error instanceof BodyTooLarge) refuse(response, { name: 'tooLarge', standard })
    else refuse(response, { name, standard, detail: message })
    return error instanceof BodyTooLarge ? 'relay' : 'network'
  }
}

/** Exactly one credential goes to the gateway: the key. */
function headersFor({ host, authorization }: Upstream, { forwarded, contentLength }: Admitted['head'], body: Body) {
  const own = ['host', host, 'authorization', authorization, 'accept-encoding', 'identity']
  const length = body.kind === 'whole' ? body.length : contentLength
  const sized = length === undefined || length === 0 ? [] : ['content-length', String(length)]
  return [...own, ...sized, ...forwarded]
}

/** Several chunks go on as they are: undici takes what can be gone through, which its types leave out. */
function payloadOf(body: Body): Buffer | Readable | null {
  if (body.kind === 'passing') return body.stream
  const [first = null] = body.chunks
  return body.chunks.length > 1 ? (body.chunks as unknown as Readable) : first
}

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
class Attempt implements Dispatcher.DispatchHandler {
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
  #hasPassed = false
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
    // A head does not wait for the first event, but leaves with it where they came together, or nearly so.
    if (head.isEventStream) setImmediate(() => this.#hasPassed || response.writableEnded || response.flushHeaders())
  }

  #pass(chunk: Buffer): boolean {
    const { response } = this.#options
    const bytes = this.#change === undefined ? chunk : this.#change.push(chunk)
    if (bytes.length === 0) return true
    this.#hasPassed = true
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
    onFinished({ facts, sampler: this.#sampler, body: error === undefined ? undefined : body })
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
