import type { ServerResponse } from 'node:http'
import type { ApiStandard } from '@shared/contract/common'
import type { UsageErrorKind } from '@shared/contract/usage'
import { explainStatus, toErrorKind } from '../gateway/explain'

const settings = 'Platform Companion'

/** Errors that the relay itself sends to tools, each with HTTP status, code and default sentence. */
const refusals = {
  wrongHost: [421, 'wrong_host', `${settings}'s relay answers to 127.0.0.1 and localhost with its own port only.`],
  page: [403, 'browser_origin', `${settings}'s relay refuses requests of web pages.`],
  method: [405, 'method_not_allowed', `${settings}'s relay does not take requests of this method.`],
  odd: [400, 'invalid_request', `${settings}'s relay takes plain HTTP requests only, each header said once.`],
  target: [
    400,
    'invalid_path',
    `${settings}'s relay does not pass on a path with dots, backslashes or escapes of them.`,
  ],
  unknownPath: [404, 'not_found', `${settings}'s relay has nothing here. Configure the tool again.`],
  token: [401, 'relay_token', `${settings}'s relay does not know this token. Configure the tool again.`],
  paused: [503, 'relay_paused', `${settings}'s relay is paused. Resume it in the app.`],
  noUpstream: [503, 'relay_no_plan', `${settings}'s relay has no plan and key for this tool. Choose one in the app.`],
  tooLarge: [413, 'request_too_large', `The request is larger than ${settings}'s relay takes (64 MB).`],
  untranslatable: [
    400,
    'unsupported_request',
    `${settings}'s relay cannot say this request in the gateway's protocol.`,
  ],
  budget: [429, 'budget_exceeded', `A budget of ${settings} is used up.`],
  uncountedPath: [
    403,
    'uncounted_path',
    `A budget limits this tool, and ${settings}'s relay cannot count requests to this path. Allow them in the app under Relay: "Let requests through that budgets cannot count".`,
  ],
  unreadableModel: [
    400,
    'unreadable_model',
    `A budget of ${settings} limits a model, and the relay cannot read the model of this request.`,
  ],
  unknownCoding: [
    415,
    'unsupported_encoding',
    `${settings}'s relay unpacks request bodies of gzip, br, deflate and zstd only.`,
  ],
  corruptBody: [
    400,
    'invalid_body',
    `The packed body of the request is damaged: ${settings}'s relay could not unpack it.`,
  ],
  quota: [429, 'quota_exhausted', 'The allowance of this model is used up.'],
  busy: [503, 'relay_busy', `${settings}'s relay has too many requests of this tool at once. Try again.`],
  noMetrics: [503, 'metrics_unavailable', `${settings}'s relay cannot read its figures now. Try again.`],
  mcpTooLarge: [413, 'request_too_large', 'An MCP message has at most 2,000,000 bytes. Send less in one call.'],
  mcpBusy: [503, 'mcp_busy', `${settings} answers too many MCP requests at once. Try again.`],
  mcpFailed: [502, 'mcp_failed', `${settings}'s MCP server could not be started. Try again.`],
  unreachable: [502, 'relay_unreachable', `${settings}'s relay could not reach the gateway.`],
  timedOut: [504, 'relay_timeout', `${settings}'s relay got no answer from the gateway in time.`],
} as const

export type RefusalName = keyof typeof refusals

/** An error of the relay in the format of an API standard. `detail` replaces its default sentence. */
export interface Refusal {
  readonly name: RefusalName
  readonly standard: ApiStandard
  readonly detail?: string | undefined
  /** Whether the tool uses the Responses protocol. */
  readonly isResponses?: boolean
}

export const refusalStatus = (name: RefusalName): number => refusals[name][0]

const errorTypes: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
}

/** Errors that tools may retry. All others get a header that stops retries. */
const retryableRefusals = new Set<RefusalName>(['busy', 'noMetrics', 'mcpBusy', 'mcpFailed', 'unreachable', 'timedOut'])

export function errorBody(refusal: Refusal): string {
  const { name, standard, detail } = refusal
  const [status, code, sentence] = refusals[name]
  const message = detail ?? sentence
  const serverError = standard === 'messages' ? 'api_error' : 'server_error'
  const defaultType = errorTypes[status] ?? (status < 500 ? 'invalid_request_error' : serverError)
  // Error type that makes clients of the chat standard stop retrying.
  const budgetType = name === 'budget' && standard !== 'messages' ? 'insufficient_quota' : defaultType
  const type = isUsageLimit(refusal) ? 'usage_limit_reached' : budgetType
  if (standard === 'messages') return JSON.stringify({ type: 'error', error: { type, message } })
  return JSON.stringify({ error: { message, type, param: null, code } })
}

/** Whether an error is a usage limit, whose message Codex shows from a header. It shows no other 429 message. */
const isUsageLimit = ({ name, isResponses = false }: Refusal): boolean =>
  name === 'quota' || (name === 'budget' && isResponses)

/** Sends an error. Reads and drops the rest of the request body, so that the tool receives the response. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  const text = Buffer.from(errorBody(refusal))
  const headers = ['content-type', 'application/json', 'content-length', String(text.length)]
  if (!retryableRefusals.has(refusal.name)) headers.push('x-should-retry', 'false')
  const codexText = refusal.detail
    ?.normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .replace(/[^ -~]/g, '?')
  if (isUsageLimit(refusal) && codexText) headers.push('x-codex-promo-message', codexText.replace(/[.\s]+$/, ''))
  response.writeHead(refusalStatus(refusal.name), headers)
  response.end(text)
}

/** Whether another key or plan may succeed after this error (spec, "Errors", A). The same key fails again. */
export const concernsKeyOrPlan = (kind: UsageErrorKind | undefined): boolean =>
  kind === 'key' || kind === 'plan' || kind === 'quota'

export interface ResponseText {
  readonly status: number
  readonly body: string
  readonly standard: ApiStandard
  /** Whether the error was in a response with a status below 300, which tools do not retry. */
  readonly isAccepted?: boolean
  /** `retry-after` of the response. */
  readonly retryAfter?: string | undefined
}

export function failureKind({ status, body, standard }: ResponseText): UsageErrorKind | undefined {
  if (status >= 200 && status < 300) return undefined
  return toErrorKind(explainStatus({ status, body, standard, requestAddress: '' }).code) ?? 'badRequest'
}
