import type { MethodInput } from '@shared/contract'
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { call } from '../../../ipc'
import type { OpenMemory } from '../open-memory'
import { RecordLoader } from './record-loader'

/** The call that lists the records of a namespace. */
export const recordsCall = (
  { connectionId, memoryId }: { readonly connectionId: string; readonly memoryId: string },
  namespace: string,
  limit: number,
): Omit<MethodInput<'resources.call'>, 'callId'> => ({
  connectionId,
  operation: 'memory.records.list',
  path: { id: memoryId },
  query: { namespace, limit },
})

/** The records of a namespace, at most so many; they are asked for anew when any of this changes. */
export function useRecords({ connection, memoryId }: OpenMemory, namespace: string, wished: number) {
  const connectionId = connection.id
  const loader = useMemo(
    () =>
      new RecordLoader(
        {
          open: ({ limit, first, callId }) =>
            call('resources.openSet', { ...recordsCall({ connectionId, memoryId }, namespace, limit), first, callId }),
          slice: async (setId, from, count) => (await call('resources.slice', { setId, from, count })).rows,
          close: (setId) => void call('resources.closeSet', { setId }),
          cancel: (callId) => void call('calls.cancel', { callId }),
        },
        wished,
      ),
    [connectionId, memoryId, namespace, wished],
  )
  useEffect(() => {
    void loader.load()
    return () => loader.close()
  }, [loader])
  return { loader, ...useSyncExternalStore(loader.subscribe, loader.state) }
}
