import type { OperationView } from '@shared/contract'
import { useEffect, useRef } from 'react'
import { useCall } from '../../ipc'
import { useRefreshResources } from '../resources/use-run'

/** What is being done with the API keys of a connection; whenever something of it ends, what is on the screen is asked for anew. */
export function useFollowedKeys(connectionId: string): readonly OperationView[] {
  const refresh = useRefreshResources()
  const { data = [] } = useCall('operations.list', {})
  const mine = data.filter((one) => one.connectionId === connectionId)
  const running = mine
    .filter(({ state }) => state === 'running')
    .map(({ id }) => id)
    .join(' ')
  const before = useRef(running)
  useEffect(() => {
    const hasEnded = before.current.split(' ').some((id) => id !== '' && !running.split(' ').includes(id))
    before.current = running
    if (hasEnded) refresh('lists')
  }, [running, refresh])
  return mine
}
