import type { CallInput, CallOutput } from '../../core/worker-thread'
import * as comparisonsModule from './comparisons'
import * as conversations from './conversations'
import { attach, attachmentContent, attachments, beginTurn, draft, messages, readLine, saveDraft } from './messages'
import { runs, saveRun } from './runs'
import { hideRecord, restore, type Store, setPinned } from './store'

const { deleteRemovedCells: _, ...comparisons } = comparisonsModule

/** All calls of the playground's database. Its thread executes them. */
const calls = {
  ...conversations,
  pin: (store: Store, id: string, isPinned: boolean) => setPinned(store, 'conversations', id, isPinned),
  restore: (store: Store, id: string) => restore(store, 'conversations', id),
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
  ...comparisons,
  pinComparison: (store: Store, id: string, isPinned: boolean) => setPinned(store, 'comparisons', id, isPinned),
  restoreComparison: (store: Store, id: string) => restore(store, 'comparisons', id),
  removePrompt: (store: Store, id: string) => hideRecord(store, 'prompts', id),
  restorePrompt: (store: Store, id: string) => restore(store, 'prompts', id),
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
