import { isDeepStrictEqual } from 'node:util'
import { ComputerKeyUsage } from '@shared/contract/rotation'
import { dayMs } from '@shared/durations'
import { z } from 'zod'
import type { Clock } from '../core/ports'
import type { AccountKey } from '../keys/rotation/ports'
import { findPlace, type SpaceContext } from './register-sync'
import type { RotationRow } from './rotation-lease'

export type KeyUse = AccountKey & { readonly toolName: string }

interface OtherComputersDeps extends SpaceContext {
  readonly osUser: string
  readonly keyUses: () => Promise<readonly KeyUse[]>
  readonly clock: Clock
}

/** A key rotation by another computer that this computer must follow, because it uses the old key. */
export interface PendingSwitch {
  readonly rotationId: string
  readonly oldKey: AccountKey
  readonly newKeyId: string
}

/** Publishes the ids and names of keys that this computer uses, and reads those of other computers. */
export class TeamComputers {
  #published: { readonly rows: unknown; readonly atMs: number } | undefined

  constructor(private readonly deps: OtherComputersDeps) {}

  /** Publishes the keys that this computer uses, after a change and once a day. */
  async publish(): Promise<void> {
    const { database, machineUid, osUser, clock } = this.deps
    const rows = await this.#ownUses()
    const nowMs = clock().getTime()
    const isCurrent = this.#published !== undefined && nowMs - this.#published.atMs < dayMs
    if (isCurrent && isDeepStrictEqual(this.#published?.rows, rows)) return
    await database.run`SELECT companion_team.publish_uses(${machineUid}::uuid, ${osUser.slice(0, 100)}, ${JSON.stringify(rows)}::jsonb)`
    this.#published = { rows, atMs: nowMs }
  }

  async findUses({ connectionId, planId, keyId }: AccountKey): Promise<ComputerKeyUsage[]> {
    const { database, machineUid } = this.deps
    const place = findPlace(this.deps, connectionId)
    if (place === undefined) return []
    const rows = await database.rows(
      ComputerKeyUsage.extend({ failedAt: z.string().nullable() }),
    )`SELECT m.uid AS "machineUid", m.name AS computer, p.name AS person, m.os_user AS "osUser", u.tools AS "toolNames", coalesce(m.uses_at, m.seen_at) AS "publishedAt",
      (SELECT max(s.at) FROM companion_team.switches AS s JOIN companion_team.rotations AS r ON r.id = s.rotation WHERE s.machine = m.id AND s.state = 'failed'
        AND r.ended_at IS NULL AND r.place = u.place AND r.plan_id = u.plan_id AND r.key_id = u.key_id) AS "failedAt"
      FROM companion_team.machines AS m JOIN companion_team.people AS p ON p.id = m.person
        CROSS JOIN jsonb_to_recordset(m.uses) AS u (place text, plan_id text, key_id text, tools text[])
      WHERE u.place = ${place} AND u.plan_id = ${planId} AND u.key_id = ${keyId} AND m.uid <> ${machineUid}::uuid
        AND m.left_at IS NULL AND p.removed_at IS NULL ORDER BY p.name, m.name LIMIT 1000`
    return rows.map(({ failedAt, ...use }) => ({ ...use, ...(failedAt !== null && { failedAt }) }))
  }

  /** Open rotations of other computers whose new key was checked and whose old key this computer uses. */
  async pending(rotations: readonly RotationRow[]): Promise<readonly PendingSwitch[]> {
    const uses = await this.deps.keyUses()
    return rotations.flatMap(({ id, place, planId, keyId, newKeyId, direction, step = 'add', isHere }) => {
      const isOldKey = (use: KeyUse): boolean => use.planId === planId && use.keyId === keyId
      const use = uses.find((keyUse) => isOldKey(keyUse) && findPlace(this.deps, keyUse.connectionId) === place)
      const isNewKeyChecked = direction === 'forward' && !['add', 'keep', 'check'].includes(step)
      if (isHere || !isNewKeyChecked || use === undefined || newKeyId === undefined) return []
      return [{ rotationId: id, oldKey: { connectionId: use.connectionId, planId, keyId }, newKeyId }]
    })
  }

  async report(rotationId: string, state: 'tested' | 'failed'): Promise<void> {
    const { database, machineUid } = this.deps
    await database.run`SELECT companion_team.report_switch(${machineUid}::uuid, ${rotationId}::uuid, ${state})`
  }

  /** Keys of shared accounts that tools and routes of this computer use, as columns `uses` of the space. */
  async #ownUses() {
    const rows = new Map<string, { place: string; plan_id: string; key_id: string; tools: string[] }>()
    for (const { connectionId, planId, keyId, toolName } of await this.deps.keyUses()) {
      const place = findPlace(this.deps, connectionId)
      if (place === undefined) continue
      const id = JSON.stringify([place, planId, keyId])
      const tools = new Set([...(rows.get(id)?.tools ?? []), toolName])
      rows.set(id, { place, plan_id: planId, key_id: keyId, tools: [...tools].sort() })
    }
    return [...rows.values()].sort((a, b) => a.key_id.localeCompare(b.key_id))
  }
}
