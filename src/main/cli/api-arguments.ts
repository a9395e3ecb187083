import { AppError } from '@shared/failure'
import type { CallArguments } from '../platform/build-request'
import type { Operation } from '../platform/service-definition'
import { isOperationId, type OperationId, operations } from '../platform/services'

/** Finds an operation. Fails with `input.invalid` and the most similar ids. */
export function findOperation(id: string): Operation & { readonly id: OperationId } {
  const found = operations.find((one) => one.id === id)
  if (found !== undefined && isOperationId(id)) return { ...found, id }
  const near = nearest(
    id,
    operations.map((one) => one.id),
  )
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
  throw invalid(`Unknown operation ${shown(id)}.${meant} "companion api list" lists them all.`, 'id')
}

/** Checks the parameters. Fails with `input.invalid` and the name of an unknown or missing parameter. */
export function checkArguments(operation: Operation, { path = {}, query = {} }: CallArguments): void {
  const { id, pathParams, requiredQuery, defaultQuery } = operation
  refuseUnknown(operation, { kind: 'path parameter', given: path, knownNames: pathParams })
  refuseUnknown(operation, { kind: 'query parameter', given: query, knownNames: operation.query })
  for (const name of pathParams) {
    if ((path[name] ?? '') === '') throw invalid(`${id} needs the path parameter ${name}.`, name)
  }
  for (const name of requiredQuery) {
    const isThere = (query[name] ?? '') !== '' || name in defaultQuery
    if (!isThere) throw invalid(`${id} needs the query parameter ${name}.`, name)
  }
}

interface Names {
  readonly kind: string
  readonly given: Readonly<Record<string, unknown>>
  readonly knownNames: readonly string[]
}

function refuseUnknown({ id }: Operation, { kind, given, knownNames }: Names): void {
  const unknown = Object.keys(given).find((name) => !knownNames.includes(name))
  if (unknown === undefined) return
  const has = knownNames.length === 0 ? 'It has none.' : `It has: ${knownNames.join(', ')}.`
  throw invalid(`${id} has no ${kind} ${shown(unknown)}. ${has}`, unknown.slice(0, 100))
}

/**
 * Reads a request body: JSON, `@FILE`, or `@-` for standard input. Fails with `input.invalid` or `file.unreadable`,
 * without repeating the content.
 */
export async function readBody(text: string, read: (path: string) => Promise<string>): Promise<unknown> {
  const json = text.startsWith('@') ? await read(text.slice(1)) : text
  try {
    return JSON.parse(json.replace(/^\uFEFF/, ''))
  } catch {
    const where = text.startsWith('@') && text !== '@-' ? `in ${text.slice(1)} ` : ''
    throw invalid(`The body ${where}is not JSON. Give JSON, @FILE, or @- for standard input.`, 'body')
  }
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 100))

const invalid = (message: string, field: string): AppError => new AppError('input.invalid', message, { field })

/** The most similar names, best first. Empty without similar names. */
function nearest(typed: string, names: readonly string[], max = 3): string[] {
  const wanted = typed.toLowerCase().slice(0, LONGEST)
  const scored = names.map((name) => ({ name, score: unlikeness(wanted, name.toLowerCase()) }))
  return scored
    .filter(({ score }) => score <= FARTHEST)
    .sort((a, b) => a.score - b.score)
    .slice(0, max)
    .map(({ name }) => name)
}

const LONGEST = 100
const FARTHEST = 0.4

/** Distance of two names from 0 (equal) to 1 (unrelated). A name that contains the typed parts is near. */
function unlikeness(typed: string, name: string): number {
  const parts = typed.split(/[^a-z0-9]+/).filter((part) => part !== '')
  const isWithin = parts.length > 0 && parts.every((part) => name.includes(part))
  const apart = distance(typed, name) / Math.max(typed.length, name.length, 1)
  return isWithin ? apart * FARTHEST : apart
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (const [above, letter] of [...a].entries()) {
    const next = [above + 1]
    for (let at = 1; at <= b.length; at += 1) {
      const changed = (row[at - 1] ?? 0) + (letter === b[at - 1] ? 0 : 1)
      next.push(Math.min(changed, (row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
