import { setImmediate as pause } from 'node:timers/promises'

/** FIFO queue. A failed job does not block the next. */
export function createWorkQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let lastJob: Promise<unknown> = Promise.resolve()
  return (work) => {
    const job = lastJob.then(work)
    lastJob = job.catch(() => undefined)
    return job
  }
}

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
