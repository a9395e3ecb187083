import type { ConnectionView } from '@shared/contract'
import { useMemo } from 'react'
import { useCall } from '../../ipc'
import { rowsOf } from '../resources/lookup'
import { flavorChoices } from './flavors'

/** What runtimes can run on, as choices; none until the platform answered. Asked for while `isWanted`. */
export function useFlavors(connection: ConnectionView | undefined, isWanted: boolean) {
  const { data } = useCall(
    'resources.call',
    { connectionId: connection?.id ?? '', operation: 'runtime.flavors.list' },
    { enabled: isWanted && connection !== undefined },
  )
  return useMemo(() => flavorChoices(rowsOf(data?.data)), [data])
}
