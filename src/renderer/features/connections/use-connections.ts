import type { ConnectionView } from '@shared/contract'
import { type Query, useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { Activity, FileUp, Pencil, Trash2 } from 'lucide-react'
import { useCallback, useEffect, useRef } from 'react'
import { showFailureToast } from '../../i18n/failures'
import { call, callKey, useAction, useCall } from '../../ipc'
import { connectionPath, editConnectionPath } from '../../paths'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'

const t = i18next.getFixedT(null, 'connections')

/** First parts of the names of methods whose results do not depend on the active connection. */
const independentDomains = [
  'app',
  'audit',
  'connections',
  'handouts',
  'operations',
  'rotation',
  'sandbox',
  'settings',
  'tools',
]

export const useActiveConnection = (): ConnectionView | undefined =>
  useCall('connections.list', {}).data?.find(({ isActive }) => isActive)

const connectionQueries = {
  predicate: ({ queryKey: [name] }: Query): boolean => !independentDomains.includes(String(name).split('.')[0] ?? ''),
}

/** Clears and reloads the data of a connection when another becomes active, also if the command line switched it. */
export function useReloadOnSwitch(): void {
  const queries = useQueryClient()
  const id = useActiveConnection()?.id
  const lastId = useRef(id)
  useEffect(() => {
    if (id === lastId.current) return
    const isFirst = lastId.current === undefined
    lastId.current = id
    if (!isFirst) void queries.resetQueries(connectionQueries)
  }, [id, queries])
}

/** Optimistic switch, rolled back on failure. Rejects with `CallError`. */
export function useSwitchConnection(): (id: string) => Promise<void> {
  const queries = useQueryClient()
  return useCallback(
    async (id) => {
      const key = callKey('connections.list', {})
      // Cancel pending requests for the list, whose responses would overwrite the new choice.
      await queries.cancelQueries({ queryKey: key })
      const connectionsBefore = queries.getQueryData<ConnectionView[]>(key)
      queries.setQueryData(
        key,
        connectionsBefore?.map((connection) => ({ ...connection, isActive: connection.id === id })),
      )
      try {
        await call('connections.use', { id })
      } catch (error) {
        queries.setQueryData(key, connectionsBefore)
        throw error
      } finally {
        void queries.invalidateQueries({ queryKey: key })
      }
      // Reload queries that started before main had switched, because they may have used the previous connection.
      void queries.invalidateQueries(connectionQueries)
    },
    [queries],
  )
}

/** Switches the connection and shows the result in a toast. */
export function useSwitchWithToast(): (connection: Pick<ConnectionView, 'id' | 'name'>) => void {
  const switchConnection = useSwitchConnection()
  return ({ id, name }) => {
    switchConnection(id).then(
      () => toast(t('nowUsed', { name })),
      showFailureToast({ title: t('useFailed', { name }) }),
    )
  }
}

/** Menu of a connection. The built-in connection cannot be changed or removed. */
export function useConnectionMenu(
  connection: ConnectionView,
  /** `onPage`: whether the menu is on the page of the connection, which has some items as buttons. */
  { onPage = false, onRemove }: { readonly onPage?: boolean; readonly onRemove: () => void },
): readonly MenuItem[] {
  const writeFile = useAction('connections.writeFile', {
    onSuccess: ({ path }) => {
      if (path !== undefined)
        void toast(t('exported', { name: connection.name }), { description: t('exportedText', { path }) })
    },
    onError: showFailureToast({ title: t('exportFailed', { name: connection.name }) }),
  })
  const { id, isBuiltIn } = connection
  return [
    ...(onPage ? [] : [{ label: t('testAll'), icon: Activity, to: connectionPath(id, { test: true }) }]),
    ...(isBuiltIn || onPage ? [] : [{ label: t('editMenu'), icon: Pencil, to: editConnectionPath(id) }]),
    { label: t('exportMenu'), icon: FileUp, onSelect: () => writeFile.mutate({ id }) },
    ...(isBuiltIn
      ? []
      : (['separator', { label: t('removeMenu'), icon: Trash2, danger: true, onSelect: onRemove }] as const)),
  ]
}
