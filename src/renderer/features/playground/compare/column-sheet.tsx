import type { ComparisonColumn } from '@shared/contract'
import { ArrowLeft, ArrowRight, Copy, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button'
import { Sheet } from '../../../ui/dialog'
import { FieldGroup, TextAreaField, TextField } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { Switch } from '../../../ui/switch'
import { getStandard, ParametersFields, TargetSelect } from '..'
import { columnName, columnNumber } from './cells'
import { useEditing, useSetup } from './editing'
import { limits, withColumn, withCopiedColumn, withMovedColumn, withoutColumn } from './setup'

export const growingAreaClass = 'field-sizing-content max-h-[30vh] min-h-14'

function Fields(props: { column: ComparisonColumn; onChange: (column: ComparisonColumn, field?: string) => void }) {
  const { column, onChange } = props
  const { t } = useTranslation('compare')
  const sharedPrompt = useSetup((setup) => setup.prompt)
  const { prompt, ...columnWithoutPrompt } = column
  const { target, system, parameters, name } = column
  return (
    <FieldGroup>
      <TargetSelect
        label={t('column.target')}
        value={target}
        onChange={(chosen) => onChange({ ...column, target: chosen }, 'target')}
      />
      <TextField
        label={t('column.name')}
        optional
        value={name}
        maxLength={100}
        placeholder={target?.modelCode ?? ''}
        onChange={(nextName) => onChange({ ...column, name: nextName }, 'name')}
      />
      <Switch
        label={t('column.ownPromptSwitch')}
        hint={t('column.ownPromptHint')}
        checked={prompt !== undefined}
        onCheckedChange={(on) => onChange(on ? { ...column, prompt: sharedPrompt } : columnWithoutPrompt)}
      />
      {prompt === undefined ? null : (
        <TextAreaField
          label={t('column.prompt')}
          value={prompt}
          className={growingAreaClass}
          rows={5}
          onChange={(text) => onChange({ ...column, prompt: text }, 'prompt')}
        />
      )}
      <TextAreaField
        label={t('column.systemLabel')}
        optional
        value={system}
        className={growingAreaClass}
        rows={3}
        maxLength={200_000}
        onChange={(text) => onChange({ ...column, system: text }, 'system')}
      />
      <ParametersFields
        value={parameters}
        standard={getStandard(target)}
        onChange={(nextParameters) => onChange({ ...column, parameters: nextParameters }, 'parameters')}
      />
    </FieldGroup>
  )
}

export function useColumnActions(column: ComparisonColumn) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  const { length } = useSetup((setup) => setup.columns)
  const number = useSetup((setup) => columnNumber(setup, column.id))
  const { id } = column
  return {
    duplicate: {
      label: t('column.duplicate'),
      icon: Copy,
      disabled: length >= limits.columns,
      onSelect: () => edit((setup) => withCopiedColumn(setup, column)),
    },
    left: {
      label: t('column.left'),
      icon: ArrowLeft,
      disabled: number === 1,
      onSelect: () => edit((setup) => withMovedColumn(setup, id, -1)),
    },
    right: {
      label: t('column.right'),
      icon: ArrowRight,
      disabled: number === length,
      onSelect: () => edit((setup) => withMovedColumn(setup, id, 1)),
    },
    remove: {
      label: t('column.remove'),
      icon: Trash2,
      disabled: length === 1,
      onSelect: () => edit((setup) => withoutColumn(setup, id)),
    },
  }
}

function SheetFooter({ column, onClose, onShow }: ColumnSheetProps & { readonly column: ComparisonColumn }) {
  const { t } = useTranslation('compare')
  const { getSetup } = useEditing()
  const { left, right, duplicate, remove } = useColumnActions(column)
  const showCopy = (): void => {
    duplicate.onSelect()
    const { columns } = getSetup()
    const copy = columns[columns.findIndex(({ id }) => id === column.id) + 1]
    if (copy) onShow(copy.id)
  }
  const removeAndClose = (): void => {
    onClose()
    remove.onSelect()
  }
  return (
    <>
      {[left, right, { ...duplicate, onSelect: showCopy }, { ...remove, onSelect: removeAndClose }].map(
        ({ onSelect, ...action }) => (
          <IconButton key={action.label} {...action} onClick={onSelect} />
        ),
      )}
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
      footer={<SheetFooter {...{ columnId, column, onClose, onShow }} />}
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
