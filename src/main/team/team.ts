import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { TeamView } from '@shared/contract'
import { CleanName } from '@shared/contract/common'
import { TeamPerson, TeamRotation } from '@shared/contract/team'
import { AppError, type Failure, undefinedIfFailed } from '@shared/failure'
import type { AuditTrail } from '../core/audit/trail'
import { toFailure } from '../core/log'
import type { Clock, Log } from '../core/ports'
import type { Secret } from '../core/secret'
import type { TeamAddress, TeamRecord } from '../core/settings/records'
import type { SettingsStore } from '../core/settings/settings'
import type { Database } from '../core/sqlite/database'
import { openFile } from '../core/sqlite/file'
import { saveWithRecord, teamAccount, type Vault } from '../core/vault/vault'
import { createWorkQueue } from '../core/work-queue'
import { computeFingerprint, formatAddress, type Invitation, needsTls } from './address'
import { AuditSync } from './audit-sync'
import { encodeSecret, TeamDatabase, type TeamSignIn, unpackSecret } from './database'
import { type KeyUse, type PendingSwitch, TeamComputers } from './other-computers'
import {
  type AcknowledgedKey,
  acknowledgeHandout,
  type ConnectionRef,
  RegisterSync,
  type SpaceContext,
  syncHandouts,
} from './register-sync'
import { TeamRotationLease } from './rotation-lease'
import { createSpace, deleteSpace, requireLead, upgradeSpace } from './schema'

interface TeamDeps {
  readonly dataDir: string
  readonly settings: SettingsStore
  readonly vault: Vault
  readonly audit: Pick<AuditTrail, 'after' | 'count'>
  /** Connections with a console, except the built-in sandbox's. */
  readonly places: () => readonly ConnectionRef[]
  readonly osUser: string
  /** Keys of accounts that tools and routes of this computer use. */
  readonly keyUses: () => Promise<readonly KeyUse[]>
  /** Switches and tests all local uses of the old key. Fails with the problem that the user must solve. */
  readonly switchKey: (pendingSwitch: PendingSwitch) => Promise<void>
  readonly clock: Clock
  readonly log: Log
  readonly onChanged: () => void
  readonly onUsesChanged: () => void
}

type TeamSnapshot = Pick<Extract<TeamView, { state: 'joined' }>, 'people' | 'conflicts' | 'rotations' | 'syncedAt'>

interface Session extends SpaceContext {
  readonly record: TeamRecord
  readonly state: Database
  readonly register: RegisterSync
  readonly audit: AuditSync
  readonly lease: TeamRotationLease
  readonly computers: TeamComputers
}

const emptySnapshot: TeamSnapshot = { people: [], conflicts: [], rotations: [] }

/** The lead space of this computer in a PostgreSQL database. The app works without the database and syncs later. */
export class Team {
  #follower: ReturnType<typeof followSpace> | undefined
  #session: Promise<Session> | undefined
  #openedFor: TeamRecord | undefined
  #snapshot = emptySnapshot
  #failure: Failure | undefined
  /** Failures of the last attempts to switch tools, by rotation. */
  readonly #switchFailures = new Map<string, Failure | undefined>()
  readonly #syncQueue = createWorkQueue()
  /** The next run, until it starts. */
  #nextSync: Promise<TeamView> | undefined

  constructor(private readonly deps: TeamDeps) {}

  /** Last known state of the lead space, without querying the database. */
  async get(): Promise<TeamView> {
    const record = this.deps.settings.read().team
    if (record === undefined) return { state: 'none' }
    const { spaceName, address, personName, machineName, joinedAt } = record
    const session = await this.#session?.catch(() => undefined)
    return {
      state: 'joined',
      spaceName,
      personName,
      machineName,
      joinedAt,
      address: formatAddress(address),
      fingerprint: computeFingerprint(address.ca),
      isEncrypted: needsTls(address),
      isOnline: this.#snapshot.syncedAt !== undefined && this.#failure === undefined,
      failure: this.#failure,
      waiting: { notes: session?.register.waiting() ?? 0, lines: (await session?.audit.waiting()) ?? 0 },
      ...this.#snapshot,
    }
  }

  /** Creates a space in an empty database. Saves nothing on failure. Fails with `team.spaceExists` and `team.*`. */
  async create(
    request: { readonly spaceName: string; readonly personName: string; readonly address: TeamAddress },
    secret: Secret,
  ): Promise<TeamView> {
    this.#requireNone()
    const { address } = request
    const newSpace = { id: randomUUID(), name: cleanName(request.spaceName), personName: cleanName(request.personName) }
    return withDatabase({ address, secret }, async (database) => {
      await database.transaction((transaction) => createSpace(transaction, newSpace))
      return this.#enter(database, newSpace.id, { address, secret })
    })
  }

  /** Saves nothing on failure. Fails with `team.notInvited`, `team.noSpace` for another space, and `team.*`. */
  async join(invitation: Invitation, secret: Secret, certificate?: string): Promise<TeamView> {
    this.#requireNone()
    const { host, port, database: name, user, ca, spaceId } = invitation
    const address = { host, port, database: name, user, ca, certificate }
    return withDatabase({ address, secret }, (database) => this.#enter(database, spaceId, { address, secret }))
  }

  /** Replaces password or certificate after the database has accepted them. Changes nothing on failure (`team.*`). */
  async changeSignIn(secret: Secret, certificate?: string): Promise<TeamView> {
    const record = this.#record()
    const address = { ...record.address, certificate }
    await withDatabase({ address, secret }, ({ rows }) => requireLead(rows, record.spaceId))
    await this.#save({ ...record, address }, secret)
    await this.#close()
    this.#follower?.wake()
    await this.sync().catch(() => undefined)
    return this.get()
  }

  /** Leaves the space but keeps the key records. Informs the database if it is reachable. */
  async leave(): Promise<TeamView> {
    const record = this.#record()
    const session = await this.open().catch(() => undefined)
    if (session)
      await session.database.run`SELECT companion_team.leave_machine(${record.machineUid}::uuid)`.catch(() => undefined)
    return this.#forget(record)
  }

  /** Deletes the space for all leads. Fails with `team.notAllowed` for everyone except its owner. */
  async delete(): Promise<TeamView> {
    const { database, record } = await this.open()
    await database.transaction(deleteSpace)
    return this.#forget(record)
  }

  /** Converts a team space of an older version. Fails with `team.notAllowed` for everyone except its owner. */
  async upgrade(): Promise<TeamView> {
    await (await this.open()).database.transaction(upgradeSpace)
    return this.sync()
  }

  /** Makes a database user a lead. Fails with `team.noUser` when the database has no such user, and `team.*`. */
  async invite(request: { readonly personName: string; readonly user: string }): Promise<Invitation> {
    const { record, database } = await this.open()
    const { certificate: _, ...address } = record.address
    const person = cleanName(request.personName)
    const { user } = request
    await database.run`SELECT companion_team.invite(${person}, ${user})`
    void this.#refreshSnapshot().catch((error: unknown) => this.#noteFailure(error))
    const { spaceId, spaceName } = record
    const kind = 'companion-team-invitation'
    return { kind, version: 1, role: 'lead', spaceId, spaceName, person, ...address, user }
  }

  /** Revokes the lead role. The person's actions stay in the audit log. */
  async remove(personId: number): Promise<TeamView> {
    const { database } = await this.open()
    await database.run`SELECT companion_team.remove_person(${personId})`
    return this.#refreshSnapshot()
  }

  /**
   * Syncs all data. Calls during a run share one run after it, because the current run may have missed their changes.
   * `switchesKeys` also switches local tools to the new keys of other computers' rotations. Fails with `team.*`. Unsent
   * changes are sent next time.
   */
  sync({ switchesKeys = false } = {}): Promise<TeamView> {
    this.#nextSync ??= this.#syncQueue(async () => {
      this.#nextSync = undefined
      try {
        return await this.#sync(switchesKeys)
      } catch (error) {
        // Read the password again, because another process may have saved a new one.
        if (error instanceof AppError && error.failure.code === 'team.rejected') await this.#close()
        this.#noteFailure(error)
        throw error
      }
    })
    return this.#nextSync
  }

  async resolve(id: string, keep: 'own' | 'shared'): Promise<TeamView> {
    await (await this.open()).register.resolve(id, keep)
    return this.#refreshSnapshot()
  }

  /** Confirms a key that another lead issued, by the digest of the confirmation code. Undefined for an unknown code. */
  async acknowledge(codeHash: string): Promise<AcknowledgedKey | undefined> {
    const key = await acknowledgeHandout(await this.open(), codeHash)
    if (key) await this.sync()
    return key
  }

  follow(): void {
    const { settings, onUsesChanged } = this.deps
    const sync = async (wake: () => void): Promise<void> => {
      const onNews = (table: string): void => {
        if (table === 'machines' || table === 'switches') onUsesChanged()
        wake()
      }
      await (await this.open()).database.listen(onNews, wake)
      await this.sync({ switchesKeys: true })
    }
    this.#follower ??= followSpace(settings, sync, (error) => this.#noteFailure(error))
  }

  async end(): Promise<void> {
    await this.#follower?.end()
    await this.#close()
  }

  async #sync(switchesKeys: boolean): Promise<TeamView> {
    const session = await this.open()
    const { database, record, register, audit, lease, computers } = session
    await requireLead(database.rows, record.spaceId)
    await register.run()
    await audit.run()
    await syncHandouts(session)
    await computers.publish()
    if (switchesKeys) {
      for (const pendingSwitch of await computers.pending(await lease.list())) {
        const { rotationId } = pendingSwitch
        const failure = await this.deps.switchKey(pendingSwitch).then(
          () => undefined,
          (error: unknown) => toFailure(error, this.deps.log, 'team'),
        )
        this.#switchFailures.set(rotationId, failure)
        await computers.report(rotationId, failure ? 'failed' : 'tested')
      }
      await computers.publish()
    }
    return this.#refreshSnapshot()
  }

  async #refreshSnapshot(): Promise<TeamView> {
    const session = this.open()
    const { database, machineUid, register, lease, computers } = await session
    const people = await database.rows(
      TeamPerson,
    )`SELECT p.id, p.name, p.id = companion_team.me() AS "isMe", coalesce(m.machines, '[]') AS machines
      FROM companion_team.people AS p LEFT JOIN (SELECT person, jsonb_agg(jsonb_build_object('name', name, 'isHere', uid = ${machineUid}::uuid,
        'seenAt', to_char(seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY seen_at DESC) AS machines
        FROM companion_team.machines WHERE left_at IS NULL GROUP BY person) AS m ON m.person = p.id
      WHERE p.removed_at IS NULL ORDER BY p.name LIMIT 10000`
    const conflicts = await register.conflicts()
    const rotationRows = await lease.list()
    const pendingIds = (await computers.pending(rotationRows)).map(({ rotationId }) => rotationId)
    const rotations = rotationRows.map((row) => ({
      ...TeamRotation.strip().parse(row),
      ...(pendingIds.includes(row.id) && { switchHere: { failure: this.#switchFailures.get(row.id) } }),
    }))
    // Drop the result if the space was left during the sync.
    if (session !== this.#session) return this.get()
    this.#snapshot = { people, conflicts, rotations, syncedAt: this.deps.clock().toISOString() }
    this.#failure = undefined
    this.deps.onChanged()
    return this.get()
  }

  #noteFailure(error: unknown): void {
    const failure = toFailure(error, this.deps.log, 'team')
    const isNew = this.#failure?.message !== failure.message
    this.#failure = failure
    if (isNew) this.deps.onChanged()
  }

  async #enter({ rows, run }: TeamDatabase, spaceId: string, { address, secret }: TeamSignIn): Promise<TeamView> {
    const { spaceName, personName } = await requireLead(rows, spaceId)
    const [machineUid, machineName] = [randomUUID(), hostname().slice(0, 100) || 'computer']
    await run`SELECT companion_team.join_machine(${machineUid}::uuid, ${machineName})`
    const record = { spaceId, spaceName, address, personName, role: 'lead', machineUid, machineName } as const
    await this.#save({ ...record, joinedAt: this.deps.clock().toISOString() }, secret)
    this.deps.onChanged()
    await this.sync().catch(() => undefined)
    return this.get()
  }

  async #save(record: Omit<TeamRecord, 'kept'>, secret: Secret): Promise<void> {
    await saveWithRecord(this.deps, teamAccount(record.spaceId), encodeSecret(secret), (kept) =>
      this.deps.settings.update(() => ({ team: { ...record, kept } })),
    )
  }

  /** Session of the saved space, reopened when another process changed the space. Fails with `team.notJoined`. */
  open(): Promise<Session> {
    const { team } = this.deps.settings.read()
    const closePromise = isDeepStrictEqual(this.#openedFor, team) ? undefined : this.#close()
    this.#openedFor = team
    if (this.#session) return this.#session
    const sessionPromise = this.#openSession(closePromise).catch((error: unknown) => {
      if (this.#session === sessionPromise) this.#session = undefined
      throw error
    })
    this.#session = sessionPromise
    return sessionPromise
  }

  async #openSession(closePromise: Promise<void> | undefined): Promise<Session> {
    await closePromise
    const { settings, vault, dataDir, places, audit: trail } = this.deps
    const record = this.#record()
    const { address, machineUid, spaceId } = record
    const packedSecret = await undefinedIfFailed('vault.keyMissing', vault.get(teamAccount(spaceId)))
    if (!packedSecret) {
      const message = 'The keychain has no password of the database. Enter it again: companion team password.'
      throw new AppError('team.passwordMissing', message)
    }
    const database = new TeamDatabase({ address, secret: unpackSecret(packedSecret) })
    const state = openTeamState(dataDir)
    const context = { settings, database, places, machineUid }
    return {
      ...context,
      record,
      state,
      register: new RegisterSync({ ...context, state, spaceId }),
      audit: new AuditSync({ ...context, trail }),
      computers: new TeamComputers({ ...this.deps, ...context }),
      lease: new TeamRotationLease(context),
    }
  }

  async #close(): Promise<void> {
    const closingSession = this.#session
    this.#session = undefined
    this.#snapshot = emptySnapshot
    const session = await closingSession?.catch(() => undefined)
    session?.lease.end()
    await session?.database.close()
    session?.state.close()
  }

  async #forget({ spaceId }: TeamRecord): Promise<TeamView> {
    await this.#close()
    const state = openTeamState(this.deps.dataDir)
    state.run('DELETE FROM bases WHERE space = ?', spaceId)
    state.close()
    try {
      // Remove the secret before the settings, because then another process may join and save a new secret.
      await this.deps.vault.remove(teamAccount(spaceId))
    } finally {
      this.deps.settings.update(() => ({ team: undefined }))
      this.deps.onChanged()
    }
    return this.get()
  }

  #record(): TeamRecord {
    const record = this.deps.settings.read().team
    if (record) return record
    throw new AppError('team.notJoined', 'This computer is in no lead space. Create one, or join with an invitation.')
  }

  #requireNone(): void {
    const record = this.deps.settings.read().team
    if (record === undefined) return
    throw new AppError('team.alreadyJoined', `This computer is in the lead space ${record.spaceName}. Leave it first.`)
  }
}

function withDatabase<T>(signIn: TeamSignIn, work: (database: TeamDatabase) => Promise<T>): Promise<T> {
  const database = new TeamDatabase(signIn)
  return work(database).finally(() => database.close())
}

/** Rejects a name with control characters with `input.invalid`. */
function cleanName(name: string): string {
  const { data } = CleanName(100).safeParse(name)
  if (data !== undefined) return data
  throw new AppError('input.invalid', 'Use a name of 1 to 100 characters.', { field: 'person' })
}

/** Older app versions used all tables. */
const stateSteps = [
  `CREATE TABLE state (only INTEGER PRIMARY KEY CHECK (only = 1), set_aside TEXT NOT NULL, usage_sent_at TEXT NOT NULL);
INSERT INTO state VALUES (1, '', '');
CREATE TABLE bases (space TEXT NOT NULL, address TEXT NOT NULL, version INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY (space, address)) WITHOUT ROWID;
CREATE TABLE sent_hours (space TEXT NOT NULL, hour INTEGER NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (space, hour)) WITHOUT ROWID;`,
]

/**
 * Opens `<data>/team.sqlite`. `bases` has the version of each key record on which this computer and the space last
 * agreed. Unsent changes are computed by comparison with the settings, so a crash loses none. A power failure may lose
 * rows. These records are compared and sent again, which is idempotent.
 */
const openTeamState = (dataDir: string): Database =>
  openFile({ file: join(dataDir, 'team.sqlite'), steps: stateSteps, isShared: () => true })

/** Poll interval in ms, because a lost connection can go unnoticed. */
const pollIntervalMs = 60_000
const debounceMs = 150
const minRetryMs = 1_000
const maxRetryMs = 60_000

/** Calls `sync` on local changes, when it is woken and every minute. Retries with backoff after a failure. */
function followSpace(
  settings: SettingsStore,
  sync: (wake: () => void) => Promise<unknown>,
  onFailure: (error: unknown) => void,
) {
  const ending = new AbortController()
  let pause = new AbortController()
  const wake = (): void => pause.abort()
  const unsubscribe = settings.onChange(wake)
  const sleep = (ms: number, { signal }: AbortController): Promise<void> =>
    wait(ms, undefined, { signal, ref: false }).catch(() => undefined)
  const run = async (): Promise<void> => {
    for (let retryMs = minRetryMs; !ending.signal.aborted; ) {
      pause = new AbortController()
      let delayMs = pollIntervalMs
      try {
        if (settings.read().team) await sync(wake)
        retryMs = minRetryMs
      } catch (error) {
        onFailure(error)
        delayMs = retryMs * (0.5 + Math.random() / 2)
        retryMs = Math.min(maxRetryMs, retryMs * 2)
      }
      await sleep(delayMs, pause)
      await sleep(debounceMs, ending)
    }
  }
  const running = run()
  return {
    wake,
    async end() {
      unsubscribe()
      ending.abort()
      wake()
      await running
    },
  }
}
