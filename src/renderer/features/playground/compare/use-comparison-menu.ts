import type { ComparisonSummary } from '@shared/contract'
import { Copy, FileJson, FileSpreadsheet, Pin, PinOff, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureToast } from '../../../i18n/failures'
import { call } from '../../../ipc'
import { comparisonPath } from '../../../paths'
import { useCurrentPlan } from '../../../session'
import { useExportAction, useToastAction, useUndoableRemoval } from '../../../toast-actions'
import type { MenuItem } from '../../../ui/menu'
import { createPromptSetup, createSetup, newId, type PromptCopy, type Template } from './setup'

type ComparisonRef = Pick<ComparisonSummary, 'id' | 'title' | 'isPinned'>

/** Saves a comparison and opens it. */
function useCreateComparison() {
  const navigate = useNavigate()
  return useToastAction('playground.saveComparison', {
    invalidates: ['playground'],
    onSuccess: ({ id }) => void navigate(comparisonPath(id)),
  })
}

export function useImportComparisons() {
  const navigate = useNavigate()
  return useToastAction('playground.importComparisons', {
    invalidates: ['playground'],
    onSuccess: ({ comparisonIds: [id, ...otherIds] }) => {
      if (id !== undefined && otherIds.length === 0) void navigate(comparisonPath(id))
    },
  })
}

export function usePinComparison(): (comparison: Pick<ComparisonRef, 'id' | 'isPinned'>) => void {
  const pinAction = useToastAction('playground.pinComparison', { invalidates: ['playground'] })
  return ({ id, isPinned }) => pinAction.mutate({ id, isPinned: !isPinned })
}

export function useComparisonMenu(
  onRemoved: () => void = () => undefined,
): (comparison: ComparisonRef) => readonly MenuItem[] {
  const { t } = useTranslation('compare')
  const removeComparison = useUndoableRemoval('playground.removeComparison', 'playground.restoreComparison')
  const exportComparison = useExportAction('playground.exportComparison', () => t('exported'))
  const pinComparison = usePinComparison()
  const onError = useFailureToast()()
  const saveComparison = useCreateComparison()
  /** Copies the settings and test cases of a comparison, without its answers. */
  const duplicate = (id: string, title: string): void =>
    void call('playground.comparison', { id }).then(({ setup: { winner: _, ...setup } }) => {
      const columns = setup.columns.map(({ rating: __, ...column }) => column)
      const copyTitle = t('copyTitle', { title }).slice(0, 200)
      saveComparison.mutate({ id: newId(), setup: { ...setup, title: copyTitle, columns } })
    }, onError)
  return ({ id, title, isPinned }) => [
    {
      label: t(isPinned ? 'menu.unpin' : 'menu.pin'),
      icon: isPinned ? PinOff : Pin,
      onSelect: () => pinComparison({ id, isPinned }),
    },
    { label: t('menu.duplicate'), icon: Copy, onSelect: () => duplicate(id, title) },
    { label: t('menu.csv'), icon: FileSpreadsheet, onSelect: () => exportComparison.mutate({ id, format: 'csv' }) },
    { label: t('menu.json'), icon: FileJson, onSelect: () => exportComparison.mutate({ id, format: 'json' }) },
    'separator',
    {
      label: t('menu.remove'),
      icon: Trash2,
      danger: true,
      onSelect: () => removeComparison(id, { title: t('removed', { title }), onRemoved }),
    },
  ]
}

export function useNewComparison() {
  const { t } = useTranslation('compare')
  const plan = useCurrentPlan()
  const saveComparison = useCreateComparison()
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
