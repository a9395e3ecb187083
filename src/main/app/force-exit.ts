import { Worker } from 'node:worker_threads'

/**
 * Ends this process after `ms`. Uses a worker thread, because the main thread's event loop sometimes blocked while
 * Electron quit, including timers.
 */
export function scheduleForcedExit(ms: number): void {
  new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${ms})`, { eval: true }).unref()
}
