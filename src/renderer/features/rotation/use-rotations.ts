import type { MethodOutput, RotationView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { callKey, useCall } from '../../ipc'

const runningMs = 1_000
const restMs = 30_000

const pace = (rotations: readonly RotationView[]): number =>
  rotations.some(({ state }) => state === 'running') ? runningMs : restMs

/** Every rotation that is not taken off the list, newest first; asked for every second while one is under way, or expected. */
export const useRotations = ({ isExpecting = false }: { readonly isExpecting?: boolean } = {}) =>
  useCall('rotation.list', {}, { refetchInterval: ({ state }) => (isExpecting ? runningMs : pace(state.data ?? [])) })

/** Puts what main answered about a rotation in its place in the list, so that it shows at once. */
export function usePutRotation(): (rotation: RotationView) => void {
  const queries = useQueryClient()
  return (rotation) =>
    queries.setQueryData<MethodOutput<'rotation.list'>>(callKey('rotation.list', {}), (list = []) =>
      list.some(({ id }) => id === rotation.id)
        ? list.map((one) => (one.id === rotation.id ? rotation : one))
        : [rotation, ...list],
    )
}
