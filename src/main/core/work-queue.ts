import { setImmediate as pause } from 'node:timers/promises'

export type ConcurrencyLimiter = <T>(work: () => Promise<T>) => Promise<T>

/** Creates a function that runs at most `maxConcurrent` tasks concurrently and queues others. */
export function limitConcurrency(maxConcurrent: number): ConcurrencyLimiter {
  let freeSlotCount = maxConcurrent
  const waitingTasks: (() => void)[] = []
  return async (work) => {
    if (freeSlotCount > 0) freeSlotCount -= 1
    else await new Promise<void>((resolve) => waitingTasks.push(resolve))
    try {
      return await work()
    } finally {
      const startNextTask = waitingTasks.shift()
      if (startNextTask) startNextTask()
      else freeSlotCount += 1
    }
  }
}

/** FIFO queue. A failed job does not block the next. No job starts before the caller has the promise of its result. */
export function createWorkQueue(): ConcurrencyLimiter {
  const runNext = limitConcurrency(1)
  return async (work) => {
    await undefined
    return runNext(work)
  }
}

/** Creates a function whose callers share the running call, if there is one. */
export function shareRunning<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  return () => {
    running ??= work().finally(() => {
      running = undefined
    })
    return running
  }
}

/** Whether work succeeds. Never rejects. */
export const isFulfilled = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )

/** Maximum time in ms before work yields to the event loop. */
const maxTurnMs = 4
let yieldDeadline = 0

/** Yields to the event loop occasionally. Call it after each small part of long work. Returns whether it yielded. */
export async function yieldToEventLoop(): Promise<boolean> {
  if (performance.now() < yieldDeadline) return false
  await pause()
  yieldDeadline = performance.now() + maxTurnMs
  return true
}
