import type { CellAddress, ComparisonView, PlaygroundRun } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { callKey, subscribeToEvent, useAction } from '../../../ipc'
import { isRunActive } from '..'
import { cellKey, toCellMap } from './cells'
import type { EditSession } from './editing'

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
    onSuccess: (nextView, { cells: places = [] }) => {
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
