import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { useAction, useCall } from '../../../ipc'
import { Chips } from '../../../ui/chips'
import { Field, TextArea, TextInput } from '../../../ui/field'
import { PasteBox } from '../../../ui/paste-box'
import { Select } from '../../../ui/select'
import { Skeleton } from '../../../ui/skeleton'
import { isRows } from './form-rows'
import type { FormValue } from './form-values'
import { isPrimitive, listRows, readField, toText } from './lookup'
import { type FormField, type OptionsSource, type PendingSecret, useResourceText } from './resource'
import { RowsControl } from './rows-control'
import { useService } from './service-gate'

interface ControlProps {
  readonly field: FormField
  readonly value: FormValue
  readonly onChange: (value: FormValue) => void
  readonly onBlur: () => void
}

const isTakenSecret = (value: FormValue): value is PendingSecret =>
  typeof value === 'object' && value !== null && 'pendingId' in value

const isTextList = (value: FormValue): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

function SecretControl({ field, value, onChange }: ControlProps) {
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const readSecret = useAction('resources.takeSecret', { onSuccess: onChange })
  const maskedValue = isTakenSecret(value) ? value.masked : undefined
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
  return (
    <Select
      value={typeof value === 'string' && value !== '' ? value : undefined}
      onValueChange={onChange}
      options={options}
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
  const source = isOffered(options) ? options : undefined
  const request = { connectionId: useService().connection.id, operation: source?.operation ?? '' }
  const isUnpaged = source?.isUnpaged === true
  const page = useCall(
    'resources.page',
    { ...request, size: maxSuggestions },
    { enabled: source !== undefined && !isUnpaged },
  )
  const all = useCall('resources.call', request, { enabled: isUnpaged })
  if (!isOffered(options)) {
    return { isAsking: false, options: options?.map(({ value, label }) => ({ value, label: text(label) })) }
  }
  const rows = isUnpaged ? listRows(all.data?.data) : (page.data?.rows ?? [])
  const texts = rows.map((row) => (isPrimitive(row) ? String(row) : toText(readField(row, options.names))))
  const values = [...new Set(texts)].filter((value) => value !== '')
  const isUsable = values.length > 0 && (page.data?.totalItems ?? 0) <= maxSuggestions
  return {
    isAsking: isUnpaged ? all.isLoading : page.isLoading,
    options: isUsable ? values.map((value) => ({ value, label: value })) : undefined,
  }
}
