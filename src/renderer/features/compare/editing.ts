import type { ComparisonSetup, ComparisonView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { createContext, useContext } from 'react'
import { createStore, type StoreApi, useStore } from 'zustand'
import { CallError } from '../../ipc'
import { draftOf, edited, isSaved, redone, type SetupDraft, savedUpTo, undone, withView } from './setup-draft'

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

const restMs = 500

const failureOf = (error: unknown): Failure =>
  error instanceof CallError ? error.failure : { code: 'internal.unexpected', message: 'Saving failed.' }

/** Begins to edit what main has. */
export function createEditing(view: ComparisonView, { save, onSaved }: EditingPorts): Editing {
  const store = createStore<EditingState>(() => ({ draft: draftOf(view), isSaving: false, failure: undefined }))
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
      store.setState({ failure: failureOf(error) })
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
    timer = setTimeout(() => void flush().catch(() => undefined), restMs)
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
