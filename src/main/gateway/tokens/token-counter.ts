import { minuteMs } from '@shared/durations'
import { WorkerThread } from '../../core/worker-thread'

export interface CountCalls {
  count(texts: readonly string[]): readonly number[]
}

export const counterName = { name: 'token counter', unavailable: 'internal.unexpected' } as const

/** Counts tokens in a worker thread, started on demand and after a crash. `workerPath`: the built `count-worker.ts`. */
export function createTokenCounter(workerPath: string) {
  const thread = new WorkerThread<CountCalls>(workerPath, { ...counterName, idleMs: minuteMs })
  return {
    /** Counts the tokens of texts. Rejects when the thread cannot run. */
    count: (texts: readonly string[]) => thread.ask('count', [texts]),
    /** Ends the thread. Pending calls are rejected. */
    end: () => thread.end(),
  }
}
