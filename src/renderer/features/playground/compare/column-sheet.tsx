import type { ComparisonColumn } from '@shared/contract'
import { ArrowLeft, ArrowRight, Copy, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { Field, FieldGroup, TextArea, TextInput } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { Switch } from '../../../ui/switch'
import { getStandard, ParametersFields, TargetSelect } from '..'
import { columnName, columnNumber } from './cells'
import { useEditing, useSetup } from './editing'
import { limits, withColumn, withCopiedColumn, withMovedColumn, withoutColumn } from './setup'

export const growingAreaClass = 'field-sizing-content max-h-[30vh] min-h-14'

interface FieldsProps {
  readonly column: ComparisonColumn
  readonly onChange: (column: ComparisonColumn, field?: string) => void
}

function OwnPrompt({ column, onChange }: FieldsProps) {
  const { t } = useTranslation('compare')
  const sharedPrompt = useSetup((setup) => setup.prompt)
  const { prompt, ...rest } = column
  return (
    <>
      <Switch
        label={t('column.ownPromptSwitch')}
        hint={t('column.ownPromptHint')}
        checked={prompt !== undefined}
        onCheckedChange={(on) => onChange(on ? { ...rest, prompt: sharedPrompt } : rest)}
      />
      {prompt === undefined ? null : (
        <Field label={t('column.prompt')}>
          <TextArea
            value={prompt}
            className={growingAreaClass}
            rows={5}
            onChange={(event) => onChange({ ...rest, prompt: event.target.value }, 'prompt')}
          />
        </Field>
      )}
    </>
  )
}

function Fields({ column, onChange }: FieldsProps) {
  const { t } = useTranslation('compare')
  const { target, system, parameters, name } = column
  return (
    <FieldGroup>
      <TargetSelect
        label={t('column.target')}
        value={target}
        onChange={(chosen) => onChange({ ...column, target: chosen }, 'target')}
      />
      <Field label={t('column.name')} optional>
        <TextInput
          value={name}
          maxLength={100}
          placeholder={target?.modelCode ?? ''}
          onChange={(event) => onChange({ ...column, name: event.target.value }, 'name')}
        />
      </Field>
      <OwnPrompt column={column} onChange={onChange} />
      <Field label={t('column.systemLabel')} optional>
        <TextArea
          value={system}
          className={growingAreaClass}
          rows={3}
          maxLength={200_000}
          onChange={(event) => onChange({ ...column, system: event.target.value }, 'system')}
        />
      </Field>
      <ParametersFields
        value={parameters}
        standard={getStandard(target)}
        onChange={(nextParameters) => onChange({ ...column, parameters: nextParameters }, 'parameters')}
      />
    </FieldGroup>
  )
}

function FormFooter({
  column,
  onClose,
  onShow,
}: {
  readonly column: ComparisonColumn
  readonly onClose: () => void
  readonly onShow: (id: string) => void
}) {
  const { t } = useTranslation('compare')
  const { edit, store } = useEditing()
  const columns = useSetup((setup) => setup.columns)
  const columnIndex = columns.findIndex(({ id }) => id === column.id)
  const duplicateColumn = (): void => {
    edit((setup) => withCopiedColumn(setup, column))
    const copy = store.getState().draft.setup.columns[columnIndex + 1]
    if (copy) onShow(copy.id)
  }
  const remove = (): void => {
    onClose()
    edit((setup) => withoutColumn(setup, column.id))
  }
  return (
    <>
      <IconButton
        icon={ArrowLeft}
        label={t('column.left')}
        disabled={columnIndex === 0}
        onClick={() => edit((setup) => withMovedColumn(setup, column.id, -1))}
      />
      <IconButton
        icon={ArrowRight}
        label={t('column.right')}
        disabled={columnIndex === columns.length - 1}
        onClick={() => edit((setup) => withMovedColumn(setup, column.id, 1))}
      />
      <IconButton
        icon={Copy}
        label={t('column.duplicate')}
        disabled={columns.length >= limits.columns}
        onClick={duplicateColumn}
      />
      <IconButton icon={Trash2} label={t('column.remove')} disabled={columns.length === 1} onClick={remove} />
      <Button variant="primary" onClick={onClose}>
        {t('column.done')}
      </Button>
    </>
  )
}

interface ColumnSheetProps {
  readonly columnId: string
  readonly onClose: () => void
  readonly onShow: (columnId: string) => void
}

export function ColumnSheet({ columnId, onClose, onShow }: ColumnSheetProps) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const column = useSetup((setup) => setup.columns.find(({ id }) => id === columnId))
  const number = useSetup((setup) => columnNumber(setup, columnId))
  if (!column) return null
  return (
    <Sheet
      onClose={onClose}
      title={columnName(column) ?? t('column.numbered', { number })}
      description={t('column.savedAsYouGo')}
      footer={<FormFooter column={column} onClose={onClose} onShow={onShow} />}
    >
      <Fields
        key={columnId}
        column={column}
        onChange={(nextColumn, field) =>
          edit((setup) => withColumn(setup, nextColumn), field === undefined ? undefined : `${columnId} ${field}`)
        }
      />
    </Sheet>
  )
}
