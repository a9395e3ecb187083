import { ClipboardPaste, LockKeyhole, Plus, Trash2, X } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../../failures'
import { useAction } from '../../../ipc'
import { Button } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { FieldError, TextInput } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { Hint } from '../../../ui/text'
import { createRow } from './form-rows'
import {
  type CellValue,
  type FormField,
  type FormRow,
  type RowColumn,
  type RowsShape,
  useResourceText,
} from './resource'

/** Edits a list of small records, such as environment variables, one row each. */
export function RowsControl(props: {
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
