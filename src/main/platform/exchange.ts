import { AppError, err, type Failure, ok, type Result } from '@shared/failure'
import type { HttpAnswer, Send } from '../core/net/send'
import type { Clock } from '../core/ports'
import type { Secret } from '../core/secret'
import { parseExternalJson, readBody, readRequestId } from '../gateway/server-message'
import type { PreparedRequest } from './build-request'
import { buildBearerHeader } from './credentials'
import { explainConnectionFailure } from './explain'
import type { Operation } from './service-definition'

const MAX_BODY_BYTES = 50_000_000

/** A response of the platform. `data` is its unmodified JSON, or undefined for an empty body. */
export interface PlatformAnswer {
  readonly status: number
  readonly data: unknown
  readonly requestId?: string
}

/** Failure of one attempt. Without a status, there was no response. */
export interface AttemptFailure {
  readonly failure: Failure
  readonly status?: number | undefined
}

export interface CallAttempt {
  readonly operation: Operation
  readonly request: PreparedRequest
  readonly token: Secret
  /** Secrets, in addition to the token, that the server may repeat in an error. */
  readonly secrets: readonly Secret[]
  readonly signal: AbortSignal
}

export interface ExchangePorts {
  readonly send: Send
  readonly clock: Clock
}

/** Sends one request without retries. Never rejects. */
export async function exchangeWithPlatform(
  attempt: CallAttempt,
  { send, clock }: ExchangePorts,
): Promise<Result<PlatformAnswer, AttemptFailure>> {
  const { request, operation, token, signal } = attempt
  const { url, body } = request
  const headers = {
    accept: 'application/json',
    authorization: buildBearerHeader(token),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  try {
    const sentRequest = { method: operation.method, url, headers, signal, ...(body === undefined ? {} : { body }) }
    return await readAnswer(await send(sentRequest), attempt, clock().getTime())
  } catch (error) {
    return err({ failure: signal.aborted ? toStopFailure(signal, url) : toBrokenFailure(error, url) })
  }
}

/** Failure of an aborted call: `net.timeout`, or `net.cancelled` when the caller stopped it. */
export function toStopFailure({ reason }: AbortSignal, url: string): Failure {
  const failure = explainConnectionFailure(reason, url)
  return failure.code === 'net.timeout' ? failure : { ...failure, code: 'net.cancelled' }
}

const toBrokenFailure = (error: unknown, url: string): Failure =>
  error instanceof AppError ? error.failure : explainConnectionFailure(error, url)

async function readAnswer(
  { status, headers, body }: HttpAnswer,
  { operation, request, token, secrets, signal }: CallAttempt,
  nowMs: number,
): Promise<Result<PlatformAnswer, AttemptFailure>> {
  const { text, isTooLong, error } = await readBody(body, MAX_BODY_BYTES)
  const isSuccess = status >= 200 && status < 300
  // The status explains an error even if its body is truncated.
  if (error !== undefined && (isSuccess || signal.aborted)) throw error
  const hiddenSecrets = [token, ...secrets]
  const requestIdField = readRequestId(headers, hiddenSecrets)
  const data = isTooLong ? undefined : parseExternalJson(text)
  if (isSuccess && !isTooLong && (data !== undefined || text.trim() === ''))
    return ok({ status, data, ...requestIdField })
  const failure = operation.explain({
    status,
    isTooLong,
    nowMs,
    ...requestIdField,
    body: text,
    address: request.url,
    retryAfter: headers.get('retry-after'),
    location: headers.get('location'),
    secrets: hiddenSecrets,
  })
  return err({ failure, status })
}
