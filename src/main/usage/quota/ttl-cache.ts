import { setTimeout as wait } from 'node:timers/promises'
import { minuteMs } from '@shared/durations'
import type { Clock } from '../../core/ports'
import type { ConcurrencyLimiter } from '../../core/work-queue'

export interface CacheEntry<T> {
  readonly value: T
  readonly at: Date
}

interface CachedResult<T> {
  readonly at: Date
  readonly answer: Promise<T | undefined>
  isOver: boolean
  /** Time to live in ms. */
  ttlMs: number
}

/** Caches results of requests by key for `forMs`. A failed request is cached as undefined, for at most a minute. */
export class TtlCache<T> {
  readonly #results = new Map<string, CachedResult<T>>()

  constructor(
    private readonly deps: { readonly clock: Clock; readonly forMs: number; readonly turn: ConcurrencyLimiter },
  ) {}

  async get(name: string, load: () => Promise<T>): Promise<CacheEntry<T> | undefined> {
    const { clock, forMs, turn } = this.deps
    const currentTime = clock()
    let cachedResult = this.#results.get(name)
    if (
      !cachedResult ||
      (cachedResult.isOver && Math.abs(currentTime.getTime() - cachedResult.at.getTime()) >= cachedResult.ttlMs)
    ) {
      const answer = turn(load).catch(() => undefined)
      const newAnswer: CachedResult<T> = { at: currentTime, answer, isOver: false, ttlMs: forMs }
      void answer.then((value) => {
        newAnswer.isOver = true
        if (value === undefined) newAnswer.ttlMs = Math.min(forMs, minuteMs)
      })
      this.#results.set(name, newAnswer)
      cachedResult = newAnswer
    }
    const value = await cachedResult.answer
    return value === undefined ? undefined : { value, at: cachedResult.at }
  }

  /** Invalidates all entries except pending requests. */
  forget(): void {
    for (const [name, { isOver }] of this.#results) if (isOver) this.#results.delete(name)
  }
}

/** Waits for a result. Undefined after the timeout. */
export async function raceWithTimeout<T>(answer: Promise<T>, timeoutMs: number): Promise<T | undefined> {
  const { isOver, end } = startSharedTimeout(timeoutMs)
  return Promise.race([answer, isOver]).finally(end)
}

/** A timeout that many requests can share, which is cheaper than one timer for each. `end` cancels it. */
export function startSharedTimeout(ms: number): { readonly isOver: Promise<undefined>; readonly end: () => void } {
  const controller = new AbortController()
  const timeLimitPromise = wait(ms, undefined, { signal: controller.signal }).catch(() => undefined)
  return { isOver: timeLimitPromise, end: () => controller.abort() }
}
