import { AppError } from '@shared/failure'
import type { Secret } from '../../secret'
import { isSameSecret } from '../credentials'
import type { TokenSource } from './token-source'

/** Reads what a person entered, from where it is kept; undefined when nothing was. */
export type ReadSecret = () => Promise<Secret | undefined>

/**
 * The token that a person pasted. When it is missing, or refused and no other was pasted since, the failure is
 * `auth.tokenNeeded`, which asks for a new one.
 */
export function pastedToken(read: ReadSecret): TokenSource {
  let held: Secret | undefined
  const readAgain = async (refused?: Secret): Promise<Secret> => {
    held = await read()
    if (held === undefined) throw new AppError('auth.tokenNeeded', 'No token was pasted yet. Get one and paste it.')
    if (refused === undefined || !isSameSecret(held, refused)) return held
    held = undefined
    throw new AppError('auth.tokenNeeded', 'The pasted token is no longer accepted. Get a new one and paste it.')
  }
  return { token: async () => held ?? readAgain(), renew: readAgain }
}

/** A key for the gateway or for inference: there is one or there is none, and nothing renews it. */
export function keySource(read: ReadSecret): TokenSource {
  return {
    async token() {
      const key = await read()
      if (key !== undefined) return key
      throw new AppError('api.notConfigured', 'The connection has no key for this service. Choose or enter one.')
    },
    renew: async () => undefined,
  }
}
