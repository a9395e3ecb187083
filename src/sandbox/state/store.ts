import { createKeyFinder, deriveSecret, type SecretPrefix } from './key-secrets'
import { settlePlans } from './plans'
import type { World } from './world'

/** Holds the world: the one mutable place behind the pure transitions. */
export interface Store {
  /** Milliseconds since the epoch in the sandbox's clock. */
  readonly nowMs: () => number
  /** The world of this moment: what is due has happened. */
  readonly world: () => World
  /** Replaces the world by what a transition makes of it. */
  readonly replace: (world: World) => void
  /** Back to a fresh world and the real clock; without a new seed the keys stay the same. */
  readonly reset: (seed?: string) => void
  /** The secret of a subscription key, or of what another prefix stands for. */
  readonly secretOf: (id: string, prefix?: SecretPrefix) => string
  readonly keyIdOf: (secret: string) => string | undefined
}

/** What a store does with a world: keep it after each change, and make a fresh one for a reset. */
export interface StoreParts {
  readonly save: (world: World) => void
  readonly begin: (seed: string, nowMs: number) => World
}

/** A store that begins with `world`. */
export function createStore(world: World, { save, begin }: StoreParts): Store {
  let current = world
  const findKeyId = createKeyFinder()
  const nowMs = () => Date.now() + current.clockOffsetMs
  const replace = (next: World) => {
    if (next === current) return
    current = next
    save(next)
  }
  const settled = () => {
    replace(settlePlans(current, nowMs()))
    return current
  }
  return {
    nowMs,
    world: settled,
    replace,
    reset: (seed = current.seed) => replace(begin(seed, Date.now())),
    secretOf: (id, prefix) => deriveSecret(current.seed, id, prefix),
    keyIdOf: (secret) => findKeyId(current, secret),
  }
}
