import type { ComparisonColumn, ComparisonSetup } from '@shared/contract'
import { most } from './limits'
import { variablesIn } from './variables'

/** A case: its values in the order of the variables. */
export type ComparisonCase = ComparisonSetup['cases'][number]

/** An id of its own for something new. */
export const newId = (): string => crypto.randomUUID()

const changedAt = <T>(list: readonly T[], at: number, change: (one: T) => T): T[] =>
  list.map((one, index) => (index === at ? change(one) : one))

/** The variables that prompts and system texts name. */
export const usedVariables = ({ prompt, columns }: Pick<ComparisonSetup, 'prompt' | 'columns'>): readonly string[] =>
  variablesIn(
    ...(columns.some((column) => column.prompt === undefined) ? [prompt] : []),
    ...columns.flatMap((column) => [column.prompt, column.system]),
  )

const isEmptyColumn = (setup: ComparisonSetup, at: number): boolean =>
  setup.cases.every(({ values }) => (values[at] ?? '') === '')

/**
 * The table of cases after the texts were changed: what they name now has a column, and one that only an earlier wording
 * named is gone, unless something stands in it.
 */
export function followTexts(before: ComparisonSetup, after: ComparisonSetup): ComparisonSetup {
  const [was, used] = [usedVariables(before), usedVariables(after)]
  const kept = after.variables
    .map((name, at) => ({ name, at }))
    .filter(({ name, at }) => used.includes(name) || !was.includes(name) || !isEmptyColumn(after, at))
  const added = used.filter((name) => !after.variables.includes(name)).slice(0, most.variables - kept.length)
  if (added.length === 0 && kept.length === after.variables.length) return after
  return {
    ...after,
    variables: [...kept.map(({ name }) => name), ...added],
    cases: after.cases.map(({ id, values }) => ({
      id,
      values: [...kept.map(({ at }) => values[at] ?? ''), ...added.map(() => '')],
    })),
  }
}

/** Changes the shared prompt. */
export const withPrompt = (setup: ComparisonSetup, prompt: string): ComparisonSetup =>
  followTexts(setup, { ...setup, prompt })

/** Changes a column. */
export const withColumn = (setup: ComparisonSetup, column: ComparisonColumn): ComparisonSetup =>
  followTexts(setup, { ...setup, columns: setup.columns.map((one) => (one.id === column.id ? column : one)) })

/** Adds a column at the end, empty but for its id. */
export const withNewColumn = (setup: ComparisonSetup, id: string): ComparisonSetup =>
  setup.columns.length >= most.columns
    ? setup
    : { ...setup, columns: [...setup.columns, { id, name: '', system: '', parameters: {} }] }

/** Adds a column that is set up like the one given, right after it. */
export function withCopiedColumn(setup: ComparisonSetup, column: ComparisonColumn): ComparisonSetup {
  if (setup.columns.length >= most.columns) return setup
  const after = setup.columns.findIndex(({ id }) => id === column.id) + 1
  return { ...setup, columns: setup.columns.toSpliced(after, 0, { ...column, id: newId() }) }
}

/** Takes a column out; the last one stays. */
export const withoutColumn = (setup: ComparisonSetup, id: string): ComparisonSetup =>
  setup.columns.length === 1
    ? setup
    : followTexts(setup, { ...setup, columns: setup.columns.filter((column) => column.id !== id) })

/** Moves a column by one place, to the left (-1) or to the right (1). */
export function withMovedColumn(setup: ComparisonSetup, id: string, by: -1 | 1): ComparisonSetup {
  const at = setup.columns.findIndex((column) => column.id === id)
  const column = setup.columns[at]
  if (!column || setup.columns[at + by] === undefined) return setup
  return { ...setup, columns: setup.columns.toSpliced(at, 1).toSpliced(at + by, 0, column) }
}

/** Adds an empty case, or one that begins with a value. */
export function withNewCase(setup: ComparisonSetup, first?: { readonly at: number; readonly value: string }) {
  if (setup.cases.length >= most.cases) return setup
  const values = setup.variables.map((_, at) => (at === first?.at ? first.value : ''))
  return { ...setup, cases: [...setup.cases, { id: newId(), values }] }
}

/** Takes a case out. */
export const withoutCase = (setup: ComparisonSetup, id: string): ComparisonSetup => ({
  ...setup,
  cases: setup.cases.filter((one) => one.id !== id),
})

/** Changes one value of a case. */
export const withValue = (
  setup: ComparisonSetup,
  caseId: string,
  { at, value }: { readonly at: number; readonly value: string },
): ComparisonSetup => ({
  ...setup,
  cases: setup.cases.map((one) =>
    one.id === caseId
      ? {
          ...one,
          values: changedAt(
            setup.variables.map((_, index) => one.values[index] ?? ''),
            at,
            () => value,
          ),
        }
      : one,
  ),
})

/** Adds a column to the table of cases. */
export const withNewVariable = (setup: ComparisonSetup, name: string): ComparisonSetup =>
  setup.variables.length >= most.variables || setup.variables.includes(name)
    ? setup
    : {
        ...setup,
        variables: [...setup.variables, name],
        cases: setup.cases.map((one) => ({ ...one, values: [...one.values, ''] })),
      }

/** Takes a column out of the table of cases; without one there are no cases. */
export function withoutVariable(setup: ComparisonSetup, at: number): ComparisonSetup {
  const variables = setup.variables.toSpliced(at, 1)
  const cases = setup.cases.map((one) => ({ ...one, values: one.values.toSpliced(at, 1) }))
  return { ...setup, variables, cases: variables.length === 0 ? [] : cases }
}

/** Gives a column of the table of cases another name; one that is taken or empty changes nothing. */
export const withRenamedVariable = (setup: ComparisonSetup, at: number, name: string): ComparisonSetup =>
  name === '' || setup.variables.includes(name)
    ? setup
    : { ...setup, variables: changedAt(setup.variables, at, () => name) }
