import { createHash, createHmac } from 'node:crypto'
import { applyDuePlanEvents, findPool, getRemaining, type PoolAddress, setUsedTokens } from './plans'
import { addUsage, type UsageAmounts, type UsageEntry } from './usage'
import type { World } from './world'

/** Prefixes: subscription keys, platform API keys, client secrets, robot accounts, provider keys. */
type SecretPrefix = 'sk-sandbox-' | 'pk-sandbox-' | 'cs-sandbox-' | 'rb-sandbox-' | 'dk-sandbox-'

/** Derives a secret (prefix and 40 characters) from seed and id, so no file stores it. */
export function deriveSecret(seed: string, id: string, prefix: SecretPrefix = 'sk-sandbox-'): string {
  return `${prefix}${createHmac('sha256', seed).update(id).digest('hex').slice(0, 40)}`
}

/** Derives the seed (64 hex digits) from a text. */
export const hashSeed = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Mutable holder of the world. All transitions are pure. */
export interface Store {
  /** Current time of the sandbox's clock in ms. */
  readonly nowMs: () => number
  /** Current time of the sandbox's clock, as ISO 8601 UTC. */
  readonly nowIso: () => string
  /** The current world, after applying due events. */
  readonly world: () => World
  readonly replace: (world: World) => void
  /** Number of changes, not counting recorded usage of gateway calls. */
  readonly changes: () => number
  /** Resolves when the current world is saved. */
  readonly saved: () => Promise<void>
  /**
   * Adds usage to its hour and, except for errors, to the model's allowance. Usage stops at the quota, so used +
   * remaining = allowance. The call that exceeds the quota is answered in full, and the usage series has its actual
   * usage.
   */
  readonly book: (entry: UsageEntry, amounts: UsageAmounts) => void
  /** Remaining amounts, zero or less when used up. `undefined` for an unknown pool. */
  readonly getRemaining: (address: PoolAddress) => { readonly tokens: number; readonly requests: number } | undefined
  /** Restores a fresh world and the real clock. Keeps the keys unless a seed is given. */
  readonly reset: (seed?: string) => void
  /** Derives the secret of a subscription key from its id, or another kind of secret if a prefix is given. */
  readonly toSecret: (id: string, prefix?: SecretPrefix) => string
  /** Finds the key id of a secret, including deleted keys. */
  readonly findKeyId: (secret: string) => string | undefined
}

export function createStore(
  firstWorld: World,
  parts: {
    readonly save: (world: World) => void
    readonly saved: () => Promise<void>
    readonly begin: (seed: string, nowMs: number) => World
  },
): Store {
  const { save, saved, begin } = parts
  let currentWorld = firstWorld
  let changes = 0
  const nowMs = () => Date.now() + currentWorld.clockOffsetMs
  const replace = (nextWorld: World) => {
    if (nextWorld === currentWorld) return
    currentWorld = nextWorld
    save(nextWorld)
  }
  return {
    nowMs,
    nowIso: () => new Date(nowMs()).toISOString(),
    world: () => {
      replace(applyDuePlanEvents(currentWorld, nowMs()))
      return currentWorld
    },
    replace: (nextWorld) => {
      if (nextWorld !== currentWorld) changes += 1
      replace(nextWorld)
    },
    changes: () => changes,
    saved,
    book: (entry, amounts) => {
      const { tokensUsed = 0, requestsUsed = 0 } = findPool(currentWorld, entry) ?? {}
      // Charged tokens: input + output + cache, the same sum as in the usage series.
      const { inputTokens = 0, outputTokens = 0, cacheTokens = 0, requests = 0 } = amounts
      const newUsage = {
        tokensUsed: tokensUsed + inputTokens + outputTokens + cacheTokens,
        requestsUsed: requestsUsed + requests,
      }
      const world = setUsedTokens(currentWorld, entry, newUsage) ?? currentWorld
      replace({ ...world, usage: addUsage(world.usage, entry, amounts) })
    },
    getRemaining: (address) => {
      const model = findPool(currentWorld, address)
      return model && getRemaining(model)
    },
    reset: (seed = currentWorld.seed) => {
      changes += 1
      replace(begin(seed, Date.now()))
    },
    toSecret: (id, prefix) => deriveSecret(currentWorld.seed, id, prefix),
    findKeyId: (secret) =>
      currentWorld.keys.find(({ keyId }) => deriveSecret(currentWorld.seed, keyId) === secret)?.keyId,
  }
}
