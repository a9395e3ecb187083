import type { ConnectionView } from '@shared/contract'
import { Activity, FileUp, Pencil, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureWords } from '../../i18n/failures'
import { CallError, useAction } from '../../ipc'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import { editPath, showPath } from './paths'
import { useSwitchConnection } from './use-connections'

/** Puts a connection to use and says so, or why not. */
export function useUse(): (connection: Pick<ConnectionView, 'id' | 'name'>) => void {
  const { t } = useTranslation('connections')
  const switchTo = useSwitchConnection()
  const explain = useFailureWords()
  return ({ id, name }) => {
    switchTo(id).then(
      () => toast(t('nowUsed', { name })),
      (error: unknown) => {
        const description = error instanceof CallError ? explain(error.failure).title : undefined
        void toast(t('useFailed', { name }), { tone: 'danger', ...(description ? { description } : {}) })
      },
    )
  }
}

function useExport({ id, name }: ConnectionView): () => void {
  const { t } = useTranslation('connections')
  const explain = useFailureWords()
  const writing = useAction('connections.writeFile', {
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('exported', { name }), { description: t('exportedText', { path }) })
    },
    onError: ({ failure }) =>
      void toast(t('exportFailed', { name }), { tone: 'danger', description: explain(failure).title }),
  })
  return () => writing.mutate({ id })
}

interface MenuOptions {
  /** On the page of the connection itself what its buttons do is left out. */
  readonly onPage?: boolean
  readonly onRemove: () => void
}

/** What can be done with a connection; the built-in one can be neither changed nor removed. */
export function useConnectionMenu(connection: ConnectionView, { onPage = false, onRemove }: MenuOptions) {
  const { t } = useTranslation('connections')
  const navigate = useNavigate()
  const save = useExport(connection)
  const { id, isBuiltIn } = connection
  const test = { label: t('testAll'), icon: Activity, onSelect: () => void navigate(showPath(id, { test: true })) }
  const edit = { label: t('editMenu'), icon: Pencil, onSelect: () => void navigate(editPath(id)) }
  const keep = { label: t('exportMenu'), icon: FileUp, onSelect: save }
  const remove = { label: t('removeMenu'), icon: Trash2, danger: true, onSelect: onRemove }
  const items: readonly MenuItem[] = [
    ...(onPage ? [] : [test]),
    ...(isBuiltIn || onPage ? [] : [edit]),
    keep,
    ...(isBuiltIn ? [] : (['separator', remove] as const)),
  ]
  return items
}
