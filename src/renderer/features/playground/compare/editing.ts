import type { CellAddress, ComparisonSetup, ComparisonView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { createContext, useContext } from 'react'
import { createStore, useStore } from 'zustand'
import { toFailure } from '../../../ipc'
import { useWindowState } from '../../../window-state'
import type { TargetChange } from '..'

/** State of the editor. Counts edits, so that the response to an earlier save does not overwrite newer edits. */
interface EditingState {
  readonly setup: ComparisonSetup
  readonly edits: number
  /** Value of `edits` up to which all edits are saved. */
  readonly saved: number
  /** Time of the last change that the main process has reported. */
  readonly updatedAt: string
  readonly past: readonly ComparisonSetup[]
  readonly future: readonly ComparisonSetup[]
  /** Field of the last edit. One undo step includes further edits of the same field. */
  readonly field: string | undefined
  readonly isSaving: boolean
  readonly failure: Failure | undefined
}

const debounceMs = 500
const maxUndoSteps = 100

const isSaved = ({ edits, saved }: EditingState): boolean => edits === saved

/** Editor of a comparison. Changes apply immediately and are saved after a debounce. */
export function createEditing(
  { setup: initialSetup, updatedAt: initialTime }: ComparisonView,
  save: (setup: ComparisonSetup) => Promise<ComparisonView>,
) {
  const store = createStore<EditingState>(() => ({
    setup: initialSetup,
    edits: 0,
    saved: 0,
    updatedAt: initialTime,
    past: [],
    future: [],
    field: undefined,
    isSaving: false,
    failure: undefined,
  }))
  let timer: ReturnType<typeof setTimeout> | undefined
  let savePromise: Promise<void> | undefined

  /** Saves the current edits. Rejects with `CallError`. */
  async function saveOnce(): Promise<void> {
    const { edits, setup } = store.getState()
    store.setState({ isSaving: true })
    try {
      const { updatedAt } = await save(setup)
      store.setState({ saved: edits, updatedAt, failure: undefined })
    } catch (error) {
      store.setState({ failure: toFailure(error) })
      throw error
    } finally {
      store.setState({ isSaving: false })
    }
  }

  async function saveEdits(): Promise<void> {
    clearTimeout(timer)
    while (savePromise || !isSaved(store.getState())) {
      savePromise ??= saveOnce().finally(() => {
        savePromise = undefined
      })
      await savePromise
    }
  }

  const change = (changes: Pick<EditingState, 'setup' | 'past' | 'future' | 'field'>): void => {
    store.setState(({ edits }) => ({ ...changes, edits: edits + 1 }))
    clearTimeout(timer)
    // Ignore a rejection here. The store contains the failure, and the page shows it until a save succeeds.
    timer = setTimeout(() => void saveEdits().catch(() => undefined), debounceMs)
  }

  return {
    store,
    getSetup: () => store.getState().setup,
    /** Applies an edit. Consecutive edits with the same `field` are undone together. */
    edit: (updateSetup: (setup: ComparisonSetup) => ComparisonSetup, field?: string): void => {
      const { setup, past, field: previousField } = store.getState()
      const nextSetup = updateSetup(setup)
      if (nextSetup === setup) return
      const isSameField = field !== undefined && field === previousField
      const nextPast = isSameField ? past : [...past, setup].slice(-maxUndoSteps)
      change({ setup: nextSetup, past: nextPast, future: [], field })
    },
    undo: (): void => {
      const { setup, past, future } = store.getState()
      const previousSetup = past.at(-1)
      if (!previousSetup) return
      change({ setup: previousSetup, past: past.slice(0, -1), future: [setup, ...future], field: undefined })
    },
    redo: (): void => {
      const { setup, past, future } = store.getState()
      const [nextSetup, ...rest] = future
      if (nextSetup) change({ setup: nextSetup, past: [...past, setup], future: rest, field: undefined })
    },
    /** Saves pending changes. Rejects with `CallError`. */
    flush: saveEdits,
    /** Applies a change of the comparison that the main process has reported, unless there are unsaved edits. */
    hear: ({ setup, updatedAt }: ComparisonView): void => {
      const state = store.getState()
      if (!isSaved(state) || updatedAt <= state.updatedAt) return
      // A run also changes the update time. Keep the undo history if the setup is unchanged.
      const isUnchanged = JSON.stringify(setup) === JSON.stringify(state.setup)
      store.setState({ updatedAt, ...(!isUnchanged && { setup, past: [], future: [], field: undefined }) })
    },
  }
}

export type EditSession = ReturnType<typeof createEditing>

export const EditingContext = createContext<EditSession | undefined>(undefined)

/** Editor of the comparison page around this component. */
export function useEditing(): EditSession {
  const editSession = useContext(EditingContext)
  if (!editSession) throw new Error('This hook must be used inside a comparison page.')
  return editSession
}

/** Returns a part of the comparison's settings. The component re-renders only if that part changes. */
export function useSetup<T>(selector: (setup: ComparisonSetup) => T): T {
  return useStore(useEditing().store, ({ setup }) => selector(setup))
}

export function useSaveState() {
  const { store } = useEditing()
  return {
    isSaved: useStore(store, (state) => isSaved(state) && !state.isSaving),
    failure: useStore(store, ({ failure }) => failure),
    canUndo: useStore(store, ({ past }) => past.length > 0),
    canRedo: useStore(store, ({ future }) => future.length > 0),
  }
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

/** Actions on cells of the grid around this component. */
export function useCellActions(): CellActions {
  const actions = useContext(CellActionsContext)
  if (!actions) throw new Error('This hook must be used inside the grid of a comparison.')
  return actions
}

export const useIsMarkdown = () => useWindowState('compare.isMarkdown', true)
