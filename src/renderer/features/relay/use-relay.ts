import type { RelayView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { callKey, useAction, useCall } from '../../ipc'

/** How the relay of this machine stands. */
export const useRelay = () => useCall('relay.get', {})

const afterwards = { invalidates: ['relay', 'tools'] } as const

/** Starts, stops and pauses the relay; how it stands then is on the screen at once. */
export function useRelayActions() {
  const queries = useQueryClient()
  const onSuccess = (view: RelayView): void => void queries.setQueryData(callKey('relay.get', {}), view)
  const starting = useAction('relay.start', { ...afterwards, onSuccess })
  const stopping = useAction('relay.stop', { ...afterwards, onSuccess })
  const pausing = useAction('relay.setPaused', { ...afterwards, onSuccess })
  return { starting, stopping, pausing, start: () => starting.mutate({}) }
}

export type RelayActions = ReturnType<typeof useRelayActions>
