import { createHash, createHmac } from 'node:crypto'
import { dayMs, hourMs } from '../timing'
import { addToPool, applyDuePlanEvents, findPool } from './plans'
import type { UsageByDay, UsageCountsTuple, World } from './world'

/** Prefixes: subscription keys, platform API keys, client secrets, robot accounts, provider keys. */
type SecretPrefix = 'sk-sandbox-' | 'pk-sandbox-' | 'cs-sandbox-' | 'rb-sandbox-' | 'dk-sandbox-'

/** Derives a secret (prefix and 40 characters) from seed and id, so no file stores it. */
export function deriveSecret(seed: string, id: string, prefix: SecretPrefix = 'sk-sandbox-'): string {
  return `${prefix}${createHmac('sha256', seed).update(id).digest('hex').slice(0, 40)}`
}

/** Derives the seed (64 hex digits) from a text. */
export const hashSeed = (text: string): string => createHash('sha256').update(text).digest('hex')

export type Store = ReturnType<typeof createStore>

/** Holds the world, which operations change in place. Call `changed` after each change. */
export function createStore(
  firstWorld: World,
  parts: {
    readonly save: (world: World) => void
    readonly saved: () => Promise<void>
    readonly begin: (seed: string, nowMs: number) => World
  },
) {
  const { save, saved, begin } = parts
  let currentWorld = firstWorld
  let changes = 0
  const nowMs = () => Date.now() + currentWorld.clockOffsetMs
  const changed = () => {
    changes += 1
    save(currentWorld)
  }
  return {
    /** Current time of the sandbox's clock in ms. */
    nowMs,
    /** Current or a later time of the sandbox's clock, as ISO 8601 UTC. */
    nowIso: (aheadMs = 0) => new Date(nowMs() + aheadMs).toISOString(),
    /** The current world, after applying due events. */
    world: () => {
      if (applyDuePlanEvents(currentWorld, nowMs())) save(currentWorld)
      return currentWorld
    },
    /** Saves the changed world soon. */
    changed,
    /** Number of changes, not counting recorded usage of gateway calls. */
    changes: () => changes,
    /** Resolves when the current world is saved. */
    saved,
    /**
     * Adds usage to its hour and, except for errors, to the model's allowance. Usage stops at the quota, so used +
     * remaining = allowance. The call that exceeds the quota is answered in full, and the usage series has its actual
     * usage.
     */
    book: (entry: UsageEntry, amounts: Partial<UsageTotals>) => {
      const { inputTokens = 0, outputTokens = 0, cacheTokens = 0, requests = 0, errors = 0 } = amounts
      const counts: UsageCountsTuple = [inputTokens, outputTokens, cacheTokens, requests, errors]
      const pool = findPool(currentWorld, entry)
      if (pool) addToPool(pool, counts)
      addUsage(currentWorld.usage, entry, counts)
      save(currentWorld)
    },
    /** Restores a fresh world and the real clock. Keeps the keys unless a seed is given. */
    reset: (seed = currentWorld.seed) => {
      currentWorld = begin(seed, Date.now())
      changed()
    },
    /** Derives the secret of a subscription key from its id, or another kind of secret if a prefix is given. */
    toSecret: (id: string, prefix?: SecretPrefix) => deriveSecret(currentWorld.seed, id, prefix),
    /** Finds the key id of a secret, including deleted keys. */
    findKeyId: (secret: string) =>
      currentWorld.keys.find(({ keyId }) => deriveSecret(currentWorld.seed, keyId) === secret)?.keyId,
  }
}

/** Plan, key, model and time of recorded usage. `modelCode` is empty if a request failed before its model was known. */
export interface UsageEntry {
  readonly atMs: number
  readonly planId: string
  readonly keyId: string
  readonly modelCode: string
}

/** Adds counts to the usage book. Usage survives plan deletion (spec: "usage history retained for audit"). */
export function addUsage(book: UsageByDay, entry: UsageEntry, counts: UsageCountsTuple): void {
  const bookedAt = new Date(entry.atMs).toISOString()
  const bucket = [Number(bookedAt.slice(11, 13)), entry.planId, entry.keyId, entry.modelCode].join('|')
  const date = bookedAt.slice(0, 10)
  const day = book[date] ?? {}
  book[date] = day
  const [input, output, cache, requests, errors] = day[bucket] ?? [0, 0, 0, 0, 0]
  day[bucket] = [input + counts[0], output + counts[1], cache + counts[2], requests + counts[3], errors + counts[4]]
}

const intervalMs = { hour: hourMs, day: dayMs } as const
export type Interval = keyof typeof intervalMs

/** `fromMs` is rounded down to its hour. `toMs` is exclusive. */
export interface UsageQuery {
  readonly planId: string
  readonly fromMs: number
  readonly toMs: number
  readonly interval: Interval
  readonly modelCode?: string | undefined
  readonly keyId?: string | undefined
}

/** Sums of tokens by kind, of served requests and of failed requests. */
export interface UsageTotals {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheTokens: number
  readonly requests: number
  readonly errors: number
}

type UsageSum = { -readonly [Count in keyof UsageTotals]: number }

const createSum = (): UsageSum => ({ inputTokens: 0, outputTokens: 0, cacheTokens: 0, requests: 0, errors: 0 })

/** Mutates `sum`: a busy month has tens of thousands of entries. */
function addTally(sum: UsageSum, [input, output, cache, requests, errors]: UsageCountsTuple): void {
  sum.inputTokens += input
  sum.outputTokens += output
  sum.cacheTokens += cache
  sum.requests += requests
  sum.errors += errors
}

const floorToMultiple = (ms: number, lengthMs: number): number => Math.floor(ms / lengthMs) * lengthMs

function* iterateBookings(book: UsageByDay, { planId, fromMs, toMs, modelCode, keyId }: UsageQuery) {
  const firstMs = floorToMultiple(fromMs, hourMs)
  for (let dayAtMs = floorToMultiple(fromMs, dayMs); dayAtMs < toMs; dayAtMs += dayMs) {
    const day = book[new Date(dayAtMs).toISOString().slice(0, 10)] ?? {}
    for (const [bucket, tally] of Object.entries(day)) {
      const [hour, bookedPlanId, bookedKeyId, bookedModel = ''] = bucket.split('|')
      const atMs = dayAtMs + Number(hour) * hourMs
      const matchesFilter =
        bookedPlanId === planId &&
        (keyId === undefined || bookedKeyId === keyId) &&
        (modelCode === undefined || bookedModel === modelCode) &&
        atMs >= firstMs &&
        atMs < toMs
      if (matchesFilter) yield { atMs, modelCode: bookedModel, tally }
    }
  }
}

/** Usage of a plan, including deleted ones: totals, a series without gaps (ISO 8601 UTC), and sums per model. */
export function reportUsage(book: UsageByDay, query: UsageQuery) {
  const lengthMs = intervalMs[query.interval]
  const series = new Map<number, UsageSum>()
  for (let startMs = floorToMultiple(query.fromMs, lengthMs); startMs < query.toMs; startMs += lengthMs)
    series.set(startMs, createSum())
  const byModel = new Map<string, UsageSum>()
  const totals = createSum()
  for (const { atMs, modelCode, tally } of iterateBookings(book, query)) {
    const modelSum = byModel.get(modelCode) ?? createSum()
    byModel.set(modelCode, modelSum)
    for (const sum of [series.get(floorToMultiple(atMs, lengthMs)), modelSum, totals]) if (sum) addTally(sum, tally)
  }
  const points = [...series].map(([startMs, sum]) => ({ start: new Date(startMs).toISOString(), ...sum }))
  return { totals, series: points, byModel }
}
