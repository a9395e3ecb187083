import type { PromptSummary } from '@shared/contract'
import { Columns3, Copy, Download, MessageSquare, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CallError, call, useAction } from '../../ipc'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import type { TriedPrompt } from '../compare/templates'
import { useSayFailure } from '../compare/use-say'

type Named = Pick<PromptSummary, 'id' | 'name'>

/** Removes a prompt; a toast brings it back. */
export function useRemovePrompt(onRemoved: () => void = () => undefined): (prompt: Named) => void {
  const { t } = useTranslation('prompts')
  const onError = useSayFailure()
  const removing = useAction('playground.removePrompt', { invalidates: ['playground'], onError })
  const restoring = useAction('playground.restorePrompt', { invalidates: ['playground'], onError })
  return ({ id, name }) =>
    removing.mutate(
      { id },
      {
        onSuccess: () => {
          onRemoved()
          void toast(t('removed', { name }), {
            action: { label: t('undo'), onClick: () => restoring.mutate({ id }) },
          })
        },
      },
    )
}

/** Saves prompts as a file where the person says. */
export function useExportPrompts(): (ids: readonly string[]) => void {
  const { t } = useTranslation('prompts')
  const onError = useSayFailure()
  const exporting = useAction('playground.exportPrompts', { onError })
  return (ids) =>
    exporting.mutate(
      { ids: [...ids] },
      {
        onSuccess: ({ path }) => {
          if (path !== undefined) void toast(t('exported', { count: ids.length }), { description: path })
        },
      },
    )
}

/** Copies the text of a prompt. */
export function useCopyPrompt(): (text: string) => void {
  const { t } = useTranslation('prompts')
  return (text) =>
    void call('app.copyText', { text }).then(
      () => toast(t('copied')),
      () => toast(t('copyFailed'), { tone: 'danger' }),
    )
}

interface Trying {
  readonly inChat: (prompt: TriedPrompt) => void
  readonly inComparison: (prompt: TriedPrompt) => void
}

/** What can be done with a prompt of the list. */
export function usePromptMenu({ inChat, inComparison }: Trying): (prompt: Named) => readonly MenuItem[] {
  const { t } = useTranslation('prompts')
  const onError = useSayFailure()
  const remove = useRemovePrompt()
  const exportThem = useExportPrompts()
  const copy = useCopyPrompt()
  const withNewest = (id: string, use: (prompt: TriedPrompt) => void): void => {
    call('playground.prompt', { id }).then(
      ({ name, versions: [newest] }) => {
        if (newest) use({ name, ...newest })
      },
      (error: unknown) => {
        if (error instanceof CallError) onError(error)
      },
    )
  }
  return ({ id, name }) => [
    { label: t('menu.chat'), icon: MessageSquare, onSelect: () => withNewest(id, inChat) },
    { label: t('menu.compare'), icon: Columns3, onSelect: () => withNewest(id, inComparison) },
    { label: t('menu.copy'), icon: Copy, onSelect: () => withNewest(id, ({ text }) => copy(text)) },
    { label: t('menu.export'), icon: Download, onSelect: () => exportThem([id]) },
    'separator',
    { label: t('menu.remove'), icon: Trash2, danger: true, onSelect: () => remove({ id, name }) },
  ]
}
