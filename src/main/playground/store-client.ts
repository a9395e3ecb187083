import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { WorkerThread } from '../core/worker-thread'
import { type PlaygroundStore, storeCalls } from './store/calls'
import { storeName, type ThreadOptions } from './store/store'

export const playgroundFile = (dataDir: string): string => join(dataDir, 'playground.sqlite')

interface StoreOptions {
  readonly dataDir: string
  /** Path of the built `playground-worker.ts`. */
  readonly workerPath: string
  /** Delay in ms before retrying to open an unusable file. */
  readonly retryMs?: number | undefined
}

const closeTimeoutMs = 3000

/** Opens the playground data of a folder. The first call starts its thread. */
export function createPlaygroundStore({ dataDir, workerPath, retryMs = 1000 }: StoreOptions): PlaygroundStore {
  const workerData: ThreadOptions = { file: playgroundFile(dataDir), instance: randomUUID(), retryMs }
  const thread = new WorkerThread<PlaygroundStore>(workerPath, { ...storeName, maxStarts: 2, workerData })
  const finish = async () => thread.isRunning && thread.ask('close', [])
  return { ...callsTo(thread), close: () => thread.close(finish, closeTimeoutMs) }
}

/** The store's calls, each executed by `ask`. */
export function callsTo(thread: Pick<WorkerThread<PlaygroundStore>, 'ask'>): PlaygroundStore {
  const ask =
    (name: string) =>
    (...input: never[]) =>
      Reflect.apply(thread.ask, thread, [name, input])
  // `storeCalls` has each call of the store once.
  return Object.fromEntries(Object.keys(storeCalls).map((name) => [name, ask(name)])) as unknown as PlaygroundStore
}
