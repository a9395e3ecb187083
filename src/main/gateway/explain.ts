import type { ApiStandard } from '@shared/contract/common'
import type { DoctorFix } from '@shared/contract/tools'
import type { UsageErrorKind } from '@shared/contract/usage'
import type { Failure, FailureCode, GatewayCode } from '@shared/failure'
import { printableAddress, requestAddressFor, requestSuffix, toBaseRoot, toRoot } from '../core/net/address'
import { redact, type Secret } from '../core/secret'
import { isHtml, parseExternalJson, readRetryAfter, readServerMessage, type ServerMessage } from './server-message'

type UnexpectedAnswer = {
  readonly status: number
  readonly body: string
  /** Whether the body exceeded the limit. */
  readonly isTooLong?: boolean
  readonly standard: ApiStandard
  readonly requestAddress: string
  /** Path that the tool appends to its base URL, if it differs from the path of the API standard. */
  readonly suffix?: string
  readonly retryAfter?: string | null
  /** Target of a redirect. */
  readonly location?: string | null
  readonly requestId?: string | undefined
  readonly model?: string
  /** Secrets to redact, because the server may echo them. */
  readonly secrets?: readonly Secret[]
}

type Context = UnexpectedAnswer & { readonly place: string; readonly waitMs: number | undefined }

/** Failure codes of the spec's error table. A status that is not listed uses the code of its class (4xx or 5xx). */
const codeByStatus: Readonly<Record<number, GatewayCode>> = {
  401: 'gateway.keyRejected',
  402: 'gateway.planExpired',
  403: 'gateway.modelNotInPlan',
  404: 'gateway.wrongSuffix',
  405: 'gateway.notAGateway',
  408: 'gateway.serverError',
  429: 'gateway.rateLimited',
}

interface GatewayFailure {
  /** Message with cause, affected item and fix. */
  readonly sentence: (context: Context) => string
  /** Error kind that is stored in the usage ledger. */
  readonly kind: UsageErrorKind
  /** Fix that the doctor suggests by default. */
  readonly fix: DoctorFix | undefined
}

const gatewayFailures: Readonly<Record<GatewayCode, GatewayFailure>> = {
  'gateway.keyRejected': {
    kind: 'key',
    fix: 'replaceKey',
    sentence: ({ place, status }) =>
      `${place} rejected the key (${status}). Copy the key again in full and check that it is active.`,
  },
  'gateway.planExpired': {
    kind: 'plan',
    fix: 'chooseKey',
    sentence: ({ place, status }) =>
      `${place} says that the plan of this key has expired or was deleted (${status}). Buy the plan again, or use the key of another plan. Auto-renew prevents this.`,
  },
  'gateway.modelNotInPlan': {
    kind: 'model',
    fix: 'chooseModel',
    sentence: ({ place, status, model }) =>
      `${place} does not give this key the model${model === undefined ? '' : ` ${model}`} (${status}). Use a model code of the plan, exactly as listed.`,
  },
  'gateway.wrongSuffix': { kind: 'path', fix: 'applyAgain', sentence: explainWrongSuffix },
  'gateway.quotaExhausted': {
    kind: 'quota',
    fix: 'chooseModel',
    sentence: ({ place, status, model }) =>
      `${place} has no allowance left for the model${model === undefined ? '' : ` ${model}`} (${status}). It pauses until the plan's next cycle: use another model, buy another plan or use a pay-as-you-go key.`,
  },
  'gateway.rateLimited': {
    kind: 'rateLimit',
    fix: 'retry',
    sentence: ({ place, status, waitMs }) =>
      `${place} received too many requests in a short time (${status}). Try again in ${waitMs === undefined ? 'a minute' : `${Math.ceil(waitMs / 1000)} s`}.`,
  },
  'gateway.badRequest': {
    kind: 'badRequest',
    fix: undefined,
    sentence: ({ place, status }) =>
      `${place} did not accept the request (${status}). Check the model code, and that the plan serves this standard.`,
  },
  'gateway.serverError': {
    kind: 'server',
    fix: 'retry',
    sentence: ({ place, status }) => `${place} reported a server error (${status}). Try again in a few minutes.`,
  },
  'gateway.notAGateway': {
    kind: 'path',
    fix: undefined,
    sentence: (context) =>
      `${printableAddress(context.requestAddress)} is not a gateway: ${describeResponse(context)}. Check the gateway address of the plan.`,
  },
}

const failures: Partial<Record<FailureCode, GatewayFailure>> = gatewayFailures

export const findFix = (code: FailureCode): DoctorFix | undefined => failures[code]?.fix

/** The kind of a failed request in the usage ledger. Undefined when nothing was sent. */
export function toErrorKind(code: FailureCode): UsageErrorKind | undefined {
  if (code === 'net.cut') return 'cut'
  return failures[code]?.kind ?? (code.startsWith('net.') ? 'network' : undefined)
}

/** Explains a status with cause, fix and the server's message, without secrets. */
export function explainStatus(answer: UnexpectedAnswer): Failure {
  const serverMessage = readServerMessage(answer.body, answer.secrets)
  const retryAfterMs = readRetryAfter(answer.retryAfter)
  const code = toGatewayCode(answer, serverMessage)
  const failureMessage = gatewayFailures[code].sentence({
    ...answer,
    place: toRoot(answer.requestAddress) || 'The gateway',
    waitMs: retryAfterMs,
  })
  const quotedMessage = serverMessage.text === '' ? '' : ` The server says: ${serverMessage.text}`
  return {
    code,
    message: redact(failureMessage, answer.secrets) + quotedMessage,
    status: answer.status,
    ...(answer.requestId === undefined ? {} : { requestId: redact(answer.requestId, answer.secrets) }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** Model errors with status 404 of Anthropic ("model: x"), vLLM ("The model `x-1.5` does not exist.") and others. */
const unknownModel =
  /^model: ?\S+$|\bmodel\b(?:[^.]|\.(?=\S)){0,250}\b(?:does(?: not|n't) exist|not (?:found|available|supported)|unknown)\b|\b(?:unknown|no such|not find(?: the)?) model\b/i

function toGatewayCode({ status, body }: UnexpectedAnswer, serverMessage: ServerMessage): GatewayCode {
  if (status >= 500) return 'gateway.serverError'
  if (status < 400) return 'gateway.notAGateway'
  // An error about a used-up allowance may mean an expired plan. Then the fix is to buy it again.
  const isPlanExpired = status === 402 && /expire|delete/i.test(serverMessage.text)
  if (!isPlanExpired && /quota|allowance/i.test(`${serverMessage.marks} ${serverMessage.text}`))
    return 'gateway.quotaExhausted'
  if (serverMessage.marks.includes('model_not_found')) return 'gateway.modelNotInPlan'
  if (status === 404 && unknownModel.test(serverMessage.text)) return 'gateway.modelNotInPlan'
  // An HTML page with 403 comes from a proxy or sign-in page, not from the gateway.
  if (status === 403 && isHtml(body)) return 'gateway.notAGateway'
  return codeByStatus[status] ?? 'gateway.badRequest'
}

/** HTTP status by a pattern that matches error codes or messages. */
const lateErrorPatterns: readonly (readonly [RegExp, number])[] = [
  [/quota|allowance|rate.?limit|too.?many.?requests|throttl/i, 429],
  [/authentication|unauthorized|invalid.?(?:api.?)?key/i, 401],
  [/billing|balance|arrearage|plan_expired|plan_deleted/i, 402],
  [/permission|access.?denied|model_not_in_plan|model_not_found/i, 403],
  [/invalid.?(?:request|param|argument)|context.?length/i, 400],
]

/** HTTP status that corresponds to an error inside a response with a status below 300. 500 if unknown. */
export function findLateErrorStatus(body: string, secrets: readonly Secret[] = []): number {
  const { marks, text } = readServerMessage(body, secrets)
  const findStatus = (content: string) => lateErrorPatterns.find(([pattern]) => pattern.test(content))?.[1]
  if (/quota|allowance/i.test(text)) return 429
  return findStatus(marks) ?? Number(/\b[45]\d\d\b/.exec(marks)?.[0] ?? findStatus(text) ?? 500)
}

function explainWrongSuffix({ status, standard, requestAddress, suffix = requestSuffix(standard) }: Context): string {
  const printedAddress = printableAddress(requestAddress)
  const root = toBaseRoot(requestAddress)
  const correctAddress = requestAddressFor(root, standard)
  if (printedAddress === correctAddress)
    return `Nothing answers at ${printedAddress} (${status}), although the suffix is right for the ${standard} standard. Check the gateway address of the plan.`
  const baseUrl = correctAddress.endsWith(suffix)
    ? correctAddress.slice(0, correctAddress.length - suffix.length)
    : correctAddress
  return `Nothing answers at ${printedAddress} (${status}): the suffix of the base address does not fit the ${standard} standard. Set the base address to ${baseUrl}, so that it calls ${correctAddress}.`
}

function describeResponse({ status, body, isTooLong, standard, location, requestAddress }: Context): string {
  if (status >= 300 && status < 400) {
    const target = location && URL.canParse(location, requestAddress) ? new URL(location, requestAddress).origin : ''
    return `it redirects (${status})${target === '' ? '' : ` to ${target}`}`
  }
  if (body.trim() === '' && status < 400) return `its answer is empty (${status})`
  if (isHtml(body)) return `it answers with a web page (${status})`
  if (status >= 400) return `it takes no such request (${status})`
  if (isTooLong === true) return `its answer is far too long (${status})`
  if (parseExternalJson(body) === undefined) return `its answer is not JSON (${status})`
  return `its answer is not one of the ${standard} standard (${status})`
}

/** Failure code and message by error code. The first match wins. `{place}` is replaced by the target address. */
const causes: readonly (readonly [RegExp, FailureCode, string])[] = [
  [
    /^ECONNREFUSED$/,
    'net.refused',
    '{place} refused the connection: nothing listens there. Check the host and the port; start the sandbox if it is its address.',
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|EAI_NONAME|EAI_NODATA)$/,
    'net.hostNotFound',
    'The host of {place} was not found. Check the spelling of the address, and whether this computer is online.',
  ],
  [
    /^(?:TimeoutError|ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/,
    'net.timeout',
    '{place} did not answer in time. Try again; if it still fails, check the network, the proxy and the address.',
  ],
  [/^AbortError$/, 'net.other', 'The request to {place} was canceled. Start it again.'],
  [
    /^(?:CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    'net.tls',
    'The certificate of {place} is not valid today. Check the clock of this computer, or ask its operator to renew it.',
  ],
  [
    /^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    'net.tls',
    'The certificate of {place} is for another host. Check the spelling of the address.',
  ],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|INVALID_CA|PATH_LENGTH_EXCEEDED)/,
    'net.tls',
    'This computer does not trust the certificate of {place}. Install its CA certificate on this computer, name its file in NODE_EXTRA_CA_CERTS, or choose it for the plan or connection.',
  ],
  [
    /^(?:EPROTO|ERR_SSL_|ERR_TLS_)/,
    'net.tls',
    "Couldn't establish a secure connection to {place}. It may not use https on this port. Check the scheme and the port.",
  ],
  [
    /^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    'net.cut',
    '{place} cut the connection before its answer was complete. Try again; if it still fails, check the proxies in between.',
  ],
  [
    /^UND_ERR_HEADERS_OVERFLOW$/,
    'gateway.notAGateway',
    '{place} answered with headers of more than 128 KB. Check the host and the port, and proxies on the way.',
  ],
  [
    /^(?:HPE_|HTTPParserError$|Z_|ERR__)/,
    'gateway.notAGateway',
    'The server at {place} does not use HTTP as a gateway does. Check the host and the port.',
  ],
  [
    /^(?:ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL)$/,
    'net.other',
    'No network route to {place}. Check that this computer is online, and its VPN if it needs one.',
  ],
]

/** Explains an error of `fetch`. Never includes its message, which may contain the request. */
export function explainNetworkError(error: unknown, requestAddress = ''): Failure {
  const names = listErrorNames(error)
  const cause = causes.find(([pattern]) => names.some((name) => pattern.test(name)))
  const code = cause?.[1] ?? 'net.other'
  const sentence = cause?.[2] ?? 'The request to {place} failed ({name}). Check the address and the network.'
  const gatewayName = toRoot(requestAddress) || (sentence.startsWith('{place}') ? 'The gateway' : 'the gateway')
  const message = sentence.replace('{place}', () => gatewayName)
  return { code, message: message.replace('{name}', () => names[0] ?? 'no cause given') }
}

/** Codes and names of an error and all its causes, innermost first. */
function listErrorNames(error: unknown, depth = 0): readonly string[] {
  if (!(error instanceof Error) || depth > 8) return []
  const innerErrors = error instanceof AggregateError ? error.errors : []
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  const causeNames = [error.cause, ...innerErrors].flatMap((cause) => listErrorNames(cause, depth + 1))
  return [...causeNames, ...[code, error.name].filter((name) => /^\w{1,60}$/.test(name))]
}
