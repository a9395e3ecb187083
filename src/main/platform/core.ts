import { AppError, type Failure } from '@shared/failure'
import type { Result } from '@shared/result'
import type { Clock, Log } from '../ports'
import { secretsIn } from './credentials'
import { orAborted, type Sleep, startDeadline } from './deadline'
import {
  type Attempt,
  type AttemptFailure,
  type ExchangePorts,
  exchange,
  type PlatformAnswer,
  stopped,
} from './exchange'
import { type ListOptions, type Page, pagesOf } from './pages'
import { type Addresses, type CallArguments, prepare } from './prepare'
import { type OperationId, operationOf, operations, type ServiceName, services } from './services'
import type { CredentialKind, Method, Operation } from './table'
import type { TokenSource } from './tokens/token-source'

const DEFAULT_TIMEOUT_MS = 30_000

/** What the client of one connection is made of; clients share only what is handed to several. */
export interface PlatformClientOptions extends ExchangePorts {
  readonly addresses: Addresses
  /** The source of the IAM token, and of the two services' keys; a missing one is "not configured". */
  readonly tokens: Readonly<Partial<Record<CredentialKind, TokenSource>>>
  readonly sleep: Sleep
  /** From 0 up to 1; spreads retries. */
  readonly random: () => number
  readonly log: Log
}

/** What a caller may say of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** For the whole call with its retries and waits; 30 000 when absent. */
  readonly timeoutMs?: number | undefined
}

/** Everything the platform can be asked, over one connection; what fails is an `AppError`. */
export interface PlatformClient {
  /** Every operation with its parameters. */
  readonly operations: readonly Operation[]
  /** Fails with `input.invalid` (and the field) or `api.notConfigured` before anything is sent; else `api.*`, `auth.*`, `net.*`. */
  call(id: OperationId, args?: CallArguments, options?: CallOptions): Promise<PlatformAnswer>
  /** Every page of a list within its limits, fetched as they are asked for; also fails with `api.listTooLong`. */
  pages(id: OperationId, args?: CallArguments, options?: ListOptions): AsyncGenerator<Page, void, void>
  /** One cheap call to a service; only the gateway has none (`input.invalid`). */
  testService(service: ServiceName, options?: CallOptions): Promise<ServiceTest>
}

/** A client of the platform for one connection. */
export function createPlatformClient(parts: PlatformClientOptions): PlatformClient {
  const ask = async (id: string, args: CallArguments, options: CallOptions) =>
    callOnce(parts, operationOf(id), { args, options })
  return {
    operations,
    call: (id, args = {}, options = {}) => ask(id, args, options),
    pages: (id, args = {}, options = {}) =>
      pagesOf(operationOf(id), { args, options, ask: (page, rest) => ask(id, page, rest), clock: parts.clock }),
    testService: (service, options = {}) => testService(service, options, { call: ask, clock: parts.clock }),
  }
}

interface Asked {
  readonly args: CallArguments
  readonly options: CallOptions
}

async function callOnce(parts: PlatformClientOptions, operation: Operation, asked: Asked): Promise<PlatformAnswer> {
  const request = prepare(operation, asked.args, parts.addresses)
  const source = sourceOf(operation, parts)
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal: given } = asked.options
  const until = parts.clock().getTime() + timeoutMs
  const deadline = startDeadline({ timeoutMs, signal: given, sleep: parts.sleep })
  const { signal } = deadline
  const tell = (outcome: Readonly<Record<string, unknown>>) =>
    parts.log.info('platform.call', { operation: operation.id, ...outcome })
  try {
    signal.throwIfAborted()
    const token = await orAborted(source.token(), signal)
    const attempt = { operation, request, token, secrets: secretsIn(asked.args.body), signal }
    const outcome = await persist(attempt, { ...parts, source, until })
    if (!outcome.ok) throw thrown(outcome.error.failure)
    tell({ status: outcome.value.status })
    return outcome.value
  } catch (error) {
    const failed = signal.aborted && !(error instanceof AppError) ? thrown(stopped(signal, request.url)) : error
    if (failed instanceof AppError) tell({ failure: failed.failure.code, requestId: failed.failure.requestId })
    throw failed
  } finally {
    deadline.stop()
  }
}

function thrown({ code, message, ...details }: Failure): AppError {
  return new AppError(code, message, details)
}

function sourceOf({ credential, service }: Operation, { tokens }: PlatformClientOptions): TokenSource {
  const source = tokens[credential]
  if (source !== undefined) return source
  const message = `The connection has no token or key for ${service}. Add its token source, or enter the key.`
  throw new AppError('api.notConfigured', message, { field: credential === 'iam' ? 'tokenSource' : 'key' })
}

/** What a call may use to get through. */
interface Means extends ExchangePorts {
  readonly source: TokenSource
  readonly sleep: Sleep
  /** From 0 up to 1. */
  readonly random: () => number
  /** When the call ends, in milliseconds since 1970: a wait that reaches beyond is not begun. */
  readonly until: number
}

/** Makes a request until it is answered: once more with a fresh token after a 401, GET as often as `waitBeforeRetry` says. */
async function persist(first: Attempt, means: Means): Promise<Result<PlatformAnswer, AttemptFailure>> {
  const { operation, signal } = first
  let attempt = first
  let isRenewed = false
  for (let retries = 0; ; ) {
    const outcome = await exchange(attempt, means)
    if (outcome.ok) return outcome
    if (outcome.error.status === 401 && !isRenewed) {
      isRenewed = true
      const token = await orAborted(means.source.renew(attempt.token), signal)
      if (token === undefined) return outcome
      attempt = { ...attempt, token }
      continue
    }
    const waitMs = waitBeforeRetry({ ...outcome.error, method: operation.method, retries, random: means.random })
    if (waitMs === undefined || means.clock().getTime() + waitMs >= means.until) return outcome
    await means.sleep(waitMs, signal)
    retries += 1
  }
}

const MOST_RETRIES = 2
const FIRST_BACKOFF_MS = 250
const LONGEST_WAIT_MS = 60_000

/** What may pass when the same request is made once more. */
const passing: readonly Failure['code'][] = [
  'api.rateLimited',
  'api.serverError',
  'net.refused',
  'net.hostNotFound',
  'net.timeout',
  'net.cut',
]

/** An attempt that failed. */
interface FailedAttempt {
  readonly method: Method
  readonly failure: Failure
  /** The status, when there was an answer. */
  readonly status?: number | undefined
  /** How many retries there were before. */
  readonly retries: number
  readonly random: () => number
}

/**
 * How long to wait before the same request is made again, or undefined when it must not be: only GET is repeated, at
 * most twice. `Retry-After` counts for 429 and 503, up to a minute; else the wait doubles from 250 ms, jittered.
 */
function waitBeforeRetry({ method, failure, status, retries, random }: FailedAttempt): number | undefined {
  if (method !== 'GET' || retries >= MOST_RETRIES || !passing.includes(failure.code)) return undefined
  if (failure.retryAfterMs !== undefined && (status === 429 || status === 503)) {
    return failure.retryAfterMs <= LONGEST_WAIT_MS ? failure.retryAfterMs : undefined
  }
  return Math.round(FIRST_BACKOFF_MS * 2 ** retries * (0.5 + random() / 2))
}

/** What came of testing one service's address and credential. */
type ServiceTest =
  | { readonly ok: true; readonly durationMs: number }
  | { readonly ok: false; readonly durationMs: number; readonly failure: Failure }

/** What a test needs of a client. */
interface TestPorts {
  readonly call: (id: string, args: CallArguments, options: CallOptions) => Promise<PlatformAnswer>
  readonly clock: Clock
}

/** Makes the one cheap call that the service's table names; what the platform or the network refuses is an outcome. */
async function testService(name: ServiceName, options: CallOptions, ports: TestPorts): Promise<ServiceTest> {
  const { test } = services[name]
  if (test === undefined) {
    throw new AppError('input.invalid', `${name} has no call that costs nothing. Use its own check.`, {
      field: 'service',
    })
  }
  const { operation, provenBy = [], ...args } = test
  const startedAt = ports.clock().getTime()
  const durationMs = () => ports.clock().getTime() - startedAt
  try {
    await ports.call(`${name}.${operation}`, args, options)
    return { ok: true, durationMs: durationMs() }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { failure } = error
    return provenBy.includes(failure.code)
      ? { ok: true, durationMs: durationMs() }
      : { ok: false, durationMs: durationMs(), failure }
  }
}
