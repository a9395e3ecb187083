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
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useFailureToast } from '../../../i18n/failures'
import { callKey, useAction, useCall } from '../../../ipc'
import type { Tone } from '../../../ui/badge'

/** The steps of a rotation, in their order. */
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

/** The colour of each state; a word always goes with it. */
export const stateTones: Record<RotationState, Tone> = {
  running: 'accent',
  stopped: 'warning',
  failed: 'danger',
  waiting: 'neutral',
  done: 'success',
  undone: 'neutral',
}

/** Whether a rotation stands still and wants a person. */
export const needsPerson = ({ state }: RotationView): boolean => state === 'stopped' || state === 'failed'

/** Whether both keys work, for a time or until everyone has confirmed. */
export const isOverlapping = ({ state, deleteAt }: Pick<RotationView, 'state' | 'deleteAt'>): boolean =>
  state === 'waiting' && deleteAt === undefined

/** Whether holders have to get or confirm the new key. */
export const isHandingOver = (rotation: Pick<RotationView, 'state' | 'deleteAt' | 'handover'>): boolean =>
  isOverlapping(rotation) && (rotation.handover ?? []).some(({ state }) => state !== 'confirmed')

/** Whether it is over, so that it may be taken off the list. */
export const isEnded = ({ state }: RotationView): boolean => state === 'done' || state === 'undone'

/** The tools that were not moved to the new key: they keep both keys alive. */
export const leftTools = ({ tools }: RotationView): RotationView['tools'] =>
  tools.filter(({ state }) => state === 'failed')

/** From this step on a key is refused that running tools may hold. */
export const endsKey = (id: Step['id']): boolean => id === 'disable' || id === 'remove'

/** A step in either direction. */
export type Step = RotationView['steps'][number] | NonNullable<RotationView['undoSteps']>[number]

/** The steps that undo a rotation, in their order. */
export const undoStepIds: readonly RotationUndoStepId[] = ['enable', 'giveBack', 'verifyBack', 'remove']

/** Whether a step is one of those that undo. */
const isUndoStep = (id: Step['id']): id is RotationUndoStepId => undoStepIds.some((one) => one === id)

/** The steps of the direction it goes in now. */
export const stepsNow = ({ steps, undoSteps }: RotationView): readonly Step[] => undoSteps ?? steps

/** Where a rotation is: the step that runs, failed, or comes next, counted from 1. */
export function findProgress(rotation: RotationView): {
  readonly at: number
  readonly count: number
  readonly step: Step['id'] | undefined
} {
  const steps = stepsNow(rotation)
  const index = steps.findIndex(({ state }) => state !== 'done' && state !== 'skipped')
  const at = index === -1 ? steps.length : index + 1
  return { at, count: steps.length, step: steps[at - 1]?.id }
}

/** Why it failed: the failure of a step, or of the first tool that was left. */
export const findFailure = (rotation: RotationView): Failure | undefined =>
  stepsNow(rotation).find(({ failure }) => failure)?.failure ?? rotation.tools.find(({ failure }) => failure)?.failure

/** What a step is called, in either direction. */
export function useStepWords(): (id: Step['id']) => string {
  const { t } = useTranslation('rotation')
  return (id) => (isUndoStep(id) ? t(`undoSteps.${id}.title`) : t(`steps.${id}.title`))
}

const runningMs = 1_000
const pollIntervalMs = 30_000

const pace = (rotations: readonly RotationView[]): number =>
  rotations.some(({ state }) => state === 'running') ? runningMs : pollIntervalMs

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

/** Stop, resume, undo and dismiss of a rotation; each shows at once what main made of it. */
export function useRotationActions({ id, state }: Pick<RotationView, 'id' | 'state'>, onDismissed?: () => void) {
  const putRotation = usePutRotation()
  const onError = useFailureToast()()
  const stopping = useAction('rotation.stop', { invalidates: ['rotation'], onSuccess: putRotation, onError })
  const resuming = useAction('rotation.resume', { invalidates: touched, onSuccess: putRotation, onError })
  const undoing = useAction('rotation.undo', { invalidates: touched, onSuccess: putRotation })
  const dismissing = useAction('rotation.dismiss', { invalidates: ['rotation'], onError })
  const confirming = useAction('rotation.confirmTool', {
    invalidates: ['rotation'],
    onError,
    onSuccess: (rotation) => {
      putRotation(rotation)
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
