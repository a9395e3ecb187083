import { randomUUID } from 'node:crypto'
import { type Handover, RotationStepId, type RotationView } from '@shared/contract'
import type { Failure } from '@shared/failure'
import type { RotatedToolRecord, RotationRecord } from '../settings/records'
import type { PlanRecord } from '../settings/settings'
import { isEnded } from './journal'

/** What only the running program knows. */
export interface Standing {
  /** A process works on it now. */
  readonly isHeld: boolean
  /** What it waits for has come. */
  readonly isDue: boolean
  readonly handover: readonly Handover[]
}

/** A rotation as it may be shown; one whose process was killed is `stopped`. */
export function viewOf(record: RotationRecord, { isHeld, isDue, handover }: Standing): RotationView {
  const { id, planId, planName, oldKey, newKey, tools, profiles, startedAt, graceMs, deleteAt, disableBy, direction } =
    record
  const state = record.state === 'running' && !isHeld ? 'stopped' : record.state
  const shown = <T extends { readonly state: RotationView['steps'][number]['state'] }>(step: T) =>
    step.state === 'running' && !isHeld && state !== 'waiting' ? { ...step, state: 'pending' as const } : step
  return {
    id,
    planId,
    planName,
    oldKeyId: oldKey.id,
    oldKeyName: oldKey.name,
    ...(newKey.id === undefined ? {} : { newKeyId: newKey.id }),
    newKeyName: newKey.name,
    state,
    steps: record.steps.map(shown),
    ...(direction === 'back' ? { undoSteps: record.undoSteps.map(shown) } : {}),
    tools: tools.map(toolView),
    profiles: [...profiles],
    startedAt,
    graceMs,
    ...(state === 'waiting' && deleteAt !== undefined ? { deleteAt } : {}),
    ...(handover.length > 0 ? { handover: [...handover] } : {}),
    ...(disableBy === undefined ? {} : { disableBy }),
    canResume: !isHeld && (state === 'stopped' || state === 'failed' || (state === 'waiting' && isDue)),
    canUndo: !isEnded(record) && direction === 'forward',
  }
}

const toolView = ({ hand: _, ...tool }: RotatedToolRecord): RotationView['tools'][number] => tool

/** Why a rotation of many could not be begun. */
export interface Refusal {
  /** Absent when it is not on this machine any more. */
  readonly plan: PlanRecord | undefined
  readonly failure: Failure
  readonly now: Date
}

/** A rotation that could not be begun, for the report of many; it is on no list. */
export function refusedView(
  { planId, keyId, graceMs }: Readonly<Record<'planId' | 'keyId', string>> & { readonly graceMs: number },
  { plan, failure, now }: Refusal,
): RotationView {
  return {
    id: randomUUID(),
    planId,
    planName: plan?.name ?? planId,
    oldKeyId: keyId,
    oldKeyName: plan?.keys.find(({ id }) => id === keyId)?.name ?? keyId,
    newKeyName: '',
    state: 'failed',
    steps: RotationStepId.options.map((id) =>
      id === 'add' ? { id, state: 'failed', at: now.toISOString(), failure } : { id, state: 'pending' },
    ),
    tools: [],
    profiles: [],
    startedAt: now.toISOString(),
    graceMs,
    canResume: false,
    canUndo: false,
  }
}
