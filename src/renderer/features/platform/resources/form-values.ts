import type { CapturedSecret, ResourceAnswer } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { generatePath } from 'react-router'
import { useAction, useCancelableCall } from '../../../ipc'
import { findField, findIdentifier, isObject, isPrimitive, normalizeName, readField, readName, toText } from './lookup'
import type {
  CellValue,
  FormField,
  FormRow,
  Json,
  PendingSecret,
  Resource,
  ResourceCall,
  ResourceSubject,
  RowsShape,
  Scope,
} from './resource'
import { useService } from './service-gate'

/** Value of a form field. A list is a single text with one item per line. */
export type FormValue = string | readonly string[] | readonly FormRow[] | PendingSecret | undefined
export type FormValues = Record<string, FormValue>

/** Key of the additional JSON among the form values. No parameter has this name. */
export const extraId = '$extra'

export type Problem = 'required' | 'rule' | 'jsonObject' | RowsProblem

const splitLines = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function parseJsonOr(text: string): Json | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isEmpty = (value: FormValue): boolean =>
  value === undefined ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0)

export function findProblem(field: FormField, value: FormValue): Problem | undefined {
  const { kind, isRequired, rule } = field
  if (isEmpty(value)) return isRequired ? 'required' : undefined
  if (field.rows && isRows(value)) return findRowsProblem(field.rows, value)
  if (typeof value !== 'string') return undefined
  const values = kind === 'list' ? splitLines(value) : [value.trim()]
  return rule && !values.every(rule.accepts) ? 'rule' : undefined
}

export function validateExtraJson(value: FormValue): Problem | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return isObject(parseJsonOr(value)) ? undefined : 'jsonObject'
}

/** Value to send. Undefined for an empty value. */
function toRequestValue(field: FormField, value: FormValue): Json | undefined {
  const { kind } = field
  if (isRows(value)) return kind === 'rows' ? toRowsValue(field, value) : undefined
  if (value === undefined || isEmpty(value)) return undefined
  if (typeof value === 'object') return 'pendingId' in value ? { $pending: value.pendingId } : [...value]
  if (kind === 'number') return Number(value)
  if (kind === 'list') return [...splitLines(value)]
  return kind === 'area' ? value : value.trim()
}

type Body = { [name: string]: Json }

/** Merges two objects including nested ones. Values of `overrides` take precedence. */
function mergeDeep(base: Body, overrides: Body): Body {
  const mergedBody = { ...base }
  for (const [name, value] of Object.entries(overrides)) {
    const valueBefore = mergedBody[name]
    mergedBody[name] = isObject(valueBefore) && isObject(value) ? mergeDeep(valueBefore, value) : value
  }
  return mergedBody
}

const nestValue = (path: readonly string[], value: Json): Body => {
  const [name = '', ...rest] = path
  return { [name]: rest.length === 0 ? value : nestValue(rest, value) }
}

interface Request extends Target {
  readonly operation: string
  readonly body?: Json
}

export function buildBody(fields: readonly FormField[], values: FormValues): Body {
  const extraText = values[extraId]
  const extraFields = typeof extraText === 'string' && extraText.trim() !== '' ? parseJsonOr(extraText) : undefined
  const ownFields = fields
    .filter(({ to = 'body' }) => to === 'body')
    .reduce<Body>((body, field) => {
      const value = toRequestValue(field, values[field.id])
      return value === undefined ? body : mergeDeep(body, nestValue(field.at ?? [field.id], value))
    }, {})
  return isObject(extraFields) ? mergeDeep(ownFields, extraFields) : ownFields
}

/** Builds an API request from the form. `target`: parameters that identify the resource. */
export function buildRequest(call: ResourceCall, values: FormValues, target: Target): Request {
  const { operation, fields = [], takesJson } = call
  const body = buildBody(fields, values)
  const toParameters = (destination: 'path' | 'query'): Record<string, string> =>
    Object.fromEntries(
      fields.flatMap((field) => {
        const value = field.to === destination ? toRequestValue(field, values[field.id]) : undefined
        return isPrimitive(value) ? [[field.id, String(value)]] : []
      }),
    )
  return {
    operation,
    path: { ...target.path, ...toParameters('path') },
    query: { ...target.query, ...toParameters('query') },
    ...((takesJson || Object.keys(body).length > 0) && { body }),
  }
}

export interface Target {
  readonly path: Scope
  readonly query: Readonly<Record<string, string>>
}

/** Fields that the server generates and that an update must not send. The spec does not list them (decision 5). */
const serverFields = [
  ...['id', 'uuid', 'name', 'status', 'state', 'version', 'keyHint', 'apiKeyHint', 'links', '_links'],
  ...['createdAt', 'createdBy', 'created', 'updatedAt', 'updatedBy', 'updated', 'modifiedAt', 'lastModified'],
].map(normalizeName)

/** Initial value of a field. For an update, the current value. */
function initialValue(field: FormField, row: Json | undefined): FormValue {
  const { kind, id, from = [id], initial } = field
  const currentValue = row === undefined ? undefined : readField(row, from)
  if (kind === 'secret') return undefined
  if (kind === 'rows') return initial ?? []
  if (currentValue === undefined || currentValue === null) return initial ?? (kind === 'checks' ? [] : '')
  if (kind === 'checks') return Array.isArray(currentValue) ? currentValue.map(toText) : []
  if (kind === 'list') return Array.isArray(currentValue) ? currentValue.map(toText).join('\n') : toText(currentValue)
  return toText(currentValue)
}

/** Current values for which the form has no field, as JSON. A call that replaces the whole object must include them. */
function listOtherFields(
  fields: readonly FormField[],
  { row, secrets = [] }: Pick<ResourceSubject, 'row' | 'secrets'>,
): string {
  if (!isObject(row)) return ''
  const usedNames = fields.flatMap(({ id, from = [id] }) => findField(row, from)?.[0] ?? [])
  const secretNames = secrets.map(({ at }) => at.split('/')[1] ?? '')
  const hiddenNames = new Set([...usedNames, ...secretNames])
  const otherFields = Object.entries(row).filter(
    ([name, value]) => value !== null && !serverFields.includes(normalizeName(name)) && !hiddenNames.has(name),
  )
  return otherFields.length === 0 ? '' : JSON.stringify(Object.fromEntries(otherFields), undefined, 2)
}

export function initialValues(call: ResourceCall, subject: ResourceSubject | undefined): FormValues {
  const { fields = [], takesJson, replaces } = call
  const row = replaces ? subject?.row : undefined
  return {
    ...Object.fromEntries(fields.map((field) => [field.id, initialValue(field, row)])),
    ...(takesJson && { [extraId]: replaces && subject ? listOtherFields(fields, subject) : '' }),
  }
}

/** Requests visible lists again. With scope `things`, also visible detail pages. */
export function useRefreshResources(): (scope?: 'lists' | 'things') => void {
  const queries = useQueryClient()
  return useCallback(
    (scope = 'things') =>
      void queries.invalidateQueries({
        predicate: ({ queryKey: [name] }) =>
          String(name).startsWith('resources.') && (scope === 'things' || name !== 'resources.call'),
      }),
    [queries],
  )
}

/**
 * Runs one API call, which the user can cancel. Requests lists again after success and after failure. `removes`: whether
 * the call deletes the resource, whose detail page must then not be requested again.
 */
export function useRun(
  onDone: (answer: ResourceAnswer) => void,
  { removes = false }: { readonly removes?: boolean | undefined } = {},
) {
  const connectionId = useService().connection.id
  const refresh = useRefreshResources()
  const { createCallId, cancel } = useCancelableCall()
  const { mutate, isPending, error } = useAction('resources.call', {
    onSuccess: onDone,
    onSettled: (_, callError) => refresh(removes && !callError ? 'lists' : 'things'),
  })
  const run = (request: Request): void => {
    if (!isPending) mutate({ ...request, connectionId, callId: createCallId() })
  }
  return { run, cancel, isRunning: isPending, failure: error?.failure }
}

export const toSubject = (resource: Resource, row: Json, scope: Scope): ResourceSubject => ({
  row,
  name: readName(row, resource),
  id: findIdentifier(row, resource.identifier.names),
  scope,
})

/** Parameters that identify a resource in an API call. Without an id, only the parameters of its parent. */
export function toTargetParameters(
  { identifier }: Resource,
  { id, scope }: Pick<ResourceSubject, 'id' | 'scope'>,
): Target {
  const idParameter = id === undefined ? {} : { [identifier.param]: id }
  return identifier.to === 'query'
    ? { path: scope, query: idParameter }
    : { path: { ...scope, ...idParameter }, query: {} }
}

/** Path of a row's detail page. That requires an identifier, and an operation that reads a single resource. */
export const findPagePath = ({ get, at }: Resource, { id, scope }: ResourceSubject): string | undefined =>
  get && id !== undefined ? `${generatePath(at, scope)}/${encodeURIComponent(id)}` : undefined

export const isRows = (value: unknown): value is readonly FormRow[] =>
  Array.isArray(value) && value.every((row) => typeof row === 'object' && row !== null && 'cells' in row)

export const createRow = (cells: FormRow['cells'] = {}): FormRow => ({ key: crypto.randomUUID(), cells })

const isFilled = (cell: CellValue | undefined): boolean =>
  cell !== undefined && (typeof cell !== 'string' || cell.trim() !== '')

const filledRows = (rows: readonly FormRow[]): readonly FormRow[] =>
  rows.filter(({ cells }) => Object.values(cells).some(isFilled))

/**
 * Current rows of an object. Undefined if the form cannot edit the value without loss, such as a nested one. Masked
 * secrets are kept by their handles.
 */
export function readRows(
  value: Json,
  { columns }: RowsShape,
  { secrets, at }: { readonly secrets: readonly CapturedSecret[]; readonly at: string },
): readonly FormRow[] | undefined {
  const [nameColumn, valueColumn] = columns
  if (!isObject(value) || !nameColumn || !valueColumn) return undefined
  const rows: FormRow[] = []
  for (const [name, text] of Object.entries(value)) {
    const pointer = [at, name].map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
    const secret = secrets.find((candidate) => candidate.at === pointer)
    if (!secret && typeof text !== 'string') return undefined
    const cell = secret ? { handle: secret.handle, masked: secret.masked } : String(text)
    rows.push(createRow({ [nameColumn.id]: name, [valueColumn.id]: cell }))
  }
  return rows
}

type RowsProblem = 'rowRequired' | 'rowDuplicate'

/** Whether a required cell is empty, or two rows have the same name. */
function findRowsProblem({ format, columns }: RowsShape, rows: readonly FormRow[]): RowsProblem | undefined {
  const filled = filledRows(rows)
  const required = columns.filter(({ isRequired }) => isRequired)
  if (filled.some(({ cells }) => required.some(({ id }) => !isFilled(cells[id])))) return 'rowRequired'
  const names = filled.map(({ cells }) => toName(cells[columns[0]?.id ?? '']))
  return format === 'object' && new Set(names).size < names.length ? 'rowDuplicate' : undefined
}

const toName = (cell: CellValue | undefined): string => (typeof cell === 'string' ? cell.trim() : '')

function toJson(cell: CellValue): Json {
  if (typeof cell === 'string') return cell
  return 'pendingId' in cell ? { $pending: cell.pendingId } : { $held: cell.handle }
}

/** Value to send. Undefined if the rows did not change, so that the platform keeps its value. */
function toRowsValue({ rows: rowsShape, initial }: FormField, rows: readonly FormRow[]): Json | undefined {
  const initialRows = isRows(initial) ? initial : []
  if (!rowsShape || toComparableText(rows) === toComparableText(initialRows)) return undefined
  const { format, columns } = rowsShape
  const filled = filledRows(rows)
  if (format === 'list') {
    return filled.map(({ cells }) =>
      Object.fromEntries(
        columns.flatMap(({ id }) => {
          const cell = cells[id]
          return cell !== undefined && isFilled(cell)
            ? [[id, toJson(typeof cell === 'string' ? cell.trim() : cell)]]
            : []
        }),
      ),
    )
  }
  const [nameColumn, valueColumn] = columns
  return Object.fromEntries(
    filled.map(({ cells }) => [toName(cells[nameColumn?.id ?? '']), toJson(cells[valueColumn?.id ?? ''] ?? '')]),
  )
}

const toComparableText = (rows: readonly FormRow[]): string =>
  JSON.stringify(filledRows(rows).map(({ cells }) => cells))
