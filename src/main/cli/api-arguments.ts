import { AppError } from '@shared/failure'
import type { CallArguments } from '../platform/prepare'
import { isOperationId, type OperationId, operations } from '../platform/services'
import type { Operation } from '../platform/table'
import { nearest } from './nearest'

/** The operation of an id. Fails with `input.invalid` and the ids that are most like it. */
export function findOperation(id: string): Operation & { readonly id: OperationId } {
  const found = operations.find((one) => one.id === id)
  if (found !== undefined && isOperationId(id)) return { ...found, id }
  const near = nearest(
    id,
    operations.map((one) => one.id),
  )
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
  throw invalid(`There is no operation ${shown(id)}.${meant} "companion api list" shows all.`, 'id')
}

/** Refuses names that the operation has not, and missing ones that it needs. Fails with `input.invalid` and the field. */
export function checkArguments(operation: Operation, { path = {}, query = {} }: CallArguments): void {
  const { id, pathParams, requiredQuery, defaultQuery } = operation
  refuseUnknown(operation, { kind: 'path parameter', given: path, there: pathParams })
  refuseUnknown(operation, { kind: 'query parameter', given: query, there: operation.query })
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
  readonly there: readonly string[]
}

function refuseUnknown({ id }: Operation, { kind, given, there }: Names): void {
  const unknown = Object.keys(given).find((name) => !there.includes(name))
  if (unknown === undefined) return
  const has = there.length === 0 ? 'It has none.' : `It has: ${there.join(', ')}.`
  throw invalid(`${id} has no ${kind} ${shown(unknown)}. ${has}`, unknown.slice(0, 100))
}

/** A body: JSON, `@FILE`, or `@-` for standard input. Fails with `input.invalid` or `file.unreadable`; repeats nothing of it. */
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
