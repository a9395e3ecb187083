import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { WorkerThread } from '../core/worker-thread'
import type { PlaygroundStore } from './ports'
import { storeName, type ThreadOptions } from './store/store'

export const playgroundFile = (dataDir: string): string => join(dataDir, 'playground.sqlite')

interface StoreOptions {
  readonly dataDir: string
  /** Path of the built `playground-worker.ts`. */
  readonly workerPath: string
  /** Delay in ms before retrying to open an unusable file. */
  readonly retryMs?: number | undefined
}

const closeMs = 3000

/** Opens the playground data of a folder. The first call starts its thread. */
export function createPlaygroundStore({ dataDir, workerPath, retryMs = 1000 }: StoreOptions): PlaygroundStore {
  const workerData: ThreadOptions = { file: playgroundFile(dataDir), instance: randomUUID(), retryMs }
  const thread = new WorkerThread<PlaygroundStore>(workerPath, { ...storeName, maxStarts: 2, workerData })
  return { ...callsTo(thread), close: () => thread.close(() => leave(thread), closeMs) }
}

const leave = async (thread: WorkerThread<PlaygroundStore>): Promise<void> => {
  if (thread.isRunning) await thread.ask('close', [])
}

type StoreThread = Pick<WorkerThread<PlaygroundStore>, 'ask'>

export const callsTo = (thread: StoreThread): Omit<PlaygroundStore, 'close'> => ({
  conversations: (...input) => thread.ask('conversations', input),
  conversation: (...input) => thread.ask('conversation', input),
  messages: (...input) => thread.ask('messages', input),
  readLine: (...input) => thread.ask('readLine', input),
  choose: (...input) => thread.ask('choose', input),
  beginTurn: (...input) => thread.ask('beginTurn', input),
  removeMessage: (...input) => thread.ask('removeMessage', input),
  editAnswer: (...input) => thread.ask('editAnswer', input),
  outline: (...input) => thread.ask('outline', input),
  findMessages: (...input) => thread.ask('findMessages', input),
  setUp: (...input) => thread.ask('setUp', input),
  rename: (...input) => thread.ask('rename', input),
  pin: (...input) => thread.ask('pin', input),
  remove: (...input) => thread.ask('remove', input),
  restore: (...input) => thread.ask('restore', input),
  whole: (...input) => thread.ask('whole', input),
  add: (...input) => thread.ask('add', input),
  draft: (...input) => thread.ask('draft', input),
  saveDraft: (...input) => thread.ask('saveDraft', input),
  attach: (...input) => thread.ask('attach', input),
  attachments: (...input) => thread.ask('attachments', input),
  attachmentContent: (...input) => thread.ask('attachmentContent', input),
  saveRun: (...input) => thread.ask('saveRun', input),
  runs: (...input) => thread.ask('runs', input),
  comparisons: (...input) => thread.ask('comparisons', input),
  comparison: (...input) => thread.ask('comparison', input),
  saveComparison: (...input) => thread.ask('saveComparison', input),
  pinComparison: (...input) => thread.ask('pinComparison', input),
  removeComparison: (...input) => thread.ask('removeComparison', input),
  restoreComparison: (...input) => thread.ask('restoreComparison', input),
  beginCells: (...input) => thread.ask('beginCells', input),
  prompts: (...input) => thread.ask('prompts', input),
  prompt: (...input) => thread.ask('prompt', input),
  savePrompt: (...input) => thread.ask('savePrompt', input),
  removePrompt: (...input) => thread.ask('removePrompt', input),
  restorePrompt: (...input) => thread.ask('restorePrompt', input),
})
