import type { Failure, FailureCode } from '@shared/failure'
import { toRoot } from '../core/net/address'
import { redact, type Secret } from '../core/secret'
import { explainNetworkError } from '../gateway/explain'
import { isHtml, readRetryAfter, readServerMessage } from '../gateway/server-message'

/** An error response, or a success with an unreadable body. */
export interface ErrorResponse {
  readonly status: number
  readonly body: string
  /** Whether the body exceeded the limit. */
  readonly isTooLong: boolean
  /** Address of the call. Only its root appears in messages. */
  readonly address: string
  readonly retryAfter: string | null
  readonly location: string | null
  readonly requestId?: string
  /** Secrets to remove from the failure, since the server may repeat them. */
  readonly secrets: readonly Secret[]
  /** Time of the response, in ms since 1970. */
  readonly nowMs: number
}

type ApiCode = Exclude<Extract<FailureCode, `api.${string}`>, 'api.notConfigured' | 'api.listTooLong'>

/** Failure code by HTTP status. Other statuses use the code of their class (4xx or 5xx). */
const codeByStatus: Readonly<Record<number, ApiCode>> = {
  401: 'api.unauthorized',
  403: 'api.forbidden',
  404: 'api.notFound',
  408: 'api.serverError',
  409: 'api.conflict',
  410: 'api.notFound',
  412: 'api.conflict',
  423: 'api.conflict',
  429: 'api.rateLimited',
}

const sentences: Readonly<Record<ApiCode, readonly [happened: string, remedy: string]>> = {
  'api.badRequest': ['did not accept the request', 'Check what was entered.'],
  'api.unauthorized': ['did not accept the token or key', 'Check the token source or the key of this connection.'],
  'api.forbidden': ['does not allow this to the account', 'Ask an administrator for the right to do it.'],
  'api.notFound': ['has nothing there', 'Check the name, and the address of the service.'],
  'api.conflict': ['cannot do this in its present state', 'Look at what it holds now, then try again.'],
  'api.rateLimited': ['received too many requests in a short time', 'Wait before trying again.'],
  'api.serverError': ['failed while it answered', 'Try again in a few minutes.'],
  'api.unreadable': ['did not answer as the service does', 'Check the address of the service.'],
}

/** Cause and fix of an error response, with the server's message (decisions 6) without secrets. */
export function explainRefusal(refusal: ErrorResponse): Failure {
  const { status, body, retryAfter, requestId, secrets, nowMs, address } = refusal
  const code =
    status < 400 ? 'api.unreadable' : (codeByStatus[status] ?? (status >= 500 ? 'api.serverError' : 'api.badRequest'))
  const [happened, remedy] = sentences[code]
  const retryAfterMs = readRetryAfter(retryAfter, nowMs)
  // An unreadable body may contain personal data, so omit its text.
  const responseText = code === 'api.unreadable' ? `: ${describeResponse(refusal)}` : ''
  const message = code === 'api.unreadable' ? '' : readServerMessage(body, secrets).text
  const quotedMessage = message && ` The server says: ${message}`
  return {
    code,
    message: `${toRoot(address)} ${happened} (${status})${responseText}. ${remedy}${quotedMessage}`,
    status,
    ...(requestId === undefined ? {} : { requestId: redact(requestId, secrets) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

function describeResponse({ status, body, isTooLong }: ErrorResponse): string {
  if (status >= 300) return 'a redirect, which is not followed with credentials'
  if (isTooLong) return 'an answer longer than 50 MB'
  if (body === '') return 'an empty answer'
  return isHtml(body) ? 'a page for people' : 'something that is not the JSON of this service'
}

/** Explains a failed exchange without the error's message, which may repeat the request. */
export function explainConnectionFailure(error: unknown, address: string): Failure {
  const failure = explainNetworkError(error, address)
  if (failure.code !== 'gateway.notAGateway') return failure
  const message = `The server at ${toRoot(address)} does not use HTTP. Check the host and the port of the service.`
  return { code: 'api.unreadable', message }
}

/** The console's own error codes (decisions 3) and the invalid field. */
const errorMeanings: Readonly<Record<string, { readonly code: FailureCode; readonly field?: string }>> = {
  INVALID_NAME: { code: 'account.invalidName', field: 'name' },
  ROLE_NOT_ALLOWED: { code: 'account.roleNotAllowed' },
  INSUFFICIENT_CREDITS: { code: 'account.insufficientCredits' },
  KEY_LIMIT_REACHED: { code: 'account.keyLimitReached' },
  PLAN_EXPIRED: { code: 'account.planExpired' },
  NOT_FOUND: { code: 'api.notFound' },
}

/** Failure code and field of a console error code. Undefined for an unknown code. */
export function explainConsoleCode(consoleCode: string): Pick<Failure, 'code' | 'field'> | undefined {
  return Object.hasOwn(errorMeanings, consoleCode) ? errorMeanings[consoleCode] : undefined
}
