import type { CellAddress, ComparisonView, PlaygroundRun } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { callKey, subscribeToEvent, useAction } from '../../../ipc'
import { isRunActive } from '..'
import { activeRuns, cellKey, countProgress, type GetRun, sumRuns, toCellMap } from './cells'
import type { EditSession } from './editing'

/** States of runs by id, from their start and end events. They contain no answers. */
function useRunUpdates(): ReadonlyMap<string, PlaygroundRun> {
  const [runUpdates, setHeard] = useState<ReadonlyMap<string, PlaygroundRun>>(new Map())
  useEffect(
    () =>
      subscribeToEvent('playground.progress', ({ news }) => {
        const updatedRuns = news.flatMap(({ run }) => (run ? [run] : []))
        if (updatedRuns.length === 0) return
        setHeard((previousRuns) => new Map([...previousRuns, ...updatedRuns.map((run) => [run.id, run] as const)]))
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

function useStartRuns(id: string, editing: EditSession, isActive: boolean) {
  const updateView = useUpdateView(id)
  const [batch, setBatch] = useState<ReadonlySet<string>>()
  const startRuns = useAction('playground.runComparison', {
    onSuccess: (view, { cells = [] }) => {
      const keys = new Set(cells.map(cellKey))
      const startedRunIds = view.cells.filter((cell) => keys.has(cellKey(cell))).map(({ run }) => run.id)
      setBatch((previousBatch) => new Set([...(previousBatch && isActive ? previousBatch : []), ...startedRunIds]))
      updateView(view)
    },
  })
  const stopping = useAction('playground.stop')
  const rateAnswer = useAction('playground.rateAnswer', { onSuccess: updateView })
  return {
    /** Ids of runs in the current batch: all that were started since no run was active. */
    batch,
    isStarting: startRuns.isPending,
    failure: (startRuns.error ?? stopping.error ?? rateAnswer.error)?.failure,
    /** Saves pending edits before the run. Starts nothing if that fails. The page shows the failure. */
    start: (places: readonly CellAddress[]): void => {
      if (places.length === 0) return
      const cells = places.map(({ columnId, caseId, repeat }) => ({
        columnId,
        ...(caseId !== undefined && { caseId }),
        ...(repeat !== undefined && { repeat }),
      }))
      void editing.flush().then(
        () => startRuns.mutate({ id, cells }),
        () => undefined,
      )
    },
    stop: (ids: readonly string[]): void => {
      if (ids.length > 0) stopping.mutate({ runIds: [...ids] })
    },
    rate: (runId: string, rating: number | undefined): void =>
      rateAnswer.mutate({ id, runId, ...(rating !== undefined && { rating }) }),
  }
}

export function useComparisonRuns(view: ComparisonView, editing: EditSession) {
  const runUpdates = useRunUpdates()
  const cells = useMemo(() => toCellMap(view.cells), [view.cells])
  const getRun = useCallback<GetRun>(
    // If a run has ended, its state in the comparison is final. Otherwise events may be newer.
    ({ run }) => (isRunActive(run) ? (runUpdates.get(run.id) ?? run) : run),
    [runUpdates],
  )
  const activeRunIds = useMemo(() => activeRuns(view.cells, getRun), [view.cells, getRun])
  const { batch, ...starting } = useStartRuns(view.id, editing, activeRunIds.length > 0)
  const sums = useMemo(() => sumRuns(view.cells, getRun), [view.cells, getRun])
  const progress = useMemo(
    () => countProgress(view.cells, batch ?? new Set(view.cells.map(({ run }) => run.id)), getRun),
    [view.cells, batch, getRun],
  )
  return { cells, getRun, sums, progress, ...starting, stopAll: () => starting.stop(activeRunIds) }
}

export type ComparisonRuns = ReturnType<typeof useComparisonRuns>
