import { minuteMs } from '@shared/durations'
import { WorkerThread } from '../../core/worker-thread'

/** What the thread is asked: the tokens of each text. */
export interface CountCalls {
  count(texts: readonly string[]): readonly number[]
}

/** What the thread is called, and how its failures are. */
export const counterName = { name: 'token counter', unavailable: 'internal.unexpected' } as const

/** Counts tokens in a thread that is started by the first question, and again after it ended. */
export class TokenCounter {
  readonly #thread: WorkerThread<CountCalls>

  /** `workerPath` is the built `count-worker.ts`. */
  constructor(workerPath: string) {
    this.#thread = new WorkerThread(workerPath, { ...counterName, idleMs: minuteMs })
  }

  /** Tokens of each text. Rejects when the thread cannot run. */
  count(texts: readonly string[]): Promise<readonly number[]> {
    return this.#thread.ask('count', [texts])
  }

  /** Ends the thread; what is under way is rejected. */
  end(): Promise<void> {
    return this.#thread.end()
  }
}
