import type { RotationSchedule, RotationScheduleInput } from '@shared/contract'
import { dayMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { toFailure } from '../../core/log'
import type { RotationScheduleRecord } from '../../core/settings/records'
import type { SettingsStore } from '../../core/settings/settings'
import type { RotationPorts } from './ports'

type KeyRef = Pick<RotationScheduleInput, 'planId' | 'keyId'>

interface ScheduleDeps extends Pick<RotationPorts, 'settings' | 'clock' | 'log'> {
  readonly start: (request: Omit<RotationScheduleInput, 'at' | 'everyDays'>) => Promise<unknown>
}

/** Rotations that start at a time, once or every few days. They are started while the app or `companion rotate due` runs. */
export class RotationSchedules {
  constructor(private readonly deps: ScheduleDeps) {}

  /** The next one first. Omits keys that are no longer on this computer. */
  list(): RotationSchedule[] {
    const { plans, rotationSchedules } = this.deps.settings.read()
    return rotationSchedules
      .flatMap((schedule) => {
        const plan = plans.find(({ id }) => id === schedule.planId)
        const key = plan?.keys.find(({ id }) => id === schedule.keyId)
        return plan && key ? [{ ...schedule, planName: plan.name, keyName: key.name }] : []
      })
      .toSorted((a, b) => a.at.localeCompare(b.at))
  }

  /** Replaces the schedule of a key. Fails with `input.invalid` for a time in the past. */
  set(schedule: RotationScheduleInput): void {
    if (Date.parse(schedule.at) <= this.deps.clock().getTime())
      throw new AppError('input.invalid', 'Choose a time in the future.', { field: 'at' })
    this.#replace(schedule, [schedule])
  }

  remove(key: KeyRef): void {
    this.#replace(key, [])
  }

  /** Starts the rotations that are due. Returns them, and those that could not start for a new reason. */
  async startDue(): Promise<RotationSchedule[]> {
    const nowMs = this.deps.clock().getTime()
    const startedSchedules: RotationSchedule[] = []
    for (const { failure: failureBefore, ...schedule } of this.list().filter(({ at }) => Date.parse(at) <= nowMs)) {
      const { planName: _, keyName: __, ...record } = schedule
      // Advance before the start, so that a killed process does not start the rotation twice.
      this.#replace(schedule, getNext(record, nowMs))
      try {
        await this.deps.start(record)
        startedSchedules.push(schedule)
      } catch (error) {
        const message = 'The rotation could not start. The log has the details.'
        const failure = toFailure(error, this.deps.log, 'rotation.schedule', message)
        // Without a network, as at sign-in, only try again.
        const isOffline = failure.code.startsWith('net.')
        this.#replace(schedule, [isOffline ? record : { ...record, failure }])
        if (!isOffline && failure.code !== failureBefore?.code) startedSchedules.push({ ...schedule, failure })
      }
    }
    return startedSchedules
  }

  #replace(key: KeyRef, schedules: readonly RotationScheduleRecord[]): void {
    this.deps.settings.update(({ rotationSchedules }) => ({
      rotationSchedules: [
        ...rotationSchedules.filter(({ planId, keyId }) => planId !== key.planId || keyId !== key.keyId),
        ...schedules,
      ],
    }))
  }
}

function getNext(schedule: RotationScheduleRecord, nowMs: number): RotationScheduleRecord[] {
  if (schedule.everyDays === undefined) return []
  const intervalMs = schedule.everyDays * dayMs
  const atMs = Date.parse(schedule.at)
  const missedCount = Math.floor((nowMs - atMs) / intervalMs)
  return [{ ...schedule, at: new Date(atMs + (missedCount + 1) * intervalMs).toISOString() }]
}

/** Lets the schedule of a rotated key continue with its replacement. */
export function followScheduledKey(
  settings: Pick<SettingsStore, 'read' | 'update'>,
  { oldKeyId, newKeyId }: { readonly oldKeyId: string; readonly newKeyId: string },
): void {
  if (!settings.read().rotationSchedules.some(({ keyId }) => keyId === oldKeyId)) return
  settings.update(({ rotationSchedules }) => ({
    rotationSchedules: rotationSchedules.map((schedule) =>
      schedule.keyId === oldKeyId ? { ...schedule, keyId: newKeyId } : schedule,
    ),
  }))
}
