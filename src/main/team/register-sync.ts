import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { Holder } from '@shared/contract/register'
import { TeamConflict } from '@shared/contract/team'
import { isSameHolder } from '@shared/key-ids'
import { z } from 'zod'
import type { SettingsStore } from '../core/settings/settings'
import type { Database } from '../core/sqlite/database'
import { type KeyAddress, keyAddressText } from '../keys/register/key-sources'
import type { TeamDatabase } from './database'

/** A connection, and the address of its console, which identifies its plans on other computers. */
export interface ConnectionRef {
  readonly connectionId: string
  readonly place: string
}

export interface SpaceContext {
  readonly settings: SettingsStore
  readonly database: TeamDatabase
  readonly places: () => readonly ConnectionRef[]
  readonly machineUid: string
}

/** Address of a connection's console. Undefined for a connection that is not shared. */
export const findPlace = ({ places }: Pick<SpaceContext, 'places'>, connectionId: string): string | undefined =>
  places().find((connection) => connection.connectionId === connectionId)?.place

/** A text of another computer. One that is too long counts as missing. */
const text = (maxLength: number) => z.string().max(maxLength).optional().catch(undefined)

/** The part of a key record that is shared: fields that people enter, and names. */
const Note = z.object({
  planName: z.string().max(200).catch(''),
  keyName: z.string().max(200).catch(''),
  createdAt: text(40),
  holder: Holder.optional().catch(undefined),
  purpose: text(200),
  machine: text(100),
  handedOutAt: text(40),
  acknowledgedAt: text(40),
  rotatedAt: text(40),
  endsAt: text(40),
  alsoServes: z.array(z.string().max(1000)).max(1000).catch([]),
})
type Note = z.infer<typeof Note>

const emptyNote = Note.parse({})

/** Groups of fields. Each group is merged separately. A holder and the handout state form one group. */
const fieldGroups = [
  ['holder', 'handedOutAt', 'acknowledgedAt', 'alsoServes'],
  ['purpose'],
  ['machine'],
  ['rotatedAt'],
  ['endsAt'],
] as const

const allFields = fieldGroups.flat()
/** Clears all fields, to remove those that a received version does not have. */
const withoutNote = Object.fromEntries(allFields.map((field) => [field, undefined]))

/** Whether two versions of a key record are equal. Ignores names, which come from the account. */
const isSame = (a: Note, b: Note, fields: readonly (keyof Note)[] = allFields): boolean =>
  fields.every((field) => isDeepStrictEqual(a[field], b[field]))

const readNote = (base: SyncBase | undefined): Note => Note.catch(emptyNote).parse(JSON.parse(base?.note ?? '{}'))

const HoldingRow = z.object({
  place: z.string(),
  plan_id: z.string(),
  key_id: z.string(),
  version: z.number().int(),
  changed_by: z.number().int().nullable(),
  note: Note,
})
type HoldingRow = z.infer<typeof HoldingRow>

/** The version of a key record on which this computer and the space last agreed. `note` is JSON. */
interface SyncBase {
  readonly version: number
  readonly note: string
}

/** The local version of a key record, the one in the space, and the one on which both last agreed. */
interface SyncVersions extends KeyAddress {
  readonly place: string
  readonly local?: Note | undefined
  readonly base?: SyncBase | undefined
  readonly row?: HoldingRow | undefined
}

/** Maximum rounds after write conflicts. The rest is synced next time. */
const maxRounds = 20
const batchSize = 500

/** Three-way merge of key records between settings and space. Never overwrites a change that it has not compared. */
export class RegisterSync {
  constructor(private readonly deps: SpaceContext & { readonly state: Database; readonly spaceId: string }) {}

  /** Sends and receives records until both sides are equal. Fails with `team.*`. The next run syncs the rest. */
  async run(): Promise<void> {
    for (let round = 0; round < maxRounds; round += 1) {
      const rows = await this.deps.database.rows(
        HoldingRow,
      )`SELECT place, plan_id, key_id, version, changed_by, note FROM companion_team.holdings LIMIT 100000`
      const { agreed, changed, received } = this.#compare(rows)
      for (const { versions, row, isConflict } of received) if (isConflict) await this.#noteConflict(versions, row)
      this.#saveBases(new Map([...agreed, ...this.#receive(received)]))
      const sentCount = await this.#send(changed)
      if (sentCount === changed.length && received.length === 0) return
    }
  }

  #compare(rows: readonly HoldingRow[]) {
    const agreed = new Map<string, SyncBase>()
    const [changed, received]: [SyncVersions[], ReceivedNote[]] = [[], []]
    for (const versions of this.#versions(rows)) {
      const { local, base, row } = versions
      const isRemoteChanged = row !== undefined && row.version !== base?.version
      if (row && local && isSame(local, row.note)) {
        if (isRemoteChanged) agreed.set(baseKey(versions), toBase(row))
      } else if (row && (local === undefined ? !isSame(row.note, emptyNote) : isRemoteChanged)) {
        received.push({ versions, row, ...merge(local ?? row.note, readNote(base), row.note) })
      } else if (local && (row || !isSame(local, emptyNote))) changed.push(versions)
    }
    return { agreed, changed, received }
  }

  /** Number of unsent records, without querying the database. */
  waiting(): number {
    const versions = [...this.#versions([])]
    return versions.filter(({ local, base }) => local && !isSame(local, readNote(base))).length
  }

  async conflicts(): Promise<TeamConflict[]> {
    return this.deps.database.rows(
      ConflictRow,
    )`SELECT c.id, c.at, c.mine->>'planName' AS "planName", c.mine->>'keyName' AS "keyName", c.mine AS own, p.name AS "ownBy", c.theirs AS shared, t.name AS "sharedBy"
      FROM companion_team.conflicts AS c JOIN companion_team.people AS p ON p.id = c.person LEFT JOIN companion_team.people AS t ON t.id = c.theirs_by
      WHERE c.resolved_at IS NULL ORDER BY c.at DESC, c.id LIMIT 500`
  }

  /** Resolves a conflict by keeping one version. Does nothing if the conflict is already resolved. */
  async resolve(id: string, keep: 'own' | 'shared'): Promise<void> {
    await this.deps.database.run`WITH resolved AS (
        UPDATE companion_team.conflicts SET resolved_at = now() WHERE id = ${id} AND resolved_at IS NULL RETURNING *)
      UPDATE companion_team.holdings AS h SET note = r.mine FROM resolved AS r
      WHERE ${keep === 'own'} AND h.place = r.place AND h.plan_id = r.plan_id AND h.key_id = r.key_id`
    await this.run()
  }

  #versions(rows: readonly HoldingRow[]): Iterable<SyncVersions> {
    const { settings, state, spaceId } = this.deps
    const sql = 'SELECT address, version, note FROM bases WHERE space = ?'
    const baseRows = state.rows('address, version, note', sql, spaceId)
    const bases = new Map(baseRows.map((row) => [row.text(0), { version: row.number(1), note: row.text(2) }]))
    const places = this.deps.places()
    const versionsByKey = new Map<string, SyncVersions>()
    const add = (versions: SyncVersions): void => {
      const key = baseKey(versions)
      versionsByKey.set(key, { ...versionsByKey.get(key), ...versions, base: bases.get(key) })
    }
    for (const row of rows)
      for (const { connectionId, place } of places)
        if (place === row.place) add({ connectionId, planId: row.plan_id, keyId: row.key_id, place, row })
    for (const record of settings.read().register) {
      const { connectionId, planId, keyId } = record
      const place = places.find((connection) => connection.connectionId === connectionId)?.place
      if (place !== undefined) add({ connectionId, planId, keyId, place, local: Note.parse(record) })
    }
    return versionsByKey.values()
  }

  #saveBases(bases: ReadonlyMap<string, SyncBase>): void {
    const { state, spaceId } = this.deps
    if (bases.size === 0) return
    state.transaction('IMMEDIATE', () => {
      for (const [address, { version, note }] of bases)
        state.run('INSERT OR REPLACE INTO bases VALUES (?, ?, ?, ?)', spaceId, address, version, note)
    })
  }

  async #noteConflict(versions: SyncVersions, row: HoldingRow): Promise<void> {
    const { local, base, place, planId, keyId } = versions
    const seed = [this.deps.machineUid, baseKey(versions), base?.version, row.version, local]
    const id = createHash('sha256').update(JSON.stringify(seed)).digest('hex')
    await this.deps.database
      .run`INSERT INTO companion_team.conflicts (id, place, plan_id, key_id, mine, theirs, theirs_by)
      VALUES (${id}, ${place}, ${planId}, ${keyId}, ${JSON.stringify(local)}::jsonb, ${JSON.stringify(row.note)}::jsonb, ${row.changed_by})
      ON CONFLICT DO NOTHING`
  }

  /** Stores received versions, except of records that changed since the comparison. Returns the agreed versions. */
  #receive(received: readonly ReceivedNote[]): Map<string, SyncBase> {
    const agreed = new Map<string, SyncBase>()
    if (received.length === 0) return agreed
    this.deps.settings.update(({ register }) => {
      agreed.clear()
      const recordsByKey = new Map(register.map((record) => [keyAddressText(record), record]))
      for (const { versions, note, row } of received) {
        const { connectionId, planId, keyId, local } = versions
        const record = recordsByKey.get(keyAddressText(versions))
        if (!isSame(Note.parse(record ?? {}), local ?? emptyNote)) continue
        const { holder } = note
        // A holder that was renamed on this computer only keeps its id.
        const ownHolder = holder && record?.holder && isSameHolder(record.holder, holder) ? record.holder : undefined
        const fields = { ...withoutNote, connectionId, planId, keyId, ...note }
        const mergedHolder = holder && { ...ownHolder, ...holder }
        recordsByKey.set(keyAddressText(versions), { ...record, ...fields, holder: mergedHolder })
        agreed.set(baseKey(versions), toBase(row))
      }
      return { register: [...recordsByKey.values()] }
    })
    return agreed
  }

  /** Sends records whose version in the space is unchanged. Returns their number. */
  async #send(changed: readonly SyncVersions[]): Promise<number> {
    let sentCount = 0
    for (let firstIndex = 0; firstIndex < changed.length; firstIndex += batchSize) {
      const batch = changed.slice(firstIndex, firstIndex + batchSize)
      const records = batch.map(({ place, planId, keyId, local: note, row }) => {
        return { place, plan_id: planId, key_id: keyId, note, version: (row?.version ?? 0) + 1 }
      })
      const sentRows = await this.deps.database.rows(
        HoldingRow,
      )`INSERT INTO companion_team.holdings AS h (place, plan_id, key_id, note, version)
        SELECT place, plan_id, key_id, note, version FROM jsonb_populate_recordset(NULL::companion_team.holdings, ${JSON.stringify(records)}::jsonb)
        ORDER BY place, plan_id, key_id
        ON CONFLICT (place, plan_id, key_id) DO UPDATE SET note = excluded.note WHERE h.version = excluded.version - 1 RETURNING h.*`
      const rowsByKey = new Map(sentRows.map((row) => [JSON.stringify([row.place, row.plan_id, row.key_id]), row]))
      const agreed = new Map<string, SyncBase>()
      for (const versions of batch) {
        const row = rowsByKey.get(JSON.stringify([versions.place, versions.planId, versions.keyId]))
        if (row) agreed.set(baseKey(versions), toBase(row))
      }
      this.#saveBases(agreed)
      sentCount += agreed.size
    }
    return sentCount
  }
}

interface ReceivedNote extends ReturnType<typeof merge> {
  readonly versions: SyncVersions
  readonly row: HoldingRow
}

const ConflictNote = Note.omit({ planName: true, keyName: true, createdAt: true })

const ConflictRow = TeamConflict.extend({
  planName: Note.shape.planName,
  keyName: Note.shape.keyName,
  own: ConflictNote,
  shared: ConflictNote,
  sharedBy: z.string().optional().catch(undefined),
})

const toBase = ({ version, note }: HoldingRow): SyncBase => ({ version, note: JSON.stringify(note) })

/** Merges changes of different fields. Otherwise takes the remote change and reports a conflict. */
function merge(local: Note, base: Note, remote: Note): { note: Note; isConflict: boolean } {
  let isConflict = false
  const note: Note = { ...remote, planName: local.planName, keyName: local.keyName }
  for (const fields of fieldGroups) {
    if (isSame(local, base, fields) || isSame(local, remote, fields)) continue
    if (isSame(remote, base, fields)) for (const field of fields) Object.assign(note, { [field]: local[field] })
    else isConflict = true
  }
  return { note, isConflict }
}

/** Contains the connection id, so that a connection that is removed and added again starts without a sync state. */
const baseKey = ({ connectionId, place, planId, keyId }: SyncVersions): string =>
  JSON.stringify([connectionId, place, planId, keyId])

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
