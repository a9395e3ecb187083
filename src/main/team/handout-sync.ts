import { Holder } from '@shared/contract/register'
import { z } from 'zod'
import { findPlace, type SpaceContext } from './register-sync'

const AcknowledgedKey = z.object({ holder: Holder, planName: z.string(), keyName: z.string() })
export type AcknowledgedKey = z.infer<typeof AcknowledgedKey>

/** Shares digests of confirmation codes, so that every lead can confirm keys, and records confirmations. */
export async function syncHandouts(context: SpaceContext): Promise<void> {
  const { settings, database } = context
  const { handouts, plans } = settings.read()
  const sent = handouts.flatMap(({ planId, accountKeyId, codeHash: hash, keyName, holder, state, acknowledgedAt }) => {
    const plan = plans.find(({ id }) => id === planId)
    const place = findPlace(context, plan?.origin?.connectionId ?? '')
    if (!plan?.origin || !place || !accountKeyId || !hash || state !== 'written' || acknowledgedAt) return []
    const ids = { plan_id: plan.origin.planId, key_id: accountKeyId }
    return [{ hash, place, ...ids, plan_name: plan.name, key_name: keyName, holder }]
  })
  if (sent.length === 0) return
  await database.run`INSERT INTO companion_team.handouts
    SELECT * FROM jsonb_populate_recordset(NULL::companion_team.handouts, ${JSON.stringify(sent)}::jsonb) ON CONFLICT DO NOTHING`
  const acknowledgements = await database.rows(
    z.object({ hash: z.string(), at: z.iso.datetime() }),
  )`SELECT hash, acknowledged_at AS at FROM companion_team.handouts
    WHERE acknowledged_at IS NOT NULL AND hash = ANY(${sent.map(({ hash }) => hash)}::text[])`
  if (acknowledgements.length === 0) return
  const times = new Map(acknowledgements.map(({ hash, at }) => [hash, at]))
  settings.update((current) => ({
    handouts: current.handouts.map((handout) => {
      const acknowledgedAt = handout.acknowledgedAt ?? times.get(handout.codeHash ?? '')
      return acknowledgedAt === undefined ? handout : { ...handout, acknowledgedAt }
    }),
  }))
}

/** Records that a confirmation code was entered, and returns the issued key. Undefined for an unknown code. */
export async function acknowledgeHandout(
  { database }: Pick<SpaceContext, 'database'>,
  codeHash: string,
): Promise<AcknowledgedKey | undefined> {
  const [key] = await database.rows(AcknowledgedKey)`WITH acknowledged AS (
      UPDATE companion_team.handouts SET acknowledged_at = coalesce(acknowledged_at, now()) WHERE hash = ${codeHash} RETURNING *),
    noted AS (
      UPDATE companion_team.holdings AS h SET note = h.note || jsonb_build_object('acknowledgedAt',
        to_char(a.acknowledged_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      FROM acknowledged AS a WHERE h.place = a.place AND h.plan_id = a.plan_id AND h.key_id = a.key_id AND h.note ? 'handedOutAt')
    SELECT holder, plan_name AS "planName", key_name AS "keyName" FROM acknowledged`
  return key
}
