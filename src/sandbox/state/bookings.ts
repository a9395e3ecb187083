import { findPool, left, type PoolAddress, setUsed } from './allowances'
import { addUsage, type UsageAmounts, type UsageEntry } from './usage'
import type { World } from './world'

/** Tokens and requests of a pool. */
export interface PoolAmounts {
  readonly tokens: number
  readonly requests: number
}

interface Bucket {
  readonly entry: UsageEntry
  readonly sums: { -readonly [Amount in keyof UsageAmounts]-?: number }
}

const hourMs = 3_600_000

const poolName = ({ planId, modelCode }: PoolAddress): string => `${planId} ${modelCode}`
const bucketName = ({ atMs, keyId, modelCode }: UsageEntry): string =>
  `${Math.floor(atMs / hourMs)} ${keyId} ${modelCode}`

/** What a pool is charged with: input + output + cache, the same sum as in the usage series. */
const tokensOf = ({ inputTokens = 0, outputTokens = 0, cacheTokens = 0 }: UsageAmounts): number =>
  inputTokens + outputTokens + cacheTokens

/**
 * Calls that are not in the world yet. To copy the branches of a world for every call would cost more than the call; many are put there
 * together instead.
 *
 * A pool stops at its quota, so used + remaining = allowance at any time. The call that overshoots it is answered in full, and its usage
 * shows what it really took: in a cycle, a pool's `tokensUsed` is the lesser of its quota and the tokens of its usage series.
 */
export class Bookings {
  readonly #buckets = new Map<string, Bucket>()
  readonly #pools = new Map<string, PoolAddress & { tokens: number; requests: number }>()

  get isEmpty(): boolean {
    return this.#buckets.size === 0
  }

  /** Books to the usage of the entry's hour and, but for errors, to the pool. */
  add(entry: UsageEntry, amounts: UsageAmounts): void {
    const { sums } = this.#bucket(entry)
    sums.inputTokens += amounts.inputTokens ?? 0
    sums.outputTokens += amounts.outputTokens ?? 0
    sums.cacheTokens += amounts.cacheTokens ?? 0
    sums.requests += amounts.requests ?? 0
    sums.errors += amounts.errors ?? 0
    const pool = this.#pool(entry)
    pool.tokens += tokensOf(amounts)
    pool.requests += amounts.requests ?? 0
  }

  /** What is left of a pool of a world after these calls, below zero when they overshoot; `undefined` when there is no such pool. */
  leftOf(world: World, address: PoolAddress): PoolAmounts | undefined {
    const model = findPool(world, address)
    const used = this.#pools.get(poolName(address))
    if (model === undefined) return undefined
    const { tokens, requests } = left(model)
    return used ? { tokens: tokens - used.tokens, requests: requests - used.requests } : { tokens, requests }
  }

  /** Puts everything into a world and forgets it. */
  putInto(world: World): World {
    let next = world
    for (const used of this.#pools.values()) {
      const { tokensUsed = 0, requestsUsed = 0 } = findPool(next, used) ?? {}
      const sums = { tokensUsed: tokensUsed + used.tokens, requestsUsed: requestsUsed + used.requests }
      next = setUsed(next, used, sums) ?? next
    }
    let { usage } = next
    for (const { entry, sums } of this.#buckets.values()) usage = addUsage(usage, entry, sums)
    this.clear()
    return { ...next, usage }
  }

  clear(): void {
    this.#buckets.clear()
    this.#pools.clear()
  }

  #bucket(entry: UsageEntry): Bucket {
    const name = bucketName(entry)
    const known = this.#buckets.get(name)
    if (known !== undefined) return known
    const bucket = { entry, sums: { inputTokens: 0, outputTokens: 0, cacheTokens: 0, requests: 0, errors: 0 } }
    this.#buckets.set(name, bucket)
    return bucket
  }

  #pool({ planId, modelCode }: PoolAddress): { tokens: number; requests: number } {
    const name = poolName({ planId, modelCode })
    const known = this.#pools.get(name)
    if (known !== undefined) return known
    const pool = { planId, modelCode, tokens: 0, requests: 0 }
    this.#pools.set(name, pool)
    return pool
  }
}
