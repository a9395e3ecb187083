import { useCall } from '../../ipc'

/** The catalogue of a connection's console; it changes rarely. */
export const usePackages = (connectionId: string) =>
  useCall('account.packages', { connectionId }, { staleTime: 60_000 })
