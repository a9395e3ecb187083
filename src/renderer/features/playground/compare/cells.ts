import type {
  ComparisonCell,
  ComparisonColumn,
  ComparisonSetup,
  PlaygroundRun,
  PlaygroundTarget,
} from '@shared/contract'
import { isUnderWay } from '..'

/** A place of the grid: a column with a case, or the column alone where there are no cases. */
export interface CellPlace {
  readonly columnId: string
  readonly caseId?: string | undefined
}

/** What main says stands in each place. */
export type CellMap = ReadonlyMap<string, ComparisonCell>

/** One text for each place. */
export const cellKey = ({ columnId, caseId = '' }: CellPlace): string => `${columnId}:${caseId}`

/** The cells by their places. */
export const cellMap = (cells: readonly ComparisonCell[]): CellMap =>
  new Map(cells.map((cell) => [cellKey(cell), cell]))

/** A row of the grid: a case with its number, or the one row that there is without cases. */
export interface GridRow {
  readonly caseId?: string | undefined
  readonly number: number
  readonly values: readonly string[]
}

/** The rows of the grid. */
export const listRows = ({ cases }: Pick<ComparisonSetup, 'cases'>): readonly GridRow[] =>
  cases.length === 0
    ? [{ number: 1, values: [] }]
    : cases.map(({ id, values }, at) => ({ caseId: id, number: at + 1, values }))

const minHeight = 320
/** In px: the buttons and facts of a cell, and what a token of an answer takes in a narrow column with its paragraphs. */
const [factsHeight, tokenHeight] = [190, 3]

/** How high the one row without cases is, in px: as its longest answer needs, so that the totals beneath are not far; at most `most`. */
export function onlyRowHeight(cells: readonly ComparisonCell[], maxHeight: number): number {
  const needed = cells.map(({ run }) => {
    if (isUnderWay(run)) return minHeight
    const isKnown = run.state === 'done' && run.outputTokens !== undefined
    return isKnown ? factsHeight + (run.outputTokens ?? 0) * tokenHeight : maxHeight
  })
  return Math.max(minHeight, Math.min(maxHeight, Math.max(...needed, 0)))
}

/** Whether a column can be asked: it has a target, and a prompt of its own or the shared one. */
export const canRun = (setup: Pick<ComparisonSetup, 'prompt'>, column: ComparisonColumn): boolean =>
  column.target !== undefined && (column.prompt ?? setup.prompt).trim() !== ''

/** Every place that can be asked. */
export const allPlaces = (setup: ComparisonSetup): readonly CellPlace[] =>
  listRows(setup).flatMap(({ caseId }) =>
    setup.columns
      .filter((column) => canRun(setup, column))
      .map(({ id }) => (caseId === undefined ? { columnId: id } : { columnId: id, caseId })),
  )

/** A run by the newest that is known: what was heard since, or what the cell came with. */
export type GetRun = (cell: ComparisonCell) => PlaygroundRun

/** The places without a good answer to what is asked now: never run, failed, broken off, or asked before a change. Those under way are left alone. */
export const openPlaces = (setup: ComparisonSetup, cells: CellMap, getRun: GetRun): readonly CellPlace[] =>
  allPlaces(setup).filter((place) => {
    const cell = cells.get(cellKey(place))
    if (!cell) return true
    const run = getRun(cell)
    return !isUnderWay(run) && (cell.isStale || run.state !== 'done')
  })

/** How many requests go to each target's plan, connection or address. */
interface Share {
  readonly target: PlaygroundTarget
  readonly requests: number
}

const toReceiver = (target: PlaygroundTarget): string =>
  target.kind === 'plan'
    ? `plan ${target.planId}`
    : target.kind === 'platform'
      ? `platform ${target.connectionId}`
      : `local ${target.url}`

/** How many of the places go to which plan, connection or address, the most first. */
export function computeShares(setup: ComparisonSetup, places: readonly CellPlace[]): readonly Share[] {
  const targets = new Map(setup.columns.map(({ id, target }) => [id, target]))
  const shares = new Map<string, Share>()
  for (const { columnId } of places) {
    const target = targets.get(columnId)
    if (!target) continue
    const receiver = toReceiver(target)
    const before = shares.get(receiver)
    shares.set(receiver, { target: before?.target ?? target, requests: (before?.requests ?? 0) + 1 })
  }
  return [...shares.values()].sort((a, b) => b.requests - a.requests)
}

/** What the shown runs came to so far. Tokens as the servers counted them; `uncounted` answers did not say. */
interface Sums {
  readonly done: number
  readonly active: number
  readonly failed: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheTokens: number
  readonly uncounted: number
}

/** Adds the runs of cells up. */
export function sumRuns(cells: Iterable<ComparisonCell>, getRun: GetRun): Sums {
  const sums = { done: 0, active: 0, failed: 0, inputTokens: 0, outputTokens: 0, cacheTokens: 0, uncounted: 0 }
  for (const cell of cells) {
    const run = getRun(cell)
    if (isUnderWay(run)) {
      sums.active += 1
      continue
    }
    sums.done += 1
    if (run.state === 'failed') sums.failed += 1
    else if (run.inputTokens === undefined && run.outputTokens === undefined) sums.uncounted += 1
    sums.inputTokens += run.inputTokens ?? 0
    sums.outputTokens += run.outputTokens ?? 0
    sums.cacheTokens += (run.cacheReadTokens ?? 0) + (run.cacheWriteTokens ?? 0)
  }
  return sums
}

/** How far a batch of runs is: `12 of 40`. Cells whose runs are of another batch do not count. */
export function countProgress(
  cells: Iterable<ComparisonCell>,
  batch: ReadonlySet<string>,
  getRun: GetRun,
): { readonly done: number; readonly of: number } {
  let [done, of] = [0, 0]
  for (const cell of cells) {
    if (!batch.has(cell.run.id)) continue
    of += 1
    if (!isUnderWay(getRun(cell))) done += 1
  }
  return { done, of }
}

/** The ids of runs that are under way. */
export const activeRuns = (cells: Iterable<ComparisonCell>, getRun: GetRun): readonly string[] =>
  [...cells].flatMap((cell) => (isUnderWay(getRun(cell)) ? [cell.run.id] : []))

/** What a column is called: its name, else its model, else nothing. */
export const columnName = ({ name, target }: Pick<ComparisonColumn, 'name' | 'target'>): string | undefined =>
  name.trim() === '' ? target?.modelCode : name.trim()

/** The place of a column as a person counts it, from 1. */
export const columnNumber = ({ columns }: Pick<ComparisonSetup, 'columns'>, id: string): number =>
  columns.findIndex((column) => column.id === id) + 1
