import { Worker } from 'node:worker_threads'

/**
 * Ends this process after `ms`, whatever holds it up. It takes a thread of its own: while Electron quits, the main thread's event loop was seen
 * to stand still now and then, its timers included.
 */
export function forceExitAfter(ms: number): void {
  new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${ms})`, { eval: true }).unref()
}
