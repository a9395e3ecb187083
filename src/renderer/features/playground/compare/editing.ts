import type { CellAddress, ComparisonSetup, ComparisonView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { createContext, useContext } from 'react'
import { createStore, useStore } from 'zustand'
import { toFailure } from '../../../ipc'
import { useWindowState } from '../../../window-state'
import type { TargetChange } from '..'

interface EditingState {
  readonly draft: SetupDraft
  readonly isSaving: boolean
  readonly failure: Failure | undefined
}

const debounceMs = 500

/** Editor of a comparison. Changes apply immediately and are saved after a debounce. */
export function createEditing(
  view: ComparisonView,
  {
    save,
    onSaved,
  }: {
    readonly save: (setup: ComparisonSetup) => Promise<ComparisonView>
    readonly onSaved: (view: ComparisonView) => void
  },
) {
  const store = createStore<EditingState>(() => ({ draft: toDraft(view), isSaving: false, failure: undefined }))
  let timer: ReturnType<typeof setTimeout> | undefined
  let savePromise: Promise<void> | undefined

  async function saveOnce(): Promise<void> {
    const { edits, setup } = store.getState().draft
    store.setState({ isSaving: true })
    try {
      const savedComparison = await save(setup)
      store.setState(({ draft }) => ({ draft: markSaved(draft, edits, savedComparison), failure: undefined }))
      onSaved(savedComparison)
    } catch (error) {
      store.setState({ failure: toFailure(error) })
      throw error
    } finally {
      store.setState({ isSaving: false })
    }
  }

  async function saveEdits(): Promise<void> {
    clearTimeout(timer)
    while (savePromise || !isSaved(store.getState().draft)) {
      savePromise ??= saveOnce().finally(() => {
        savePromise = undefined
      })
      await savePromise
    }
  }

  const change = (updateDraft: (draft: SetupDraft) => SetupDraft): void => {
    const { draft } = store.getState()
    const nextSetup = updateDraft(draft)
    if (nextSetup === draft) return
    store.setState({ draft: nextSetup })
    clearTimeout(timer)
    // Ignore a rejection here. The store contains the failure, and the page shows it until a save succeeds.
    timer = setTimeout(() => void saveEdits().catch(() => undefined), debounceMs)
  }

  return {
    store,
    /** Applies an edit. Consecutive edits with the same `field` are undone together. */
    edit: (updateSetup: (setup: ComparisonSetup) => ComparisonSetup, field?: string): void =>
      change((draft) => addEdit(draft, updateSetup(draft.setup), field)),
    undo: () => change(undoEdit),
    redo: () => change(redoEdit),
    /** Saves pending changes. Rejects with `CallError`. */
    flush: saveEdits,
    /** Applies a change of the comparison that the main process has reported. */
    hear: (heard: ComparisonView): void => store.setState(({ draft }) => ({ draft: adoptView(draft, heard) })),
  }
}

export type EditSession = ReturnType<typeof createEditing>

export const EditingContext = createContext<EditSession | undefined>(undefined)

/** Editor of the comparison page around this component. Throws outside of such a page. */
export function useEditing(): EditSession {
  const editSession = useContext(EditingContext)
  if (!editSession) throw new Error('This hook must be used inside a comparison page.')
  return editSession
}

/** Returns a part of the comparison's settings. The component re-renders only if that part changes. */
export function useSetup<T>(selector: (setup: ComparisonSetup) => T): T {
  return useStore(useEditing().store, ({ draft }) => selector(draft.setup))
}

export function useSaveState() {
  const { store } = useEditing()
  return {
    isSaved: useStore(store, ({ draft, isSaving }) => isSaved(draft) && !isSaving),
    failure: useStore(store, ({ failure }) => failure),
    canUndo: useStore(store, ({ draft }) => draft.past.length > 0),
    canRedo: useStore(store, ({ draft }) => draft.future.length > 0),
  }
}

/**
 * Local state of the comparison's settings. Counts edits, so that the response to an earlier save does not overwrite
 * newer edits.
 */
interface SetupDraft {
  readonly setup: ComparisonSetup
  readonly edits: number
  /** Value of `edits` up to which all edits are saved. */
  readonly saved: number
  /** Time of the last change that the main process has reported. */
  readonly updatedAt: string
  readonly past: readonly ComparisonSetup[]
  readonly future: readonly ComparisonSetup[]
  /** Field of the last edit. One undo step includes further edits of the same field. */
  readonly field?: string | undefined
}

const maxUndoSteps = 100

const toDraft = ({ setup, updatedAt }: ComparisonView): SetupDraft => ({
  setup,
  edits: 0,
  saved: 0,
  updatedAt,
  past: [],
  future: [],
})

const isSaved = ({ edits, saved }: SetupDraft): boolean => edits === saved

/** Edits of the same `field` in a row share one undo step. */
function addEdit(draft: SetupDraft, setup: ComparisonSetup, field?: string): SetupDraft {
  if (setup === draft.setup) return draft
  const isSameField = field !== undefined && field === draft.field
  const pastSetups = isSameField ? draft.past : [...draft.past, draft.setup].slice(-maxUndoSteps)
  return { ...draft, setup, past: pastSetups, future: [], field, edits: draft.edits + 1 }
}

function undoEdit(draft: SetupDraft): SetupDraft {
  const setup = draft.past.at(-1)
  if (!setup) return draft
  const redoSetups = [draft.setup, ...draft.future]
  return {
    ...draft,
    setup,
    past: draft.past.slice(0, -1),
    future: redoSetups,
    field: undefined,
    edits: draft.edits + 1,
  }
}

function redoEdit(draft: SetupDraft): SetupDraft {
  const [setup, ...future] = draft.future
  if (!setup) return draft
  return { ...draft, setup, past: [...draft.past, draft.setup], future, field: undefined, edits: draft.edits + 1 }
}

/** Marks all edits up to the number `edits` as saved. Later edits stay unsaved. */
const markSaved = (draft: SetupDraft, edits: number, { updatedAt }: ComparisonView): SetupDraft => ({
  ...draft,
  saved: Math.max(draft.saved, edits),
  updatedAt: updatedAt > draft.updatedAt ? updatedAt : draft.updatedAt,
})

/** Replaces the draft with a newer version from the main process, unless there are unsaved edits. */
function adoptView(draft: SetupDraft, view: ComparisonView): SetupDraft {
  if (!isSaved(draft) || view.updatedAt <= draft.updatedAt) return draft
  // A run also changes the update time. Keep the undo history if the setup is unchanged.
  if (JSON.stringify(view.setup) === JSON.stringify(draft.setup)) return { ...draft, updatedAt: view.updatedAt }
  return { ...draft, setup: view.setup, updatedAt: view.updatedAt, past: [], future: [], field: undefined }
}

export interface CellActions {
  readonly run: (place: CellAddress) => void
  readonly stop: (runId: string) => void
  readonly open: (place: CellAddress) => void
  /** Selects or deselects an answer that is compared with another one. */
  readonly pick: (place: CellAddress) => void
  readonly menu: (button: HTMLElement, place: CellAddress) => void
  readonly setUp: (columnId: string) => void
  readonly askInstead: (place: CellAddress, change: TargetChange) => void
  readonly rate: (runId: string, rating: number | undefined) => void
}

export const CellActionsContext = createContext<CellActions | undefined>(undefined)

/** Actions on cells of the grid around this component. Throws outside of a grid. */
export function useCellActions(): CellActions {
  const actions = useContext(CellActionsContext)
  if (!actions) throw new Error('This hook must be used inside the grid of a comparison.')
  return actions
}

export const useIsMarkdown = () => useWindowState('compare.isMarkdown', true)
