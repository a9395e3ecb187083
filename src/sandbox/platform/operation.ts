import { z } from 'zod'
import { type Exchange, HttpError, type ResponseWriter } from '../http'
import type { RequestTrace } from '../journal'
import type { Store } from '../state/store'
import type { Timing } from '../timing'

/** A JSON body is required unless the status is 204. */
export interface Reply {
  readonly status: number
  readonly body?: unknown
}

export interface Call {
  readonly store: Store
  readonly timing: () => Timing
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Parses the JSON body, `{}` if empty. Throws 400 (`INVALID_INPUT` with the field, or `INVALID_JSON`) or 413. */
  readonly body: <Schema extends z.ZodType>(schema: Schema) => Promise<z.infer<Schema>>
  /** Base URLs of the gateway and this listener, without trailing slash. */
  readonly gatewayUrl: string
  readonly platformUrl: string
  /** The raw exchange, for operations that stream. */
  readonly exchange: Exchange
  readonly outlet: ResponseWriter
  /** Adds details to the request record. Must not contain secrets or text. */
  readonly note: RequestTrace['note']
}

export interface Operation {
  /** Id from the spec's list, for example `memory.records.search`. */
  readonly id: string
  readonly method: string
  /** Path below the service's base. `{name}` is one encoded segment. */
  readonly path: string
  /** `undefined` if the operation has sent its response itself. */
  readonly run: (call: Call) => Reply | undefined | Promise<Reply | undefined>
}

/** A platform service: operations below one base path. */
export interface Service {
  /** Base path, for example `/memory`. */
  readonly base: string
  readonly access: 'iam' | 'iam-or-api-key' | 'open'
  readonly operations: readonly Operation[]
  /** Maximum body size. Larger ones get 413. Default 4 MiB (not in the spec). */
  readonly bodyLimitBytes?: number
  /** Error format of the service, with an upper-case code. Default: `{code, message}`. */
  readonly errorBody?: (error: { status: number; code: string; message: string }) => unknown
}

export const createOperation = (
  id: string,
  method: Operation['method'],
  path: string,
  run: Operation['run'],
): Operation => ({ id, method, path, run })

export const okReply = (body: unknown): Reply => ({ status: 200, body })
export const toCreatedReply = (body: unknown): Reply => ({ status: 201, body })
/** For an operation that completes later. */
export const toAcceptedReply = (body: unknown): Reply => ({ status: 202, body })
export const noContent: Reply = { status: 204 }

const createHttpError =
  (status: number, code: string) =>
  (message: string): HttpError =>
    new HttpError(status, code, message)

/** 400: a value exceeds the spec's limits. The message names the field. */
export const invalidInput = createHttpError(400, 'INVALID_INPUT')
/** 400: a name breaks its rule (spec, "Limits"). */
export const invalidName = createHttpError(400, 'INVALID_NAME')
/** 401: the IAM token is missing, expired or invalid (spec, "Errors", B). */
export const createUnauthorizedError = (message: string): HttpError =>
  new HttpError(401, 'UNAUTHORIZED', message, { 'www-authenticate': 'Bearer realm="sandbox"' })
/** 403: the account's role may not do this (spec, "Roles"). */
export const createRoleError = createHttpError(403, 'ROLE_NOT_ALLOWED')
export const notFound = createHttpError(404, 'NOT_FOUND')

/** A response with a secret, marked as not cacheable. */
export function secretReply({ exchange }: Call, { status, body }: Reply): Reply {
  exchange.response.setHeader('cache-control', 'no-store')
  return { status, body }
}

/** 409: the current state does not allow it. */
export const conflict = (code: string, message: string): HttpError => new HttpError(409, code, message)

/** Returns a row that exists. Throws 404. */
export function requireRow<Row>(row: Row | undefined, message: string): Row {
  if (row === undefined) throw notFound(message)
  return row
}

/** Throws 409 if a row has the name. */
export function refuseTakenName(rows: readonly { readonly name: string }[], noun: string, name: string): void {
  if (rows.every((row) => row.name !== name)) return
  throw conflict('ALREADY_EXISTS', `There is already a ${noun} named "${name}". Choose another name.`)
}

/** Validates a name of an identity (spec, "Limits"). Throws 400. Runtimes have no rule in the spec and use this one. */
export function requireIdentifier(name: string): string {
  if (/^[a-zA-Z0-9_-]{1,50}$/.test(name)) return name
  throw invalidName('name: Use 1 to 50 letters (a-z, A-Z), digits, - and _.')
}

/** Fields of a body without the named ones. */
export const withoutFields = (body: object, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))

export function numberBetween(least: number, max: number, message = `must be a number from ${least} to ${max}`) {
  return z.number(message).min(least, message).max(max, message)
}

export function integerBetween(least: number, max: number) {
  const message = `must be a whole number from ${least} to ${max}`
  return numberBetween(least, max, message).int(message)
}

export const nonEmptyText = z.string().min(1, 'must not be empty')

/** An integer from `least` to `max` as a query parameter. */
export function integerText(least: number, max: number) {
  const message = `must be a whole number from ${least} to ${max}`
  return z
    .string()
    .regex(/^-?\d{1,9}$/, message)
    .transform(Number)
    .pipe(integerBetween(least, max))
}

/** Parses query parameters, each of which may be given once (spec, "Limits", for filters). Throws 400. */
export function parseQuery<Fields extends z.ZodRawShape>(query: URLSearchParams, fields: Fields) {
  const repeatedName = Object.keys(fields).find((name) => query.getAll(name).length > 1)
  if (repeatedName !== undefined) throw invalidInput(`The query parameter "${repeatedName}" may be given once.`)
  const parsedQuery = z.object(fields).safeParse(Object.fromEntries(query), { error: formatValidationIssue })
  if (parsedQuery.success) return parsedQuery.data
  const [issue] = parsedQuery.error.issues
  const name = String(issue?.path[0])
  const value = query.get(name)
  const valueText = value ? `; it was "${value.slice(0, 40)}"` : ''
  throw invalidInput(`The query parameter "${name}" ${issue?.message}${valueText}.`)
}

/** Maximum nesting. Deeper bodies parse but overflow the state file serializer (not in the spec). */
const maxDepth = 64

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

function isDeeplyNested(value: unknown): boolean {
  let nodesAtLevel = [value].filter(isObject)
  for (let level = 1; level <= maxDepth && nodesAtLevel.length > 0; level += 1) {
    nodesAtLevel = nodesAtLevel.flatMap((tree) => Object.values(tree).filter(isObject))
  }
  return nodesAtLevel.length > 0
}

const typeNames: Readonly<Record<string, string>> = { int: 'whole number', record: 'object' }

const formatValidationIssue: z.core.$ZodErrorMap = (issue) => {
  if (issue.input === undefined) return 'is required'
  if (issue.code === 'invalid_type') {
    const kind = typeNames[issue.expected] ?? issue.expected
    return `must be ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`
  }
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.map(String).join(', ')}`
  if (issue.origin === 'number' && issue.code === 'too_small') return `must be at least ${issue.minimum}`
  if (issue.origin === 'number' && issue.code === 'too_big') return `must be at most ${issue.maximum}`
  return undefined
}

/** Validates a body. Throws 400 for the first validation issue, with the field name. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  if (isDeeplyNested(body)) throw invalidInput(`The body is nested more than ${maxDepth} levels deep.`)
  const parsedBody = schema.safeParse(body, { error: formatValidationIssue })
  if (parsedBody.success) return parsedBody.data
  const [issue] = parsedBody.error.issues
  throw invalidInput(`${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'not accepted'}`)
}

const defaultPageSize = 20
/** Maximum page size. Larger requests get this many rows (not in the spec), so clients must follow pages. */
const largestSize = 100
const maxPages = 999_999_999

/**
 * Returns one page. In the access-control service, pages start at 0 and rows are in `content`. In all others, pages start
 * at 1 and rows are in `listData` (spec, "Pagination envelopes"). Throws 400 for a page before the first (spec, "Errors",
 * B) or an invalid number.
 */
export function respondWithPage<Row>(
  query: URLSearchParams,
  rows: readonly Row[],
  view: (row: Row) => unknown = (row) => row,
  envelope: 'listData' | 'content' = 'listData',
): Reply {
  const firstPage = envelope === 'content' ? 0 : 1
  const { page, size: requestedSize } = parseQuery(query, {
    page: integerText(firstPage, maxPages).default(firstPage),
    size: integerText(1, maxPages).default(defaultPageSize),
  })
  const size = Math.min(requestedSize, largestSize)
  const startIndex = (page - firstPage) * size
  const shownRows = rows.slice(startIndex, startIndex + size).map(view)
  const [total, pageCount] = [rows.length, Math.ceil(rows.length / size)]
  return okReply(
    envelope === 'content'
      ? { content: shownRows, totalElements: total, totalPages: pageCount, number: page, size }
      : { listData: shownRows, totalItem: total, totalPage: pageCount, page, size },
  )
}

/** Creation time of a new resource. */
export function createTimestamps({ store }: Call) {
  const createdAt = store.nowIso()
  return { createdAt, updatedAt: createdAt }
}

/** Resources of one kind in the world. Each has a name or an id, which is the parameter `param` of a path. */
export function createCollection<
  Key extends 'id' | 'name',
  Row extends { readonly [Name in Key]: string } & { readonly updatedAt: string },
>({
  key,
  param = key,
  noun,
  rows,
  view = (row) => row,
  envelope,
}: {
  readonly key: Key
  readonly param?: string
  /** Name of the kind in messages, for example `agent identity`. */
  readonly noun: string
  /** The list in the world, which operations change in place. Throws 404 if the path names no such list. */
  readonly rows: (call: Call) => Row[]
  /** Public view of a resource. Default: the resource. */
  readonly view?: ((row: Row, call: Call) => unknown) | undefined
  readonly envelope?: 'content'
}) {
  /** Finds the resource named in the path. Throws 404. */
  const find = (call: Call, idParam = param): Row => {
    const id = call.params[idParam] ?? ''
    const row = rows(call).find((candidate) => candidate[key] === id)
    return requireRow(row, `There is no ${noun} ${key === 'id' ? 'with the id' : 'named'} "${id.slice(0, 60)}".`)
  }
  /** Finds the resource and reads the body. Throws 404 before 400. */
  const findWithBody = async <Schema extends z.ZodType>(call: Call, schema: Schema) => {
    find(call)
    const body = await call.body(schema)
    return { row: find(call), body }
  }
  const remove = (call: Call): Reply => {
    const row = find(call)
    const list = rows(call)
    list.splice(list.indexOf(row), 1)
    call.store.changed()
    return noContent
  }
  return {
    rows,
    view,
    find,
    findWithBody,
    remove,
    /** Adds the resource that `create` makes of the body. */
    createAt: <Schema extends z.ZodType>(
      path: string,
      id: string,
      schema: Schema,
      create: (body: z.infer<Schema>, call: Call) => Row,
      toReply = (row: Row, call: Call) => toCreatedReply(view(row, call)),
    ): Operation =>
      createOperation(id, 'POST', path, async (call) => {
        rows(call)
        const row = create(await call.body(schema), call)
        rows(call).push(row)
        call.store.changed()
        return toReply(row, call)
      }),
    listAt: (path: string, id: string): Operation =>
      createOperation(id, 'GET', path, (call) =>
        respondWithPage(call.query, rows(call), (row) => view(row, call), envelope),
      ),
    getAt: (path: string, id: string): Operation =>
      createOperation(id, 'GET', path, (call) => okReply(view(find(call), call))),
    /** Replaces a resource by the one that `update` makes of it. Its `updatedAt` is the current time already. */
    updateAt: <Schema extends z.ZodType>(
      [method, path]: readonly ['PUT' | 'PATCH', string],
      id: string,
      schema: Schema,
      update: (row: Row, body: z.infer<Schema>, call: Call) => Row,
      toReply = (row: Row, call: Call) => okReply(view(row, call)),
    ): Operation =>
      createOperation(id, method, path, async (call) => {
        const { row: rowBefore, body } = await findWithBody(call, schema)
        const row = update({ ...rowBefore, updatedAt: call.store.nowIso() }, body, call)
        const list = rows(call)
        list[list.indexOf(rowBefore)] = row
        call.store.changed()
        return toReply(row, call)
      }),
    removeAt: (path: string, id: string): Operation => createOperation(id, 'DELETE', path, remove),
  }
}

export type Collection<Row extends { readonly name: string; readonly updatedAt: string }> = ReturnType<
  typeof createCollection<'name', Row>
>
