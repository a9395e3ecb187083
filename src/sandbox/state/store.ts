import type { PoolAddress } from './allowances'
import { Bookings, type PoolAmounts } from './bookings'
import { createKeyFinder, deriveSecret, type SecretPrefix } from './key-secrets'
import { settlePlans } from './plans'
import type { UsageAmounts, UsageEntry } from './usage'
import type { World } from './world'

/** After this time what was booked is in the world, and so on its way to the state file, even if nobody asks for it. */
const longestBookingMs = 20

/** Holds the world: the one mutable place behind the pure transitions. */
export interface Store {
  /** Milliseconds since the epoch in the sandbox's clock. */
  readonly nowMs: () => number
  /** The world of this moment: what is due has happened. */
  readonly world: () => World
  /** Like `world`, but what was booked a moment ago may be missing: plans and keys for those who ask at every call. */
  readonly worldForAdmission: () => World
  /** Replaces the world by what a transition makes of it. */
  readonly replace: (world: World) => void
  /** How often the world was replaced; what is only counted at each call of the gateway is not among it. */
  readonly changes: () => number
  /** Resolves when the world as it is now would survive the end of the process. */
  readonly saved: () => Promise<void>
  /** Books what a call used, to its key's usage and to its pool, or that it failed. Cheap: it is in the next `world()`. */
  readonly book: (entry: UsageEntry, amounts: UsageAmounts) => void
  /** What is left of a pool, zero or less when it is used up; `undefined` when there is no such pool. */
  readonly leftOf: (address: PoolAddress) => PoolAmounts | undefined
  /** Back to a fresh world and the real clock; without a new seed the keys stay the same. */
  readonly reset: (seed?: string) => void
  /** The secret of a subscription key, or of what another prefix stands for. */
  readonly secretOf: (id: string, prefix?: SecretPrefix) => string
  readonly keyIdOf: (secret: string) => string | undefined
}

/** What a store does with a world: keep it after each change, and make a fresh one for a reset. */
export interface StoreParts {
  readonly save: (world: World) => void
  readonly saved: () => Promise<void>
  readonly begin: (seed: string, nowMs: number) => World
}

/** A store that begins with `world`. */
export function createStore(world: World, { save, saved, begin }: StoreParts): Store {
  let current = world
  let changes = 0
  let settled: { readonly world: World; readonly atMs: number } | undefined
  const bookings = new Bookings()
  const findKeyId = createKeyFinder()
  const nowMs = () => Date.now() + current.clockOffsetMs
  const replace = (next: World) => {
    if (next === current) return
    current = next
    save(next)
  }
  const putBookings = () => {
    if (!bookings.isEmpty) replace(bookings.putInto(current))
  }
  const settle = () => {
    const atMs = nowMs()
    if (settled?.world === current && settled.atMs === atMs) return
    if (settlePlans(current, atMs) !== current) {
      // What was used before a cycle began belongs to the cycle before it.
      putBookings()
      replace(settlePlans(current, atMs))
    }
    settled = { world: current, atMs }
  }
  const book: Store['book'] = (entry, amounts) => {
    if (bookings.isEmpty) setTimeout(putBookings, longestBookingMs).unref()
    bookings.add(entry, amounts)
  }
  return {
    nowMs,
    world: () => {
      putBookings()
      settle()
      return current
    },
    worldForAdmission: () => {
      settle()
      return current
    },
    replace: (next) => {
      if (next !== current) changes += 1
      replace(next)
    },
    changes: () => changes,
    saved,
    book,
    leftOf: (address) => bookings.leftOf(current, address),
    reset: (seed = current.seed) => {
      bookings.clear()
      changes += 1
      replace(begin(seed, Date.now()))
    },
    secretOf: (id, prefix) => deriveSecret(current.seed, id, prefix),
    keyIdOf: (secret) => findKeyId(current, secret),
  }
}
