import type { CheckView, PendingKeyView } from '@shared/contract'
import { create } from 'zustand'

/** What was filled in so far. The key is not among it: only the id and the masked form of one that main holds. */
export interface NewPlanDraft {
  readonly address: string
  readonly name: string
  /** The name was typed, so that no suggestion may replace it. */
  readonly isNameTyped: boolean
  readonly codes: readonly string[]
  /** A code that was typed but not confirmed; it counts. */
  readonly codesText: string
  readonly expiresOn: string
  readonly context: string
  readonly pending: PendingKeyView | undefined
  /** The last check, and what it was made with. */
  readonly check: { readonly of: string; readonly view: CheckView } | undefined
}

const empty: NewPlanDraft = {
  address: '',
  name: '',
  isNameTyped: false,
  codes: [],
  codesText: '',
  expiresOn: '',
  context: '',
  pending: undefined,
  check: undefined,
}

interface DraftStore {
  readonly draft: NewPlanDraft
  readonly change: (part: Partial<NewPlanDraft>) => void
  readonly clear: () => void
}

/** The new plan as far as it was filled in; survives leaving the page, not the window. */
export const useNewPlanDraft = create<DraftStore>((set) => ({
  draft: empty,
  change: (part) => set(({ draft }) => ({ draft: { ...draft, ...part } })),
  clear: () => set({ draft: empty }),
}))
