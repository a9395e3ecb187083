import type { ComparisonView, MethodInput, PlaygroundRun } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { CallError, call, callKey, hear } from '../../../ipc'
import { isUnderWay, stopRuns } from '..'
import {
  activeRuns,
  type CellMap,
  type CellPlace,
  cellKey,
  cellMap,
  countProgress,
  type GetRun,
  sumRuns,
} from './cells'
import type { Editing } from './editing'

/** The runs of the cells as main tells of their beginning and end, without their answers. */
function useHeardRuns(): ReadonlyMap<string, PlaygroundRun> {
  const [heard, setHeard] = useState<ReadonlyMap<string, PlaygroundRun>>(new Map())
  useEffect(
    () =>
      hear('playground.progress', ({ news }) => {
        const told = news.flatMap(({ run }) => (run ? [run] : []))
        if (told.length === 0) return
        setHeard((before) => new Map([...before, ...told.map((run) => [run.id, run] as const)]))
      }),
    [],
  )
  return heard
}

/** Puts what main answered in the place of what was asked for before, which may still be on its way. */
export function useKeepView(id: string): (view: ComparisonView) => void {
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

/** The runs of a comparison that are on the screen or beyond it, and what starts and stops them. */
export interface Running {
  readonly cells: CellMap
  readonly getRun: GetRun
  readonly sums: ReturnType<typeof sumRuns>
  /** How far what was started last is. */
  readonly progress: { readonly done: number; readonly of: number }
  readonly isStarting: boolean
  readonly failure: Failure | undefined
  /** Saves what is not saved, then asks. */
  readonly start: (places: readonly CellPlace[]) => void
  readonly stop: (ids: readonly string[]) => void
  readonly stopAll: () => void
}

const toFailure = (error: unknown): Failure =>
  error instanceof CallError ? error.failure : { code: 'internal.unexpected', message: 'The cells could not be run.' }

const isDone = (): boolean => true
const isNotDone = (): boolean => false

type Started = Pick<Running, 'isStarting' | 'failure' | 'start' | 'stop'> & {
  /** The runs that were started together, since none was under way. */
  readonly batch: ReadonlySet<string> | undefined
}

/** Saves, asks, and remembers what was asked together. */
function useStarting(id: string, editing: Editing, isActive: boolean): Started {
  const keep = useKeepView(id)
  const [batch, setBatch] = useState<ReadonlySet<string>>()
  const [isStarting, setIsStarting] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const ask = async (places: readonly CellPlace[]): Promise<void> => {
    setIsStarting(true)
    setFailure(undefined)
    try {
      // What could not be saved is said by the page; nothing is asked then.
      if (!(await editing.flush().then(isDone, isNotDone))) return
      const wanted: Cells = places.map(({ columnId, caseId }) => ({
        columnId,
        ...(caseId !== undefined && { caseId }),
      }))
      const answer = await call('playground.runComparison', { id, cells: wanted })
      const keys = new Set(places.map(cellKey))
      const begun = answer.cells.filter((cell) => keys.has(cellKey(cell))).map(({ run }) => run.id)
      setBatch((before) => new Set([...(before && isActive ? before : []), ...begun]))
      keep(answer)
    } catch (error) {
      setFailure(toFailure(error))
    } finally {
      setIsStarting(false)
    }
  }
  return {
    batch,
    isStarting,
    failure,
    start: (places) => {
      if (places.length > 0) void ask(places)
    },
    stop: (ids) => void stopRuns(ids).catch((error: unknown) => setFailure(toFailure(error))),
  }
}

/** Runs cells, and adds up what came of them. */
export function useComparisonRuns(view: ComparisonView, editing: Editing): Running {
  const heard = useHeardRuns()
  const cells = useMemo(() => cellMap(view.cells), [view.cells])
  const getRun = useCallback<GetRun>(
    // Main's own word wins once it says that a run has ended.
    ({ run }) => (isUnderWay(run) ? (heard.get(run.id) ?? run) : run),
    [heard],
  )
  const active = useMemo(() => activeRuns(view.cells, getRun), [view.cells, getRun])
  const { batch, ...starting } = useStarting(view.id, editing, active.length > 0)
  const sums = useMemo(() => sumRuns(view.cells, getRun), [view.cells, getRun])
  const progress = useMemo(
    () => countProgress(view.cells, batch ?? new Set(view.cells.map(({ run }) => run.id)), getRun),
    [view.cells, batch, getRun],
  )
  return { cells, getRun, sums, progress, ...starting, stopAll: () => starting.stop(active) }
}
