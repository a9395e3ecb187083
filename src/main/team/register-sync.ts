import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { TeamConflict, TeamHolding } from '@shared/contract'
import { Holder, isSameHolder } from '@shared/contract/register'
import { z } from 'zod'
import type { RegisterRecord, SettingsStore } from '../core/settings/settings'
import type { TeamDatabase } from './database'
import type { SyncBase, TeamState } from './local-state'
import { RawSql } from './sql'

/** A connection, and the address of its console, which identifies its plans on other computers. */
export interface ConnectionRef {
  readonly connectionId: string
  readonly place: string
}

/** The part of a key record that is shared: fields that people enter, and names. */
const Note = z.object({
  planName: z.string(),
  keyName: z.string(),
  createdAt: z.string().optional(),
  holder: Holder.optional().catch(undefined),
  purpose: z.string().optional(),
  machine: z.string().optional(),
  handedOutAt: z.string().optional(),
  acknowledgedAt: z.string().optional(),
  rotatedAt: z.string().optional(),
  alsoServes: z.array(z.string()),
})
type Note = z.infer<typeof Note>

const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .nullable()
    .transform((value) => value ?? undefined)

const HoldingRow = z
  .object({
    place: z.string(),
    plan_id: z.string(),
    key_id: z.string(),
    version: z.number().int(),
    changed_at: z.iso.datetime(),
    changed_by: z.number().int().nullable(),
    planName: z.string(),
    keyName: z.string(),
    createdAt: text(40),
    holder: z
      .object({ id: z.string().max(100).optional(), kind: z.enum(['person', 'tool']), name: z.string().max(100) })
      .nullable()
      .transform((holder) => holder ?? undefined),
    purpose: text(200),
    machine: text(100),
    handedOutAt: text(40),
    acknowledgedAt: text(40),
    rotatedAt: text(40),
    alsoServes: z.array(z.string().max(1000)).max(1000),
  })
  .transform(({ place, plan_id, key_id, version, changed_at, changed_by, ...note }) => ({
    place,
    plan_id,
    key_id,
    version,
    changed_at,
    changed_by,
    note: withoutUndefined<Note>(note),
  }))
type HoldingRow = z.infer<typeof HoldingRow>

/** Groups of fields. Each group is merged separately. A holder and the handout state form one group. */
const units: readonly (readonly (keyof Note)[])[] = [
  ['holder', 'handedOutAt', 'acknowledgedAt', 'alsoServes'],
  ['purpose'],
  ['machine'],
  ['rotatedAt'],
]

/** The local and the remote version of a key record. */
interface Pair {
  readonly connection: ConnectionRef
  readonly planId: string
  readonly keyId: string
}

interface SyncVersions {
  readonly pair: Pair
  readonly local: Note | undefined
  readonly base: SyncBase | undefined
  readonly row: HoldingRow | undefined
}

/** A version of a key record to write into the settings. */
interface AdoptedNote {
  readonly sides: SyncVersions
  readonly note: Note
}

interface RegisterSyncResult {
  readonly sent: number
  readonly received: number
  readonly conflicts: number
}

interface RegisterSyncDeps {
  readonly settings: SettingsStore
  readonly state: TeamState
  readonly database: TeamDatabase
  readonly places: () => readonly ConnectionRef[]
  readonly machineUid: string
}

/** Maximum rounds after write conflicts. The rest is synced next time. */
const maxRounds = 20
const batchSize = 500

/** Three-way merge of key records between settings and space. Never overwrites a change that it has not compared. */
export class RegisterSync {
  constructor(private readonly deps: RegisterSyncDeps) {}

  /** Sends and receives records until both sides are equal. Fails with `team.*`. The next run syncs the rest. */
  async run(): Promise<RegisterSyncResult> {
    const sum = { sent: 0, received: 0, conflicts: 0 }
    for (let round = 0; round < maxRounds; round += 1) {
      const comparison = this.#compare(await this.#rows())
      sum.conflicts += await this.#noteConflicts(comparison.conflicts)
      const adoptedBases = this.#adopt(comparison.adopted)
      sum.received += adoptedBases.size
      this.deps.state.setBases(new Map([...comparison.agreed, ...adoptedBases]))
      const sentCount = await this.#send(comparison.changed)
      sum.sent += sentCount
      const isSynced = sentCount === comparison.changed.length && comparison.adopted.length === 0
      if (isSynced) return sum
    }
    return sum
  }

  /** Number of unsent records, without querying the database. */
  waiting(): number {
    const localVersions = [...this.#sides([])]
    return localVersions.filter(({ local, base }) => local && !isSameNote(local, base && readNote(base))).length
  }

  async holdings(names: ReadonlyMap<number, string>): Promise<TeamHolding[]> {
    return (await this.#rows())
      .filter(({ note }) => !isEmptyNote(note))
      .map(({ note: { createdAt: _, ...note }, changed_at: changedAt, changed_by }) => {
        const changedBy = names.get(changed_by ?? 0)
        return { ...note, changedAt, ...(changedBy && { changedBy }) }
      })
  }

  async conflicts(names: ReadonlyMap<number, string>): Promise<TeamConflict[]> {
    const rows = await this.deps.database.rows(
      ConflictRow,
    )`SELECT id, mine, theirs, person, theirs_by, at FROM companion_team.conflicts WHERE resolved_at IS NULL ORDER BY at DESC, id LIMIT 500`
    return rows.map(({ id, mine, theirs: remote, person, theirs_by, at }) => {
      const remotePersonName = names.get(theirs_by ?? 0)
      return {
        id,
        planName: mine.planName,
        keyName: mine.keyName,
        at,
        own: toVersion(mine),
        ownBy: names.get(person) ?? '',
        shared: toVersion(remote),
        ...(remotePersonName && { sharedBy: remotePersonName }),
      }
    })
  }

  /** Resolves a conflict by keeping one version. Does nothing if the conflict is already resolved. */
  async resolve(id: string, keep: 'own' | 'shared'): Promise<void> {
    const { database } = this.deps
    await database.transaction(async (query) => {
      const [row] = await query(
        ResolvedRow,
      )`UPDATE companion_team.conflicts SET resolved_at = now(), resolved_by = companion_team.me(), kept = ${keep === 'own' ? 'mine' : 'theirs'}
        WHERE id = ${id} AND resolved_at IS NULL RETURNING place, plan_id, key_id, mine`
      if (row === undefined || keep === 'shared') return
      const json = JSON.stringify([{ ...row, note: row.mine }])
      await query(
        SentRow,
      )`${updateHoldings}(${json}::jsonb) AS n ${recordType} WHERE ${sameKeySql} RETURNING ${keyAndVersionColumns}`
    })
    await this.run()
  }

  async #rows(): Promise<HoldingRow[]> {
    return this.deps.database.rows(
      HoldingRow,
    )`SELECT place, plan_id, key_id, version, changed_at, changed_by, ${selectedNote} FROM companion_team.holdings
      ORDER BY plan_name, key_name LIMIT 100000`
  }

  #compare(rows: readonly HoldingRow[]) {
    const syncedBases = new Map<string, SyncBase>()
    const changedSides: SyncVersions[] = []
    const adoptedNotes: AdoptedNote[] = []
    const conflicts: { readonly sides: SyncVersions; readonly local: Note; readonly remote: Note }[] = []
    for (const syncVersions of this.#sides(rows)) {
      const { pair, local, base, row } = syncVersions
      if (row === undefined && local && isEmptyNote(local)) continue
      const remote = row?.note
      const baseNote = base && readNote(base)
      if (local === undefined) {
        if (remote !== undefined && !isEmptyNote(remote)) adoptedNotes.push({ sides: syncVersions, note: remote })
        continue
      }
      if (row !== undefined && remote !== undefined && isSameNote(local, remote)) {
        if (base?.version !== row.version)
          syncedBases.set(getPairKey(pair), { version: row.version, note: JSON.stringify(local) })
        continue
      }
      const isRemoteChanged = row !== undefined && row.version !== base?.version
      if (!isRemoteChanged || remote === undefined) {
        changedSides.push(syncVersions)
        continue
      }
      const mergedNote = merge(local, baseNote, remote)
      if (mergedNote.isConflict) conflicts.push({ sides: syncVersions, local, remote })
      // The next round sends the rest of the local change.
      adoptedNotes.push({ sides: syncVersions, note: mergedNote.note })
    }
    return { agreed: syncedBases, changed: changedSides, adopted: adoptedNotes, conflicts }
  }

  #sides(rows: readonly HoldingRow[]): Iterable<SyncVersions> {
    const { settings, state } = this.deps
    const syncBasesByKey = state.bases()
    const connections = this.deps.places()
    const versionsByKey = new Map<string, SyncVersions>()
    for (const row of rows) {
      for (const connection of connections.filter(({ place }) => place === row.place)) {
        const pair = { connection, planId: row.plan_id, keyId: row.key_id }
        versionsByKey.set(getPairKey(pair), { pair, local: undefined, base: syncBasesByKey.get(getPairKey(pair)), row })
      }
    }
    for (const record of settings.read().register) {
      const connection = connections.find(({ connectionId }) => connectionId === record.connectionId)
      if (connection === undefined) continue
      const pair = { connection, planId: record.planId, keyId: record.keyId }
      const address = getPairKey(pair)
      const row = versionsByKey.get(address)?.row
      versionsByKey.set(address, { pair, local: buildNote(record), base: syncBasesByKey.get(address), row })
    }
    return versionsByKey.values()
  }

  async #noteConflicts(
    conflicts: readonly { readonly sides: SyncVersions; readonly local: Note; readonly remote: Note }[],
  ): Promise<number> {
    const { database, machineUid } = this.deps
    for (const { sides, local, remote } of conflicts) {
      const { pair, base, row } = sides
      const seed = [machineUid, getPairKey(pair), base?.version ?? 0, row?.version ?? 0, local]
      const id = createHash('sha256').update(JSON.stringify(seed)).digest('hex')
      const [localJson, remoteJson] = [JSON.stringify(local), JSON.stringify(remote)]
      await database.run`INSERT INTO companion_team.conflicts (id, place, plan_id, key_id, mine, theirs, theirs_by)
        VALUES (${id}, ${pair.connection.place}, ${pair.planId}, ${pair.keyId}, ${localJson}::jsonb, ${remoteJson}::jsonb, ${row?.changed_by ?? null})
        ON CONFLICT DO NOTHING`
    }
    return conflicts.length
  }

  /**
   * Writes received versions into the settings, except for records that changed since the comparison. Returns the
   * versions on which both sides agree.
   */
  #adopt(adopted: readonly AdoptedNote[]): Map<string, SyncBase> {
    const syncedBases = new Map<string, SyncBase>()
    if (adopted.length === 0) return syncedBases
    this.deps.settings.update(({ register }) => {
      syncedBases.clear()
      const recordsByKey = new Map(register.map((record) => [recordKey(record), record]))
      const changedRecords = new Map<string, RegisterRecord>()
      for (const { sides, note } of adopted) {
        const record = recordsByKey.get(recordKey(toRecordAddress(sides.pair)))
        if (!isDeepStrictEqual(record && buildNote(record), sides.local) || sides.row === undefined) continue
        const { holder } = note
        const existingHolder =
          holder && record?.holder && isSameHolder(record.holder, holder) ? record.holder : undefined
        const newRecord = {
          ...record,
          ...clearedNote,
          ...toRecordAddress(sides.pair),
          ...note,
          ...(holder ? { holder: { ...existingHolder, ...holder } } : {}),
        }
        changedRecords.set(recordKey(newRecord), newRecord)
        const remote = JSON.stringify(sides.row.note)
        syncedBases.set(getPairKey(sides.pair), { version: sides.row.version, note: remote })
      }
      return {
        register: [...register.filter((record) => !changedRecords.has(recordKey(record))), ...changedRecords.values()],
      }
    })
    return syncedBases
  }

  async #send(changed: readonly SyncVersions[]): Promise<number> {
    let sentCount = 0
    for (let firstIndex = 0; firstIndex < changed.length; firstIndex += batchSize) {
      const batch = changed.slice(firstIndex, firstIndex + batchSize)
      const versions = new Map<string, number>()
      const json = (sides: readonly SyncVersions[]) =>
        JSON.stringify(
          sides.map(({ pair, local, row }) => ({
            ...toKeyColumns(pair),
            note: local ?? emptyNote,
            version: row?.version,
          })),
        )
      const existingRows = batch.filter(({ row }) => row !== undefined)
      const newRows = batch.filter(({ row }) => row === undefined)
      await this.deps.database.transaction(async (query) => {
        versions.clear()
        const updatedRows = await query(SentRow)`${updateHoldings}(${json(existingRows)}::jsonb) AS n ${recordType}
          WHERE ${sameKeySql} AND h.version = n.version RETURNING ${keyAndVersionColumns}`
        const insertedRows = await query(
          SentRow,
        )`INSERT INTO companion_team.holdings AS h (place, plan_id, key_id, ${noteColumnNames})
          SELECT place, plan_id, key_id, ${noteValues} FROM jsonb_to_recordset(${json(newRows)}::jsonb) AS n ${recordType}
          ORDER BY place, plan_id, key_id ON CONFLICT DO NOTHING RETURNING ${keyAndVersionColumns}`
        for (const row of [...updatedRows, ...insertedRows])
          versions.set(compositeKey(row.place, row.plan_id, row.key_id), row.version)
      })
      const syncedBases = new Map<string, SyncBase>()
      for (const { pair, local } of batch) {
        const version = versions.get(compositeKey(pair.connection.place, pair.planId, pair.keyId))
        if (version === undefined) continue
        syncedBases.set(getPairKey(pair), { version, note: JSON.stringify(local ?? emptyNote) })
      }
      this.deps.state.setBases(syncedBases)
      sentCount += syncedBases.size
    }
    return sentCount
  }
}

const SentRow = z.object({ place: z.string(), plan_id: z.string(), key_id: z.string(), version: z.number().int() })

const ConflictRow = z.object({
  id: z.string(),
  mine: Note,
  theirs: Note,
  person: z.number().int(),
  theirs_by: z.number().int().nullable(),
  at: z.iso.datetime(),
})

const ResolvedRow = z.object({ place: z.string(), plan_id: z.string(), key_id: z.string(), mine: Note })

const recordType = new RawSql('(place text, plan_id text, key_id text, note jsonb, version integer)')

const textColumns = {
  planName: 'plan_name',
  keyName: 'key_name',
  createdAt: 'created_at',
  purpose: 'purpose',
  machine: 'machine',
  handedOutAt: 'handed_out_at',
  acknowledgedAt: 'acknowledged_at',
  rotatedAt: 'rotated_at',
}

const selectedNote = new RawSql(`${Object.entries(textColumns)
  .map(([field, column]) => `${column} AS "${field}"`)
  .join(', ')}, also_serves AS "alsoServes",
  CASE WHEN holder_kind IS NOT NULL AND holder_name IS NOT NULL THEN jsonb_strip_nulls(jsonb_build_object('id', holder_id, 'kind', holder_kind, 'name', holder_name)) END AS holder`)

/** Columns of a note, and their SQL values from the JSON note of a record `n`. */
const noteColumns = [
  ...Object.entries(textColumns).map(([field, column]) => ({ column, value: `n.note->>'${field}'` })),
  ...['kind', 'name', 'id'].map((part) => ({ column: `holder_${part}`, value: `n.note->'holder'->>'${part}'` })),
  { column: 'also_serves', value: `ARRAY(SELECT jsonb_array_elements_text(n.note->'alsoServes'))` },
]
const noteColumnNames = new RawSql(noteColumns.map(({ column }) => column).join(', '))
const noteValues = new RawSql(noteColumns.map(({ value }) => value).join(', '))
const updateHoldings = new RawSql(
  `UPDATE companion_team.holdings AS h SET ${noteColumns.map(({ column, value }) => `${column} = ${value}`).join(', ')} FROM jsonb_to_recordset`,
)
const sameKeySql = new RawSql('h.place = n.place AND h.plan_id = n.plan_id AND h.key_id = n.key_id')
const keyAndVersionColumns = new RawSql('h.place, h.plan_id, h.key_id, h.version')

const emptyNote: Note = { planName: '', keyName: '', alsoServes: [] }

/** Sets each shared field to undefined, to remove fields that the new version does not have. */
const clearedNote = {
  holder: undefined,
  purpose: undefined,
  machine: undefined,
  handedOutAt: undefined,
  acknowledgedAt: undefined,
  rotatedAt: undefined,
}

const buildNote = (record: RegisterRecord): Note => withoutUndefined(Note.parse(record))

const withoutUndefined = <T extends object>(value: T): T => {
  for (const [name, field] of Object.entries(value)) if (field === undefined) Reflect.deleteProperty(value, name)
  return value
}

const readNote = ({ note }: SyncBase): Note | undefined => Note.safeParse(JSON.parse(note)).data

const toVersion = ({ planName: _, keyName: __, createdAt: ___, ...version }: Note) => version

const isEmptyNote = (note: Note): boolean =>
  note.alsoServes.length === 0 && units.flat().every((field) => field === 'alsoServes' || note[field] === undefined)

/** Whether two versions of a key record are equal. Ignores names, which come from the account. */
const isSameNote = (a: Note, b: Note | undefined): boolean =>
  b !== undefined && units.flat().every((field) => isDeepStrictEqual(a[field], b[field]))

/**
 * Merges changes if local and remote side changed different fields. Otherwise takes the remote change and reports a
 * conflict.
 */
function merge(localNote: Note, baseNote: Note | undefined, remote: Note): { note: Note; isConflict: boolean } {
  let isConflict = false
  const note: Note = { ...remote, planName: localNote.planName, keyName: localNote.keyName }
  for (const statement of units) {
    const isEqual = (a: Note, b: Note): boolean => statement.every((field) => isDeepStrictEqual(a[field], b[field]))
    const baseNoteOrEmpty = baseNote ?? emptyNote
    if (isEqual(localNote, baseNoteOrEmpty) || isEqual(localNote, remote)) continue
    if (isEqual(remote, baseNoteOrEmpty))
      for (const field of statement) Object.assign(note, { [field]: localNote[field] })
    else isConflict = true
  }
  return { note: withoutUndefined(note), isConflict }
}

const toKeyColumns = ({ connection, planId, keyId }: Pair) => ({
  place: connection.place,
  plan_id: planId,
  key_id: keyId,
})

const toRecordAddress = ({ connection, planId, keyId }: Pair) => ({
  connectionId: connection.connectionId,
  planId,
  keyId,
})

const compositeKey = (...parts: readonly string[]): string => JSON.stringify(parts)

const recordKey = ({
  connectionId,
  planId,
  keyId,
}: Pick<RegisterRecord, 'connectionId' | 'planId' | 'keyId'>): string => compositeKey(connectionId, planId, keyId)

/**
 * Map key of a record. Contains the connection id, so that a connection that is removed and added again starts
 * without a sync state.
 */
const getPairKey = ({ connection, planId, keyId }: Pair): string =>
  compositeKey(connection.connectionId, connection.place, planId, keyId)
