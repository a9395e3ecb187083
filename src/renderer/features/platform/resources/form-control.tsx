import { ClipboardPaste, LockKeyhole, Plus, Trash2, X } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
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
import { createRow, type FormValue, isRows } from './form-values'
import { isPrimitive, listRows, readField, toText } from './lookup'
import {
  type CellValue,
  type FormField,
  type FormRow,
  type OptionsSource,
  type RowColumn,
  type RowsShape,
  useResourceText,
} from './resource'
import { useService } from './service-gate'

interface ControlProps {
  readonly field: FormField
  readonly value: FormValue
  readonly onChange: (value: FormValue) => void
  readonly onBlur: () => void
}

const isTextList = (value: FormValue): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

function SecretControl({ field, value, onChange }: ControlProps) {
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const readSecret = useAction('resources.takeSecret', { onSuccess: onChange })
  const maskedValue = typeof value === 'object' && 'pendingId' in value ? value.masked : undefined
  return (
    <PasteBox
      label={text(field.label)}
      masked={maskedValue}
      how={maskedValue === undefined ? (field.help ? text(field.help) : t('take.copyFirst')) : t('take.held')}
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
  if (kind === 'area' || kind === 'list' || kind === 'checks') {
    return (
      <TextArea
        rows={3}
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
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const { isAsking, options } = useFieldOptions(field)
  if (isAsking) return <Skeleton height={32} />
  if (!options) return <TextControl {...props} />
  if (field.kind === 'checks') {
    return (
      <Chips label={text(field.label)} chips={options} chosen={isTextList(value) ? value : []} onChange={onChange} />
    )
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
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const { kind, label, help, rule, isRequired = false, isOptional = false } = field
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
  const ruleText = rule?.texts(t)
  const { Picker } = field
  const hint = [help && text(help), kind === 'list' && t('onePerLine'), error === ruleText ? undefined : ruleText]
  const fieldControl = (
    <Field
      label={text(label)}
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
  const text = useResourceText()
  const { operation = '', isUnpaged = false } = isOffered(options) ? options : {}
  const request = { connectionId: useService().connection.id, operation }
  const hasPages = operation !== '' && !isUnpaged
  const page = useCall('resources.page', hasPages ? { ...request, size: maxSuggestions } : undefined)
  const all = useCall('resources.call', isUnpaged ? request : undefined)
  if (!isOffered(options)) {
    return { isAsking: false, options: options?.map(({ value, label }) => ({ value, label: text(label) })) }
  }
  const { names, describe } = options
  const rows = isUnpaged ? listRows(all.data?.data) : (page.data?.rows ?? [])
  const values = rows.map((row) => (isPrimitive(row) ? String(row) : toText(readField(row, names))))
  const foundOptions = rows.flatMap((row, index) => {
    const value = values[index] ?? ''
    // Only the first row of a value is offered.
    if (value === '' || values.indexOf(value) < index) return []
    return [{ value, label: describe ? text((t) => describe(t, row, value)) : value }]
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
  const { t } = useTranslation(['common', 'resources'])
  const text = useResourceText()
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
        {text(field.label)}
        {field.isOptional ? <span className="font-normal text-faint text-sm">{t('common:optional')}</span> : null}
      </legend>
      {rows.map((row, index) => (
        <fieldset
          key={row.key}
          className={joinClassNames('flex items-start gap-1', shape.columns.length > 2 && 'rounded-lg border p-2')}
          aria-label={`${text(field.label)} ${index + 1}`}
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
        {text(shape.addLabel)}
      </Button>
      {error ? <FieldError id={`${id}-error`}>{error}</FieldError> : null}
      {field.help ? <Hint id={`${id}-hint`}>{text(field.help)}</Hint> : null}
    </fieldset>
  )
}

function Cell(props: {
  readonly column: RowColumn
  readonly value: CellValue
  readonly onChange: (value: CellValue) => void
}) {
  const { column, value, onChange } = props
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const takeSecret = useAction('resources.takeSecret', { onSuccess: onChange })
  const label = text(column.label)
  if (typeof value !== 'string') {
    return (
      <span className="flex min-h-control min-w-0 items-center gap-1.5 rounded-md border bg-well pl-2.5">
        <LockKeyhole size={13} className="flex-none text-faint" aria-hidden="true" />
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
