import { randomUUID } from 'node:crypto'
import type { Handover, RotationView } from '@shared/contract'
import { RotationStepId } from '@shared/contract/rotation'
import { AppError, type Failure } from '@shared/failure'
import type { Clock } from '../ports'
import type { RotatedToolRecord, RotationRecord } from '../settings/records'
import type { PlanRecord, SettingsStore } from '../settings/settings'

/** How many ended rotations are remembered; the oldest go first. */
const mostEnded = 50

/** What may be noted of a step. */
type StepNote = Pick<RotationRecord['steps'][number], 'state' | 'failure'>

/** The records of all rotations, in the settings: read anew every time, because another process may have written. */
export class RotationJournal {
  readonly #settings: SettingsStore
  readonly #clock: Clock

  constructor({ settings, clock }: { readonly settings: SettingsStore; readonly clock: Clock }) {
    this.#settings = settings
    this.#clock = clock
  }

  /** The newest first. */
  all(): readonly RotationRecord[] {
    return this.#settings.read().rotations
  }

  /** Fails with `rotation.notFound`. */
  find(id: string): RotationRecord {
    const record = this.all().find((one) => one.id === id)
    if (record) return record
    throw new AppError('rotation.notFound', 'This rotation is no longer in the list.')
  }

  /** Fails with `rotation.underWay` for a key of a rotation that has not ended. */
  requireNotRotating(planId: string, { id, name }: { readonly id: string; readonly name: string }): void {
    const open = this.all().filter((one) => !isEnded(one) && one.planId === planId)
    if (!open.some(({ oldKey, newKey }) => [oldKey.id, newKey.id].includes(id))) return
    throw new AppError(
      'rotation.underWay',
      `The key ${name} is already being rotated. Continue that rotation, or undo it.`,
    )
  }

  /** Fails with `rotation.underWay` when another process has begun to rotate the same key. */
  add(record: RotationRecord): RotationRecord {
    this.#settings.update(({ rotations }) => {
      this.requireNotRotating(record.planId, record.oldKey)
      const ended = rotations.filter(isEnded).slice(mostEnded)
      return { rotations: [record, ...rotations.filter((one) => !ended.includes(one))] }
    })
    return record
  }

  /** Notes that this process works on a rotation from now on; false when another one does. */
  claim(id: string, isHeld: (record: RotationRecord) => boolean): boolean {
    return this.#settings.transaction(() => {
      if (isHeld(this.find(id))) return false
      this.patch(id, { state: 'running', isStopWanted: false, runner: { pid: process.pid, at: this.#now() } })
      return true
    })
  }

  /** Writes a change at once. */
  patch(id: string, change: Partial<RotationRecord>): RotationRecord {
    return this.#settings.transaction(() => {
      const before = this.find(id)
      const runner = before.runner && { ...before.runner, at: this.#now() }
      const record = { ...before, runner, ...change }
      this.#settings.update(({ rotations }) => ({ rotations: rotations.map((one) => (one.id === id ? record : one)) }))
      return record
    })
  }

  /** Notes how a step stands, in whichever list it is. */
  note(id: string, stepId: string, note: StepNote): RotationRecord {
    const at = this.#now()
    const noted = <T extends { readonly id: string }>(steps: readonly T[]) =>
      steps.map((step) => (step.id === stepId ? { ...step, failure: undefined, at, ...note } : step))
    return this.#settings.transaction(() => {
      const { steps, undoSteps } = this.find(id)
      return this.patch(id, { steps: noted(steps), undoSteps: noted(undoSteps) })
    })
  }

  remove(id: string): void {
    this.#settings.update(({ rotations }) => ({ rotations: rotations.filter((one) => one.id !== id) }))
  }

  #now(): string {
    return this.#clock().toISOString()
  }
}

/** True when nothing is left to do. */
export const isEnded = ({ state }: RotationRecord): boolean => state === 'done' || state === 'undone'

/** The first step that is neither done nor needless, of the direction that the rotation goes in. */
export function nextStep({ direction, steps, undoSteps }: RotationRecord) {
  return (direction === 'forward' ? steps : undoSteps).find(({ state }) => state !== 'done' && state !== 'skipped')
}

/** What only the running program knows. */
interface RotationProgress {
  /** A process works on it now. */
  readonly isHeld: boolean
  /** What it waits for has come. */
  readonly isDue: boolean
  readonly handover: readonly Handover[]
}

/** A rotation as it may be shown; one whose process was killed is `stopped`. */
export function toRotationView(record: RotationRecord, { isHeld, isDue, handover }: RotationProgress): RotationView {
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
interface FailedStart {
  /** Absent when it is not on this machine any more. */
  readonly plan: PlanRecord | undefined
  readonly failure: Failure
  readonly now: Date
}

/** A rotation that could not be begun, for the report of many; it is on no list. */
export function refusedView(
  { planId, keyId, graceMs }: Readonly<Record<'planId' | 'keyId', string>> & { readonly graceMs: number },
  { plan, failure, now }: FailedStart,
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
