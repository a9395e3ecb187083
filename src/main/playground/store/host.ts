import { fileIdentity } from '../../sqlite/file'
import { FileHost, type Opened } from '../../sqlite/file-host'
import type { AnswersOf, OutputOf } from '../../worker-thread'
import type { PlaygroundStore } from '../ports'
import {
  beginCells,
  comparison,
  comparisons,
  prompt,
  prompts,
  removeComparison,
  saveComparison,
  savePrompt,
} from './comparisons'
import { add, choose, conversation, conversations, remove, rename, setUp, whole } from './conversations'
import { attach, attachmentContent, attachments, beginTurn, draft, lineOf, messages, saveDraft } from './messages'
import { leave, openStore } from './opening'

import { runs, saveRun } from './runs'
import { type Call, type CallName, hide, pin, restore, type Store, storeName, type ThreadOptions } from './store'

interface OpenStore extends Opened {
  readonly store: Store
}

function open(place: Omit<ThreadOptions, 'retryMs'>, isSuspect: boolean): OpenStore {
  const store = openStore({ ...place, isSuspect })
  const opened = fileIdentity(place.file)
  return { store, isInPlace: () => fileIdentity(place.file) === opened, close: () => store.db.close() }
}

/** Answers the playground's calls. They fail with `playground.unavailable` while its file cannot be used. */
export class PlaygroundHost {
  readonly #host: FileHost<PlaygroundStore, OpenStore>
  readonly #answers: AnswersOf<PlaygroundStore>

  constructor({ retryMs, ...place }: ThreadOptions) {
    this.#host = new FileHost({ ...storeName, retryMs, open: (isSuspect) => open(place, isSuspect) })
    const store = (): Store => this.#host.open().store
    this.#answers = { ...answersOf(store), close: () => this.#close() }
  }

  /** Carries out one call. */
  answer<Name extends CallName>(call: Call<Name>): Promise<OutputOf<PlaygroundStore, Name>> {
    return this.#host.answer(this.#answers, call)
  }

  #close(): void {
    try {
      leave(this.#host.open().store)
    } finally {
      this.#host.letGo()
    }
  }
}

const answersOf = (store: () => Store): Omit<AnswersOf<PlaygroundStore>, 'close'> => ({
  conversations: ([query]) => conversations(store(), query),
  conversation: ([id]) => conversation(store(), id),
  messages: (input) => messages(store(), ...input),
  lineOf: (input) => lineOf(store(), ...input),
  choose: (input) => choose(store(), ...input),
  beginTurn: ([turn]) => beginTurn(store(), turn),
  setUp: (input) => setUp(store(), ...input),
  rename: (input) => rename(store(), ...input),
  pin: ([id, isPinned]) => pin(store(), 'conversations', { id, isPinned }),
  remove: ([id]) => remove(store(), id),
  restore: ([id]) => restore(store(), 'conversations', id),
  whole: ([id]) => whole(store(), id),
  add: ([one]) => add(store(), one),
  draft: ([key]) => draft(store(), key),
  saveDraft: (input) => saveDraft(store(), ...input),
  attach: (input) => attach(store(), ...input),
  attachments: ([ids]) => attachments(store(), ids),
  attachmentContent: ([id]) => attachmentContent(store(), id),
  saveRun: ([kept]) => saveRun(store(), kept),
  runs: ([ids]) => runs(store(), ids),
  comparisons: () => comparisons(store()),
  comparison: ([id]) => comparison(store(), id),
  saveComparison: (input) => saveComparison(store(), ...input),
  pinComparison: ([id, isPinned]) => pin(store(), 'comparisons', { id, isPinned }),
  removeComparison: ([id]) => removeComparison(store(), id),
  restoreComparison: ([id]) => restore(store(), 'comparisons', id),
  beginCells: (input) => beginCells(store(), ...input),
  prompts: () => prompts(store()),
  prompt: ([id]) => prompt(store(), id),
  savePrompt: ([one]) => savePrompt(store(), one),
  removePrompt: ([id]) => hide(store(), 'prompts', id),
  restorePrompt: ([id]) => restore(store(), 'prompts', id),
})
