import type { CapturedSecret } from '@shared/contract'
import i18next from 'i18next'
import { ClipboardPaste, LockKeyhole, Plus, Trash2, X } from 'lucide-react'
import { useId } from 'react'
import { ExplainedFailure } from '../../../failures'
import { useAction, useCall } from '../../../ipc'
import { Button } from '../../../ui/button'
import { Chips } from '../../../ui/chips'
import { joinClassNames } from '../../../ui/cn'
import { Field, FieldError, TextArea, TextInput } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { PasteBox } from '../../../ui/paste-box'
import { Select } from '../../../ui/select'
import { Skeleton } from '../../../ui/skeleton'
import { Hint } from '../../../ui/text'
import {
  findField,
  getFieldLabel,
  isObject,
  isPrimitive,
  listRows,
  normalizeName,
  readField,
  type Target,
  toText,
} from './lookup'
import {
  type CellValue,
  type FormField,
  type FormRow,
  type Json,
  type OptionsSource,
  type PendingSecret,
  type ResourceCall,
  type ResourceSubject,
  type ResourceText,
  type RowColumn,
  type RowsShape,
  resourceText,
} from './resource'
import { useService } from './service-gate'

const t = i18next.getFixedT(null, ['resources', 'common'])

const getLabel = ({ label, id }: Pick<RowColumn, 'id' | 'label'>): string =>
  label ? resourceText(label) : getFieldLabel(id)

interface ControlProps {
  readonly field: FormField
  readonly value: FormValue
  readonly onChange: (value: FormValue) => void
  readonly onBlur: () => void
}

const isTextList = (value: FormValue): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

function SecretControl({ field, value, onChange }: ControlProps) {
  const readSecret = useAction('resources.takeSecret', { onSuccess: onChange })
  const maskedValue = typeof value === 'object' && 'pendingId' in value ? value.masked : undefined
  return (
    <PasteBox
      label={getLabel(field)}
      masked={maskedValue}
      how={maskedValue === undefined ? (field.help ? resourceText(field.help) : t('take.copyFirst')) : t('take.held')}
      busy={readSecret.isPending}
      onTake={() => readSecret.mutate({})}
    >
      {readSecret.error ? <ExplainedFailure tone="warning" failure={readSecret.error.failure} /> : null}
    </PasteBox>
  )
}

function TextControl({ field, value, onChange, onBlur }: ControlProps) {
  const { kind, placeholder, isCode } = field
  const text = typeof value === 'string' ? value : isTextList(value) ? value.join('\n') : ''
  if (kind === 'area' || kind === 'list' || kind === 'checks' || kind === 'json') {
    return (
      <TextArea
        rows={kind === 'json' ? 4 : 3}
        mono={kind !== 'area'}
        placeholder={placeholder}
        value={text}
        onChange={(event) => onChange(kind === 'checks' ? event.target.value.split('\n') : event.target.value)}
        onBlur={onBlur}
      />
    )
  }
  return (
    <TextInput
      mono={isCode ?? false}
      inputMode={kind === 'number' ? 'decimal' : undefined}
      placeholder={placeholder}
      value={text}
      onChange={(event) => onChange(event.target.value)}
      onBlur={onBlur}
    />
  )
}

function SuggestionControl(props: ControlProps) {
  const { field, value, onChange } = props
  const { isAsking, options } = useFieldOptions(field)
  if (isAsking) return <Skeleton height={32} />
  if (!options) return <TextControl {...props} />
  if (field.kind === 'checks') {
    return <Chips label={getLabel(field)} chips={options} chosen={isTextList(value) ? value : []} onChange={onChange} />
  }
  const chosen = typeof value === 'string' && value !== '' ? value : undefined
  // The current value stays selectable if it is no longer offered.
  const isMissing = chosen !== undefined && !options.some((option) => option.value === chosen)
  return (
    <Select
      value={chosen}
      onValueChange={onChange}
      options={isMissing ? [{ value: chosen, label: chosen }, ...options] : options}
      placeholder={t('choose')}
    />
  )
}

export function FormControl(props: ControlProps & { readonly error: string | undefined }) {
  const { field, value, onChange, error } = props
  const { kind, help, rule, isRequired = false, isOptional = false } = field
  if (field.rows) {
    const rows = isRows(value) ? value : []
    return <RowsControl {...{ field, rows, onChange, error }} shape={field.rows} onBlur={props.onBlur} />
  }
  if (kind === 'secret') {
    return (
      <div>
        <SecretControl {...props} />
        {error ? (
          <p className="mt-1.5 text-danger text-sm" role="alert">
            {error}
          </p>
        ) : null}
      </div>
    )
  }
  const ruleText = rule && resourceText(rule.message)
  const { Picker } = field
  const hint = [
    help && resourceText(help),
    kind === 'list' && t('onePerLine'),
    error === ruleText ? undefined : ruleText,
  ]
  const fieldControl = (
    <Field
      label={getLabel(field)}
      hint={hint.filter(Boolean).join(' ')}
      error={error}
      required={isRequired}
      optional={isOptional}
    >
      {kind === 'select' || kind === 'checks' ? <SuggestionControl {...props} /> : <TextControl {...props} />}
    </Field>
  )
  if (!Picker) return fieldControl
  return (
    <div>
      {fieldControl}
      <Picker onPick={onChange} />
    </div>
  )
}

/** Maximum number of menu options. With more, the value is typed. */
const maxSuggestions = 100

const isOffered = (options: FormField['options']): options is OptionsSource =>
  options !== undefined && 'operation' in options

/**
 * Options of a form field: fixed ones, or ones that a list operation returns. Undefined if the platform did not respond
 * or returned too many. The user then types the value.
 */
function useFieldOptions({ options }: FormField) {
  const { operation = '', isUnpaged = false } = isOffered(options) ? options : {}
  const request = { connectionId: useService().connection.id, operation }
  const hasPages = operation !== '' && !isUnpaged
  const page = useCall('resources.page', hasPages ? { ...request, size: maxSuggestions } : undefined)
  const all = useCall('resources.call', isUnpaged ? request : undefined)
  if (!isOffered(options)) {
    return { isAsking: false, options: options?.map(({ value, label }) => ({ value, label: resourceText(label) })) }
  }
  const { names, describe } = options
  const rows = isUnpaged ? listRows(all.data?.data) : (page.data?.rows ?? [])
  const values = rows.map((row) => (isPrimitive(row) ? String(row) : toText(readField(row, names))))
  const foundOptions = rows.flatMap((row, index) => {
    const value = values[index] ?? ''
    // Only the first row of a value is offered.
    if (value === '' || values.indexOf(value) < index) return []
    return [{ value, label: describe?.(row, value) ?? value }]
  })
  const isUsable = foundOptions.length > 0 && (page.data?.totalItems ?? 0) <= maxSuggestions
  return { isAsking: all.isLoading || page.isLoading, options: isUsable ? foundOptions : undefined }
}

/** Edits a list of small records, such as environment variables, one row each. */
function RowsControl(props: {
  readonly field: FormField
  readonly shape: RowsShape
  readonly rows: readonly FormRow[]
  readonly onChange: (rows: readonly FormRow[]) => void
  readonly onBlur: () => void
  readonly error: string | undefined
}) {
  const { field, shape, rows, onChange, onBlur, error } = props
  const id = useId()
  const changeRow = (changed: FormRow): void => onChange(rows.map((row) => (row.key === changed.key ? changed : row)))
  return (
    <fieldset
      className="flex min-w-0 flex-col gap-2"
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) onBlur()
      }}
      aria-describedby={joinClassNames(error && `${id}-error`, field.help && `${id}-hint`) || undefined}
    >
      <legend className="mb-1.5 flex items-baseline gap-2 font-medium">
        {getLabel(field)}
        {field.isOptional ? <span className="font-normal text-faint text-sm">{t('common:optional')}</span> : null}
      </legend>
      {rows.map((row, index) => (
        <fieldset
          key={row.key}
          className={joinClassNames('flex items-start gap-1', shape.columns.length > 2 && 'rounded-lg border p-2')}
          aria-label={`${getLabel(field)} ${index + 1}`}
        >
          <div className="grid min-w-0 flex-1 grid-cols-2 gap-2">
            {shape.columns.map((column) => (
              <Cell
                key={column.id}
                column={column}
                value={row.cells[column.id] ?? ''}
                onChange={(value) => changeRow({ ...row, cells: { ...row.cells, [column.id]: value } })}
              />
            ))}
          </div>
          <IconButton
            icon={Trash2}
            label={t('resources:rows.remove')}
            onClick={() => onChange(rows.filter(({ key }) => key !== row.key))}
          />
        </fieldset>
      ))}
      <Button size="sm" icon={Plus} className="self-start" onClick={() => onChange([...rows, createRow()])}>
        {resourceText(shape.addLabel)}
      </Button>
      {error ? <FieldError id={`${id}-error`}>{error}</FieldError> : null}
      {field.help ? <Hint id={`${id}-hint`}>{resourceText(field.help)}</Hint> : null}
    </fieldset>
  )
}

function Cell(props: {
  readonly column: RowColumn
  readonly value: CellValue
  readonly onChange: (value: CellValue) => void
}) {
  const { column, value, onChange } = props
  const takeSecret = useAction('resources.takeSecret', { onSuccess: onChange })
  const label = getLabel(column)
  if (typeof value !== 'string') {
    return (
      <span className="flex min-h-control min-w-0 items-center gap-1.5 rounded-md border bg-well pl-2.5">
        <LockKeyhole size={13} className="flex-none text-faint" />
        <span className="min-w-0 flex-1 truncate font-mono text-muted text-sm" title={t('rows.kept')}>
          <span className="sr-only">{`${label}: `}</span>
          {value.masked}
        </span>
        <IconButton icon={X} size="sm" label={t('rows.replace')} onClick={() => onChange('')} />
      </span>
    )
  }
  return (
    <span className={joinClassNames('min-w-0', column.isWide && 'col-span-2')}>
      <TextInput
        mono={column.isCode ?? false}
        className="*:placeholder:font-sans"
        aria-label={label}
        aria-required={column.isRequired}
        placeholder={label}
        suggestions={column.suggestions}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        trailing={
          column.canPasteSecret ? (
            <IconButton
              icon={ClipboardPaste}
              size="sm"
              label={t('rows.paste')}
              busy={takeSecret.isPending}
              onClick={() => takeSecret.mutate({})}
            />
          ) : undefined
        }
      />
      {takeSecret.error ? <ExplainedFailure tone="warning" failure={takeSecret.error.failure} /> : null}
    </span>
  )
}

/** Value of a form field. A list is a single text with one item per line. */
export type FormValue = string | readonly string[] | readonly FormRow[] | PendingSecret | undefined
export type FormValues = Record<string, FormValue>

/** Key of the additional JSON among the form values. No parameter has this name. */
export const extraId = '$extra'

/** Field for additional JSON. `replaces`: whether the call replaces the whole object. */
export const buildExtraField = ({ replaces }: Pick<ResourceCall, 'replaces'>): FormField => ({
  id: extraId,
  kind: 'json',
  label: 'resources:extra.label',
  help: replaces ? 'resources:extra.replaces' : 'resources:extra.hint',
  isOptional: true,
  placeholder: '{ "labels": { "team": "search" } }',
})

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

/** Why the value can't be sent. */
export function findProblem(field: FormField, value: FormValue): ResourceText | undefined {
  const { kind, isRequired, rule } = field
  if (isEmpty(value)) return isRequired ? 'common:required' : undefined
  if (field.rows && isRows(value)) return findRowsProblem(field.rows, value)
  if (typeof value !== 'string') return undefined
  if (kind === 'json') return isObject(parseJsonOr(value)) ? undefined : 'resources:problems.jsonObject'
  const values = kind === 'list' ? splitLines(value) : [value.trim()]
  return rule && !values.every(rule.accepts) ? rule.message : undefined
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
export function buildRequest(call: ResourceCall, values: FormValues, target: Target) {
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
    query: { ...target.query, ...call.query, ...toParameters('query') },
    ...((takesJson || Object.keys(body).length > 0) && { body }),
  }
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

const isRows = (value: unknown): value is readonly FormRow[] =>
  Array.isArray(value) && value.every((row) => typeof row === 'object' && row !== null && 'cells' in row)

const createRow = (cells: FormRow['cells'] = {}): FormRow => ({ key: crypto.randomUUID(), cells })

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

/** Whether a required cell is empty, or two rows have the same name. */
function findRowsProblem({ format, columns }: RowsShape, rows: readonly FormRow[]): ResourceText | undefined {
  const filled = filledRows(rows)
  const required = columns.filter(({ isRequired }) => isRequired)
  if (filled.some(({ cells }) => required.some(({ id }) => !isFilled(cells[id]))))
    return 'resources:problems.rowRequired'
  const names = filled.map(({ cells }) => toName(cells[columns[0]?.id ?? '']))
  return format === 'object' && new Set(names).size < names.length ? 'resources:problems.rowDuplicate' : undefined
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
