import type { CellAddress, ComparisonView, MethodInput, PlaygroundRun } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { call, callKey, subscribeToEvent, toFailure } from '../../../ipc'
import { isRunActive, stopRuns } from '..'
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

type Cells = MethodInput<'playground.runComparison'>['cells']

const isDone = (): boolean => true
const isPending = (): boolean => false

function useStartRuns(id: string, editing: EditSession, isActive: boolean) {
  const updateView = useUpdateView(id)
  const [batch, setBatch] = useState<ReadonlySet<string>>()
  const [isStarting, setIsStarting] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const startRuns = async (places: readonly CellAddress[]): Promise<void> => {
    setIsStarting(true)
    setFailure(undefined)
    try {
      // Do not start runs if saving the settings failed. The page shows that failure.
      if (!(await editing.flush().then(isDone, isPending))) return
      const runCells: Cells = places.map(({ columnId, caseId, repeat }) => ({
        columnId,
        ...(caseId !== undefined && { caseId }),
        ...(repeat !== undefined && { repeat }),
      }))
      const answer = await call('playground.runComparison', { id, cells: runCells })
      const keys = new Set(places.map(cellKey))
      const startedRunIds = answer.cells.filter((cell) => keys.has(cellKey(cell))).map(({ run }) => run.id)
      setBatch((previousBatch) => new Set([...(previousBatch && isActive ? previousBatch : []), ...startedRunIds]))
      updateView(answer)
    } catch (error) {
      setFailure(toFailure(error))
    } finally {
      setIsStarting(false)
    }
  }
  return {
    /** Ids of runs in the current batch: all that were started since no run was active. */
    batch,
    isStarting,
    failure,
    /** Saves pending edits before the run. */
    start: (places: readonly CellAddress[]): void => {
      if (places.length > 0) void startRuns(places)
    },
    stop: (ids: readonly string[]) => void stopRuns(ids).catch((error: unknown) => setFailure(toFailure(error))),
    rate: (runId: string, rating: number | undefined) =>
      void call('playground.rateAnswer', { id, runId, ...(rating !== undefined && { rating }) })
        .then(updateView)
        .catch((error: unknown) => setFailure(toFailure(error))),
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
