import type { CellAddress, ComparisonSetup, ComparisonView, PlaygroundRun } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react'
import { createStore, useStore } from 'zustand'
import { callKey, subscribeToEvent, toFailure, useAction } from '../../../ipc'
import { useWindowState } from '../../../window-state'
import { isRunActive, type TargetChange } from '..'
import { arrangeRow, blindLetter, type CellMap, cellKey, columnName, columnNumber, toCellMap } from './setup'

const t = i18next.getFixedT(null, 'compare')

interface EditingState {
  readonly setup: ComparisonSetup
  /** Setup that was saved last. A later edit creates another object, so the response to a save overwrites no edit. */
  readonly savedSetup: ComparisonSetup
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

const isSaved = ({ setup, savedSetup, isSaving, failure }: EditingState): boolean =>
  setup === savedSetup && !isSaving && !failure

/** Editor of a comparison. Changes apply immediately and are saved after a debounce. */
export function createEditing(
  { setup: initialSetup, updatedAt: initialTime }: ComparisonView,
  save: (setup: ComparisonSetup) => Promise<ComparisonView>,
) {
  const store = createStore<EditingState>(() => ({
    setup: initialSetup,
    savedSetup: initialSetup,
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
    const { setup } = store.getState()
    store.setState({ isSaving: true })
    try {
      const { updatedAt } = await save(setup)
      store.setState({ savedSetup: setup, updatedAt, failure: undefined })
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
    store.setState(changes)
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
      store.setState({
        updatedAt,
        ...(!isUnchanged && { setup, savedSetup: setup, past: [], future: [], field: undefined }),
      })
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
    isSaved: useStore(store, isSaved),
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

/** States of runs by id, from their start and end events. They contain no answers. */
function useRunUpdates(): ReadonlyMap<string, PlaygroundRun> {
  const [runUpdates, setRunUpdates] = useState<ReadonlyMap<string, PlaygroundRun>>(new Map())
  useEffect(
    () =>
      subscribeToEvent('playground.progress', ({ news }) => {
        const updates = news.flatMap(({ run }) => (run ? [[run.id, run] as const] : []))
        if (updates.length > 0) setRunUpdates((previousUpdates) => new Map([...previousUpdates, ...updates]))
      }),
    [],
  )
  return runUpdates
}

/** Writes a comparison from the main process into the query cache, and cancels pending requests for it. */
export function useUpdateView(id: string): (view: ComparisonView) => void {
  const queries = useQueryClient()
  return useCallback(
    (view) => {
      const queryKey = callKey('playground.comparison', { id })
      void queries.cancelQueries({ queryKey }).then(() => queries.setQueryData(queryKey, view))
    },
    [queries, id],
  )
}

export function useComparisonRuns(view: ComparisonView, editing: EditSession) {
  const { id } = view
  const runUpdates = useRunUpdates()
  const cells = useMemo(
    () =>
      toCellMap(
        view.cells.map((cell) => {
          // If a run has ended, its state in the comparison is final. Otherwise events may be newer.
          const run = isRunActive(cell.run) ? runUpdates.get(cell.run.id) : undefined
          return run ? { ...cell, run } : cell
        }),
      ),
    [view.cells, runUpdates],
  )
  const runs = [...cells.values()].map(({ run }) => run)
  const isActive = runs.some(isRunActive)
  const updateView = useUpdateView(id)
  /** Ids of runs in the current batch: all that were started since no run was active. */
  const [batch, setBatch] = useState<ReadonlySet<string>>()
  const batchRuns = batch ? runs.filter((run) => batch.has(run.id)) : runs
  const startRuns = useAction('playground.runComparison', {
    onSuccess: (nextView, { cells: places }) => {
      const keys = new Set(places.map(cellKey))
      const startedRunIds = nextView.cells.filter((cell) => keys.has(cellKey(cell))).map(({ run }) => run.id)
      setBatch((previousBatch) => new Set([...(previousBatch && isActive ? previousBatch : []), ...startedRunIds]))
      updateView(nextView)
    },
  })
  const stopRuns = useAction('playground.stop')
  const rateAnswer = useAction('playground.rateAnswer', { onSuccess: updateView })
  return {
    cells,
    runs,
    isActive,
    /** Progress of the current batch of runs, such as 12 of 40. Other runs are not counted. */
    progress: { done: batchRuns.filter((run) => !isRunActive(run)).length, count: batchRuns.length },
    isStarting: startRuns.isPending,
    failure: (startRuns.error ?? stopRuns.error ?? rateAnswer.error)?.failure,
    /** Saves pending edits before the run. Starts nothing if that fails. The page shows the failure. */
    start: (places: readonly CellAddress[]): void => {
      const run = (): void => startRuns.mutate({ id, cells: [...places] })
      if (places.length > 0) void editing.flush().then(run, () => undefined)
    },
    stop: (runId: string): void => stopRuns.mutate({ runIds: [runId] }),
    stopAll: (): void => stopRuns.mutate({ runIds: runs.filter(isRunActive).map((run) => run.id) }),
    rate: (runId: string, rating: number | undefined): void =>
      rateAnswer.mutate({ id, runId, ...(rating !== undefined && { rating }) }),
  }
}

export type ComparisonRuns = ReturnType<typeof useComparisonRuns>

/** Returns the name of a cell, such as "aurora-large, test case 3, run 2". Hidden columns have a letter. */
export function useCellName(cells: CellMap): (place: CellAddress) => string {
  const { getSetup } = useEditing()
  return (place) => {
    const setup = getSetup()
    const { columnId, caseId, repeat = 1 } = place
    const { columns, isHidden } = arrangeRow(setup, place, cells)
    const columnIndex = columns.findIndex(({ id }) => id === columnId)
    const column = columns[columnIndex]
    const name = isHidden
      ? t('blind.answer', { letter: blindLetter(columnIndex) })
      : ((column && columnName(column)) ?? t('column.numbered', { number: columnNumber(setup, columnId) }))
    const caseIndex = setup.cases.findIndex(({ id }) => id === caseId)
    const cellName = caseIndex < 0 ? name : t('cell.name', { column: name, number: caseIndex + 1 })
    return repeat === 1 ? cellName : t('cell.repeatName', { name: cellName, repeat })
  }
}
