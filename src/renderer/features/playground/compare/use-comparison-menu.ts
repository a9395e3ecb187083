import type { ComparisonSummary, MethodInput } from '@shared/contract'
import { Copy, FileJson, FileSpreadsheet, Pin, PinOff, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureToast } from '../../../i18n/failures'
import { call, useAction } from '../../../ipc'
import { comparisonPath } from '../../../paths'
import { useCurrentPlan } from '../../../session'
import type { MenuItem } from '../../../ui/menu'
import { toast } from '../../../ui/toast'
import { createPromptSetup, createSetup, newId, type PromptCopy, type Template } from './setup'

type ComparisonRef = Pick<ComparisonSummary, 'id' | 'title' | 'isPinned'>
type Format = MethodInput<'playground.exportComparison'>['format']

/** Removes a comparison and offers undo in a toast. */
function useRemoveComparison(onRemoved: () => void): (comparison: ComparisonRef) => void {
  const { t } = useTranslation('compare')
  const onError = useFailureToast()()
  const removeComparison = useAction('playground.removeComparison', { invalidates: ['playground'], onError })
  const restoreComparison = useAction('playground.restoreComparison', { invalidates: ['playground'], onError })
  return ({ id, title }) =>
    removeComparison.mutate(
      { id },
      {
        onSuccess: () => {
          onRemoved()
          void toast(t('removed', { title }), {
            action: { label: t('undo'), onClick: () => restoreComparison.mutate({ id }) },
          })
        },
      },
    )
}

function useExportComparison(): (id: string, format: Format) => void {
  const { t } = useTranslation('compare')
  const onError = useFailureToast()()
  const exportComparisonAction = useAction('playground.exportComparison', {
    onError,
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('exported'), { description: path })
    },
  })
  return (id, format) => exportComparisonAction.mutate({ id, format })
}

/** Copies the settings and test cases of a comparison, without its answers. */
function useDuplicateComparison(): (comparison: ComparisonRef) => void {
  const { t } = useTranslation('compare')
  const navigate = useNavigate()
  const onError = useFailureToast()()
  const saveComparison = useAction('playground.saveComparison', {
    invalidates: ['playground'],
    onError,
    onSuccess: ({ id }) => void navigate(comparisonPath(id)),
  })
  return ({ id, title }) =>
    void call('playground.comparison', { id }).then(
      ({ setup: { winner: _, ...setup } }) =>
        saveComparison.mutate({
          id: newId(),
          setup: {
            ...setup,
            title: t('copyTitle', { title }).slice(0, 200),
            columns: setup.columns.map(({ rating: __, ...column }) => column),
          },
        }),
      onError,
    )
}

export function useImportComparisons() {
  const navigate = useNavigate()
  const onError = useFailureToast()()
  return useAction('playground.importComparisons', {
    invalidates: ['playground'],
    onError,
    onSuccess: ({ comparisonIds: [id, ...otherIds] }) => {
      if (id !== undefined && otherIds.length === 0) void navigate(comparisonPath(id))
    },
  })
}

export function usePinComparison(): (comparison: ComparisonRef) => void {
  const onError = useFailureToast()()
  const pinAction = useAction('playground.pinComparison', { invalidates: ['playground'], onError })
  return ({ id, isPinned }) => pinAction.mutate({ id, isPinned: !isPinned })
}

export function useComparisonMenu(
  onRemoved: () => void = () => undefined,
): (comparison: ComparisonRef) => readonly MenuItem[] {
  const { t } = useTranslation('compare')
  const remove = useRemoveComparison(onRemoved)
  const exportComparison = useExportComparison()
  const pinComparison = usePinComparison()
  const duplicateComparison = useDuplicateComparison()
  return (comparison) => [
    {
      label: t(comparison.isPinned ? 'menu.unpin' : 'menu.pin'),
      icon: comparison.isPinned ? PinOff : Pin,
      onSelect: () => pinComparison(comparison),
    },
    { label: t('menu.duplicate'), icon: Copy, onSelect: () => duplicateComparison(comparison) },
    { label: t('menu.csv'), icon: FileSpreadsheet, onSelect: () => exportComparison(comparison.id, 'csv') },
    { label: t('menu.json'), icon: FileJson, onSelect: () => exportComparison(comparison.id, 'json') },
    'separator',
    { label: t('menu.remove'), icon: Trash2, danger: true, onSelect: () => remove(comparison) },
  ]
}

export function useNewComparison() {
  const { t } = useTranslation('compare')
  const navigate = useNavigate()
  const plan = useCurrentPlan()
  const onError = useFailureToast()()
  const saveComparison = useAction('playground.saveComparison', {
    invalidates: ['playground'],
    onError,
    onSuccess: ({ id }) => void navigate(comparisonPath(id)),
  })
  const createFromTemplate = (template: Template): void =>
    saveComparison.mutate({
      id: newId(),
      setup: createSetup(template, plan, {
        title: t(`templates.${template}.name`),
        variants: [t('templates.first'), t('templates.second')],
      }),
    })
  const createFromPrompt = (prompt: PromptCopy): void =>
    saveComparison.mutate({ id: newId(), setup: createPromptSetup(prompt, plan) })
  return { begin: createFromTemplate, beginWith: createFromPrompt, isPending: saveComparison.isPending }
}
