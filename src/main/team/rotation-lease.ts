import { TeamRotation } from '@shared/contract/team'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import { formatExactTime } from '../core/local-time'
import type { RotationRecord } from '../core/settings/records'
import { isEnded, nextStep } from '../keys/rotation/journal'
import type { RotationLease, SharedRotation } from '../keys/rotation/ports'
import { findPlace, type SpaceContext } from './register-sync'

/** Duration of a lease. It is renewed every third of this time. */
const leaseSeconds = 90

const optionalText = z.string().optional().catch(undefined)

const RotationRow = TeamRotation.extend({
  place: z.string(),
  planId: z.string(),
  keyId: z.string(),
  newKeyId: optionalText,
  wasActive: z.boolean(),
  direction: z.enum(['forward', 'back']),
  step: optionalText,
  graceMs: z.number(),
  deleteAt: optionalText,
  disableBy: optionalText,
})
export type RotationRow = z.infer<typeof RotationRow>

interface ActiveLease {
  record: RotationRecord
  readonly fence: number
  /** Expiry by the local monotonic clock, counted from before the request: never later than in the database. */
  until: number
  readonly timer: NodeJS.Timeout
}

/** Leases ensure that only one computer rotates a key. The stored record lets another computer continue. */
export class TeamRotationLease implements RotationLease {
  readonly #held = new Map<string, ActiveLease>()

  constructor(private readonly deps: SpaceContext) {}

  async take(record: RotationRecord): Promise<void> {
    const { database, machineUid, settings } = this.deps
    const { id, origin, oldKey, newKey, planName, direction, graceMs } = record
    const place = findPlace(this.deps, origin.connectionId)
    if (place === undefined) return
    const requestedAt = performance.now()
    // End rotations of this computer that its journal lacks: its process was killed, or the user dismissed them.
    const knownIds = [...settings.read().rotations.map((rotation) => rotation.id), id]
    await database.run`UPDATE companion_team.rotations AS r SET state = 'undone', ended_at = now() FROM companion_team.machines AS m
      WHERE m.id = r.machine AND m.uid = ${machineUid} AND r.place = ${place} AND r.plan_id = ${origin.planId} AND r.key_id = ${oldKey.keyId}
      AND r.ended_at IS NULL AND r.id <> ALL(${knownIds}::uuid[])`
    await database.run`INSERT INTO companion_team.rotations
      (id, place, plan_id, key_id, plan_name, key_name, new_key_name, was_active, direction, state, grace_ms, person, machine, fence, lease_until)
      SELECT ${id}::uuid, ${place}, ${origin.planId}, ${oldKey.keyId}, ${planName}, ${oldKey.name}, ${newKey.name}, ${oldKey.wasActive}, ${direction}, 'running',
        ${graceMs}, m.person, m.id, 0, now() - interval '1 second'
      FROM companion_team.machines AS m WHERE m.uid = ${machineUid} ON CONFLICT DO NOTHING`
    const [won] = await database.rows(z.object({ fence: z.number().int() }))`UPDATE companion_team.rotations AS r
      SET fence = r.fence + 1, machine = m.id, person = m.person, ended_at = NULL, lease_until = now() + make_interval(secs => ${leaseSeconds})
      FROM companion_team.machines AS m WHERE m.uid = ${machineUid} AND r.id = ${id}::uuid AND (r.machine = m.id OR r.lease_until < now())
      AND NOT EXISTS (SELECT FROM companion_team.rotations AS o WHERE o.place = r.place AND o.plan_id = r.plan_id AND o.key_id = r.key_id AND o.ended_at IS NULL AND o.id <> r.id)
      RETURNING r.fence`
    const isSameKey = (row: RotationRow): boolean =>
      row.place === place && row.planId === origin.planId && row.keyId === oldKey.keyId
    if (won === undefined) throw await this.#heldElsewhere(isSameKey)
    this.#drop(id)
    const renew = (): void => void this.keep(lease.record).catch(() => undefined)
    const lease: ActiveLease = {
      record,
      fence: won.fence,
      until: requestedAt + leaseSeconds * 1000,
      timer: setInterval(renew, (leaseSeconds * 1000) / 3).unref(),
    }
    this.#held.set(id, lease)
  }

  async keep(record: RotationRecord): Promise<void> {
    const activeLease = this.#held.get(record.id)
    if (activeLease === undefined) return
    activeLease.record = record
    try {
      await this.#note(record, activeLease, false)
    } catch (error) {
      // While the database is unreachable, no other computer can take the lease, so it is valid until it expires.
      const isLeaseLost = !(error instanceof AppError && error.failure.code === 'team.unreachable')
      if (isLeaseLost || performance.now() >= activeLease.until) throw error
    }
  }

  async leave(record: RotationRecord): Promise<void> {
    const activeLease = this.#held.get(record.id)
    if (activeLease === undefined) return
    this.#drop(record.id)
    await this.#note(record, activeLease, true).catch(() => undefined)
  }

  /** Record to continue another computer's rotation. Fails with `rotation.*`, or `connection.notFound`. */
  async findRotation(id: string): Promise<SharedRotation> {
    const row = (await this.list()).find((leaseRow) => leaseRow.id === id)
    if (row === undefined)
      throw new AppError('rotation.notFound', 'This rotation is no longer on the list of the team.')
    if (!row.isFree && !row.isHere) throw createLeaseHeldError(row)
    const connection = this.deps.places().find(({ place }) => place === row.place)
    if (connection === undefined) {
      const message = `This computer has no connection to the account of the key ${row.keyName}. Add one first.`
      throw new AppError('connection.notFound', message)
    }
    const { keyId: oldKeyId, keyName: oldKeyName, wasActive, direction, startedAt, graceMs, deleteAt, disableBy } = row
    return {
      id,
      origin: { connectionId: connection.connectionId, planId: row.planId },
      oldKeyId,
      oldKeyName,
      wasActive,
      newKey: { name: row.newKeyName, keyId: row.newKeyId },
      direction,
      startedAt,
      graceMs,
      deleteAt,
      disableBy,
    }
  }

  /** Stops renewing leases, which then expire. */
  end(): void {
    for (const id of this.#held.keys()) this.#drop(id)
  }

  async list(): Promise<RotationRow[]> {
    return this.deps.database.rows(
      RotationRow,
    )`SELECT r.id, r.place, r.plan_id AS "planId", r.key_id AS "keyId", r.plan_name AS "planName", r.key_name AS "keyName", r.new_key_name AS "newKeyName",
      r.new_key_id AS "newKeyId", r.was_active AS "wasActive", r.direction, r.state, r.step, r.grace_ms AS "graceMs", r.delete_at AS "deleteAt", r.disable_by AS "disableBy",
      p.name AS "personName", m.name AS "machineName", m.uid = ${this.deps.machineUid}::uuid AS "isHere", r.started_at AS "startedAt", r.lease_until < now() AS "isFree"
      FROM companion_team.rotations AS r JOIN companion_team.people AS p ON p.id = r.person JOIN companion_team.machines AS m ON m.id = r.machine
      WHERE r.ended_at IS NULL ORDER BY r.started_at DESC LIMIT 1000`
  }

  async #note(record: RotationRecord, lease: ActiveLease, isLast: boolean): Promise<void> {
    const { id, newKey, direction, state, deleteAt, disableBy } = record
    const requestedAt = performance.now()
    const seconds = isLast ? -1 : leaseSeconds
    const updatedRows = await this.deps.database.rows(z.object({ id: z.string() }))`UPDATE companion_team.rotations AS r
      SET new_key_name = ${newKey.name}, new_key_id = ${newKey.keyId}, direction = ${direction}, state = ${state}, step = ${nextStep(record)?.id ?? 'done'},
        delete_at = ${deleteAt}, disable_by = ${disableBy}, lease_until = now() + make_interval(secs => ${seconds}),
        ended_at = CASE WHEN ${isEnded(record)} THEN now() END
      FROM companion_team.machines AS m WHERE m.id = r.machine AND m.uid = ${this.deps.machineUid} AND r.id = ${id}::uuid AND r.fence = ${lease.fence} RETURNING r.id`
    if (updatedRows.length === 0) throw await this.#heldElsewhere((row) => row.id === id)
    lease.until = requestedAt + leaseSeconds * 1000
  }

  async #heldElsewhere(isIt: (row: RotationRow) => boolean): Promise<AppError> {
    const row = (await this.list()).find(isIt)
    if (row !== undefined) return createLeaseHeldError(row)
    const message = 'Another computer of the team was just working on this rotation. Try again.'
    return new AppError('rotation.heldElsewhere', message)
  }

  #drop(id: string): void {
    clearInterval(this.#held.get(id)?.timer)
    this.#held.delete(id)
  }
}

function createLeaseHeldError({ id, keyName, personName, machineName, startedAt, isFree }: RotationRow): AppError {
  const takeOver = `No computer works on it now. "companion team take-over ${id}" continues it here.`
  const advice = isFree ? takeOver : 'Wait until it is done.'
  const message = `${personName} has been rotating the key ${keyName} on ${machineName} since ${formatExactTime(startedAt)}. ${advice}`
  return new AppError('rotation.heldElsewhere', message)
}
