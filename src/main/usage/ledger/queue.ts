import { AppError } from '@shared/failure'
import type { LedgerEntry } from '../entry'

/** How entries wait until they are kept. */
export interface QueueOptions {
  /** Keeps entries; fails with `usage.unavailable` when that may work later. */
  readonly keep: (entries: readonly LedgerEntry[]) => Promise<void>
  readonly flushMs: number
  /** How long to wait after a failure that does not say it. */
  readonly retryMs: number
  /** So many are sent without waiting for more. */
  readonly batchSize: number
  /** So many are sent at once when more are there: few big batches catch up sooner than many small ones. */
  readonly mostAtOnce: number
  /** More than so many do not wait: the oldest go. */
  readonly mostWaiting: number
}

/** Entries on their way into the ledger, kept in batches, one after the other. */
export class LedgerQueue {
  readonly #waiting: LedgerEntry[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
  /** After a failure nothing is sent before its time. */
  #isResting = false

  constructor(private readonly options: QueueOptions) {}

  add(entries: readonly LedgerEntry[]): void {
    const { mostWaiting, batchSize, flushMs } = this.options
    for (const entry of entries) this.#waiting.push(entry)
    if (this.#waiting.length > mostWaiting + batchSize) this.#waiting.splice(0, this.#waiting.length - mostWaiting)
    if (this.#sending || this.#isResting) return
    if (this.#waiting.length >= batchSize) this.#sendNow()
    else this.#timer ??= setTimeout(() => this.#sendNow(), flushMs)
  }

  /** Waits until everything is kept; fails when it cannot be kept now. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#isResting = false
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
    })
    return this.#sending
  }

  /** Forgets what waits. */
  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#waiting.length = 0
  }

  #sendNow(): void {
    // What fails is sent again later.
    this.flush().catch(() => {})
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.options.mostAtOnce)
      try {
        await this.options.keep(batch)
      } catch (error) {
        // Anything else would fail again, and hold up what comes behind it.
        if (!(error instanceof AppError) || error.failure.code !== 'usage.unavailable') continue
        this.#waiting.unshift(...batch)
        this.#rest(error.failure.retryAfterMs ?? this.options.retryMs)
        throw error
      }
    }
  }

  #rest(ms: number): void {
    this.#isResting = true
    this.#timer = setTimeout(() => this.#sendNow(), ms)
    // Nobody waits for a disk that is full.
    this.#timer.unref()
  }
}
