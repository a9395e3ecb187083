import type { Failure } from '@shared/failure'
import type { Method } from './table'

const MOST_RETRIES = 2
const FIRST_BACKOFF_MS = 250
const LONGEST_WAIT_MS = 60_000

/** What may pass when the same request is made once more. */
const passing: readonly Failure['code'][] = [
  'api.rateLimited',
  'api.serverError',
  'net.refused',
  'net.hostNotFound',
  'net.timeout',
  'net.cut',
]

/** An attempt that failed. */
export interface FailedAttempt {
  readonly method: Method
  readonly failure: Failure
  /** The status, when there was an answer. */
  readonly status?: number | undefined
  /** How many retries there were before. */
  readonly retries: number
  readonly random: () => number
}

/**
 * How long to wait before the same request is made again, or undefined when it must not be: only GET is repeated, at
 * most twice. `Retry-After` counts for 429 and 503, up to a minute; else the wait doubles from 250 ms, jittered.
 */
export function waitBeforeRetry({ method, failure, status, retries, random }: FailedAttempt): number | undefined {
  if (method !== 'GET' || retries >= MOST_RETRIES || !passing.includes(failure.code)) return undefined
  if (failure.retryAfterMs !== undefined && (status === 429 || status === 503)) {
    return failure.retryAfterMs <= LONGEST_WAIT_MS ? failure.retryAfterMs : undefined
  }
  return Math.round(FIRST_BACKOFF_MS * 2 ** retries * (0.5 + random() / 2))
}
