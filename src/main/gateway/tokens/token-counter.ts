import { minuteMs } from '@shared/durations'
import { WorkerThread } from '../../core/worker-thread'

export interface CountCalls {
  count(texts: readonly string[]): readonly number[]
}

export const counterName = { name: 'token counter', unavailable: 'internal.unexpected' } as const

/** Counts tokens in a worker thread, started on demand and after a crash. */
export class TokenCounter {
  readonly #thread: WorkerThread<CountCalls>

  /** `workerPath`: the built `count-worker.ts`. */
  constructor(workerPath: string) {
    this.#thread = new WorkerThread(workerPath, { ...counterName, idleMs: minuteMs })
  }

  /** Counts the tokens of texts. Rejects when the thread cannot run. */
  count(texts: readonly string[]): Promise<readonly number[]> {
    return this.#thread.ask('count', [texts])
  }

  /** Ends the thread. Pending calls are rejected. */
  end(): Promise<void> {
    return this.#thread.end()
  }
}
