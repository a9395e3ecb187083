import { AppError } from '@shared/failure'
import type { CallArguments } from '../platform/build-request'
import { isOperationId, type Operation, type OperationId, operations } from '../platform/services'

/** Finds an operation. Fails with `input.invalid` and the most similar ids. */
export function findOperation(id: string): Operation & { readonly id: OperationId } {
  const operationMatch = operations.find((operation) => operation.id === id)
  if (operationMatch !== undefined && isOperationId(id)) return { ...operationMatch, id }
  const typedId = id.toLowerCase().slice(0, 100)
  const nearestIds = operations
    .map((operation) => ({ id: operation.id, score: scoreDifference(typedId, operation.id.toLowerCase()) }))
    .filter(({ score }) => score <= maxDifference)
    .sort((a, b) => a.score - b.score)
    .slice(0, 3)
    .map((operation) => operation.id)
  const suggestion = nearestIds.length === 0 ? '' : ` Did you mean ${nearestIds.join(', ')}?`
  throw inputError(`Unknown operation ${quoteShort(id)}.${suggestion} "companion api list" lists them all.`, 'id')
}

/** Checks the parameters. Fails with `input.invalid` and the name of an unknown or missing parameter. */
export function checkArguments(operation: Operation, { path = {}, query = {} }: CallArguments): void {
  const { id, pathParams, requiredQuery, defaultQuery } = operation
  rejectUnknownNames(operation, 'path parameter', path, pathParams)
  rejectUnknownNames(operation, 'query parameter', query, operation.query)
  for (const name of pathParams) {
    if ((path[name] ?? '') === '') throw inputError(`${id} needs the path parameter ${name}.`, name)
  }
  for (const name of requiredQuery) {
    const hasParameter = (query[name] ?? '') !== '' || name in defaultQuery
    if (!hasParameter) throw inputError(`${id} needs the query parameter ${name}.`, name)
  }
}

function rejectUnknownNames(
  { id }: Operation,
  kind: string,
  given: Readonly<Record<string, unknown>>,
  knownNames: readonly string[],
): void {
  const unknownName = Object.keys(given).find((name) => !knownNames.includes(name))
  if (unknownName === undefined) return
  const knownNamesText = knownNames.length === 0 ? 'It has none.' : `It has: ${knownNames.join(', ')}.`
  throw inputError(`${id} has no ${kind} ${quoteShort(unknownName)}. ${knownNamesText}`, unknownName.slice(0, 100))
}

/** Reads a body: JSON, `@FILE`, or `@-` for standard input. Failures do not repeat the content. */
export async function readBody(text: string, read: (path: string) => Promise<string>): Promise<unknown> {
  const json = text.startsWith('@') ? await read(text.slice(1)) : text
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch {
    const fileHint = text.startsWith('@') && text !== '@-' ? `in ${text.slice(1)} ` : ''
    throw inputError(`The body ${fileHint}is not JSON. Give JSON, @FILE, or @- for standard input.`, 'body')
  }
}

const quoteShort = (text: string): string => JSON.stringify(text.slice(0, 100))

const inputError = (message: string, field: string): AppError => new AppError('input.invalid', message, { field })

const maxDifference = 0.4

/** Distance of two names from 0 (equal) to 1 (unrelated). A name that contains the typed parts is near. */
function scoreDifference(typed: string, name: string): number {
  const parts = typed.split(/[^a-z0-9]+/).filter((word) => word !== '')
  const containsTypedParts = parts.length > 0 && parts.every((word) => name.includes(word))
  const relativeDistance = computeEditDistance(typed, name) / Math.max(typed.length, name.length, 1)
  return containsTypedParts ? relativeDistance * maxDifference : relativeDistance
}

/** Levenshtein distance. */
function computeEditDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [above, letter] of [...a].entries()) {
    const nextRow = [above + 1]
    for (let column = 1; column <= b.length; column += 1) {
      const replacementCost = (row[column - 1] ?? 0) + (letter === b[column - 1] ? 0 : 1)
      nextRow.push(Math.min(replacementCost, (row[column] ?? 0) + 1, (nextRow[column - 1] ?? 0) + 1))
    }
    row = nextRow
  }
  return row[b.length] ?? 0
}
