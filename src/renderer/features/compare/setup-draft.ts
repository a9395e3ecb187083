import type { ComparisonSetup, ComparisonView } from '@shared/contract'

/** A comparison as it stands in the window. Edits are counted, so that no answer of main replaces one that it does not know. */
export interface SetupDraft {
  readonly setup: ComparisonSetup
  readonly edits: number
  /** The last edit that main has. */
  readonly saved: number
  /** When main changed it last, as far as is known. */
  readonly updatedAt: string
  readonly past: readonly ComparisonSetup[]
  readonly future: readonly ComparisonSetup[]
  /** What the last edit was of: further ones of the same are undone together with it. */
  readonly field?: string | undefined
}

const mostUndone = 100

/** A draft of what main has. */
export const draftOf = ({ setup, updatedAt }: ComparisonView): SetupDraft => ({
  setup,
  edits: 0,
  saved: 0,
  updatedAt,
  past: [],
  future: [],
})

/** Whether main knows all of it. */
export const isSaved = ({ edits, saved }: SetupDraft): boolean => edits === saved

/** The draft after an edit. `field` says of what, where letters follow on each other. */
export function edited(draft: SetupDraft, setup: ComparisonSetup, field?: string): SetupDraft {
  if (setup === draft.setup) return draft
  const isMore = field !== undefined && field === draft.field
  const past = isMore ? draft.past : [...draft.past, draft.setup].slice(-mostUndone)
  return { ...draft, setup, past, future: [], field, edits: draft.edits + 1 }
}

/** The draft with its last edit taken back. */
export function undone(draft: SetupDraft): SetupDraft {
  const setup = draft.past.at(-1)
  if (!setup) return draft
  const future = [draft.setup, ...draft.future]
  return { ...draft, setup, past: draft.past.slice(0, -1), future, field: undefined, edits: draft.edits + 1 }
}

/** The draft with the last edit that was taken back made again. */
export function redone(draft: SetupDraft): SetupDraft {
  const [setup, ...future] = draft.future
  if (!setup) return draft
  return { ...draft, setup, past: [...draft.past, draft.setup], future, field: undefined, edits: draft.edits + 1 }
}

/** The draft once main has kept it up to an edit; what was edited since stays as it is. */
export const savedUpTo = (draft: SetupDraft, edits: number, { updatedAt }: ComparisonView): SetupDraft => ({
  ...draft,
  saved: Math.max(draft.saved, edits),
  updatedAt: updatedAt > draft.updatedAt ? updatedAt : draft.updatedAt,
})

/** The draft after main told what it has: taken over only when it is newer and nothing was edited here that it does not know. */
export function withView(draft: SetupDraft, view: ComparisonView): SetupDraft {
  if (!isSaved(draft) || view.updatedAt <= draft.updatedAt) return draft
  // Runs make it newer too: then there is nothing to take over, and what can be undone stays.
  if (JSON.stringify(view.setup) === JSON.stringify(draft.setup)) return { ...draft, updatedAt: view.updatedAt }
  return { ...draft, setup: view.setup, updatedAt: view.updatedAt, past: [], future: [], field: undefined }
}
