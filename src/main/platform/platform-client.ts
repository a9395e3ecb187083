import { createHash } from 'node:crypto'
import { minuteMs } from '@shared/durations'
import { AppError, type Failure, type FailureCode, toAppError } from '@shared/failure'
import { type Sleep, startDeadline, withAbort } from '../core/net/deadline'
import type { HttpAnswer, Send } from '../core/net/send'
import type { Clock, Log } from '../core/ports'
import type { Secret } from '../core/secret'
import { parseExternalJson, readBody, readRequestId } from '../gateway/server-message'
import { type Addresses, type CallArguments, type PreparedRequest, prepare } from './build-request'
import { buildBearerHeader, listSecrets } from './credentials'
import { explainConnectionFailure } from './explain'
import {
  type CredentialKind,
  findPlatformOperation,
  type Method,
  type Operation,
  type OperationId,
  type PageContent,
  type Paging,
  readPage,
} from './services'
import type { TokenSource } from './tokens'

const DEFAULT_TIMEOUT_MS = 30_000
const MAX_BODY_BYTES = 50_000_000

interface PlatformClientOptions {
  readonly send: Send
  readonly clock: Clock
  readonly addresses: Addresses
  /** Sources of the IAM token and of the gateway's key. A missing source means "not configured". */
  readonly tokens: Readonly<Partial<Record<CredentialKind, TokenSource>>>
  readonly sleep: Sleep
  /** Random number in [0, 1) for retry jitter. */
  readonly random: () => number
  readonly log: Log
}

/** A response of the platform. `data` is its unmodified JSON, or undefined for an empty body. */
export interface PlatformAnswer {
  readonly status: number
  readonly data: unknown
  readonly requestId?: string
}

interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Timeout in ms of the whole call, including retries and delays. Default 30,000. */
  readonly timeoutMs?: number | undefined
}

/** Client for all platform operations over one connection. Fails with `AppError`. */
export interface PlatformClient {
  /**
   * Calls an operation. Fails with `input.invalid` (and the field) or `api.notConfigured` before sending, or with
   * `api.*`, `auth.*`, `net.*`.
   */
  call(id: OperationId, args?: CallArguments, options?: CallOptions): Promise<PlatformAnswer>
  /** Fetches pages of a list on demand. Also fails with `api.listTooLong`. */
  pages(id: OperationId, args?: CallArguments, options?: ListOptions): AsyncGenerator<Page, void, void>
}

export const createPlatformClient = (parts: PlatformClientOptions): PlatformClient => ({
  call: async (id, args = {}, options = {}) => callOnce(parts, findPlatformOperation(id), { args, options }),
  pages: (id, args = {}, options = {}) => fetchPages(parts, findPlatformOperation(id), { args, options }),
})

async function callOnce(
  parts: PlatformClientOptions,
  operation: Operation,
  { args, options }: { readonly args: CallArguments; readonly options: CallOptions },
): Promise<PlatformAnswer> {
  const request = prepare(operation, args, parts.addresses)
  const { credential, service } = operation
  const source = parts.tokens[credential]
  if (source === undefined) {
    const message = `The connection has no token or key for ${service}. Add its token source, or enter the key.`
    throw new AppError('api.notConfigured', message, { field: credential === 'iam' ? 'tokenSource' : 'key' })
  }
  const { timeoutMs = DEFAULT_TIMEOUT_MS, signal: callerSignal } = options
  const deadlineMs = parts.clock().getTime() + timeoutMs
  const deadline = startDeadline({ timeoutMs, signal: callerSignal, sleep: parts.sleep })
  const { signal } = deadline
  const logOutcome = (outcome: Readonly<Record<string, unknown>>) =>
    parts.log.info('platform.call', { operation: operation.id, ...outcome })
  try {
    signal.throwIfAborted()
    const token = await withAbort(source.token(), signal)
    const attempt = { operation, request, token, secrets: listSecrets(args.body), signal }
    const answer = await sendWithRenewal(attempt, { ...parts, source, until: deadlineMs })
    logOutcome({ status: answer.status })
    return answer
  } catch (error) {
    const callError =
      signal.aborted && !(error instanceof AppError) ? toAppError(toStopFailure(signal, request.url)) : error
    if (callError instanceof AppError)
      logOutcome({ failure: callError.failure.code, requestId: callError.failure.requestId })
    throw callError
  } finally {
    deadline.stop()
  }
}

interface RetryContext extends Pick<PlatformClientOptions, 'send' | 'clock' | 'sleep' | 'random'> {
  readonly source: TokenSource
  /** Deadline in ms since 1970. A delay beyond it is skipped. */
  readonly until: number
}

/** Sends a request, and once again with a new token after a 401. */
async function sendWithRenewal(attempt: CallAttempt, context: RetryContext): Promise<PlatformAnswer> {
  try {
    return await sendWithRetry(attempt, context)
  } catch (error) {
    if (!(error instanceof AppError && error.failure.status === 401)) throw error
    const token = await withAbort(context.source.renew(attempt.token), attempt.signal)
    if (token === undefined) throw error
    return sendWithRetry({ ...attempt, token }, context)
  }
}

/** Sends a request. Repeats a GET request as `waitBeforeRetry` allows. */
async function sendWithRetry(attempt: CallAttempt, context: RetryContext): Promise<PlatformAnswer> {
  const { method } = attempt.operation
  const { clock, sleep, random, until } = context
  for (let retries = 0; ; retries += 1) {
    try {
      return await exchangeWithPlatform(attempt, context)
    } catch (error) {
      const failure = error instanceof AppError ? error.failure : undefined
      const retryDelayMs = failure && waitBeforeRetry(failure, { method, retries, random })
      if (retryDelayMs === undefined || clock().getTime() + retryDelayMs >= until) throw error
      await sleep(retryDelayMs, attempt.signal)
    }
  }
}

interface CallAttempt {
  readonly operation: Operation
  readonly request: PreparedRequest
  readonly token: Secret
  /** Secrets, in addition to the token, that the server may repeat in an error. */
  readonly secrets: readonly Secret[]
  readonly signal: AbortSignal
}

/** Sends one request without retries. A failure without a status means that there was no response. */
async function exchangeWithPlatform(
  attempt: CallAttempt,
  { send, clock }: Pick<RetryContext, 'send' | 'clock'>,
): Promise<PlatformAnswer> {
  const { request, operation, token, signal } = attempt
  const { url, body } = request
  const headers = {
    accept: 'application/json',
    authorization: buildBearerHeader(token),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  try {
    const response = await send({ method: operation.method, ...request, headers, signal })
    return await readAnswer(response, attempt, clock().getTime())
  } catch (error) {
    if (error instanceof AppError) throw error
    throw toAppError(signal.aborted ? toStopFailure(signal, url) : explainConnectionFailure(error, url))
  }
}

/** Failure of an aborted call: `net.timeout`, or `net.cancelled` when the caller stopped it. */
export function toStopFailure({ reason }: AbortSignal, url: string): Failure {
  const failure = explainConnectionFailure(reason, url)
  return failure.code === 'net.timeout' ? failure : { ...failure, code: 'net.cancelled' }
}

async function readAnswer(
  { status, headers, body }: HttpAnswer,
  { operation, request, token, secrets, signal }: CallAttempt,
  nowMs: number,
): Promise<PlatformAnswer> {
  const { text, isTooLong, error } = await readBody(body, MAX_BODY_BYTES)
  const isSuccess = status >= 200 && status < 300
  // The status explains an error even if its body is truncated.
  if (error !== undefined && (isSuccess || signal.aborted)) throw error
  const hiddenSecrets = [token, ...secrets]
  const requestIdField = readRequestId(headers, hiddenSecrets)
  const data = isTooLong ? undefined : parseExternalJson(text)
  if (isSuccess && !isTooLong && (data !== undefined || text.trim() === '')) return { status, data, ...requestIdField }
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
  throw toAppError(failure)
}

const MAX_RETRIES = 2
const FIRST_BACKOFF_MS = 250
const MAX_WAIT_MS = minuteMs

/** Failures after which a GET request is retried. */
const temporaryCodes: readonly Failure['code'][] = [
  'api.rateLimited',
  'api.serverError',
  'net.refused',
  'net.hostNotFound',
  'net.timeout',
  'net.cut',
]

/**
 * Delay before a retry, or undefined. Repeats only GET, at most twice. Uses `Retry-After` of 429 and 503 up to a
 * minute, otherwise a jittered backoff from 250 ms.
 */
function waitBeforeRetry(
  failure: Failure,
  { method, retries, random }: { readonly method: Method; readonly retries: number; readonly random: () => number },
): number | undefined {
  if (method !== 'GET' || retries >= MAX_RETRIES || !temporaryCodes.includes(failure.code)) return undefined
  if (failure.retryAfterMs !== undefined && (failure.status === 429 || failure.status === 503))
    return failure.retryAfterMs <= MAX_WAIT_MS ? failure.retryAfterMs : undefined
  return Math.round(FIRST_BACKOFF_MS * 2 ** retries * (0.5 + random() / 2))
}

interface Page extends PageContent, PlatformAnswer {
  /** Page number as the service counts pages, from 0 or from 1. */
  readonly page: number
}

/** Limits of one list. Reading a longer list fails with `api.listTooLong` or `net.timeout`. */
interface ListLimits {
  readonly rows: number
  readonly pages: number
  /** Maximum characters of all rows as JSON text. */
  readonly characters: number
  /** Maximum total time of the requests in ms, without the caller's work in between. */
  readonly waitMs: number
}

/** Limits of a list that is collected in memory. */
const collectedLimits: ListLimits = { rows: 10_000, pages: 1000, characters: 50_000_000, waitMs: 120_000 }

/** Limits of a list that is streamed page by page. */
export const streamedLimits: ListLimits = { rows: 100_000, pages: 10_000, characters: 1e9, waitMs: 900_000 }

/** Options of a list. `timeoutMs` applies to each page. */
interface ListOptions extends CallOptions {
  /** Limits of the list. Default: those of a list in memory. */
  readonly limits?: ListLimits
}

/**
 * Iterates the pages of a list, one in memory at a time, for any server page size. Ends at the total row count or the
 * last page. An empty or repeated page also ends it. A repeated page fails if the total promises more rows. Always
 * yields the first page.
 */
async function* fetchPages(
  parts: PlatformClientOptions,
  operation: Operation,
  { args, options }: { readonly args: CallArguments; readonly options: ListOptions },
): AsyncGenerator<Page, void, void> {
  const { id, paging } = operation
  if (paging === undefined)
    throw new AppError('input.invalid', `${id} is not a list in pages. Call it once instead.`, { field: 'id' })
  if (args.query?.page !== undefined) {
    const message = 'page cannot be combined with all pages. Remove it to read every page.'
    throw new AppError('input.invalid', message, { field: 'page' })
  }
  const { limits = collectedLimits, timeoutMs = DEFAULT_TIMEOUT_MS, signal } = options
  const progress = new ListProgress(paging, limits)
  for (let page = paging.firstPage; !progress.isOver; page++) {
    const pageOptions = { signal, timeoutMs: Math.min(timeoutMs, progress.requireRoom()) }
    const requestedAtMs = parts.clock().getTime()
    const pageArgs = { ...args, query: { ...args.query, page } }
    const pageAnswer = toPage(paging, page, await callOnce(parts, operation, { args: pageArgs, options: pageOptions }))
    progress.waitedMs += Math.max(0, parts.clock().getTime() - requestedAtMs)
    if (progress.isNew(pageAnswer)) yield pageAnswer
  }
}

/** Fails with `api.unreadable` for a response without rows. */
function toPage(paging: Paging, page: number, answer: PlatformAnswer): Page {
  const content = readPage(paging, answer.data)
  if (content !== undefined) return { ...answer, ...content, page }
  const { requestId } = answer
  const message = `The list has no rows (${paging.items}). Check the address of the service.`
  throw new AppError('api.unreadable', message, requestId === undefined ? {} : { requestId })
}

/** Counts rows and time while a list is read page by page. Stores fingerprints of pages, to detect repeated ones. */
class ListProgress {
  isOver = false
  waitedMs = 0
  #rows = 0
  #characters = 0
  readonly #prints = new Set<string>()

  constructor(
    private readonly paging: Paging,
    private readonly limits: ListLimits,
  ) {}

  /** Timeout of the next page. Fails when the list has reached a limit. */
  requireRoom(): number {
    const { rows, pages, characters, waitMs } = this.limits
    const isListLimitReached = this.#rows >= rows || this.#prints.size >= pages || this.#characters >= characters
    if (isListLimitReached) throw this.#failure('api.listTooLong', 'and has more. This is the limit for one list')
    const remainingMs = waitMs - this.waitedMs
    if (remainingMs > 0) return remainingMs
    throw this.#failure('net.timeout', `within ${Math.round(waitMs / minuteMs)} minutes and has more. Try again later`)
  }

  /** Whether the page is new. Detects the last page. Fails on a repeated page of an unfinished list. */
  isNew({ page, items, totalItems, totalPages }: Page): boolean {
    const text = JSON.stringify(items)
    const fingerprint = createHash('sha256').update(text).digest('base64')
    const isRepeated = this.#prints.has(fingerprint)
    const isLastPage = items.length === 0 || isRepeated
    this.#prints.add(fingerprint)
    // Some servers repeat the last page for requests beyond the end.
    if (isRepeated && items.length > 0 && this.#rows < (totalItems ?? 0)) {
      throw this.#failure('api.listTooLong', `of ${totalItems}, and then repeated its pages. The rest cannot be read`)
    }
    this.#rows += items.length
    this.#characters += text.length
    const pages = page - this.paging.firstPage + 1
    const isLast = totalItems === undefined ? pages >= (totalPages ?? Infinity) : this.#rows >= totalItems
    this.isOver = isLast || isLastPage
    return pages === 1 || !isLastPage
  }

  #failure(code: FailureCode, reason: string): AppError {
    return new AppError(code, `The list returned ${this.#rows} rows on ${this.#prints.size} pages ${reason}.`)
  }
}
