import { AppError } from '@shared/failure'
import { type Sleep, withAbort } from '../core/net/deadline'

const initialDelayMs = 1000
const defaultMaxDelayMs = 30_000

/** Limits in ms of the delay before the next poll. Otherwise a backoff from 1 s to 30 s. */
export interface NextPoll {
  readonly minDelayMs?: number
  readonly maxDelayMs?: number
}

/** Background loops that poll the platform, each until its work has ended or the app exits. */
export class PollingLoops {
  readonly #loops = new Map<string, { readonly stop: AbortController; readonly ended: Promise<void> }>()
  #isStopped = false

  constructor(
    private readonly deps: {
      readonly sleep: Sleep
      /** Number in [0, 1) for jitter, which takes up to half of a delay. */
      readonly random: () => number
      /** Polls once. Resolves to undefined at the end of the loop. Must not reject. */
      readonly poll: (id: string, signal: AbortSignal) => Promise<NextPoll | undefined>
    },
  ) {}

  /** Starts the loop of an id, unless it is running. */
  start(id: string): void {
    if (this.#isStopped || this.#loops.has(id)) return
    const stop = new AbortController()
    const ended = this.#run(id, stop.signal).finally(() => this.#loops.delete(id))
    this.#loops.set(id, { stop, ended })
  }

  abort(id: string): void {
    this.#loops.get(id)?.stop.abort()
  }

  /** Stops all loops on exit. */
  stop(): void {
    this.#isStopped = true
    for (const { stop } of this.#loops.values()) stop.abort()
  }

  /** Resolves when the loop has ended. Fails with `net.cancelled` and the message on abort, while the loop continues. */
  async wait(id: string, signal: AbortSignal, cancelMessage: string): Promise<void> {
    const loop = this.#loops.get(id)
    if (loop === undefined) return
    await withAbort(loop.ended, signal).catch(() => {
      throw new AppError('net.cancelled', cancelMessage)
    })
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    const { sleep, random, poll } = this.deps
    for (let pauseCount = 0; ; pauseCount++) {
      const next = await poll(id, signal)
      if (next === undefined || signal.aborted) return
      const { minDelayMs = 0, maxDelayMs = defaultMaxDelayMs } = next
      const backoffMs = Math.min(initialDelayMs * 2 ** pauseCount, maxDelayMs)
      await sleep(Math.max(Math.round(backoffMs * (0.5 + random() / 2)), minDelayMs), signal).catch(() => undefined)
    }
  }
}
