import type { ConnectionView } from '@shared/contract'
import { type Query, useQueryClient } from '@tanstack/react-query'
import { Activity, FileUp, Pencil, Trash2 } from 'lucide-react'
import { useCallback, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureToast } from '../../i18n/failures'
import { call, callKey, useAction, useCall } from '../../ipc'
import { connectionPath, editConnectionPath } from '../../paths'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'

/** Domains that are this computer's, whichever connection is in use. All others show a connection's. */
const ownDomains = ['app', 'audit', 'connections', 'handouts', 'operations', 'rotation', 'sandbox', 'settings', 'tools']

const isOfConnection = (name: unknown): boolean => !ownDomains.includes(String(name).split('.')[0] ?? '')

/** The connection whose plans and resources are shown. */
export const useActiveConnection = (): ConnectionView | undefined =>
  useCall('connections.list', {}).data?.find(({ isActive }) => isActive)

const ofConnection = { predicate: ({ queryKey: [name] }: Query): boolean => isOfConnection(name) }

/**
 * Reloads what is on the screen whenever another connection comes into use, here or by the command line. What was shown of the one before
 * is forgotten first, so that it is never taken for this one's.
 */
export function useReloadOnSwitch(): void {
  const queries = useQueryClient()
  const id = useActiveConnection()?.id
  const last = useRef(id)
  useEffect(() => {
    if (id === last.current) return
    const isFirst = last.current === undefined
    last.current = id
    if (!isFirst) void queries.resetQueries(ofConnection)
  }, [id, queries])
}

/** Puts another connection to use: shown at once, and back when main cannot. Rejects with `CallError`. */
export function useSwitchConnection(): (id: string) => Promise<void> {
  const queries = useQueryClient()
  return useCallback(
    async (id) => {
      const key = callKey('connections.list', {})
      // An answer still on its way must not undo what the person just chose.
      await queries.cancelQueries({ queryKey: key })
      const before = queries.getQueryData<ConnectionView[]>(key)
      queries.setQueryData(
        key,
        before?.map((one) => ({ ...one, isActive: one.id === id })),
      )
      try {
        await call('connections.use', { id })
      } catch (error) {
        queries.setQueryData(key, before)
        throw error
      } finally {
        void queries.invalidateQueries({ queryKey: key })
      }
      // What was asked for between the press and main's yes may still be of the one before.
      void queries.invalidateQueries(ofConnection)
    },
    [queries],
  )
}

/** Puts a connection to use and says so, or why not. */
export function useUse(): (connection: Pick<ConnectionView, 'id' | 'name'>) => void {
  const { t } = useTranslation('connections')
  const switchTo = useSwitchConnection()
  const tellFailure = useFailureToast()
  return ({ id, name }) => {
    switchTo(id).then(() => toast(t('nowUsed', { name })), tellFailure({ title: t('useFailed', { name }) }))
  }
}

function useExport({ id, name }: ConnectionView): () => void {
  const { t } = useTranslation('connections')
  const tellFailure = useFailureToast()
  const writing = useAction('connections.writeFile', {
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('exported', { name }), { description: t('exportedText', { path }) })
    },
    onError: tellFailure({ title: t('exportFailed', { name }) }),
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
  const test = {
    label: t('testAll'),
    icon: Activity,
    onSelect: () => void navigate(connectionPath(id, { test: true })),
  }
  const edit = { label: t('editMenu'), icon: Pencil, onSelect: () => void navigate(editConnectionPath(id)) }
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
