import { Holder } from '@shared/contract/register'
import { z } from 'zod'
import type { SettingsStore } from '../core/settings/settings'
import type { TeamDatabase } from './database'
import type { ConnectionRef } from './register-sync'

export interface AcknowledgedKey {
  readonly holder: Holder
  readonly planName: string
  readonly keyName: string
}

interface HandoutSyncDeps {
  readonly settings: SettingsStore
  readonly database: TeamDatabase
  readonly places: () => readonly ConnectionRef[]
}

const AcknowledgedRow = z.object({
  place: z.string(),
  plan_id: z.string(),
  key_id: z.string(),
  plan_name: z.string(),
  key_name: z.string(),
  holder: Holder,
  at: z.string(),
})

/** Syncs the digests of confirmation codes, so that every lead can confirm a key that another lead issued. */
export class HandoutSync {
  readonly #sent = new Set<string>()

  constructor(private readonly deps: HandoutSyncDeps) {}

  /** Sends keys that were issued on this computer, and records confirmations made on other computers. */
  async run(): Promise<void> {
    const { settings, database } = this.deps
    const waitingHandouts = settings
      .read()
      .handouts.filter((handout) => handout.codeHash !== undefined && !handout.acknowledgedAt)
    if (waitingHandouts.length === 0) return
    for (const row of this.#rows().filter(({ hash }) => !this.#sent.has(hash))) {
      await database.run`INSERT INTO companion_team.handouts
        (hash, place, plan_id, key_id, plan_name, key_name, holder_kind, holder_name, holder_id) VALUES (${row.hash}, ${row.place}, ${row.planId}, ${row.keyId},
          ${row.planName}, ${row.keyName}, ${row.holderKind}, ${row.holderName}, ${row.holderId}) ON CONFLICT DO NOTHING`
      this.#sent.add(row.hash)
    }
    const hashes = waitingHandouts.map(({ codeHash }) => codeHash)
    const acknowledgements = await database.rows(
      z.object({ hash: z.string(), acknowledged_at: z.iso.datetime() }),
    )`SELECT hash, acknowledged_at FROM companion_team.handouts WHERE acknowledged_at IS NOT NULL AND hash = ANY(${hashes}::text[])`
    if (acknowledgements.length === 0) return
    const acknowledgedAtByHash = new Map(acknowledgements.map((row) => [row.hash, row.acknowledged_at]))
    settings.update(({ handouts }) => ({
      handouts: handouts.map((handout) => {
        const acknowledgedAt = handout.acknowledgedAt ?? acknowledgedAtByHash.get(handout.codeHash ?? '')
        return acknowledgedAt === undefined ? handout : { ...handout, acknowledgedAt }
      }),
    }))
  }

  /** Records that a confirmation code was entered, and returns the issued key. Undefined for an unknown code. */
  acknowledge(codeHash: string): Promise<AcknowledgedKey | undefined> {
    return this.deps.database.transaction(async (query) => {
      const [row] = await query(
        AcknowledgedRow,
      )`UPDATE companion_team.handouts SET acknowledged_at = coalesce(acknowledged_at, now()) WHERE hash = ${codeHash}
        RETURNING place, plan_id, key_id, plan_name, key_name, jsonb_strip_nulls(jsonb_build_object('id', holder_id, 'kind', holder_kind, 'name', holder_name)) AS holder,
          to_char(acknowledged_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS at`
      if (row === undefined) return undefined
      await query(z.object({}))`UPDATE companion_team.holdings SET acknowledged_at = ${row.at}
        WHERE place = ${row.place} AND plan_id = ${row.plan_id} AND key_id = ${row.key_id} AND handed_out_at IS NOT NULL`
      return { holder: row.holder, planName: row.plan_name, keyName: row.key_name }
    })
  }

  /** Keys that were issued on this computer and belong to accounts that other leads share. */
  #rows() {
    const { handouts, plans } = this.deps.settings.read()
    const platformsByConnection = new Map(this.deps.places().map(({ connectionId, place }) => [connectionId, place]))
    return handouts.flatMap(({ planId, accountKeyId, codeHash: hash, keyName, holder, state }) => {
      const plan = plans.find(({ id }) => id === planId)
      const platformAddress = platformsByConnection.get(plan?.origin?.connectionId ?? '')
      if (!plan?.origin || !platformAddress || !accountKeyId || !hash || state !== 'written') return []
      return [
        {
          hash,
          place: platformAddress,
          planId: plan.origin.planId,
          keyId: accountKeyId,
          planName: plan.name,
          keyName,
          holderKind: holder.kind,
          holderName: holder.name,
          holderId: holder.id ?? null,
        },
      ]
    })
  }
}
