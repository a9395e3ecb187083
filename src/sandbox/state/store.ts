import { freshWorld } from './fresh-world'
import { createKeyFinder, deriveSecret } from './key-secrets'
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
  /** Back to the fresh world and the real clock; seed and therefore keys stay. */
  readonly reset: () => void
  readonly secretOf: (keyId: string) => string
  readonly keyIdOf: (secret: string) => string | undefined
}

/** A store that begins with `world` and calls `save` after each change. */
export function createStore(world: World, save: (world: World) => void): Store {
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
    reset: () => replace(freshWorld(current.seed, Date.now())),
    secretOf: (keyId) => deriveSecret(current.seed, keyId),
    keyIdOf: (secret) => findKeyId(current, secret),
  }
}
