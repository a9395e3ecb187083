import type { MethodOutput, RotatedTool, RotationView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useFailureWords } from '../../i18n/failures'
import { type CallError, callKey, useAction, useCall } from '../../ipc'
import { toast } from '../../ui/toast'
import { leftTools } from './progress'

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

const touched = ['rotation', 'plans', 'tools', 'profiles', 'account', 'register', 'audit'] as const

function useSayFailure(): (error: CallError) => void {
  const words = useFailureWords()
  return ({ failure }) => {
    const { title, remedy } = words(failure)
    void toast(title, { tone: 'danger', description: remedy })
  }
}

/** Stop, resume, undo and dismiss of a rotation; each shows at once what main made of it. */
export function useRotationActions({ id, state }: Pick<RotationView, 'id' | 'state'>, onDismissed?: () => void) {
  const put = usePutRotation()
  const onError = useSayFailure()
  const stopping = useAction('rotation.stop', { invalidates: ['rotation'], onSuccess: put, onError })
  const resuming = useAction('rotation.resume', { invalidates: touched, onSuccess: put, onError })
  const undoing = useAction('rotation.undo', { invalidates: touched, onSuccess: put })
  const dismissing = useAction('rotation.dismiss', { invalidates: ['rotation'], onError })
  const confirming = useAction('rotation.confirmTool', {
    invalidates: ['rotation'],
    onError,
    onSuccess: (rotation) => {
      put(rotation)
      // The last one that was waited for: go on.
      if (rotation.canResume && leftTools(rotation).length === 0) resuming.mutate({ id })
    },
  })
  const { reset } = stopping
  useEffect(() => {
    if (state !== 'running') reset()
  }, [state, reset])
  return {
    stop: () => stopping.mutate({ id }),
    /** Asked for, and it goes on until the step is through. */
    isStopping: stopping.isPending || stopping.isSuccess,
    resume: () => resuming.mutate({ id }),
    isResuming: resuming.isPending,
    undoing,
    confirmTool: ({ toolId, site }: RotatedTool) => confirming.mutate({ id, toolId, site }),
    isConfirming: confirming.isPending,
    dismiss: () => dismissing.mutate({ id }, { onSuccess: () => onDismissed?.() }),
    isDismissing: dismissing.isPending,
  }
}

export type RotationActions = ReturnType<typeof useRotationActions>
