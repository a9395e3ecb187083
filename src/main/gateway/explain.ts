import type { Standard } from '@shared/contract/common'
import type { Failure } from '@shared/failure'
import { redact, type Secret } from '../secret'
import { baseRootOf, printableAddress, requestAddressFor, requestSuffix, rootOf } from './address'
import { isHtml, parseJson, readRetryAfter, readServerMessage, type ServerMessage } from './server-message'

/** A gateway's answer that is not what was asked for. */
export type UnexpectedAnswer = {
  readonly status: number
  readonly body: string
  /** Whether the body was longer than may be read. */
  readonly isTooLong?: boolean
  readonly standard: Standard
  readonly requestAddress: string
  /** What the tool appends to its base, when that is not what tools of the standard do. */
  readonly suffix?: string
  readonly retryAfter?: string | null
  /** Where a redirect leads. */
  readonly location?: string | null
  readonly requestId?: string | undefined
  readonly model?: string
  /** What must not appear in the failure although the server may repeat it. */
  readonly secrets?: readonly Secret[]
}

type Context = UnexpectedAnswer & { readonly place: string; readonly waitMs: number | undefined }

type GatewayCode = keyof typeof sentences

/** The spec's table of gateway errors; what is not listed goes by its class. */
const codeByStatus: Readonly<Record<number, GatewayCode>> = {
  401: 'gateway.keyRejected',
  402: 'gateway.planExpired',
  403: 'gateway.modelNotInPlan',
  404: 'gateway.wrongSuffix',
  405: 'gateway.notAGateway',
  408: 'gateway.serverError',
  429: 'gateway.rateLimited',
}

/** What happened, to which thing, and what to do. */
const sentences = {
  'gateway.keyRejected': ({ place, status }: Context) =>
    `${place} rejected the key (${status}). Copy the key again in full and check that it is active.`,
  'gateway.planExpired': ({ place, status }: Context) =>
    `${place} says that the plan of this key has expired or was deleted (${status}). Buy the plan again, or use the key of another plan; auto-renew prevents this.`,
  'gateway.modelNotInPlan': ({ place, status, model }: Context) =>
    `${place} does not give this key the model${model === undefined ? '' : ` ${model}`} (${status}). Use a model code that the plan lists, written exactly so.`,
  'gateway.wrongSuffix': wrongSuffix,
  'gateway.quotaExhausted': ({ place, status, model }: Context) =>
    `${place} has no allowance left for the model${model === undefined ? '' : ` ${model}`} (${status}). It pauses until the plan's next cycle: use another model, buy another plan or use a pay-as-you-go key.`,
  'gateway.rateLimited': ({ place, status, waitMs }: Context) =>
    `${place} received too many requests in a short time (${status}). Try again in ${waitMs === undefined ? 'a minute' : `${Math.ceil(waitMs / 1000)} s`}.`,
  'gateway.badRequest': ({ place, status }: Context) =>
    `${place} did not accept the request (${status}). Check the model code, and that the plan serves this standard.`,
  'gateway.serverError': ({ place, status }: Context) =>
    `${place} failed while it answered (${status}). The fault is the gateway's: try again in some minutes.`,
  'gateway.notAGateway': (context: Context) =>
    `${printableAddress(context.requestAddress)} is not a gateway's: ${whatCame(context)}. Check the gateway address of the plan.`,
}

/** The cause and the remedy behind a status, with the server's own words; never with a secret. */
export function explainStatus(answer: UnexpectedAnswer): Failure {
  const said = readServerMessage(answer.body, answer.secrets)
  const waitMs = readRetryAfter(answer.retryAfter)
  const code = codeOf(answer, said)
  const sentence = sentences[code]({ ...answer, place: rootOf(answer.requestAddress) || 'The gateway', waitMs })
  const quoted = said.text === '' ? '' : ` The server says: ${said.text}`
  return {
    code,
    message: redact(sentence, answer.secrets) + quoted,
    ...(answer.requestId === undefined ? {} : { requestId: redact(answer.requestId, answer.secrets) }),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
  }
}

function codeOf({ status, body }: UnexpectedAnswer, said: ServerMessage): GatewayCode {
  if (status >= 500) return 'gateway.serverError'
  if (status < 400) return 'gateway.notAGateway'
  // An expired plan may be said to have lost its allowance; it is still the plan that has to be bought again.
  const isPlanOver = status === 402 && /expire|delete/i.test(said.text)
  if (!isPlanOver && /quota|allowance/i.test(`${said.marks} ${said.text}`)) return 'gateway.quotaExhausted'
  if (said.marks.includes('model_not_found')) return 'gateway.modelNotInPlan'
  // A page that forbids is a proxy's or a sign-in's: it knows nothing of models.
  if (status === 403 && isHtml(body)) return 'gateway.notAGateway'
  return codeByStatus[status] ?? 'gateway.badRequest'
}

function wrongSuffix({ status, standard, requestAddress, suffix = requestSuffix(standard) }: Context): string {
  const found = printableAddress(requestAddress)
  const root = baseRootOf(requestAddress)
  const right = requestAddressFor(root, standard)
  if (found === right)
    return `Nothing answers at ${found} (${status}), although the suffix is right for the ${standard} standard. Check the gateway address of the plan.`
  const base = right.endsWith(suffix) ? right.slice(0, right.length - suffix.length) : right
  return `Nothing answers at ${found} (${status}): the suffix of the base address does not fit the ${standard} standard. Set the base address to ${base}; it then calls ${right}.`
}

function whatCame({ status, body, isTooLong, standard, location, requestAddress }: Context): string {
  if (status >= 300 && status < 400) {
    const target = location && URL.canParse(location, requestAddress) ? new URL(location, requestAddress).origin : ''
    return `it redirects (${status})${target === '' ? '' : ` to ${target}`}`
  }
  if (body.trim() === '' && status < 400) return `its answer is empty (${status})`
  if (isHtml(body)) return `it answers with a web page (${status})`
  if (status >= 400) return `it takes no such request (${status})`
  if (isTooLong === true) return `its answer is far too long (${status})`
  if (parseJson(body) === undefined) return `its answer is not JSON (${status})`
  return `its answer is not one of the ${standard} standard (${status})`
}
