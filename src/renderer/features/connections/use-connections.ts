import type { ConnectionView } from '@shared/contract'
import { type Query, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef } from 'react'
import { call, callKey, useCall } from '../../ipc'

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
