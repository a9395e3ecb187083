import { AppError, type Failure } from '@shared/failure'
import type { Log } from '../ports'
import { secretsIn } from './credentials'
import { orAborted, type Sleep, startDeadline } from './deadline'
import { type ExchangePorts, type PlatformAnswer, stopped } from './exchange'
import { type ListOptions, type Page, pagesOf } from './pages'
import { persist } from './persist'
import { type Addresses, type CallArguments, prepare } from './prepare'
import { type OperationId, operationOf, operations, type ServiceName } from './services'
import type { CredentialKind, Operation } from './table'
import { type ServiceTest, testService } from './test-service'
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
