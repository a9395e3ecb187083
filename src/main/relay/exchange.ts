import type { ServerResponse } from 'node:http'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { Dispatcher } from 'undici'
import { explainNetworkError } from '../gateway/explain'
import {
  fieldStatuses,
  findRefusedField,
  type RefusableField,
  type RefusedFields,
  withoutFields,
} from '../gateway/refused-fields'
import { readServerMessage } from '../gateway/server-message'
import { proxyFailure } from '../net/proxy'
import { AnswerSampler, type FinishedAttempt } from './attempt-recorder'
import type { Admitted, RejectedRequest } from './authorize-request'
import type { BudgetMeter, BudgetRefusal, Reservation } from './budget-meter'
import { failureKind, type Refusal, type RefusalName, type ResponseText, refuse } from './error-responses'
import { type AnswerHead, readAnswerHead, withoutHeaders } from './headers'
import type { RelayLimits } from './ports'
import { UsageEventRemoval } from './read-answer'
import { askForUsage, type RequestFacts, readFacts, readJsonObject } from './request-body'
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
  readonly refusedFields: RefusedFields
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
  readonly #facts: RequestFacts | undefined
  readonly #upstreams: readonly Upstream[]
  /** Fields that the current upstream refused for this request. */
  readonly #dropped = new Set<RefusableField>()
  #place = 0
  #attempt: Attempt | undefined
  #reservation: Reservation | undefined
  #isEnded = false

  constructor(options: ExchangeOptions) {
    const { ready, admitted } = options
    this.#options = options
    this.#facts = ready.body.length === 0 ? undefined : readFacts(ready.body)
    this.#upstreams = upstreamsFor(admitted.client, this.#facts?.model)
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
  #admission({ planId, keyId }: Upstream): Admission | Promise<Admission> | undefined {
    const { budgets, admitted } = this.#options
    const { toolId, route } = admitted.target
    if (budgets.isEmpty || route.records === 'none' || route.records === 'failed') return undefined
    const modelCode = this.#facts?.model
    const scope = budgets.findScope({ planId, keyId, toolId, modelCode: undefined })
    if (scope.isLimited && route.operation === 'other' && !admitted.allowsUncounted) return { name: 'uncountedPath' }
    const isModelKnown = modelCode !== undefined && this.#facts?.isModelAmbiguous === false
    if (scope.isByModel && !isModelKnown) return { name: 'unreadableModel' }
    return budgets.admit({ planId, keyId, toolId, modelCode })
  }

  #begin(upstream: Upstream, admission: Admission): void {
    const { admitted, budgets, response, stop } = this.#options
    if (!('gauges' in admission)) {
      const { standard } = admitted.target.route
      const refusal: Refusal = { standard, ...('name' in admission ? admission : { name: 'budget', ...admission }) }
      if (!this.#isEnded) stop(response, { ...admitted, refusal }, this.#facts?.model)
    } else if (!this.#isEnded) {
      this.#reservation = admission
      this.#try(upstream)
    } else budgets.release(admission)
  }

  #try(upstream: Upstream): void {
    const { method, response, admitted, ready, limits, onFinished } = this.#options
    const { translated } = ready
    const { target, head } = admitted
    const { body, hidesUsage } = this.#bodyFor(upstream)
    const canTryAgain = this.#facts !== undefined || this.#place + 1 < this.#upstreams.length
    const attempt: Attempt = new Attempt({
      target,
      upstream,
      modelCode: this.#facts?.model,
      response,
      hidesUsage,
      translated,
      judgedBytes: canTryAgain ? limits.refusalBytes : 0,
      body,
      at: this.#reservation?.at,
      // A request is settled with its last try, by the room that it holds then.
      onFinished: (finished) => {
        this.#rememberDropped(upstream, finished.facts.status)
        const reservation = attempt === this.#attempt ? this.#reservation : undefined
        onFinished(reservation === undefined ? finished : { ...finished, reservation })
      },
      onRefused: (refused) => this.#tryAfter(refused, upstream, body),
      onNoAnswer: (error, wasSent) => this.#giveUp(error, wasSent, upstream),
    })
    this.#attempt = attempt
    upstream.dispatcher.dispatch(
      {
        origin: upstream.origin,
        path: upstream.base + target.path,
        method,
        headers: headersFor(upstream, head, body),
        body: body.length === 0 ? null : body,
      },
      attempt,
    )
  }

  /** Adds the request for usage to the body, and removes the fields that the upstream's model refuses. */
  #bodyFor(upstream: Upstream): { readonly body: Buffer; readonly hidesUsage: boolean } {
    const { ready, admitted, refusedFields } = this.#options
    const facts = this.#facts
    if (facts === undefined) return { body: ready.body, hidesUsage: false }
    const remembered = refusedFields.list(gatewayOf(upstream), facts.model ?? '')
    const refused = [...new Set([...remembered, ...this.#dropped])]
    const { hasUsageOption } = admitted.target.route
    const asks = hasUsageOption && facts.wantsStream && !facts.asksForUsage && !refused.includes('stream_options')
    const asking = asks ? askForUsage(ready.body, facts) : ready.body
    const json = refused.length === 0 ? undefined : readJsonObject(asking)
    const body = json === undefined ? asking : Buffer.from(JSON.stringify(withoutFields(json, refused)))
    return { body, hidesUsage: asks && ready.translated === undefined }
  }

  #tryAfter(refused: ResponseText, upstream: Upstream, sent: Buffer): boolean {
    if (this.#dropRefusedField(refused, upstream, sent)) {
      this.#try(upstream)
      return true
    }
    if (isWorthAnotherKey(refused) && this.#tryNext()) return true
    const { ready, response } = this.#options
    const isUsedUp = ready.translated !== undefined && failureKind(refused) === 'quota'
    if (isUsedUp)
      refuse(response, { name: 'quota', standard: 'chat-completions', detail: readServerMessage(refused.body).text })
    return isUsedUp
  }

  /** Whether the request may be accepted in another form: without a field that was refused, or with one that was left out. */
  #dropRefusedField({ status, body }: ResponseText, upstream: Upstream, sent: Buffer): boolean {
    const json = fieldStatuses.includes(status) ? readJsonObject(sent) : undefined
    if (json === undefined) return false
    const field = findRefusedField(body, json)
    const isNew = field !== undefined && !this.#dropped.has(field)
    if (isNew) this.#dropped.add(field)
    if (isNew) return true
    const model = this.#facts?.model ?? ''
    const gateway = gatewayOf(upstream)
    const { refusedFields } = this.#options
    const isMissing =
      body.includes('reasoning_content') && refusedFields.list(gateway, model).includes('reasoning_content')
    if (isMissing) refusedFields.delete(gateway, model, 'reasoning_content')
    return isMissing
  }

  /** Remembers removed fields only after a response without them, since an error may name a field for another reason. */
  #rememberDropped(upstream: Upstream, status: number | undefined): void {
    if (status === undefined || status >= 300) return
    for (const field of this.#dropped)
      this.#options.refusedFields.add(gatewayOf(upstream), this.#facts?.model ?? '', field)
  }

  #tryNext(): boolean {
    const next = this.#upstreams[this.#place + 1]
    if (next === undefined || !this.#moveReservation(next)) return false
    this.#place += 1
    this.#dropped.clear()
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
    if (!('gauges' in admission)) return false
    this.#reservation = admission
    return true
  }

  /** What never left may be tried elsewhere; what may have arrived is never sent twice. */
  #giveUp(error: Error, wasSent: boolean, { origin, route }: Upstream): UsageErrorKind {
    const { response, admitted } = this.#options
    if (!wasSent && this.#tryNext()) return 'network'
    const { standard } = admitted.target.route
    const { code, message } = proxyFailure(error, route)?.failure ?? explainNetworkError(error, origin)
    const name: RefusalName = code === 'net.timeout' ? 'timedOut' : 'unreachable'
    refuse(response, { name, standard, detail: message })
    return 'network'
  }
}

/** Room that was taken, or why the request may not be sent. */
type Admission = Reservation | BudgetRefusal | { readonly name: RefusalName }

const gatewayOf = ({ origin, base }: Upstream): string => origin + base

/** Exactly one credential goes to the gateway: the key. */
function headersFor({ host, authorization }: Upstream, { forwarded }: Admitted['head'], body: Buffer): string[] {
  const own = ['host', host, 'authorization', authorization, 'accept-encoding', 'identity']
  const sized = body.length === 0 ? [] : ['content-length', String(body.length)]
  return [...own, ...sized, ...forwarded]
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
  /** The request's, with the changes for this upstream. */
  readonly body: Buffer
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
    const isJudged = this.#options.judgedBytes > 0 && status >= 400 && status <= 500
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
