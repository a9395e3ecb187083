import type { RotationState, RotationStepId, RotationUndoStepId, RotationView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { useTranslation } from 'react-i18next'
import type { Tone } from '../../ui/badge'

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

/** Whether the old key works on for those who hold it and have not confirmed the new one. */
export const isHandingOver = ({
  state,
  deleteAt,
  handover = [],
}: Pick<RotationView, 'state' | 'deleteAt' | 'handover'>): boolean =>
  state === 'waiting' && deleteAt === undefined && handover.some((one) => one.state !== 'confirmed')

/** Whether it is over, so that it may be taken off the list. */
export const isEnded = ({ state }: RotationView): boolean => state === 'done' || state === 'undone'

/** The tools that were not moved to the new key: they keep both keys alive. */
export const leftTools = ({ tools }: RotationView): RotationView['tools'] =>
  tools.filter(({ state }) => state === 'failed')

/** The tools of which a running instance goes on with the key that it was started with. */
export const toolsToRestart = <T extends { readonly needsRestart?: boolean | undefined }>(
  tools: readonly T[],
): readonly T[] => tools.filter(({ needsRestart }) => needsRestart)

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
export function placeOf(rotation: RotationView): {
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
export const failureOf = (rotation: RotationView): Failure | undefined =>
  stepsNow(rotation).find(({ failure }) => failure)?.failure ?? rotation.tools.find(({ failure }) => failure)?.failure

/** The rotation that is not over yet and that a key is the old or the new one of. */
export const underWayOf = (
  rotations: readonly RotationView[],
  { planId, keyId }: { readonly planId: string; readonly keyId: string },
): RotationView | undefined =>
  rotations.find((one) => one.planId === planId && [one.oldKeyId, one.newKeyId].includes(keyId) && !isEnded(one))

/** What a step is called, in either direction. */
export function useStepWords(): (id: Step['id']) => string {
  const { t } = useTranslation('rotation')
  return (id) => (isUndoStep(id) ? t(`undoSteps.${id}.title`) : t(`steps.${id}.title`))
}
