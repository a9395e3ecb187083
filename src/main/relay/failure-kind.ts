import type { Standard } from '@shared/contract/common'
import type { UsageErrorKind } from '@shared/contract/usage'
import { explainStatus } from '../gateway/explain'
import { errorKindOf } from '../usage/app-usage-recorder'

/** Which errors another key or plan may not have (spec, "Errors", A); nothing was spent before them. */
const ofKeyOrPlan: readonly (UsageErrorKind | undefined)[] = ['key', 'plan', 'quota']

/** An answer as far as it was read. */
export interface Refused {
  readonly status: number
  readonly body: string
  readonly standard: Standard
}

/** Why an answer of this status is a failure; undefined when it is none. */
export function failureKind({ status, body, standard }: Refused): UsageErrorKind | undefined {
  if (status >= 200 && status < 300) return undefined
  return errorKindOf(explainStatus({ status, body, standard, requestAddress: '' }).code) ?? 'badRequest'
}

/** Why an answer that began well failed, by the error it ended with: the servers', but for an allowance at its end. */
export function lateFailureKind(error: string, standard: Standard): UsageErrorKind {
  return failureKind({ status: 400, body: error, standard }) === 'quota' ? 'quota' : 'server'
}

/** Whether the next key or plan may serve what this one refused: 401, 402 or a used-up allowance. */
export function isWorthAnotherKey(refused: Refused): boolean {
  return refused.status === 401 || refused.status === 402 || ofKeyOrPlan.includes(failureKind(refused))
}
