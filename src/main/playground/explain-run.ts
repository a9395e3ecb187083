import type { Failure } from '@shared/failure'
import { explainStatus } from '../gateway/explain'
import { explainNetworkError } from '../gateway/explain-network'
import { readServerMessage } from '../gateway/server-message'
import { explainBroken, explainRefusal } from '../platform/explain'
import type { OpenTarget } from './targets'

/** An answer that is not what was asked for. */
export interface RunRefusal {
  readonly status: number
  readonly body: string
  readonly isTooLong: boolean
  readonly retryAfter: string | null
  readonly location: string | null
  readonly requestId?: string | undefined
}

/** The cause and the remedy behind an answer, as everywhere: a gateway's by its table, the platform's and a local server's by theirs. */
export function explainRunRefusal(refusal: RunRefusal, open: OpenTarget): Failure {
  const { target, standard, requestAddress } = open
  const { requestId, ...rest } = refusal
  const told = { ...rest, secrets: open.secrets(), ...(requestId === undefined ? {} : { requestId }) }
  if (target.kind === 'plan') return explainStatus({ ...told, standard, requestAddress, model: target.modelCode })
  const failure = explainRefusal({ ...told, address: requestAddress, now: Date.now() })
  if (target.kind === 'platform' || ![401, 403].includes(refusal.status)) return failure
  const message = `${new URL(requestAddress).origin} wants a key (${refusal.status}). The playground sends none to a local address: let the server take requests without one.`
  return { ...failure, message }
}

/** Why an exchange did not come about or broke off. */
export function explainRunBroken(error: unknown, { target, requestAddress }: OpenTarget): Failure {
  return target.kind === 'plan' ? explainNetworkError(error, requestAddress) : explainBroken(error, requestAddress)
}

/** Which status an error would have had that came in a stream, by the marks that both standards put in it; the servers' fault unless it says otherwise. */
const lateStatuses: readonly (readonly [RegExp, number])[] = [
  [/rate_?limit|too_many_requests/i, 429],
  [/authentication|invalid_api_key|invalid_key/i, 401],
  [/billing|plan_expired|plan_deleted/i, 402],
  [/permission|model_not_in_plan/i, 403],
  [/invalid_request|context_length/i, 400],
]

/** An error within a stream, told as its status would have been. */
export function explainLateError(body: string, open: OpenTarget, requestId: string | undefined): Failure {
  const { marks, text } = readServerMessage(body, open.secrets())
  const isQuota = /quota|allowance/i.test(`${marks} ${text}`)
  const status = isQuota ? 429 : (lateStatuses.find(([mark]) => mark.test(marks))?.[1] ?? 500)
  return explainRunRefusal({ status, body, isTooLong: false, retryAfter: null, location: null, requestId }, open)
}
