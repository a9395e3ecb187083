import { randomBytes } from 'node:crypto'
import { AppError } from '@shared/failure'
import { Secret } from '../secret'
import type { Vault } from '../vault/vault'

const bytesOfToken = 32

/** The keychain's account of a tool's token. */
export const tokenIdOf = (toolId: string): string => `relay:${toolId}`

/** A new token: 32 random bytes behind a prefix that no subscription key has (`redact` knows it). */
export function newToken(): Secret {
  return new Secret(`relay-${randomBytes(bytesOfToken).toString('base64url')}`)
}

/** The token of a tool, made and kept when there is none. Fails with `vault.unavailable`. */
export async function tokenOf(toolId: string, vault: Vault): Promise<Secret> {
  try {
    return await vault.get(tokenIdOf(toolId))
  } catch (error) {
    if (!(error instanceof AppError && error.failure.code === 'vault.keyMissing')) throw error
  }
  await vault.put(tokenIdOf(toolId), newToken())
  // Another process may have made one at the same time; the one that is kept counts.
  return vault.get(tokenIdOf(toolId))
}
