import { createHash, createHmac } from 'node:crypto'
import type { World } from './world'

/** What the secrets of a kind begin with: subscription keys, platform API keys, client secrets, robot accounts, provider keys. */
export type SecretPrefix = 'sk-sandbox-' | 'pk-sandbox-' | 'cs-sandbox-' | 'rb-sandbox-' | 'dk-sandbox-'

/** The secret of a key: its prefix and 40 characters that follow from seed and id, so that no file needs to hold them. */
export function deriveSecret(seed: string, id: string, prefix: SecretPrefix = 'sk-sandbox-'): string {
  return `${prefix}${createHmac('sha256', seed).update(id).digest('hex').slice(0, 40)}`
}

/** Finds the id of the key behind a secret, deleted keys included. */
type FindKeyId = (world: World, secret: string) => string | undefined

/** A finder that derives all secrets of a world once and again only when its seed or its list of keys has changed. */
export function createKeyFinder(): FindKeyId {
  let keys: World['keys'] | undefined
  let seed = ''
  let idsBySecret: ReadonlyMap<string, string> = new Map()
  return (world, secret) => {
    if (keys !== world.keys || seed !== world.seed) {
      keys = world.keys
      seed = world.seed
      idsBySecret = new Map(world.keys.map(({ keyId }) => [deriveSecret(world.seed, keyId), keyId]))
    }
    return idsBySecret.get(secret)
  }
}

/** The seed (64 hex digits) that a text stands for. */
export const hashSeed = (text: string): string => createHash('sha256').update(text).digest('hex')
