import type { CallInput, CallOutput } from '../../core/worker-thread'
import * as comparisons from './comparisons'
import * as conversations from './conversations'
import * as messages from './messages'
import * as runs from './runs'
import { hideRecord, restore, type Store, setPinned } from './store'

/** All calls of the playground's database. Its thread executes them. */
const calls = {
  ...conversations,
  pin: (store: Store, id: string, isPinned: boolean) => setPinned(store, 'conversations', id, isPinned),
  restore: (store: Store, id: string) => restore(store, 'conversations', id),
  messages: messages.messages,
  readLine: messages.readLine,
  beginTurn: messages.beginTurn,
  attach: messages.attach,
  attachments: messages.attachments,
  attachmentContent: messages.attachmentContent,
  draft: messages.draft,
  saveDraft: messages.saveDraft,
  runs: runs.runs,
  saveRun: runs.saveRun,
  comparisons: comparisons.comparisons,
  comparison: comparisons.comparison,
  saveComparison: comparisons.saveComparison,
  addComparison: comparisons.addComparison,
  rateAnswer: comparisons.rateAnswer,
  pinComparison: (store: Store, id: string, isPinned: boolean) => setPinned(store, 'comparisons', id, isPinned),
  removeComparison: comparisons.removeComparison,
  restoreComparison: (store: Store, id: string) => restore(store, 'comparisons', id),
  beginCells: comparisons.beginCells,
  prompts: comparisons.prompts,
  prompt: comparisons.prompt,
  savePrompt: comparisons.savePrompt,
  removePrompt: (store: Store, id: string) => hideRecord(store, 'prompts', id),
  restorePrompt: (store: Store, id: string) => restore(store, 'prompts', id),
  /**
   * Removes this process from the table `owners`. Its active runs and hidden rows then belong to no process and are
   * cleaned up at the next opening.
   */
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
