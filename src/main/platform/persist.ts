import type { Result } from '@shared/result'
import { orAborted, type Sleep } from './deadline'
import { type Attempt, type AttemptFailure, type ExchangePorts, exchange, type PlatformAnswer } from './exchange'
import { waitBeforeRetry } from './retry'
import type { TokenSource } from './tokens/token-source'

/** What a call may use to get through. */
export interface Means extends ExchangePorts {
  readonly source: TokenSource
  readonly sleep: Sleep
  /** From 0 up to 1. */
  readonly random: () => number
  /** When the call ends, in milliseconds since 1970: a wait that reaches beyond is not begun. */
  readonly until: number
}

/** Makes a request until it is answered: once more with a fresh token after a 401, GET as often as `waitBeforeRetry` says. */
export async function persist(first: Attempt, means: Means): Promise<Result<PlatformAnswer, AttemptFailure>> {
  const { operation, signal } = first
  let attempt = first
  let isRenewed = false
  for (let retries = 0; ; ) {
    const outcome = await exchange(attempt, means)
    if (outcome.ok) return outcome
    if (outcome.error.status === 401 && !isRenewed) {
      isRenewed = true
      const token = await orAborted(means.source.renew(attempt.token), signal)
      if (token === undefined) return outcome
      attempt = { ...attempt, token }
      continue
    }
    const waitMs = waitBeforeRetry({ ...outcome.error, method: operation.method, retries, random: means.random })
    if (waitMs === undefined || means.clock().getTime() + waitMs >= means.until) return outcome
    await means.sleep(waitMs, signal)
    retries += 1
  }
}
