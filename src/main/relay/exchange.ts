import type { IncomingMessage, ServerResponse } from 'node:http'
import type { OverloadFailover } from '@shared/contract'
import type { UsageErrorKind } from '@shared/contract/usage'
import { minuteMs } from '@shared/durations'
import { proxyFailure } from '../core/net/proxy'
import { explainNetworkError } from '../gateway/explain'
import { findRefusedField, type RefusableField, type RefusedFields, withoutFields } from '../gateway/refused-fields'
import { readRetryAfter, readServerMessage } from '../gateway/server-message'
import { UpstreamAttempt } from './attempt'
import type { AttemptRecorder } from './attempt-recorder'
import type { BudgetAnswer, BudgetMeter, Reservation } from './budget-meter'
import {
  concernsKeyOrPlan,
  failureKind,
  type Refusal,
  type RefusalName,
  type ResponseText,
  sendRefusal,
} from './error-responses'
import type { RelayLimits, UpstreamSwitch } from './ports'
import { addUsageOption, type RequestFacts, readFacts, readJsonObject } from './request-body'
import type { TranslatedRequest } from './responses/request'
import { type AuthorizedRequest, type Client, selectUpstreams, type Upstream } from './routing-table'

/** Parts of the relay that all requests share. */
export interface ExchangeContext {
  readonly limits: Pick<RelayLimits, 'refusalBytes' | 'refusalTimeoutMs'>
  readonly recorder: AttemptRecorder
  readonly refusedFields: RefusedFields
  readonly budgets: BudgetMeter
  readonly overloads: Overloads
}

interface ExchangeOptions {
  readonly context: ExchangeContext
  readonly request: Pick<IncomingMessage, 'method'>
  readonly response: ServerResponse
  readonly admitted: AuthorizedRequest
  /** Body in the gateway's protocol. */
  readonly body: Buffer
  readonly translated: TranslatedRequest | undefined
}

/** One request of a tool. Tries its upstreams in order until one responds conclusively. */
export class Exchange {
  readonly #facts: RequestFacts | undefined
  readonly #upstreams: readonly Upstream[]
  /** Fields that the current upstream rejected for this request. */
  readonly #dropped = new Set<RefusableField>()
  #place = 0
  #attempt: UpstreamAttempt | undefined
  /** Reservation of the current attempt. Undefined once it was released. */
  #reservation: Reservation | undefined
  #isEnded = false

  constructor(private readonly options: ExchangeOptions) {
    const { body, admitted, context } = options
    this.#facts = body.length === 0 ? undefined : readFacts(body)
    const upstreams = selectUpstreams(admitted.client, this.#facts?.model)
    this.#upstreams = context.overloads.sort(admitted.client, upstreams, this.#facts?.model)
  }

  /** Sends the request when its budgets allow it. */
  async start(): Promise<void> {
    const { context, admitted, response, translated } = this.options
    const [upstream] = this.#upstreams
    const admission = upstream && (await this.#admission(upstream))
    if (upstream === undefined || admission === undefined) return
    if ('gauges' in admission) {
      if (this.#isEnded) context.budgets.release(admission)
      else this.#try(upstream, admission)
    } else if (!this.#isEnded) {
      const { standard } = admitted.target.route
      const reason = 'name' in admission ? admission : ({ name: 'budget', ...admission } as const)
      const refusal: Refusal = { standard, isResponses: translated !== undefined, ...reason }
      context.recorder.reject(response, { ...admitted, refusal }, this.#facts?.model)
    }
  }

  /** Aborts the exchange and its upstream request. */
  end(error: UsageErrorKind): void {
    this.#isEnded = true
    this.#attempt?.end(error)
  }

  /** Reserves the request in the upstream's budgets. */
  #admission({ planId, keyId }: Upstream): Admission | Promise<Admission> {
    const { admitted, context } = this.options
    const { budgets } = context
    const { toolId, route } = admitted.target
    const isUnlimited = budgets.isEmpty || route.records === 'none' || route.records === 'failed'
    if (isUnlimited) return { at: Date.now(), gauges: [] }
    const modelCode = this.#facts?.model
    const knownModel = this.#facts?.isModelAmbiguous === false ? modelCode : undefined
    const scope = budgets.findScope({ planId, keyId, toolId, modelCode: knownModel })
    if (scope.isLimited && route.operation === 'other' && !admitted.allowsUncounted) return { name: 'uncountedPath' }
    if (scope.isModelUnclear) return { name: 'unreadableModel' }
    return budgets.admit({ planId, keyId, toolId, modelCode })
  }

  #try(upstream: Upstream, reservation: Reservation): void {
    this.#reservation = reservation
    const { context, request, response, admitted, translated } = this.options
    const { target, head } = admitted
    const modelCode = this.#facts?.model
    const { body, hidesUsage } = this.#bodyFor(upstream)
    const attempt: UpstreamAttempt = new UpstreamAttempt({
      target,
      upstream,
      response,
      hidesUsage,
      translated,
      canTryAgain: this.#place + 1 < this.#upstreams.length,
      limits: context.limits,
      onFinished: (finished) => {
        // Remember removed fields only after a success, because an error may name a field for another reason.
        if (finished.status !== undefined && finished.status < 300)
          for (const field of this.#dropped) context.refusedFields.add(toGatewayUrl(upstream), modelCode ?? '', field)
        const { turnMetadata } = head
        const attemptFacts = { target, upstream, modelCode, body, turnMetadata, at: reservation.at }
        // The last attempt of a request settles its reservation.
        const lastReservation = attempt === this.#attempt ? this.#reservation : undefined
        context.recorder.record({ ...finished, ...attemptFacts, reservation: lastReservation })
      },
      onRefused: (refused) => {
        if (!this.#dropRefusedField(refused, upstream, body)) return this.#tryAfter(refused, upstream)
        this.#try(upstream, reservation)
        return true
      },
      onNoAnswer: (error, wasSent) => this.#giveUp(error, wasSent, upstream),
    })
    this.#attempt = attempt
    upstream.dispatcher.dispatch(
      {
        origin: upstream.origin,
        path: upstream.base + target.path,
        method: request.method ?? '',
        // The plan's key is the only credential.
        headers: [
          ...['host', upstream.host, 'authorization', upstream.authorization, 'accept-encoding', 'identity'],
          ...(body.length === 0 ? [] : ['content-length', String(body.length)]),
          ...head.forwarded,
        ],
        body: body.length === 0 ? null : body,
      },
      attempt,
    )
  }

  /** The body for an upstream: requests usage, and omits fields that its model rejects. */
  #bodyFor(upstream: Upstream): { readonly body: Buffer; readonly hidesUsage: boolean } {
    const { body: toolBody, translated, admitted, context } = this.options
    const facts = this.#facts
    if (facts === undefined) return { body: toolBody, hidesUsage: false }
    const rememberedFields = context.refusedFields.list(toGatewayUrl(upstream), facts.model ?? '')
    const excludedFields = [...new Set([...rememberedFields, ...this.#dropped])]
    const lacksUsage = admitted.target.route.hasUsageOption && facts.wantsStream && !facts.asksForUsage
    const needsUsageRequest = lacksUsage && !excludedFields.includes('stream_options')
    const requestBody = needsUsageRequest ? addUsageOption(toolBody, facts) : toolBody
    const json = excludedFields.length === 0 ? undefined : readJsonObject(requestBody)
    const body = json === undefined ? requestBody : Buffer.from(JSON.stringify(withoutFields(json, excludedFields)))
    return { body, hidesUsage: needsUsageRequest && translated === undefined }
  }

  /** Replaces an error response by the attempt at another upstream, or by the relay's own error. */
  #tryAfter(refused: ResponseText, upstream: Upstream): boolean {
    if (shouldTryAnotherKey(refused) && this.#tryNext(upstream)) return true
    const { translated, response, admitted } = this.options
    const pauseMs = findOverloadPause(refused, admitted.client.overload)
    if (pauseMs !== undefined && this.#tryNext(upstream, pauseMs)) return true
    if (translated === undefined || failureKind(refused) !== 'quota') return false
    const detail = readServerMessage(refused.body).text
    sendRefusal(response, { name: 'quota', standard: 'chat-completions', detail })
    return true
  }

  /** Whether to retry in another form: without a rejected field, or with a missing one. */
  #dropRefusedField({ status, body }: ResponseText, upstream: Upstream, sentBody: Buffer): boolean {
    const request = readJsonObject(sentBody)
    if (request === undefined || status < 400) return false
    const [model, gateway] = [this.#facts?.model ?? '', toGatewayUrl(upstream)]
    const { refusedFields } = this.options.context
    if (body.includes('reasoning_content') && refusedFields.list(gateway, model).includes('reasoning_content')) {
      refusedFields.delete(gateway, model, 'reasoning_content')
      return true
    }
    const field = findRefusedField({ status, error: body, request }, this.#dropped)
    if (field !== undefined) this.#dropped.add(field)
    return field !== undefined
  }

  /**
   * Tries the next upstream. False if there is none, or if its budgets are exhausted. `pauseMs`: time for which the
   * current one is overloaded.
   */
  #tryNext(upstream: Upstream, pauseMs?: number): boolean {
    const { context, admitted } = this.options
    const nextUpstream = this.#upstreams[this.#place + 1]
    if (nextUpstream === undefined) return false
    // A budget that counts both upstreams needs its room back first.
    if (this.#reservation !== undefined) context.budgets.release(this.#reservation)
    this.#reservation = undefined
    const admission = this.#admission(nextUpstream)
    if (admission instanceof Promise) {
      // Do not wait for recorded usage. The tool gets the error of the first attempt, and a reservation that is made
      // later is released.
      void admission.then((lateAdmission) => 'gauges' in lateAdmission && context.budgets.release(lateAdmission))
      return false
    }
    if (!('gauges' in admission)) return false
    if (pauseMs !== undefined)
      context.overloads.pause(admitted.target.toolId, this.#facts?.model, pauseMs, { upstream, nextUpstream })
    this.#place += 1
    this.#dropped.clear()
    this.#try(nextUpstream, admission)
    return true
  }

  /** Tries another upstream only if the request was certainly not sent, or if the user allows sending it twice. */
  #giveUp(error: Error, wasSent: boolean, upstream: Upstream): UsageErrorKind {
    const { response, admitted } = this.options
    const { overload } = admitted.client
    const canTryNext = !this.#isEnded && (!wasSent || overload === 'any')
    if (canTryNext && this.#tryNext(upstream, overload === undefined ? undefined : defaultPauseMs)) return 'network'
    const { standard } = admitted.target.route
    const { code, message } =
      proxyFailure(error, upstream.route)?.failure ?? explainNetworkError(error, upstream.origin)
    const name: RefusalName = code === 'net.timeout' ? 'timedOut' : 'unreachable'
    sendRefusal(response, { name, standard, detail: message })
    return 'network'
  }
}

/** Result of a reservation: the reservation, or the reason why the request may not be sent. */
type Admission = BudgetAnswer | { readonly name: RefusalName }

const toGatewayUrl = ({ origin, base }: Upstream): string => origin + base

/** Whether another key or plan may serve a rejected request: 401, 402, used-up allowance, or server error. */
function shouldTryAnotherKey(refused: ResponseText): boolean {
  const { status, isAccepted = false } = refused
  return status === 401 || status === 402 || (isAccepted && status >= 500) || concernsKeyOrPlan(failureKind(refused))
}

/** Minimum `retry-after` of a rate limit in ms. Tools wait for shorter ones themselves. */
const minRateLimitWaitMs = 20_000
/** Pause of an upstream that names no time. */
const defaultPauseMs = 30_000
/** Maximum pause of an upstream, even if it names a longer one. */
const maxPauseMs = 10 * minuteMs

/** Statuses of a gateway that rejected a request without work. 529 is Anthropic's `overloaded_error`. */
const rejectedStatuses = [503, 529]
/** Statuses of a gateway that may have worked on the request. */
const costlyStatuses = [500, 502, 504]

/** Time in ms for which an overloaded upstream is skipped. Undefined if the tool gets the error. */
function findOverloadPause(
  { status, retryAfter }: ResponseText,
  overload: OverloadFailover | undefined,
): number | undefined {
  if (overload === undefined) return undefined
  const waitMs = readRetryAfter(retryAfter)
  const isLongRateLimit = status === 429 && (waitMs ?? 0) >= minRateLimitWaitMs
  const isCostly = overload === 'any' && costlyStatuses.includes(status)
  if (!isLongRateLimit && !isCostly && !rejectedStatuses.includes(status)) return undefined
  return Math.min(waitMs ?? defaultPauseMs, maxPauseMs)
}

/** Overloaded upstreams, by key and model. */
export class Overloads {
  readonly #pausedUntil = new Map<string, number>()

  constructor(private readonly onSwitch: ((toolId: string, overload: UpstreamSwitch) => void) | undefined) {}

  /** Moves paused upstreams behind the others if the tool fails over on overload. */
  sort(client: Client, upstreams: readonly Upstream[], model: string | undefined): readonly Upstream[] {
    if (client.overload === undefined || this.#pausedUntil.size === 0) return upstreams
    const nowMs = Date.now()
    const isPaused = (upstream: Upstream): boolean => (this.#pausedUntil.get(toName(upstream, model)) ?? 0) > nowMs
    return [...upstreams.filter((upstream) => !isPaused(upstream)), ...upstreams.filter(isPaused)]
  }

  /** Pauses an upstream. Reports the switch once per pause. */
  pause(
    toolId: string,
    model: string | undefined,
    pauseMs: number,
    { upstream, nextUpstream }: { readonly upstream: Upstream; readonly nextUpstream: Upstream },
  ): void {
    const atMs = Date.now()
    for (const [name, untilMs] of this.#pausedUntil) if (untilMs <= atMs) this.#pausedUntil.delete(name)
    const name = toName(upstream, model)
    const isNew = !this.#pausedUntil.has(name)
    const untilMs = atMs + pauseMs
    this.#pausedUntil.set(name, untilMs)
    if (isNew) this.onSwitch?.(toolId, { atMs, untilMs, from: toIds(upstream), to: toIds(nextUpstream) })
  }
}

const toName = ({ planId, keyId, origin, base }: Upstream, model = ''): string =>
  JSON.stringify([planId, keyId, origin, base, model])

const toIds = ({ planId, keyId }: Upstream) => ({ planId, keyId })
