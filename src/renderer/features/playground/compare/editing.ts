import type { ComparisonSetup, ComparisonView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { createContext, useContext } from 'react'
import { createStore, type StoreApi, useStore } from 'zustand'
import { CallError } from '../../../ipc'
import { useWindowState } from '../../../window-state'
import type { TargetChange } from '..'
import type { CellPlace } from './cells'

interface EditingState {
  readonly draft: SetupDraft
  readonly isSaving: boolean
  readonly failure: Failure | undefined
}

/** A comparison that is being edited: every change counts at once, and is saved as one goes. */
export interface Editing {
  readonly store: StoreApi<EditingState>
  /** `field` names what letters are typed into, so that they are undone together. */
  edit(change: (setup: ComparisonSetup) => ComparisonSetup, field?: string): void
  undo(): void
  redo(): void
  /** Saves what main does not have yet; rejects with `CallError` when that fails. */
  flush(): Promise<void>
  /** What main has, as it says unasked. */
  hear(view: ComparisonView): void
}

interface EditingPorts {
  readonly save: (setup: ComparisonSetup) => Promise<ComparisonView>
  /** Told after each save. */
  readonly onSaved: (view: ComparisonView) => void
}

const debounceMs = 500

const toFailure = (error: unknown): Failure =>
  error instanceof CallError ? error.failure : { code: 'internal.unexpected', message: 'Saving failed.' }

/** Begins to edit what main has. */
export function createEditing(view: ComparisonView, { save, onSaved }: EditingPorts): Editing {
  const store = createStore<EditingState>(() => ({ draft: toDraft(view), isSaving: false, failure: undefined }))
  let timer: ReturnType<typeof setTimeout> | undefined
  let underWay: Promise<void> | undefined

  async function saveOnce(): Promise<void> {
    const { edits, setup } = store.getState().draft
    store.setState({ isSaving: true })
    try {
      const kept = await save(setup)
      store.setState(({ draft }) => ({ draft: savedUpTo(draft, edits, kept), failure: undefined }))
      onSaved(kept)
    } catch (error) {
      store.setState({ failure: toFailure(error) })
      throw error
    } finally {
      store.setState({ isSaving: false })
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(timer)
    while (underWay || !isSaved(store.getState().draft)) {
      underWay ??= saveOnce().finally(() => {
        underWay = undefined
      })
      await underWay
    }
  }

  const change = (next: (draft: SetupDraft) => SetupDraft): void => {
    const { draft } = store.getState()
    const after = next(draft)
    if (after === draft) return
    store.setState({ draft: after })
    clearTimeout(timer)
    // What went wrong is in the store, and stays on the screen until it is saved.
    timer = setTimeout(() => void flush().catch(() => undefined), debounceMs)
  }

  return {
    store,
    edit: (of, field) => change((draft) => edited(draft, of(draft.setup), field)),
    undo: () => change(undone),
    redo: () => change(redone),
    flush,
    hear: (heard) => store.setState(({ draft }) => ({ draft: withView(draft, heard) })),
  }
}

/** The comparison that the page around is about. */
export const EditingContext = createContext<Editing | undefined>(undefined)

/** The comparison being edited; to be used inside its page. */
export function useEditing(): Editing {
  const editing = useContext(EditingContext)
  if (!editing) throw new Error('Outside a comparison page.')
  return editing
}

/** A part of the comparison's setup; the component renders again when that part changes. */
export function useSetup<T>(part: (setup: ComparisonSetup) => T): T {
  return useStore(useEditing().store, ({ draft }) => part(draft.setup))
}

/** How saving stands. */
export function useSaving() {
  const { store } = useEditing()
  return {
    isSaved: useStore(store, ({ draft, isSaving }) => isSaved(draft) && !isSaving),
    failure: useStore(store, ({ failure }) => failure),
    canUndo: useStore(store, ({ draft }) => draft.past.length > 0),
    canRedo: useStore(store, ({ draft }) => draft.future.length > 0),
  }
}

/** A comparison as it stands in the window. Edits are counted, so that no answer of main replaces one that it does not know. */
interface SetupDraft {
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

const maxUndoSteps = 100

/** A draft of what main has. */
const toDraft = ({ setup, updatedAt }: ComparisonView): SetupDraft => ({
  setup,
  edits: 0,
  saved: 0,
  updatedAt,
  past: [],
  future: [],
})

/** Whether main knows all of it. */
const isSaved = ({ edits, saved }: SetupDraft): boolean => edits === saved

/** The draft after an edit. `field` says of what, where letters follow on each other. */
function edited(draft: SetupDraft, setup: ComparisonSetup, field?: string): SetupDraft {
  if (setup === draft.setup) return draft
  const isMore = field !== undefined && field === draft.field
  const past = isMore ? draft.past : [...draft.past, draft.setup].slice(-maxUndoSteps)
  return { ...draft, setup, past, future: [], field, edits: draft.edits + 1 }
}

/** The draft with its last edit taken back. */
function undone(draft: SetupDraft): SetupDraft {
  const setup = draft.past.at(-1)
  if (!setup) return draft
  const future = [draft.setup, ...draft.future]
  return { ...draft, setup, past: draft.past.slice(0, -1), future, field: undefined, edits: draft.edits + 1 }
}

/** The draft with the last edit that was taken back made again. */
function redone(draft: SetupDraft): SetupDraft {
  const [setup, ...future] = draft.future
  if (!setup) return draft
  return { ...draft, setup, past: [...draft.past, draft.setup], future, field: undefined, edits: draft.edits + 1 }
}

/** The draft once main has kept it up to an edit; what was edited since stays as it is. */
const savedUpTo = (draft: SetupDraft, edits: number, { updatedAt }: ComparisonView): SetupDraft => ({
  ...draft,
  saved: Math.max(draft.saved, edits),
  updatedAt: updatedAt > draft.updatedAt ? updatedAt : draft.updatedAt,
})

/** From home to the hand-out page. */
function withView(draft: SetupDraft, view: ComparisonView): SetupDraft {
  if (!isSaved(draft) || view.updatedAt <= draft.updatedAt) return draft
  // Runs make it newer too: then there is nothing to take over, and what can be undone stays.
  if (JSON.stringify(view.setup) === JSON.stringify(draft.setup)) return { ...draft, updatedAt: view.updatedAt }
  return { ...draft, setup: view.setup, updatedAt: view.updatedAt, past: [], future: [], field: undefined }
}

/** What can be done with a cell of the grid. */
export interface CellActions {
  readonly run: (place: CellPlace) => void
  readonly stop: (runId: string) => void
  /** Shows the whole answer. */
  readonly open: (place: CellPlace) => void
  /** Chooses it for a comparison with another, or no longer. */
  readonly pick: (place: CellPlace) => void
  readonly menu: (button: HTMLElement, place: CellPlace) => void
  readonly setUp: (columnId: string) => void
  /** Asks another model, or with another key, from now on in this column. */
  readonly askInstead: (place: CellPlace, change: TargetChange) => void
}

/** What the cells of the grid around can do. */
export const CellActionsContext = createContext<CellActions | undefined>(undefined)

/** What can be done with cells; to be used inside the grid. */
export function useCellActions(): CellActions {
  const actions = useContext(CellActionsContext)
  if (!actions) throw new Error('Outside the grid of a comparison.')
  return actions
}

/** Whether responses are formatted as Markdown; otherwise they are plain text. */
export const useIsMarkdown = () => useWindowState('compare.isMarkdown', true)
