import type {
  AnswerCheck,
  CellAddress,
  ComparisonCell,
  ComparisonColumn,
  ComparisonSetup,
  PlanView,
  PlaygroundRun,
  PlaygroundSetup,
  PlaygroundTarget,
} from '@shared/contract'
import { listComparisonRows, listVariables, maxVariableNameLength } from '@shared/playground'
import { isRunActive, toPlaceId } from '..'

export const newId = (): string => crypto.randomUUID()

export const usedVariables = ({ prompt, columns }: Pick<ComparisonSetup, 'prompt' | 'columns'>): readonly string[] =>
  listVariables(
    ...(columns.some((column) => column.prompt === undefined) ? [prompt] : []),
    ...columns.flatMap((column) => [column.prompt, column.system]),
  )

/** Updates the variables of the cases after a prompt has changed. Removes unused variables without values. */
function syncVariables(setupBefore: ComparisonSetup, setupAfter: ComparisonSetup): ComparisonSetup {
  const [usedBefore, usedAfter] = [usedVariables(setupBefore), usedVariables(setupAfter)]
  const hasValues = (index: number): boolean => setupAfter.cases.some(({ values }) => (values[index] ?? '') !== '')
  const variablesToKeep = setupAfter.variables
    .map((name, index) => ({ name, at: index }))
    .filter(({ name, at }) => usedAfter.includes(name) || !usedBefore.includes(name) || hasValues(at))
  const addedVariables = usedAfter
    .filter((name) => !setupAfter.variables.includes(name))
    .slice(0, limits.variables - variablesToKeep.length)
  if (addedVariables.length === 0 && variablesToKeep.length === setupAfter.variables.length) return setupAfter
  return {
    ...setupAfter,
    variables: [...variablesToKeep.map(({ name }) => name), ...addedVariables],
    cases: setupAfter.cases.map((testCase) => ({
      ...testCase,
      values: [...variablesToKeep.map(({ at }) => testCase.values[at] ?? ''), ...addedVariables.map(() => '')],
    })),
  }
}

export const withPrompt = (setup: ComparisonSetup, prompt: string): ComparisonSetup =>
  syncVariables(setup, { ...setup, prompt })

export const withColumn = (setup: ComparisonSetup, column: ComparisonColumn): ComparisonSetup =>
  syncVariables(setup, {
    ...setup,
    columns: setup.columns.map((otherColumn) => (otherColumn.id === column.id ? column : otherColumn)),
  })

export function withWinner({ winner: _, ...setup }: ComparisonSetup, id: string | undefined): ComparisonSetup {
  return id === undefined ? setup : { ...setup, winner: id }
}

export const withNewColumn = (setup: ComparisonSetup, id: string): ComparisonSetup => ({
  ...setup,
  columns: [...setup.columns, createColumn(undefined, { id })],
})

export function withCopiedColumn(setup: ComparisonSetup, column: ComparisonColumn): ComparisonSetup {
  const insertIndex = setup.columns.findIndex(({ id }) => id === column.id) + 1
  return { ...setup, columns: setup.columns.toSpliced(insertIndex, 0, { ...column, id: newId() }) }
}

export const withoutColumn = (setup: ComparisonSetup, id: string): ComparisonSetup =>
  syncVariables(setup, { ...setup, columns: setup.columns.filter((column) => column.id !== id) })

/** Moves a column one place to the left (-1) or right (1). */
export function withMovedColumn(setup: ComparisonSetup, id: string, step: -1 | 1): ComparisonSetup {
  const columnIndex = setup.columns.findIndex((column) => column.id === id)
  const column = setup.columns[columnIndex]
  if (!column || setup.columns[columnIndex + step] === undefined) return setup
  return { ...setup, columns: setup.columns.toSpliced(columnIndex, 1).toSpliced(columnIndex + step, 0, column) }
}

/** Adds a case. `initialValue`: value of the case's first variable. */
export function withNewCase(setup: ComparisonSetup, initialValue?: { readonly at: number; readonly value: string }) {
  if (setup.cases.length >= limits.cases) return setup
  const values = setup.variables.map((_, index) => (index === initialValue?.at ? initialValue.value : ''))
  const check = setup.cases.at(-1)?.check
  return { ...setup, cases: [...setup.cases, { id: newId(), values, ...(check && { check }) }] }
}

/** Changes the check of a case. A new expected value without a check gets the check of the last case, or `contains`. */
export const withCheck = (
  setup: ComparisonSetup,
  caseId: string,
  change: { readonly check?: AnswerCheck | undefined; readonly expected?: string },
): ComparisonSetup => ({
  ...setup,
  cases: setup.cases.map((testCase) => {
    if (testCase.id !== caseId) return testCase
    const { check, expected, ...rest } = { ...testCase, ...change }
    const defaultCheck = setup.cases.findLast((otherCase) => otherCase.check !== undefined)?.check ?? 'contains'
    const nextCheck = check ?? (change.expected ? defaultCheck : undefined)
    return { ...rest, ...(nextCheck && { check: nextCheck }), ...(expected && { expected }) }
  }),
})

export const withValue = (
  setup: ComparisonSetup,
  caseId: string,
  { at, value }: { readonly at: number; readonly value: string },
): ComparisonSetup => ({
  ...setup,
  cases: setup.cases.map((testCase) => {
    if (testCase.id !== caseId) return testCase
    const values = setup.variables.map((_, index) => (index === at ? value : (testCase.values[index] ?? '')))
    return { ...testCase, values }
  }),
})

/** Removes a variable. Without any variable, all cases are removed. */
export function withoutVariable(setup: ComparisonSetup, variableIndex: number): ComparisonSetup {
  const variables = setup.variables.toSpliced(variableIndex, 1)
  const newCases = setup.cases.map((testCase) => ({ ...testCase, values: testCase.values.toSpliced(variableIndex, 1) }))
  return { ...setup, variables, cases: variables.length === 0 ? [] : newCases }
}

/** Renames a variable. Does nothing if the name is empty or already in use. */
export const withRenamedVariable = (setup: ComparisonSetup, variableIndex: number, name: string): ComparisonSetup =>
  name === '' || setup.variables.includes(name)
    ? setup
    : { ...setup, variables: setup.variables.map((variable, index) => (index === variableIndex ? name : variable)) }

export const answerChecks = ['equals', 'contains', 'regex', 'json', 'schema'] as const satisfies AnswerCheck[]

/** Limits of a comparison. Must match the contract. */
export const limits = {
  columns: 8,
  variables: 20,
  cases: 200,
  valueLength: 100_000,
  nameLength: maxVariableNameLength,
  repeats: 10,
} as const

/** Kinds of a new comparison: several models with one prompt, or several prompts with one model. */
export const templates = ['models', 'prompts'] as const
export type Template = (typeof templates)[number]

const maxInitialModels = 3

const listTargets = (plan: PlanView | undefined): readonly PlaygroundTarget[] =>
  plan?.models.map((modelCode) => ({ kind: 'plan', planId: plan.id, standard: 'chat-completions', modelCode })) ?? []

const createColumn = (
  target: PlaygroundTarget | undefined,
  values: Partial<Omit<ComparisonColumn, 'target'>> = {},
): ComparisonColumn => ({ id: newId(), name: '', system: '', parameters: {}, ...values, ...(target && { target }) })

export function createSetup(
  template: Template,
  plan: PlanView | undefined,
  texts: { readonly title: string; readonly variants: readonly [string, string] },
): ComparisonSetup {
  const targets = listTargets(plan)
  const [first] = targets
  const models = targets.length > 1 ? targets.slice(0, maxInitialModels) : [first, first]
  const columns =
    template === 'prompts'
      ? texts.variants.map((name) => createColumn(first, { name, prompt: '' }))
      : models.map((target) => createColumn(target))
  return { title: texts.title, prompt: '', columns, variables: [], cases: [] }
}

export interface PromptCopy extends PlaygroundSetup {
  readonly name: string
  readonly text: string
}

/** Settings of a comparison for a saved prompt: the model saved with it and other models of the current plan. */
export function createPromptSetup(prompt: PromptCopy, plan: PlanView | undefined): ComparisonSetup {
  const { name, text, target: ownTarget, system, parameters } = prompt
  const ownCode = ownTarget?.kind === 'plan' && ownTarget.planId === plan?.id ? ownTarget.modelCode : undefined
  const otherTargets = listTargets(plan).filter(({ modelCode }) => modelCode !== ownCode)
  const targets = [...(ownTarget ? [ownTarget] : []), ...otherTargets].slice(0, maxInitialModels)
  const columns = (targets.length > 0 ? targets : [undefined]).map((target) =>
    createColumn(target, { system, parameters }),
  )
  const emptySetup = { title: name, prompt: '', columns: [], variables: [], cases: [] }
  return syncVariables(emptySetup, { ...emptySetup, prompt: text, columns })
}

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
