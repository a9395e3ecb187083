import type { UsageErrorKind } from '@shared/contract'
import type { Failure, FailureCode } from '@shared/failure'
import type { LedgerEntry } from '../usage/entry'

/** What a request through the relay failed with: its code, and a sentence without its end. */
const kinds: Readonly<Record<UsageErrorKind, readonly [FailureCode, string]>> = {
  key: ['gateway.keyRejected', 'The gateway refused the key'],
  plan: ['gateway.planExpired', 'The plan has expired or was deleted'],
  model: ['gateway.modelNotInPlan', 'The plan does not have the model'],
  path: ['gateway.wrongSuffix', 'The gateway has nothing at the path that was asked for'],
  quota: ['gateway.quotaExhausted', 'The allowance of the model is used up'],
  rateLimit: ['gateway.rateLimited', 'The gateway took too many requests'],
  badRequest: ['gateway.badRequest', 'The gateway refused what the tool sent'],
  server: ['gateway.serverError', 'The gateway failed'],
  network: ['net.other', 'The gateway could not be reached'],
  aborted: ['net.cancelled', 'The tool went away before the answer was complete'],
  cut: ['net.cut', 'The answer broke off'],
  relay: ['relay.failed', 'The relay itself refused the request'],
}

/** What the last request of a tool failed with; undefined when it did not. */
export function failureOfRequest({ error, status, modelCode }: LedgerEntry): Failure | undefined {
  if (error === undefined) return undefined
  const [code, sentence] = kinds[error]
  const about = modelCode === '' ? '' : ` (${modelCode})`
  return { code, message: `${sentence}${about}${status === undefined ? '' : `: ${status}`}.` }
}
