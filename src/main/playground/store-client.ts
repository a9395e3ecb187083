import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { type CallInput, type CallOutput, WorkerThread } from '../core/worker-thread'
import * as comparisonsModule from './store/comparisons'
import * as conversations from './store/conversations'
import {
  attach,
  attachmentContent,
  attachments,
  beginTurn,
  draft,
  messages,
  readLine,
  saveDraft,
} from './store/messages'
import { runs, saveRun, wire } from './store/runs'
import { pin, remove, restore, type Store, storeName, type ThreadOptions } from './store/store'

const { deleteRemovedCells: _, ...comparisons } = comparisonsModule

/** All calls of the playground's database. Its thread executes them. */
const calls = {
  ...conversations,
  pin,
  remove,
  restore,
  messages,
  readLine,
  beginTurn,
  attach,
  attachments,
  attachmentContent,
  draft,
  saveDraft,
  runs,
  saveRun,
  wire,
  ...comparisons,
  /** Removes this process from the table `owners`. The next opening cleans up its active runs and hidden rows. */
  close: ({ db, owner }: Store) => db.run('DELETE FROM owners WHERE key = ?', owner),
}

export type CallName = keyof typeof calls

type RemoteCall<StoreCall> = StoreCall extends (store: Store, ...input: infer Input) => infer Output
  ? (...input: Input) => Promise<Output>
  : never

/**
 * Playground data in SQLite, on a separate thread. Fails with `playground.notFound` for missing data and
 * `playground.unavailable` when the file is unusable. A resolved promise means that the change is on disk.
 */
export type PlaygroundStore = { readonly [Name in CallName]: RemoteCall<(typeof calls)[Name]> }

export const storeCalls: {
  readonly [Name in CallName]: (
    store: Store,
    ...input: CallInput<PlaygroundStore, Name>
  ) => CallOutput<PlaygroundStore, Name>
} = calls

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
  const workerData: ThreadOptions = { file: join(dataDir, 'playground.sqlite'), instance: randomUUID(), retryMs }
  const thread = new WorkerThread<PlaygroundStore>(workerPath, { ...storeName, maxStarts: 2, workerData })
  const ask =
    (name: string) =>
    (...input: never[]) =>
      Reflect.apply(thread.ask, thread, [name, input])
  // `storeCalls` has each call of the store once.
  const asks = Object.fromEntries(
    Object.keys(storeCalls).map((name) => [name, ask(name)]),
  ) as unknown as PlaygroundStore
  const finish = async () => thread.isRunning && thread.ask('close', [])
  return { ...asks, close: () => thread.close(finish, closeTimeoutMs) }
}
