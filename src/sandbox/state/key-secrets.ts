import { createHmac } from 'node:crypto'
import type { World } from './world'

/** The secret of a subscription key: 51 characters that follow from seed and id, so that no file needs to hold them. */
export function deriveSecret(seed: string, keyId: string): string {
  return `sk-sandbox-${createHmac('sha256', seed).update(keyId).digest('hex').slice(0, 40)}`
}

/** Finds the id of the key behind a secret, deleted keys included. */
export type FindKeyId = (world: World, secret: string) => string | undefined

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
