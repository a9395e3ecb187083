import type {
  MethodOutput,
  RotatedTool,
  RotationState,
  RotationStepId,
  RotationUndoStepId,
  RotationView,
} from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useQueryClient } from '@tanstack/react-query'
import i18next from 'i18next'
import { useEffect } from 'react'
import { callKey, useAction, useCall } from '../../../ipc'
import { useToastAction } from '../../../toast-actions'
import type { Tone } from '../../../ui/badge'

const t = i18next.getFixedT(null, 'rotation')

export const stepIds: readonly RotationStepId[] = [
  'add',
  'keep',
  'check',
  'repoint',
  'verify',
  'disable',
  'confirm',
  'grace',
  'delete',
]

const undoStepIds: readonly RotationUndoStepId[] = ['enable', 'giveBack', 'verifyBack', 'remove']

export const allStepIds = [...stepIds, ...undoStepIds]

export const stateTones: Record<RotationState, Tone> = {
  running: 'accent',
  stopped: 'warning',
  failed: 'danger',
  waiting: 'neutral',
  done: 'success',
  undone: 'neutral',
}

export const needsUserAction = ({ state }: RotationView): boolean => state === 'stopped' || state === 'failed'

/** Whether both keys work, for a grace period or until all holders have confirmed the new key. */
export const isOverlapping = ({ state, deleteAt }: Pick<RotationView, 'state' | 'deleteAt'>): boolean =>
  state === 'waiting' && deleteAt === undefined

export const isHandoverOpen = (rotation: Pick<RotationView, 'state' | 'deleteAt' | 'handover'>): boolean =>
  isOverlapping(rotation) && (rotation.handover ?? []).some(({ state }) => state !== 'confirmed')

export const isEnded = ({ state }: RotationView): boolean => state === 'done' || state === 'undone'

export const listFailedTools = ({ tools }: RotationView): RotationView['tools'] =>
  tools.filter(({ state }) => state === 'failed')

/** Whether a step disables a key that running tools may hold. */
export const isKeyEndingStep = (id: Step['id']): boolean => id === 'disable' || id === 'remove'

export type Step = RotationView['steps'][number] | NonNullable<RotationView['undoSteps']>[number]

export const getCurrentSteps = ({ steps, undoSteps }: RotationView): readonly Step[] => undoSteps ?? steps

export function findProgress(rotation: RotationView) {
  const steps = getCurrentSteps(rotation)
  const index = steps.findIndex(({ state }) => state !== 'done' && state !== 'skipped')
  const stepNumber = index === -1 ? steps.length : index + 1
  return { at: stepNumber, count: steps.length, step: steps[stepNumber - 1]?.id }
}

export const findFailure = (rotation: RotationView): Failure | undefined =>
  getCurrentSteps(rotation).find(({ failure }) => failure)?.failure ??
  rotation.tools.find(({ failure }) => failure)?.failure

const isUndoStep = (id: Step['id']): id is RotationUndoStepId => undoStepIds.some((undoStepId) => undoStepId === id)

export const getStepTitle = (id: Step['id']): string =>
  isUndoStep(id) ? t(`undoSteps.${id}.title`) : t(`steps.${id}.title`)

/** Rotations to show, newest first. Polls every second while a rotation is active or about to start. */
export const useRotations = ({ isExpecting = false }: { readonly isExpecting?: boolean } = {}) =>
  useCall(
    'rotation.list',
    {},
    {
      refetchInterval: ({ state: { data } }) =>
        isExpecting || data?.some(({ state }) => state === 'running') ? 1_000 : 30_000,
    },
  )

export function useCacheRotation(): (rotation: RotationView) => void {
  const queries = useQueryClient()
  return (rotation) =>
    queries.setQueryData<MethodOutput<'rotation.list'>>(callKey('rotation.list', {}), (list = []) =>
      list.some(({ id }) => id === rotation.id)
        ? list.map((listedRotation) => (listedRotation.id === rotation.id ? rotation : listedRotation))
        : [rotation, ...list],
    )
}

const invalidatedDomains = ['rotation', 'plans', 'tools', 'profiles', 'account', 'register', 'audit'] as const

export function useRotationActions({ id, state }: Pick<RotationView, 'id' | 'state'>, onDismissed?: () => void) {
  const storeRotation = useCacheRotation()
  const stopRotation = useToastAction('rotation.stop', { invalidates: ['rotation'], onSuccess: storeRotation })
  const resumeRotation = useToastAction('rotation.resume', {
    invalidates: invalidatedDomains,
    onSuccess: storeRotation,
  })
  const undoRotation = useAction('rotation.undo', { invalidates: invalidatedDomains, onSuccess: storeRotation })
  const dismissRotationAction = useToastAction('rotation.dismiss', { invalidates: ['rotation'] })
  const confirmToolAction = useToastAction('rotation.confirmTool', {
    invalidates: ['rotation'],
    onSuccess: (rotation) => {
      storeRotation(rotation)
      // Resume the rotation if this was the last tool that could not be switched.
      if (rotation.canResume && listFailedTools(rotation).length === 0) resumeRotation.mutate({ id })
    },
  })
  const { reset } = stopRotation
  useEffect(() => {
    if (state !== 'running') reset()
  }, [state, reset])
  return {
    stop: () => stopRotation.mutate({ id }),
    /** Stays true after the stop request, until the current step of the rotation has ended. */
    isStopping: stopRotation.isPending || stopRotation.isSuccess,
    resume: () => resumeRotation.mutate({ id }),
    isResuming: resumeRotation.isPending,
    undoing: undoRotation,
    confirmTool: ({ toolId, site }: RotatedTool) => confirmToolAction.mutate({ id, toolId, site }),
    isConfirming: confirmToolAction.isPending,
    dismiss: () => dismissRotationAction.mutate({ id }, { onSuccess: () => onDismissed?.() }),
    isDismissing: dismissRotationAction.isPending,
  }
}

export type RotationActions = ReturnType<typeof useRotationActions>
