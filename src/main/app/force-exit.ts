import { Worker } from 'node:worker_threads'

/** Kills this process after `ms`, from a worker thread, since the main thread sometimes blocked while Electron quit. */
export function scheduleForcedExit(ms: number): void {
  new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${ms})`, { eval: true }).unref()
}
