import { isDeepStrictEqual } from 'node:util'
import type { ComputerKeyUsage } from '@shared/contract/rotation'
import { dayMs } from '@shared/durations'
import { z } from 'zod'
import type { AccountKey, ComputerSwitch, OtherComputers } from '../keys/rotation/ports'
import type { TeamDatabase } from './database'
import type { ConnectionRef } from './register-sync'

export type KeyUse = AccountKey & { readonly toolName: string }

/** A key rotation by another computer that this computer must follow, because it uses the old key. */
export interface PendingSwitch {
  readonly rotationId: string
  readonly person: string
  readonly keyName: string
  readonly planName: string
  readonly oldKey: AccountKey
  readonly newKeyId: string
}

interface OtherComputersDeps {
  readonly database: TeamDatabase
  readonly places: () => readonly ConnectionRef[]
  readonly machineUid: string
  readonly osUser: string
  readonly uses: () => Promise<readonly KeyUse[]>
  readonly now: () => number
}

const KeyUseRow = z.object({
  uid: z.string(),
  computer: z.string(),
  person: z.string(),
  os_user: z.string(),
  tools: z.array(z.string()),
  uses_at: z.iso.datetime(),
})

const ComputerSwitchRow = z.object({
  uid: z.string(),
  computer: z.string(),
  person: z.string(),
  state: z.enum(['tested', 'failed']),
  at: z.iso.datetime(),
})

const PendingSwitchRow = z.object({
  id: z.string(),
  place: z.string(),
  plan_id: z.string(),
  key_id: z.string(),
  new_key_id: z.string(),
  plan_name: z.string(),
  key_name: z.string(),
  person: z.string(),
})

/**
 * Publishes which keys this computer uses, and reads what other computers published. Only ids and names are
 * published.
 */
export class TeamComputers implements OtherComputers {
  readonly #deps: OtherComputersDeps
  #published: { readonly rows: unknown; readonly at: number } | undefined

  constructor(deps: OtherComputersDeps) {
    this.#deps = deps
  }

  /** Publishes the keys that this computer uses, after a change and once a day. */
  async publish(): Promise<void> {
    const { database, machineUid, osUser, now } = this.#deps
    const rows = await this.#rows()
    const isCurrent = this.#published !== undefined && now() - this.#published.at < dayMs
    if (isCurrent && isDeepStrictEqual(this.#published?.rows, rows)) return
    await database.rows(
      z.object({}),
    )`SELECT companion_team.publish_uses(${machineUid}::uuid, ${osUser.slice(0, 100)}, ${JSON.stringify(rows)}::jsonb)`
    this.#published = { rows, at: now() }
  }

  async findUses(key: AccountKey): Promise<readonly ComputerKeyUsage[]> {
    const { database, machineUid } = this.#deps
    const platformAddress = this.#findPlace(key)
    if (platformAddress === undefined) return []
    const rows = await database.rows(
      KeyUseRow,
    )`SELECT m.uid, m.name AS computer, p.name AS person, m.os_user, u.tools, coalesce(m.uses_at, m.seen_at) AS uses_at
      FROM companion_team.uses AS u JOIN companion_team.machines AS m ON m.id = u.machine JOIN companion_team.people AS p ON p.id = m.person
      WHERE u.place = ${platformAddress} AND u.plan_id = ${key.planId} AND u.key_id = ${key.keyId} AND m.uid <> ${machineUid}::uuid
        AND m.left_at IS NULL AND p.removed_at IS NULL ORDER BY p.name, m.name LIMIT 1000`
    return rows.map(({ uid: machineUid, computer, person, os_user, tools, uses_at }) => ({
      ...{ machineUid, computer, person, osUser: os_user, toolNames: tools, publishedAt: uses_at },
    }))
  }

  async listSwitches(rotationId: string): Promise<readonly ComputerSwitch[]> {
    const rows = await this.#deps.database.rows(
      ComputerSwitchRow,
    )`SELECT m.uid, m.name AS computer, p.name AS person, s.state, s.at FROM companion_team.switches AS s
      JOIN companion_team.machines AS m ON m.id = s.machine JOIN companion_team.people AS p ON p.id = m.person
      WHERE s.rotation = ${rotationId}::uuid ORDER BY s.at LIMIT 1000`
    return rows.map(({ uid: machineUid, ...row }) => ({ machineUid, ...row }))
  }

  /** Open rotations of other computers whose new key was checked and whose old key this computer uses. */
  async pending(): Promise<readonly PendingSwitch[]> {
    const { database, machineUid, places } = this.#deps
    const useRows = await this.#rows()
    if (useRows.length === 0) return []
    const rows = await database.rows(
      PendingSwitchRow,
    )`SELECT r.id, r.place, r.plan_id, r.key_id, r.new_key_id, r.plan_name, r.key_name, p.name AS person
      FROM companion_team.rotations AS r JOIN companion_team.machines AS m ON m.id = r.machine JOIN companion_team.people AS p ON p.id = r.person
      WHERE r.ended_at IS NULL AND r.direction = 'forward' AND r.new_key_id IS NOT NULL AND r.step NOT IN ('add', 'keep', 'check')
        AND m.uid <> ${machineUid}::uuid AND r.key_id = ANY(${useRows.map(({ key_id }) => key_id)}::text[]) LIMIT 1000`
    return rows.flatMap((row) => {
      const { place, plan_id: planId, key_id: keyId } = row
      const isUsed = useRows.some((use) => use.place === place && use.plan_id === planId && use.key_id === keyId)
      const connection = places().find((connectionPlace) => connectionPlace.place === place)
      if (!isUsed || connection === undefined) return []
      const { id: rotationId, person, key_name: keyName, plan_name: planName, new_key_id: newKeyId } = row
      const oldKey = { connectionId: connection.connectionId, planId, keyId }
      return [{ rotationId, person, keyName, planName, oldKey, newKeyId }]
    })
  }

  async report(rotationId: string, state: ComputerSwitch['state']): Promise<void> {
    const { database, machineUid } = this.#deps
    await database.rows(
      z.object({}),
    )`SELECT companion_team.report_switch(${machineUid}::uuid, ${rotationId}::uuid, ${state})`
  }

  async leave(): Promise<void> {
    const { database, machineUid } = this.#deps
    await database.rows(z.object({}))`SELECT companion_team.leave_machine(${machineUid}::uuid)`
  }

  #findPlace({ connectionId }: AccountKey): string | undefined {
    return this.#deps.places().find((connectionPlace) => connectionPlace.connectionId === connectionId)?.place
  }

  async #rows() {
    const rows = new Map<string, { place: string; plan_id: string; key_id: string; tools: string[] }>()
    for (const keyUse of await this.#deps.uses()) {
      const platformAddress = this.#findPlace(keyUse)
      if (platformAddress === undefined) continue
      const name = JSON.stringify([platformAddress, keyUse.planId, keyUse.keyId])
      const row = rows.get(name) ?? { place: platformAddress, plan_id: keyUse.planId, key_id: keyUse.keyId, tools: [] }
      rows.set(name, { ...row, tools: [...new Set([...row.tools, keyUse.toolName])].sort() })
    }
    return [...rows.values()].sort((a, b) => a.key_id.localeCompare(b.key_id))
  }
}
