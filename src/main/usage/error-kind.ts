import type { UsageErrorKind } from '@shared/contract/usage'
import type { FailureCode } from '@shared/failure'

/** Why a request failed, by the code that it is told as. */
const kinds: Partial<Record<FailureCode, UsageErrorKind>> = {
  'gateway.keyRejected': 'key',
  'gateway.planExpired': 'plan',
  'gateway.modelNotInPlan': 'model',
  'gateway.wrongSuffix': 'path',
  'gateway.notAGateway': 'path',
  'gateway.quotaExhausted': 'quota',
  'gateway.rateLimited': 'rateLimit',
  'gateway.badRequest': 'badRequest',
  'gateway.serverError': 'server',
  'net.cut': 'cut',
}

/** Why a request failed that is told by this code; undefined for failures that come before anything is sent. */
export const errorKindOf = (code: FailureCode): UsageErrorKind | undefined =>
  kinds[code] ?? (code.startsWith('net.') ? 'network' : undefined)
