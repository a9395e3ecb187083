import type {
  AnswerCheck,
  ComparisonColumn,
  ComparisonSetup,
  PlanView,
  PlaygroundSetup,
  PlaygroundTarget,
} from '@shared/contract'
import { listVariables, maxVariableNameLength } from '@shared/prompt-variables'

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

export const withNewColumn = (setup: ComparisonSetup, id: string): ComparisonSetup =>
  setup.columns.length >= limits.columns
    ? setup
    : { ...setup, columns: [...setup.columns, createColumn(undefined, { id })] }

export function withCopiedColumn(setup: ComparisonSetup, column: ComparisonColumn): ComparisonSetup {
  if (setup.columns.length >= limits.columns) return setup
  const insertIndex = setup.columns.findIndex(({ id }) => id === column.id) + 1
  return { ...setup, columns: setup.columns.toSpliced(insertIndex, 0, { ...column, id: newId() }) }
}

/** Settings without one column. A single remaining column is not removed. */
export const withoutColumn = (setup: ComparisonSetup, id: string): ComparisonSetup =>
  setup.columns.length === 1
    ? setup
    : syncVariables(setup, { ...setup, columns: setup.columns.filter((column) => column.id !== id) })

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
