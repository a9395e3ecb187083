import type {
  ComparisonCell,
  ComparisonColumn,
  ComparisonSetup,
  PlaygroundRun,
  PlaygroundTarget,
} from '@shared/contract'
import { isRunActive } from '..'

/** Position of a cell in the grid. `caseId` is undefined if the comparison has no cases. */
export interface CellPosition {
  readonly columnId: string
  readonly caseId?: string | undefined
}

export type CellMap = ReadonlyMap<string, ComparisonCell>

export const cellKey = ({ columnId, caseId = '' }: CellPosition): string => `${columnId}:${caseId}`

export const toCellMap = (cells: readonly ComparisonCell[]): CellMap =>
  new Map(cells.map((cell) => [cellKey(cell), cell]))

/** A row of the grid, which is a case. A comparison without cases has a single row. */
export interface GridRow {
  readonly caseId?: string | undefined
  readonly number: number
  readonly values: readonly string[]
}

export const listRows = ({ cases }: Pick<ComparisonSetup, 'cases'>): readonly GridRow[] =>
  cases.length === 0
    ? [{ number: 1, values: [] }]
    : cases.map(({ id, values }, index) => ({ caseId: id, number: index + 1, values }))

const minHeight = 320
/** Heights in px, to estimate a cell: its buttons and figures, and the average height per token in a narrow column. */
const [factsHeight, tokenHeight] = [190, 3]

/**
 * Height in px of the only row of a comparison without cases. It fits the longest answer, so that the totals below
 * stay close.
 */
export function getRowHeight(cells: readonly ComparisonCell[], maxHeight: number): number {
  const neededHeights = cells.map(({ run }) => {
    if (isRunActive(run)) return minHeight
    const isKnown = run.state === 'done' && run.outputTokens !== undefined
    return isKnown ? factsHeight + (run.outputTokens ?? 0) * tokenHeight : maxHeight
  })
  return Math.max(minHeight, Math.min(maxHeight, Math.max(...neededHeights, 0)))
}

export const canRun = (setup: Pick<ComparisonSetup, 'prompt'>, column: ComparisonColumn): boolean =>
  column.target !== undefined && (column.prompt ?? setup.prompt).trim() !== ''

export const listCellPositions = (setup: ComparisonSetup): readonly CellPosition[] =>
  listRows(setup).flatMap(({ caseId }) =>
    setup.columns
      .filter((column) => canRun(setup, column))
      .map(({ id }) => (caseId === undefined ? { columnId: id } : { columnId: id, caseId })),
  )

/** Returns the newest known state of a cell's run: from events, or else as stored in the cell. */
export type GetRun = (cell: ComparisonCell) => PlaygroundRun

/** Cells that need a run because they never ran, failed, were cancelled or are outdated. Running cells are excluded. */
export const listOpenCells = (setup: ComparisonSetup, cells: CellMap, getRun: GetRun): readonly CellPosition[] =>
  listCellPositions(setup).filter((place) => {
    const cell = cells.get(cellKey(place))
    if (!cell) return true
    const run = getRun(cell)
    return !isRunActive(run) && (cell.isStale || run.state !== 'done')
  })

interface Share {
  readonly target: PlaygroundTarget
  readonly requests: number
}

const toTargetKey = (target: PlaygroundTarget): string =>
  target.kind === 'plan'
    ? `plan ${target.planId}`
    : target.kind === 'platform'
      ? `platform ${target.connectionId}`
      : `local ${target.url}`

/** Number of requests per target, largest first. */
export function computeShares(setup: ComparisonSetup, places: readonly CellPosition[]): readonly Share[] {
  const targets = new Map(setup.columns.map(({ id, target }) => [id, target]))
  const shares = new Map<string, Share>()
  for (const { columnId } of places) {
    const target = targets.get(columnId)
    if (!target) continue
    const targetKey = toTargetKey(target)
    const currentShare = shares.get(targetKey)
    shares.set(targetKey, { target: currentShare?.target ?? target, requests: (currentShare?.requests ?? 0) + 1 })
  }
  return [...shares.values()].sort((a, b) => b.requests - a.requests)
}

/**
 * Sums over the cells of a column. Tokens are counted by the servers. `uncounted`: number of answers without a token
 * count.
 */
interface Sums {
  readonly done: number
  readonly active: number
  readonly failed: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly cacheTokens: number
  readonly uncounted: number
}

export function sumRuns(cells: Iterable<ComparisonCell>, getRun: GetRun): Sums {
  const sums = { done: 0, active: 0, failed: 0, inputTokens: 0, outputTokens: 0, cacheTokens: 0, uncounted: 0 }
  for (const cell of cells) {
    const run = getRun(cell)
    if (isRunActive(run)) {
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

/** Progress of the current batch of runs, such as `12 of 40`. Other runs are not counted. */
export function countProgress(
  cells: Iterable<ComparisonCell>,
  batch: ReadonlySet<string>,
  getRun: GetRun,
): { readonly done: number; readonly of: number } {
  let [done, of] = [0, 0]
  for (const cell of cells) {
    if (!batch.has(cell.run.id)) continue
    of += 1
    if (!isRunActive(getRun(cell))) done += 1
  }
  return { done, of }
}

export const activeRuns = (cells: Iterable<ComparisonCell>, getRun: GetRun): readonly string[] =>
  [...cells].flatMap((cell) => (isRunActive(getRun(cell)) ? [cell.run.id] : []))

/** Name of a column: the name that the user gave it, or else its model code. */
export const columnName = ({ name, target }: Pick<ComparisonColumn, 'name' | 'target'>): string | undefined =>
  name.trim() === '' ? target?.modelCode : name.trim()

/** Number of a column, counted from 1. */
export const columnNumber = ({ columns }: Pick<ComparisonSetup, 'columns'>, id: string): number =>
  columns.findIndex((column) => column.id === id) + 1
