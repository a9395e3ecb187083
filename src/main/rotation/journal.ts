import { AppError } from '@shared/failure'
import type { Clock } from '../ports'
import type { RotationRecord } from '../settings/records'
import type { SettingsStore } from '../settings/settings'

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
