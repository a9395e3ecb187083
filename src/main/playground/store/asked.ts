import { createHash } from 'node:crypto'
import type { ComparisonSetup } from '@shared/contract/playground'
import { variablesIn } from './variables'

/**
 * A digest of everything that a cell's request is made of: target, parameters, texts, and the values that the texts ask for. Nothing for a cell
 * that is not in the setup; `caseId` is empty where there are no cases.
 */
export function askedBy(setup: ComparisonSetup, columnId: string, caseId: string): string | undefined {
  const column = setup.columns.find(({ id }) => id === columnId)
  const values = caseId === '' ? [] : setup.cases.find(({ id }) => id === caseId)?.values
  if (!column || !values || (caseId === '') !== (setup.cases.length === 0)) return undefined
  const { target, parameters, system, prompt = setup.prompt } = column
  const filled = variablesIn(prompt, system).map((name) => [name, values[setup.variables.lastIndexOf(name)]])
  const text = JSON.stringify([inOrder(target ?? {}), inOrder(parameters), system, prompt, filled])
  return createHash('sha256').update(text).digest('base64')
}

/** Members by name, so that the order in which somebody wrote them says nothing. */
const inOrder = (members: object): readonly (readonly [string, unknown])[] =>
  Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
