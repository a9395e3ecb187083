import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import type { AuditVerdict, TeamPerson, TeamSync, TeamView } from '@shared/contract'
import { TeamRole } from '@shared/contract/common'
import { AppError, type Failure } from '@shared/failure'
import { sql } from 'kysely'
import { z } from 'zod'
import type { AuditTrail } from '../audit/trail'
import type { Clock, Log } from '../ports'
import type { RotationLease, SharedRotation } from '../rotation/ports'
import type { Secret } from '../secret'
import type { TeamAddress, TeamRecord } from '../settings/records'
import type { SettingsStore } from '../settings/settings'
import type { PendingKeychainItems } from '../vault/vault'
import { teamAccount, type Vault } from '../vault/vault'
import { addressText, computeFingerprint, type Invitation, needsTls } from './address'
import { AuditSync } from './audit-sync'
import { countMigrations, isSpace, packSecret, requireVersion, TeamDatabase, unpackSecret } from './database'
import { type AcknowledgedKey, HandoutSync } from './handout-sync'
import { TeamState, teamStateFile } from './local-state'
import { type ConnectionPlace, RegisterSync } from './register-sync'
import { TeamRotationLease } from './rotation-lease'
import { migrateSpace, schemaVersion } from './schema'
import { TeamFollower } from './team-follower'

interface TeamDeps {
  readonly dataDir: string
  readonly settings: SettingsStore
  readonly vault: Vault
  readonly newItems: PendingKeychainItems
  readonly audit: Pick<AuditTrail, 'after' | 'count'>
  /** Connections with a console, but for the built-in sandbox's. */
  readonly places: () => readonly ConnectionPlace[]
  readonly zone: () => string
  readonly clock: Clock
  readonly log: Log
  /** There is something new to see. */
  readonly onChanged: () => void
}

type Joined = Extract<TeamView, { state: 'joined' }>
/** What the database told last. */
type TeamSnapshot = Pick<Joined, 'people' | 'holdings' | 'conflicts' | 'rotations'> & { readonly syncedAt: string }

/** Everything that is open while this computer is in a team. */
interface Session {
  readonly record: TeamRecord
  readonly database: TeamDatabase
  readonly state: TeamState
  readonly register: RegisterSync
  readonly audit: AuditSync
  readonly handouts: HandoutSync
  readonly lease: TeamRotationLease
  isUpToDate: boolean
}

const nothingSeen = { people: [], holdings: [], conflicts: [], rotations: [] }

/** The team of this computer: a space in a PostgreSQL database. Without the database all goes on; it catches up afterwards. */
export class Team {
  readonly #deps: TeamDeps
  readonly #follower: TeamFollower
  #session: Promise<Session> | undefined
  #openedFor: TeamRecord | undefined
  #seen: TeamSnapshot | undefined
  #failure: Failure | undefined
  #syncing: Promise<TeamSync> | undefined

  constructor(deps: TeamDeps) {
    this.#deps = deps
    this.#follower = new TeamFollower({
      settings: deps.settings,
      listen: async (onNews, onGone) => (await this.#open()).database.listen(onNews, onGone),
      sync: () => this.sync(),
      note: (error) => this.#noteFailure(error),
    })
  }

  /** What is known without asking the database. */
  async get(): Promise<TeamView> {
    const record = this.#deps.settings.read().team
    if (record === undefined) return { state: 'none' }
    const { spaceName, address, personName, role, machineName, joinedAt } = record
    const session = await this.#session?.catch(() => undefined)
    const fingerprint = computeFingerprint(address.ca)
    return {
      state: 'joined',
      ...{ spaceName, personName, role, machineName, joinedAt },
      address: addressText(address),
      ...(fingerprint !== undefined && { fingerprint }),
      isEncrypted: needsTls(address),
      isOnline: this.#seen !== undefined && this.#failure === undefined,
      ...(this.#failure && { failure: this.#failure }),
      waiting: {
        notes: role === 'lead' && session ? session.register.waiting() : 0,
        lines: role === 'lead' && session ? await session.audit.waiting() : 0,
      },
      ...(this.#seen ?? nothingSeen),
    }
  }

  /** Makes a space in an empty database and joins it as its first lead. Fails with `team.spaceExists` and `team.*`; then nothing is kept here. */
  async create(
    { spaceName, personName, address }: { spaceName: string; personName: string; address: TeamAddress },
    secret: Secret,
  ): Promise<TeamView> {
    this.#requireNone()
    const space = { id: randomUUID(), name: spaceName, zone: this.#deps.zone(), personName }
    return this.#withDatabase({ address, secret }, async (database) => {
      if (await isSpace(database)) {
        const message = `The database ${address.database} holds a team space already. Ask its lead for an invitation.`
        throw new AppError('team.spaceExists', message)
      }
      await database.run((db) => migrateSpace(db, space))
      return this.#enter(database, { spaceId: space.id, address, secret })
    })
  }

  /** Joins with an invitation. Fails with `team.notInvited`, `team.noSpace` for another space, and `team.*`; then nothing is kept here. */
  async join(invitation: Invitation, secret: Secret, certificate?: string): Promise<TeamView> {
    this.#requireNone()
    const { host, port, database: name, user, ca, spaceId } = invitation
    const address = {
      ...{ host, port, database: name, user },
      ...(ca !== undefined && { ca }),
      ...(certificate !== undefined && { certificate }),
    }
    return this.#withDatabase({ address, secret }, (database) => this.#enter(database, { spaceId, address, secret }))
  }

  /** Forgets the team here; what is noted of keys stays on this computer. The database is told where it can be reached. */
  async leave(): Promise<TeamView> {
    const record = this.#record()
    const session = await this.#open().catch(() => undefined)
    await session?.database
      .run((db) => sql`SELECT companion_team.leave_machine(${record.machineUid}::uuid)`.execute(db))
      .catch(() => undefined)
    await this.#close()
    const state = new TeamState(teamStateFile(this.#deps.dataDir), record.spaceId)
    state.clear()
    state.close()
    try {
      // First: once the settings say that the team was left, another process may join again and keep a secret of its own.
      await this.#deps.vault.remove(teamAccount(record.spaceId))
    } finally {
      this.#deps.settings.update(() => ({ team: undefined }))
      this.#deps.onChanged()
    }
    return this.get()
  }

  /** Gives a database user a role of the space. Fails with `team.noUser` when the database has no such user, and `team.notAllowed`. */
  async invite({ personName, user, role }: { personName: string; user: string; role: TeamRole }): Promise<Invitation> {
    const { record, database } = await this.#open()
    const { host, port, database: name, ca } = record.address
    await database
      .transaction((db) => sql`SELECT companion_team.invite(${personName}, ${user}, ${role})`.execute(db))
      .catch((error: unknown) => {
        if (!(error instanceof AppError && error.failure.code === 'team.noUser')) throw error
        const message = `The database has no user ${user}. Ask its administrator to create one, with its own password.`
        throw new AppError('team.noUser', message, { field: 'user' })
      })
    this.#lookSoon()
    return {
      ...{ kind: 'companion-team-invitation', version: 1, spaceId: record.spaceId, spaceName: record.spaceName },
      ...{ person: personName, role, user, host, port, database: name },
      ...(ca !== undefined && { ca }),
    }
  }

  /** Takes the roles of the space away from somebody; what they did stays. */
  async remove(personId: number): Promise<TeamView> {
    const { database } = await this.#open()
    await database.transaction((db) => sql`SELECT companion_team.remove_person(${personId})`.execute(db))
    await this.#look()
    return this.get()
  }

  /** Sends and receives everything, once for all who ask meanwhile. Fails with `team.*`; what was not sent is sent the next time. */
  sync(): Promise<TeamSync> {
    this.#syncing ??= this.#sync()
      .catch((error: unknown) => {
        this.#noteFailure(error)
        throw error
      })
      .finally(() => {
        this.#syncing = undefined
      })
    return this.#syncing
  }

  async resolve(id: string, keep: 'own' | 'shared'): Promise<TeamView> {
    await (await this.#open()).register.resolve(id, keep)
    await this.#look()
    return this.get()
  }

  /** Sees to it that a key is rotated by one computer of the team; undefined where there is no team, or nothing a member could rotate. */
  async lease(): Promise<RotationLease | undefined> {
    if (this.#deps.settings.read().team?.role !== 'lead') return undefined
    return (await this.#open()).lease
  }

  /** A rotation that another computer began, for this one to go on with. */
  async sharedRotation(id: string): Promise<SharedRotation> {
    return (await this.#open()).lease.recordOf(id)
  }

  /** Notes that a key was received which another lead handed out, by the digest of its code; undefined for a code that nobody made. */
  async acknowledge(codeHash: string): Promise<AcknowledgedKey | undefined> {
    const found = await (await this.#open()).handouts.acknowledge(codeHash)
    if (found) await this.sync()
    return found
  }

  async verifyAudit(): Promise<AuditVerdict> {
    return (await this.#open()).audit.verify()
  }

  /** Keeps up with the team from now on. */
  follow(): void {
    this.#follower.follow()
  }

  async end(): Promise<void> {
    await this.#follower.end()
    await this.#close()
  }

  async #sync(): Promise<TeamSync> {
    const session = await this.#open()
    const { record, register, audit } = session
    const isLead = record.role === 'lead'
    const notes = isLead ? await register.run() : { sent: 0, received: 0, conflicts: 0 }
    const auditSent = isLead ? await audit.run() : 0
    if ((await this.#isUpToDate(session)) && isLead) await session.handouts.run()
    await this.#look()
    return { notesSent: notes.sent, notesReceived: notes.received, conflicts: notes.conflicts, auditSent }
  }

  /** A space of an earlier version is brought up to date by the app of its owner. */
  async #isUpToDate(session: Session): Promise<boolean> {
    const { database, record } = session
    if (session.isUpToDate) return true
    if ((await countMigrations(database)) < schemaVersion && record.role === 'lead')
      await database.run((db) => migrateSpace(db)).catch(() => undefined)
    session.isUpToDate = (await countMigrations(database)) >= schemaVersion
    return session.isUpToDate
  }

  #lookSoon(): void {
    void this.#look().catch((error: unknown) => this.#noteFailure(error))
  }

  /** Asks the database for what is shown. */
  async #look(): Promise<void> {
    const session = this.#open()
    const { record, database, register, lease } = await session
    const people = await this.#people(database, record)
    const names = new Map(people.map(({ id, name }) => [id, name]))
    const isLead = record.role === 'lead'
    const holdings = await register.holdings(names)
    const conflicts = isLead ? await register.conflicts(names) : []
    const rotations = isLead ? await lease.list() : []
    // The team was left meanwhile.
    if (session !== this.#session) return
    this.#seen = { people, holdings, conflicts, rotations, syncedAt: this.#deps.clock().toISOString() }
    this.#failure = undefined
    this.#deps.onChanged()
  }

  async #people(database: TeamDatabase, { machineUid }: TeamRecord): Promise<TeamPerson[]> {
    const rows = await database.rows(
      PersonRow,
    )`SELECT p.id, p.name, p.role, p.id = companion_team.me() AS is_me, m.uid, m.name AS machine, m.seen_at
      FROM companion_team.people AS p LEFT JOIN companion_team.machines AS m ON m.person = p.id AND m.left_at IS NULL
      WHERE p.removed_at IS NULL ORDER BY p.name, m.seen_at DESC LIMIT 10000`
    const people = new Map<number, TeamPerson>()
    for (const { id, name, role, is_me: isMe, uid, machine, seen_at } of rows) {
      const person = people.get(id) ?? { id, name, role, isMe, machines: [] }
      if (machine !== null && seen_at !== null)
        person.machines.push({ name: machine, seenAt: seen_at, isHere: uid === machineUid })
      people.set(id, person)
    }
    return [...people.values()]
  }

  #noteFailure(error: unknown): void {
    const failure =
      error instanceof AppError
        ? error.failure
        : ({ code: 'internal.unexpected', message: 'Something failed unexpectedly. The log has the details.' } as const)
    if (!(error instanceof AppError)) this.#deps.log.error('team', error)
    const isNew = this.#failure?.message !== failure.message
    this.#failure = failure
    if (isNew) this.#deps.onChanged()
  }

  async #enter(
    database: TeamDatabase,
    { spaceId, address, secret }: { spaceId: string; address: TeamAddress; secret: Secret },
  ): Promise<TeamView> {
    const { settings, newItems, clock } = this.#deps
    if (!(await isSpace(database))) throw noSpace()
    const [space] = await database.rows(
      SpaceRow,
    )`SELECT s.id, s.name, p.name AS person, p.role FROM companion_team.space AS s
      LEFT JOIN companion_team.people AS p ON p.id = companion_team.me()`.catch(notInvited)
    if (space?.person == null || space.role === null) throw notInvitedError()
    if (space.id !== spaceId) throw noSpace()
    await requireVersion(database)
    const [machineUid, machineName] = [randomUUID(), hostname().slice(0, 100) || 'computer']
    await database.rows(z.object({}))`SELECT companion_team.join_machine(${machineUid}::uuid, ${machineName}) AS id`
    const { name: spaceName, person: personName, role } = space
    const account = teamAccount(spaceId)
    await newItems.put(account, packSecret(secret), (kept) => {
      const joinedAt = clock().toISOString()
      const record = { spaceId, spaceName, address, personName, role, machineUid, machineName, kept, joinedAt }
      settings.update(() => ({ team: record, ...newItems.without([account]) }))
    })
    this.#deps.onChanged()
    await this.sync().catch(() => undefined)
    return this.get()
  }

  async #withDatabase<T>(
    signIn: { address: TeamAddress; secret: Secret },
    work: (database: TeamDatabase) => Promise<T>,
  ): Promise<T> {
    const database = new TeamDatabase(signIn)
    try {
      await database.requireOwnUser()
      return await work(database)
    } finally {
      await database.close()
    }
  }

  /** The session of the team that this computer is in now: the command line may have joined, left or changed it meanwhile. */
  #open(): Promise<Session> {
    const { team } = this.#deps.settings.read()
    const closed = isDeepStrictEqual(this.#openedFor, team) ? undefined : this.#close()
    this.#openedFor = team
    if (this.#session) return this.#session
    const opening = this.#openSession(closed).catch((error: unknown) => {
      if (this.#session === opening) this.#session = undefined
      throw error
    })
    this.#session = opening
    return opening
  }

  async #openSession(closed: Promise<void> | undefined): Promise<Session> {
    await closed
    const { settings, vault, dataDir, places, audit: trail } = this.#deps
    const record = this.#record()
    const { address, machineUid, spaceId } = record
    const database = new TeamDatabase({ address, secret: unpackSecret(await secretOf(vault, spaceId)) })
    const state = new TeamState(teamStateFile(dataDir), spaceId)
    return {
      ...{ record, database, state },
      register: new RegisterSync({ settings, state, database, places, machineUid }),
      audit: new AuditSync({ trail, database, machineUid }),
      handouts: new HandoutSync({ settings, database, places }),
      isUpToDate: false,
      lease: new TeamRotationLease({
        ...{ database: async () => database, places, machineUid },
        known: () => settings.read().rotations.map(({ id }) => id),
      }),
    }
  }

  async #close(): Promise<void> {
    const closing = this.#session
    this.#session = undefined
    this.#seen = undefined
    const session = await closing?.catch(() => undefined)
    session?.lease.end()
    await session?.database.close()
    session?.state.close()
  }

  #record(): TeamRecord {
    const record = this.#deps.settings.read().team
    if (record) return record
    throw new AppError('team.notJoined', 'This computer is in no team. Create one, or join with an invitation.')
  }

  #requireNone(): void {
    const record = this.#deps.settings.read().team
    if (record === undefined) return
    throw new AppError('team.alreadyJoined', `This computer is in the team ${record.spaceName}. Leave it first.`)
  }
}

const PersonRow = z.object({
  id: z.number().int(),
  name: z.string(),
  role: TeamRole,
  is_me: z.boolean(),
  uid: z.string().nullable(),
  machine: z.string().nullable(),
  seen_at: z.iso.datetime().nullable(),
})

const SpaceRow = z.object({
  id: z.string(),
  name: z.string(),
  person: z.string().nullable(),
  role: TeamRole.nullable(),
})

/** Another program may have removed it from the keychain. */
async function secretOf(vault: Vault, spaceId: string): Promise<Secret> {
  try {
    return await vault.get(teamAccount(spaceId))
  } catch (error) {
    if (!(error instanceof AppError && error.failure.code === 'vault.keyMissing')) throw error
    const message = 'The keychain has no password of the team database. Leave the team, and join it again.'
    throw new AppError('team.passwordMissing', message)
  }
}

const noSpace = (): AppError =>
  new AppError('team.noSpace', 'This database does not hold the team space of the invitation.')

const notInvitedError = (): AppError =>
  new AppError('team.notInvited', 'This database user is not in the team. Ask the lead to invite it.')

/** Whoever has no role of the space cannot look into it. */
function notInvited(error: unknown): never {
  throw error instanceof AppError && error.failure.code === 'team.notAllowed' ? notInvitedError() : error
}
