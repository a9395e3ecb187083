import type { Clock } from '../../ports'
import type { Secret } from '../../secret'
import { isSameSecret } from '../credentials'
import type { IssuedToken, TokenSource } from './token-source'

const RENEWED_BEFORE_MS = 60_000

/**
 * Keeps what `issue` gives in memory and asks again 60 s before it expires (half-way, when it lives no longer than
 * that), or once it was refused; callers who need one at the same time share one request.
 */
export function keepToken(issue: () => Promise<IssuedToken>, clock: Clock): TokenSource {
  let kept: { readonly token: Secret; readonly goodUntil: number } | undefined
  let asked: Promise<Secret> | undefined

  const ask = async (): Promise<Secret> => {
    try {
      const { token, expiresInMs = Number.POSITIVE_INFINITY } = await issue()
      const margin = expiresInMs > RENEWED_BEFORE_MS ? RENEWED_BEFORE_MS : expiresInMs / 2
      kept = { token, goodUntil: clock().getTime() + expiresInMs - margin }
      return token
    } finally {
      asked = undefined
    }
  }
  const fresh = (): Promise<Secret> => {
    asked ??= ask()
    return asked
  }
  return {
    async token() {
      return kept !== undefined && clock().getTime() < kept.goodUntil ? kept.token : fresh()
    },
    async renew(refused) {
      // Another caller may have renewed it while this one waited for its refusal.
      if (kept !== undefined && !isSameSecret(kept.token, refused)) return kept.token
      return fresh()
    },
  }
}
