import { useCallback } from 'react'
import { useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { chatPath } from '../playground/paths'
import { changeSetup } from '../playground/setups'

/** Begins a chat with a model of the connection's inference: with the connection's own token, or with the API key kept for it when there is no other. */
export function useOpenPlayground(connectionId: string): (modelCode: string) => void {
  const navigate = useNavigate()
  const { data } = useCall('playground.connections', {}, { enabled: connectionId !== '' })
  const known = data?.find((one) => one.connectionId === connectionId)
  const credential = known && !known.hasIam && known.kept !== undefined ? 'apiKey' : 'iam'
  return useCallback(
    (modelCode) => {
      const target = { kind: 'platform', connectionId, credential, modelCode } as const
      changeSetup(undefined, { system: '', parameters: {}, target })
      void navigate(chatPath())
    },
    [navigate, connectionId, credential],
  )
}
