import type { ConversationSummary } from '@shared/contract'
import { FileJson, FileText, Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureWords } from '../../i18n/failures'
import { type CallError, useAction } from '../../ipc'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import { chatPath } from './paths'

interface MenuWiring {
  /** The one that is open. */
  readonly conversationId: string | undefined
  readonly onRename: (id: string) => void
}

/** Says in a toast why something could not be done. */
export function useToldFailure(): (error: CallError) => void {
  const { t } = useTranslation('playground')
  const words = useFailureWords()
  return ({ failure }) => void toast(t('list.failed', { title: words(failure).title }), { tone: 'danger' })
}

function useRemove(conversationId: string | undefined): (of: ConversationSummary) => void {
  const { t } = useTranslation('playground')
  const navigate = useNavigate()
  const onError = useToldFailure()
  const removing = useAction('playground.remove', { invalidates: ['playground'], onError })
  const restoring = useAction('playground.restore', { invalidates: ['playground'], onError })
  return ({ id, title }) => {
    const undo = (): void => {
      void restoring.mutateAsync({ id }).then(
        () => id === conversationId && navigate(chatPath(id)),
        () => undefined,
      )
    }
    const removed = (): void => {
      if (id === conversationId) void navigate(chatPath(), { replace: true })
      void toast(t('list.removed', { title }), { action: { label: t('list.undo'), onClick: undo } })
    }
    removing.mutateAsync({ id }).then(removed, () => undefined)
  }
}

/** What can be done with a conversation of the list. */
export function useConversationMenu({ conversationId, onRename }: MenuWiring) {
  const { t } = useTranslation('playground')
  const onError = useToldFailure()
  const pinning = useAction('playground.pin', { invalidates: ['playground'], onError })
  const remove = useRemove(conversationId)
  const exporting = useAction('playground.export', {
    onError,
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('list.exported'), { description: path })
    },
  })
  return (of: ConversationSummary): readonly MenuItem[] => {
    const { id, isPinned } = of
    return [
      { label: t('list.rename'), icon: Pencil, onSelect: () => onRename(id) },
      {
        label: t(isPinned ? 'list.unpin' : 'list.pin'),
        icon: isPinned ? PinOff : Pin,
        onSelect: () => pinning.mutate({ id, isPinned: !isPinned }),
      },
      'separator',
      {
        label: t('list.exportMarkdown'),
        icon: FileText,
        onSelect: () => exporting.mutate({ id, format: 'markdown' }),
      },
      { label: t('list.exportJson'), icon: FileJson, onSelect: () => exporting.mutate({ id, format: 'json' }) },
      'separator',
      { label: t('list.remove'), icon: Trash2, danger: true, onSelect: () => remove(of) },
    ]
  }
}

/** Reads conversations from files that were exported as JSON, and opens the first of them. */
export function useImport(): () => void {
  const { t } = useTranslation('playground')
  const navigate = useNavigate()
  const onError = useToldFailure()
  const importing = useAction('playground.import', {
    invalidates: ['playground'],
    onError,
    onSuccess: async ({ conversationIds }) => {
      const [first] = conversationIds
      if (first === undefined) return
      void toast(t('list.imported', { count: conversationIds.length }))
      await navigate(chatPath(first))
    },
  })
  return () => importing.mutate({})
}
