import { createHash, createHmac } from 'node:crypto'
import { hourMs } from '../timing'
import { applyDuePlanEvents, findPool, getRemaining, type PoolAddress, setUsedTokens } from './plans'
import { addUsage, type UsageAmounts, type UsageEntry } from './usage'
import type { World } from './world'

/** Prefixes: subscription keys, platform API keys, client secrets, robot accounts, provider keys. */
type SecretPrefix = 'sk-sandbox-' | 'pk-sandbox-' | 'cs-sandbox-' | 'rb-sandbox-' | 'dk-sandbox-'

/** Derives a secret (prefix and 40 characters) from seed and id, so no file stores it. */
export function deriveSecret(seed: string, id: string, prefix: SecretPrefix = 'sk-sandbox-'): string {
  return `${prefix}${createHmac('sha256', seed).update(id).digest('hex').slice(0, 40)}`
}

/** Finds the key id of a secret, including deleted keys. */
type FindKeyId = (world: World, secret: string) => string | undefined

/** Caches the derived secrets until the seed or key list changes. */
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

/** Derives the seed (64 hex digits) from a text. */
export const hashSeed = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Maximum delay in ms before recorded usage is added to the world. */
const maxBookingMs = 20

/** Mutable holder of the world. All transitions are pure. */
export interface Store {
  /** Current time of the sandbox's clock in ms. */
  readonly nowMs: () => number
  /** The current world, after applying due events and all recorded usage. */
  readonly world: () => World
  /** Like `world`, but without the latest recorded usage. Used to admit each call. */
  readonly worldForAdmission: () => World
  readonly replace: (world: World) => void
  /** Number of changes, not counting recorded usage of gateway calls. */
  readonly changes: () => number
  /** Resolves when the current world is saved. */
  readonly saved: () => Promise<void>
  /** Records the usage or failure of a call. Cheap, because it is only applied with the next `world()`. */
  readonly book: (entry: UsageEntry, amounts: UsageAmounts) => void
  /** Remaining amounts, zero or less when used up. `undefined` for an unknown pool. */
  readonly getRemaining: (address: PoolAddress) => PoolAmounts | undefined
  /** Restores a fresh world and the real clock. Keeps the keys unless a seed is given. */
  readonly reset: (seed?: string) => void
  /** Derives the secret of a subscription key from its id, or another kind of secret if a prefix is given. */
  readonly toSecret: (id: string, prefix?: SecretPrefix) => string
  readonly findKeyId: (secret: string) => string | undefined
}

interface StoreDeps {
  readonly save: (world: World) => void
  readonly saved: () => Promise<void>
  readonly begin: (seed: string, nowMs: number) => World
}

export function createStore(world: World, { save, saved, begin }: StoreDeps): Store {
  let currentWorld = world
  let changes = 0
  let lastSettledState: { readonly world: World; readonly atMs: number } | undefined
  const bookings = new Bookings()
  const findKeyId = createKeyFinder()
  const nowMs = () => Date.now() + currentWorld.clockOffsetMs
  const replace = (nextWorld: World) => {
    if (nextWorld === currentWorld) return
    currentWorld = nextWorld
    save(nextWorld)
  }
  const flushBookings = () => {
    if (!bookings.isEmpty) replace(bookings.putInto(currentWorld))
  }
  const advancePlans = () => {
    const atMs = nowMs()
    if (lastSettledState?.world === currentWorld && lastSettledState.atMs === atMs) return
    if (applyDuePlanEvents(currentWorld, atMs) !== currentWorld) {
      // Usage before the new cycle belongs to the previous one.
      flushBookings()
      replace(applyDuePlanEvents(currentWorld, atMs))
    }
    lastSettledState = { world: currentWorld, atMs }
  }
  const recordUsage: Store['book'] = (entry, amounts) => {
    if (bookings.isEmpty) setTimeout(flushBookings, maxBookingMs).unref()
    bookings.add(entry, amounts)
  }
  return {
    nowMs,
    world: () => {
      flushBookings()
      advancePlans()
      return currentWorld
    },
    worldForAdmission: () => {
      advancePlans()
      return currentWorld
    },
    replace: (nextWorld) => {
      if (nextWorld !== currentWorld) changes += 1
      replace(nextWorld)
    },
    changes: () => changes,
    saved,
    book: recordUsage,
    getRemaining: (address) => bookings.getRemaining(currentWorld, address),
    reset: (seed = currentWorld.seed) => {
      bookings.clear()
      changes += 1
      replace(begin(seed, Date.now()))
    },
    toSecret: (id, prefix) => deriveSecret(currentWorld.seed, id, prefix),
    findKeyId: (secret) => findKeyId(currentWorld, secret),
  }
}

interface PoolAmounts {
  readonly tokens: number
  readonly requests: number
}

interface Bucket {
  readonly entry: UsageEntry
  readonly sums: { -readonly [Amount in keyof UsageAmounts]-?: number }
}

const getPoolName = ({ planId, modelCode }: PoolAddress): string => `${planId} ${modelCode}`
const bucketName = ({ atMs, keyId, modelCode }: UsageEntry): string =>
  `${Math.floor(atMs / hourMs)} ${keyId} ${modelCode}`

/** Charged tokens: input + output + cache, the same sum as in the usage series. */
const sumTokens = ({ inputTokens = 0, outputTokens = 0, cacheTokens = 0 }: UsageAmounts): number =>
  inputTokens + outputTokens + cacheTokens

/**
 * Recorded usage that is not in the world yet, because copying the world per call would cost more than the call. Usage
 * stops at the quota, so used + remaining = allowance. The call that exceeds the quota is answered in full, and the
 * usage series has its actual usage.
 */
export class Bookings {
  readonly #buckets = new Map<string, Bucket>()
  readonly #pools = new Map<string, PoolAddress & { tokens: number; requests: number }>()

  get isEmpty(): boolean {
    return this.#buckets.size === 0
  }

  /** Adds the usage to its hour and, except for errors, to the model's allowance. */
  add(entry: UsageEntry, amounts: UsageAmounts): void {
    const { sums } = this.#bucket(entry)
    sums.inputTokens += amounts.inputTokens ?? 0
    sums.outputTokens += amounts.outputTokens ?? 0
    sums.cacheTokens += amounts.cacheTokens ?? 0
    sums.requests += amounts.requests ?? 0
    sums.errors += amounts.errors ?? 0
    const pool = this.#pool(entry)
    pool.tokens += sumTokens(amounts)
    pool.requests += amounts.requests ?? 0
  }

  /**
   * Remaining amounts of a model's allowances after all recorded calls, negative after an overshoot. `undefined` for an
   * unknown model.
   */
  getRemaining(world: World, address: PoolAddress): PoolAmounts | undefined {
    const model = findPool(world, address)
    const poolUsage = this.#pools.get(getPoolName(address))
    if (model === undefined) return undefined
    const { tokens, requests } = getRemaining(model)
    return poolUsage
      ? { tokens: tokens - poolUsage.tokens, requests: requests - poolUsage.requests }
      : { tokens, requests }
  }

  /** Adds all recorded usage to the world. */
  putInto(world: World): World {
    let nextWorld = world
    for (const poolUsage of this.#pools.values()) {
      const { tokensUsed = 0, requestsUsed = 0 } = findPool(nextWorld, poolUsage) ?? {}
      const sums = { tokensUsed: tokensUsed + poolUsage.tokens, requestsUsed: requestsUsed + poolUsage.requests }
      nextWorld = setUsedTokens(nextWorld, poolUsage, sums) ?? nextWorld
    }
    let { usage } = nextWorld
    for (const { entry, sums } of this.#buckets.values()) usage = addUsage(usage, entry, sums)
    this.clear()
    return { ...nextWorld, usage }
  }

  clear(): void {
    this.#buckets.clear()
    this.#pools.clear()
  }

  #bucket(entry: UsageEntry): Bucket {
    const name = bucketName(entry)
    const existingBucket = this.#buckets.get(name)
    if (existingBucket !== undefined) return existingBucket
    const bucket = { entry, sums: { inputTokens: 0, outputTokens: 0, cacheTokens: 0, requests: 0, errors: 0 } }
    this.#buckets.set(name, bucket)
    return bucket
  }

  #pool({ planId, modelCode }: PoolAddress): { tokens: number; requests: number } {
    const name = getPoolName({ planId, modelCode })
    const existingPool = this.#pools.get(name)
    if (existingPool !== undefined) return existingPool
    const pool = { planId, modelCode, tokens: 0, requests: 0 }
    this.#pools.set(name, pool)
    return pool
  }
}
