import { listComparisonRows } from '@shared/comparison-rows'
import type {
  CellAddress,
  ComparisonCell,
  ComparisonColumn,
  ComparisonSetup,
  PlaygroundRun,
  PlaygroundTarget,
} from '@shared/contract'
import { listVariables } from '@shared/prompt-variables'
import { useTranslation } from 'react-i18next'
import { isRunActive, toPlaceId } from '..'
import { useEditing } from './editing'

export type CellMap = ReadonlyMap<string, ComparisonCell>

export const cellKey = ({ columnId, caseId = '', repeat = 1 }: CellAddress): string => `${columnId}:${caseId}:${repeat}`

export const toCellMap = (cells: readonly ComparisonCell[]): CellMap =>
  new Map(cells.map((cell) => [cellKey(cell), cell]))

/** Rows of the grid: a run of a case. A comparison without cases has one row per run. */
export const listRows = (setup: Pick<ComparisonSetup, 'cases' | 'repeats'>) =>
  listComparisonRows(setup).map(({ testCase, number, repeat }) => ({
    caseId: testCase?.id,
    number,
    values: testCase?.values ?? [],
    repeat: repeat > 1 ? repeat : undefined,
  }))

export type GridRow = ReturnType<typeof listRows>[number]

/**
 * Columns of a row in their order. Blind mode gives each row its own order, so that a column's place does not reveal its
 * model. `isHidden`: blind mode hides the names until all answers are rated.
 */
export function arrangeRow(
  setup: Pick<ComparisonSetup, 'columns' | 'isBlind'>,
  { caseId, repeat }: Omit<CellAddress, 'columnId'>,
  cells: CellMap,
): { readonly columns: readonly ComparisonColumn[]; readonly isHidden: boolean } {
  const { columns, isBlind = false } = setup
  if (!isBlind) return { columns, isHidden: false }
  const getKey = ({ id }: ComparisonColumn): string => cellKey({ columnId: id, caseId, repeat })
  const isHidden = columns.some((column) => {
    const cell = cells.get(getKey(column))
    return cell?.rating === undefined && cell?.run.state !== 'failed'
  })
  return { columns: columns.toSorted((a, b) => hashText(getKey(a)) - hashText(getKey(b))), isHidden }
}

/** FNV-1a hash with the final mixer of MurmurHash3, because ids may differ in one character only. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

/** Whether a run has an answer to rate. */
export const canRate = (run: PlaygroundRun): boolean => !isRunActive(run) && run.state !== 'failed'

export const countRated = (cells: Iterable<ComparisonCell>): { readonly rated: number; readonly total: number } => {
  const answers = [...cells].filter(({ run }) => canRate(run))
  return { rated: answers.filter(({ rating }) => rating !== undefined).length, total: answers.length }
}

const minHeight = 320
/** Heights in px, to estimate a cell: its buttons and figures, and the average height per token in a narrow column. */
const [factsHeight, tokenHeight] = [190, 3]

/** Height in px of the only row of a comparison without cases. It fits the longest answer. */
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

export const listRunnableCells = (setup: ComparisonSetup): readonly CellAddress[] =>
  listRows(setup).flatMap(({ caseId, repeat }) =>
    setup.columns.filter((column) => canRun(setup, column)).map(({ id }) => ({ columnId: id, caseId, repeat })),
  )

/** Cells that need a run because they never ran, failed, were cancelled or are outdated. Running cells are excluded. */
export const listOpenCells = (setup: ComparisonSetup, cells: CellMap): readonly CellAddress[] =>
  listRunnableCells(setup).filter((place) => {
    const cell = cells.get(cellKey(place))
    return !cell || (!isRunActive(cell.run) && (cell.isStale || cell.run.state !== 'done'))
  })

export interface ModelEstimate {
  readonly target: PlaygroundTarget
  readonly requests: number
  readonly inputTokens: number
  /** Undefined without an earlier answer. */
  readonly outputTokens: number | undefined
}

/** Average of English and Vietnamese. */
const charactersPerToken = 3.5

const roundedAverage = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : Math.round(values.reduce((sum, value) => sum + value, 0) / values.length)

/**
 * Estimates the requests of a run per model, most requests first. Input tokens come from the earlier run of a
 * cell, or from the length of its texts. Output tokens are the average of the column's earlier answers, or of all columns.
 */
export function estimateByModel(
  setup: ComparisonSetup,
  places: readonly CellAddress[],
  cells: CellMap,
): readonly ModelEstimate[] {
  const columns = new Map(setup.columns.map((column) => [column.id, estimateColumn(setup, column, cells)]))
  const allOutputs = [...cells.values()].flatMap(({ run }) => run.outputTokens ?? [])
  const cases = new Map(setup.cases.map(({ id, values }) => [id, values]))
  const estimates = new Map<string, ModelEstimate>()
  for (const place of places) {
    const column = columns.get(place.columnId)
    if (!column?.target) continue
    const cell = cells.get(cellKey(place))
    const values = cases.get(place.caseId ?? '') ?? []
    const inputTokens = (cell && !cell.isStale && countInput(cell.run)) || column.estimateInput(values)
    const outputTokens = roundedAverage(column.outputs) ?? roundedAverage(allOutputs)
    const { target } = column
    const key = `${toPlaceId(target)} ${target.kind === 'local' ? target.url : ''} ${target.modelCode}`
    const estimate = estimates.get(key)
    estimates.set(key, {
      target,
      requests: (estimate?.requests ?? 0) + 1,
      inputTokens: (estimate?.inputTokens ?? 0) + inputTokens,
      outputTokens: outputTokens === undefined ? undefined : (estimate?.outputTokens ?? 0) + outputTokens,
    })
  }
  return [...estimates.values()].sort((a, b) => b.requests - a.requests)
}

const countInput = ({ inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 }: PlaygroundRun): number =>
  inputTokens + cacheReadTokens + cacheWriteTokens

function estimateColumn(setup: ComparisonSetup, column: ComparisonColumn, cells: CellMap) {
  const { id, target, system, prompt = setup.prompt } = column
  const usedVariables = listVariables(prompt, system).map((name) => setup.variables.indexOf(name))
  return {
    target,
    outputs: [...cells.values()].flatMap(({ columnId, run }) => (columnId === id ? (run.outputTokens ?? []) : [])),
    estimateInput: (values: readonly string[]): number => {
      const valuesLength = usedVariables.reduce((length, index) => length + (values[index]?.length ?? 0), 0)
      return Math.ceil((prompt.length + system.length + valuesLength) / charactersPerToken)
    },
  }
}

/** Name of a column: the name that the user gave it, or else its model code. */
export const columnName = ({ name, target }: Pick<ComparisonColumn, 'name' | 'target'>): string | undefined =>
  name.trim() === '' ? target?.modelCode : name.trim()

/** Number of a column, counted from 1. */
export const columnNumber = ({ columns }: Pick<ComparisonSetup, 'columns'>, id: string): number =>
  columns.findIndex((column) => column.id === id) + 1

/** Letter of a column in blind mode. */
export const blindLetter = (index: number): string => String.fromCodePoint(65 + index)

/** Returns the name of a cell, such as "aurora-large, test case 3, run 2". Hidden columns have a letter. */
export function useCellName(cells: CellMap): (place: CellAddress) => string {
  const { t } = useTranslation('compare')
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
