import { AppError } from '@shared/failure'
import type { Clock } from '../../core/ports'
import type { RotationRecord } from '../../core/settings/records'
import type { SettingsStore } from '../../core/settings/settings'

/** Ended rotations beyond this count are dropped, oldest first. */
const maxEndedRotations = 50

/** The write-ahead journal of all rotations, in the settings. Read on each call, because other processes write too. */
export class RotationJournal {
  constructor(private readonly ports: { readonly settings: SettingsStore; readonly clock: Clock }) {}

  /** Newest first. */
  all(): readonly RotationRecord[] {
    return this.ports.settings.read().rotations
  }

  /** Finds a rotation. Fails with `rotation.notFound`. */
  find(id: string): RotationRecord {
    const record = this.all().find((rotation) => rotation.id === id)
    if (record) return record
    throw new AppError('rotation.notFound', 'This rotation is no longer in the list.')
  }

  /** Fails with `rotation.underWay` while a rotation of the key has not ended. */
  requireNotRotating(planId: string, { id, name }: { readonly id: string; readonly name: string }): void {
    const openRotations = this.all().filter((rotation) => !isEnded(rotation) && rotation.planId === planId)
    if (!openRotations.some(({ oldKey, newKey }) => [oldKey.id, newKey.id].includes(id))) return
    throw new AppError(
      'rotation.underWay',
      `The key ${name} is already being rotated. Continue that rotation, or undo it.`,
    )
  }

  /** Adds a rotation. Fails with `rotation.underWay` when another process started to rotate the same key. */
  add(record: RotationRecord): void {
    this.ports.settings.update(({ rotations }) => {
      this.requireNotRotating(record.planId, record.oldKey)
      const endedRotations = rotations.filter(isEnded).slice(maxEndedRotations)
      return { rotations: [record, ...rotations.filter((rotation) => !endedRotations.includes(rotation))] }
    })
  }

  /** Claims a rotation for this process. Returns false while another one runs it. */
  claim(id: string, isHeld: (record: RotationRecord) => boolean): boolean {
    return this.ports.settings.transaction(() => {
      if (isHeld(this.find(id))) return false
      this.patch(id, { state: 'running', isStopWanted: false, runner: { pid: process.pid, at: this.#timestamp() } })
      return true
    })
  }

  patch(id: string, change: Partial<RotationRecord>): void {
    this.ports.settings.transaction(() => {
      const previousRecord = this.find(id)
      const runner = previousRecord.runner && { ...previousRecord.runner, at: this.#timestamp() }
      const record = { ...previousRecord, runner, ...change }
      this.ports.settings.update(({ rotations }) => ({
        rotations: rotations.map((rotation) => (rotation.id === id ? record : rotation)),
      }))
    })
  }

  note(id: string, stepId: string, note: Pick<RotationRecord['steps'][number], 'state' | 'failure'>): void {
    const updatedAt = this.#timestamp()
    const markStep = <T extends { readonly id: string }>(steps: readonly T[]) =>
      steps.map((step) => (step.id === stepId ? { ...step, failure: undefined, at: updatedAt, ...note } : step))
    this.ports.settings.transaction(() => {
      const { steps, undoSteps } = this.find(id)
      this.patch(id, { steps: markStep(steps), undoSteps: markStep(undoSteps) })
    })
  }

  remove(id: string): void {
    this.ports.settings.update(({ rotations }) => ({ rotations: rotations.filter((rotation) => rotation.id !== id) }))
  }

  #timestamp(): string {
    return this.ports.clock().toISOString()
  }
}

export const isEnded = ({ state }: RotationRecord): boolean => state === 'done' || state === 'undone'

export function nextStep({ direction, steps, undoSteps }: RotationRecord) {
  return (direction === 'forward' ? steps : undoSteps).find(({ state }) => state !== 'done' && state !== 'skipped')
}
