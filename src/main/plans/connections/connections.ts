import { randomUUID } from 'node:crypto'
import { resolve } from 'node:path'
import type { ConnectionPart, ConnectionTestView, ConnectionView, TokenSource } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError, undefinedIfFailed } from '@shared/failure'
import { findFreeName } from '@shared/hidden-characters'
import {
  type AllowedCommands,
  type CommandUsage,
  type Confirm,
  type Destination,
  findNewDestinations,
  requireConsent,
} from '../../core/consent/consent'
import type { Send } from '../../core/net/send'
import { requireCertificates } from '../../core/net/trust'
import type { Secret } from '../../core/secret'
import type { ConnectionRecord, SettingsStore } from '../../core/settings/settings'
import { saveWithRecord, secretAccount, type Vault } from '../../core/vault/vault'
import { createWorkQueue } from '../../core/work-queue'
import type { PlatformClient } from '../../platform/platform-client'
import {
  type AddressInput,
  type ConnectionFile,
  type Correction,
  needsSecret,
  normalizeConnection,
  toCommandUsage,
  toConnectionFile,
  toConnectionView,
} from './connection-record'
import type { ConnectionPorts, InferenceEndpoint, OpenConnection } from './open-connection'

/** User input. An empty address means "not configured". The secret is separate. */
interface ConnectionInput {
  /** Id of the connection to change. If undefined, a new connection is added. */
  readonly id?: string | undefined
  readonly name: string
  readonly addresses: AddressInput
  readonly tokenSource?: TokenSource | undefined
  readonly caFile?: string | undefined
}

interface ConnectionsDeps extends Omit<ConnectionPorts, 'readSecret' | 'updateClockOffset' | 'requireAllowed'> {
  readonly settings: SettingsStore
  readonly vault: Vault
  /** Asks before a secret is sent to another host. */
  readonly confirm: Confirm
  readonly commands: Pick<AllowedCommands, 'require' | 'askAgain' | 'forget'>
  /** Whether other secrets depend on a connection: plan keys of its account, platform secrets. */
  readonly holdsMore?: (id: string) => boolean
  /** Deletes other data of a connection. If this fails, the connection is not removed. */
  readonly onRemove?: (id: string) => Promise<void>
  /** Called when a server's clock offset changed, so that cached responses must be refreshed. */
  readonly onClockMoved?: () => void
}

const centuryMs = 36_525 * 24 * 60 * minuteMs

export const builtInId = 'sandbox'

export class Connections {
  readonly #ports: ConnectionPorts
  readonly #open: OpenConnections
  readonly #unwatch: () => void
  /** Server clock offsets in ms. Ignores changes below a minute, to avoid an event per response. */
  readonly #aheadMs = new Map<string, number>()
  readonly #queue = createWorkQueue()

  constructor(private readonly deps: ConnectionsDeps) {
    this.#ports = {
      ...deps,
      readSecret: (id) => this.#readSecret(id),
      updateClockOffset: (id, aheadMs) => this.#updateClockOffset(id, aheadMs),
      requireAllowed: (use) => deps.commands.require(use),
    }
    this.#open = new OpenConnections(this.#ports)
    // Close connections that another process has changed or removed.
    this.#unwatch = deps.settings.onChange(() => void this.#open.keepOnly(this.#all()))
  }

  /** Server clock offset in ms from its Date header, to a minute. 0 if unknown, small or absurd. */
  getClockOffsetMs(id: string): number {
    const clockOffsetMs = this.#aheadMs.get(id) ?? 0
    return Math.abs(clockOffsetMs) < minuteMs || Math.abs(clockOffsetMs) > centuryMs ? 0 : clockOffsetMs
  }

  #updateClockOffset(id: string, aheadMs: number): void {
    if (Math.abs(aheadMs - (this.#aheadMs.get(id) ?? 0)) < minuteMs) return
    this.#aheadMs.set(id, aheadMs)
    this.deps.onClockMoved?.()
  }

  /** Lists the sandbox's connection first, then the others by age. */
  list(): ConnectionView[] {
    const { activeConnectionId } = this.deps.settings.read()
    return this.#all().map((record) => {
      const aheadMs = this.getClockOffsetMs(record.id)
      const view = toConnectionView(record, activeConnectionId, this.deps.vault)
      return aheadMs === 0 ? view : { ...view, aheadMs }
    })
  }

  consoleIds(): string[] {
    return this.#all().flatMap(({ id, addresses }) => (addresses.consoleUrl ? [id] : []))
  }

  /** Finds a connection by id or name. Fails with `connection.notFound`. */
  find(idOrName: string): ConnectionView {
    const all = this.list()
    const connection = all.find(({ id }) => id === idOrName) ?? all.find(({ name }) => name === idOrName)
    if (connection) return connection
    const message = `Connection ${idOrName} not found. "companion connection list" lists all connections.`
    throw new AppError('connection.notFound', message)
  }

  active(): ConnectionView | undefined {
    return this.list().find(({ isActive }) => isActive)
  }

  /**
   * Adds a connection, or changes the one with the given id. The first one becomes active. Keeps a stored secret while
   * the token source needs the same one. Asks before a stored secret goes to another host, and before a program runs
   * for the first time. Changes nothing on failure. Fails with `input.declined`, `auth.commandNotAllowed`,
   * `connection.*`, `address.*`, `file.*`, `input.invalid` or `vault.unavailable`.
   */
  async save(
    input: ConnectionInput,
    secret?: Secret,
    confirm = this.deps.confirm,
  ): Promise<{ readonly connection: ConnectionView; readonly corrections: Correction[] }> {
    const { id = randomUUID() } = input
    const confirmedDestinations = await this.#agree(id, input, confirm)
    return this.#queue(async () => {
      const existingRecord = input.id === undefined ? undefined : this.#changeable(input.id)
      const { corrections, ...fields } = this.#accept(input)
      // Check again, because another change may have been saved while the dialog was open.
      const confirmedHosts = confirmedDestinations.map(({ to }) => to)
      if (this.#destinations(existingRecord, fields.addresses).some(({ to }) => !confirmedHosts.includes(to)))
        throw new AppError('input.declined', 'The connection was changed in the meantime. Save it again.')
      const createdAt = existingRecord?.createdAt ?? this.#timestamp()
      await this.#open.close(id)
      const connection = await this.#saveWithSecret({ id, createdAt, ...fields }, existingRecord, secret)
      if (JSON.stringify(existingRecord?.tokenSource) !== JSON.stringify(fields.tokenSource))
        this.#forgetCommand(existingRecord)
      return { connection, corrections }
    })
  }

  /** Asks whether a connection's program may run. Fails with `auth.commandNotAllowed` or `input.invalid`. */
  async allowCommand(id: string, confirm?: Confirm): Promise<void> {
    const record = this.#record(id)
    if (record.tokenSource?.kind !== 'command')
      throw new AppError('input.invalid', `${record.name} does not use a token command.`, { field: 'tokenSource' })
    await this.#requireAllowed(toCommandUsage(record, record.tokenSource.command), confirm)
  }

  /** Makes a connection the active one. Fails with `connection.notFound`. */
  use(id: string): void {
    this.deps.settings.update({ activeConnectionId: this.#record(id).id })
  }

  /** Removes a connection and its secret. Fails with `connection.notFound`, or `input.invalid` for the built-in one. */
  remove(id: string): Promise<void> {
    return this.#queue(async () => {
      const record = this.#changeable(id)
      await this.#open.close(id)
      await this.deps.vault.forget(secretAccount(id), record.kept)
      await this.deps.onRemove?.(id)
      this.#forgetCommand(record)
      this.deps.settings.update(({ connections }) => ({
        connections: connections.filter((connection) => connection.id !== id),
      }))
    })
  }

  /** Exports a connection without its secret. Fails with `connection.notFound`. */
  exportFile(id: string): ConnectionFile {
    return toConnectionFile(this.#record(id))
  }

  /** Sends one small real request. Fails only with `connection.notFound`; other failures are in the result. */
  async test(id: string, part: ConnectionPart, options: { signal?: AbortSignal } = {}): Promise<ConnectionTestView> {
    const { signal = new AbortController().signal } = options
    const { record, open } = await this.#openRecord(id)
    if (record.tokenSource?.kind === 'command')
      this.deps.commands.askAgain(toCommandUsage(record, record.tokenSource.command))
    const { testPart } = await import('./test-connection')
    return testPart(part, { record, open, signal, ports: this.#ports })
  }

  /** Returns the current client. Call again for each task, since settings may change. Fails with `connection.notFound`. */
  async client(id: string): Promise<PlatformClient> {
    return (await this.#openRecord(id)).open.client
  }

  /** Returns the sender with the connection's certificates. Call again for each request. Fails with `connection.notFound`. */
  async getSend(id: string): Promise<Send> {
    return (await this.#openRecord(id)).open.send
  }

  /** Returns the current inference endpoint. Call again for each request. Fails with `connection.notFound`. */
  async getInferenceEndpoint(id: string): Promise<InferenceEndpoint> {
    const { record, open } = await this.#openRecord(id)
    return { address: record.addresses.inferenceUrl, send: open.send, tokens: open.tokens }
  }

  /** Adds or updates the sandbox's connection. It becomes active if none is. */
  keepBuiltIn(built: Pick<ConnectionRecord, 'addresses'> & { tokenSource: TokenSource; secret: Secret }) {
    const { addresses, tokenSource, secret } = built
    return this.#queue(async () => {
      const records = this.#all()
      const existingRecord = records.find(({ id }) => id === builtInId)
      const isTaken = (newName: string) => records.some(({ name }) => name === newName)
      const name = existingRecord?.name ?? findFreeName(isTaken, (mark) => builtInId + mark)
      const createdAt = existingRecord?.createdAt ?? this.#timestamp()
      const savedSecret = existingRecord?.kept && (await this.#readSecret(builtInId).catch(() => undefined))
      const isKnown = savedSecret?.isSame(secret) === true
      const fields = { id: builtInId, name, createdAt, addresses, tokenSource, isBuiltIn: true }
      return isKnown && existingRecord ? this.#save({ ...existingRecord, ...fields }) : this.#keep(fields, secret)
    })
  }

  async end(): Promise<void> {
    this.#unwatch()
    await this.#open.keepOnly([])
  }

  /** Asks the user to confirm the change and returns the confirmed destinations. */
  async #agree(id: string, input: ConnectionInput, confirm: Confirm): Promise<readonly Destination[]> {
    const existingRecord = input.id === undefined ? undefined : this.#changeable(id)
    const { name, addresses, tokenSource } = this.#accept(input)
    const destinations = this.#destinations(existingRecord, addresses)
    const question = { kind: 'sendElsewhere', holder: 'connection', name: existingRecord?.name ?? '' } as const
    if (destinations.length > 0) await requireConsent(confirm, { ...question, destinations })
    if (tokenSource?.kind === 'command')
      await this.#requireAllowed(toCommandUsage({ id, name, addresses }, tokenSource.command), confirm)
    return destinations
  }

  /** Asks again even after a refusal, because the user started the action. */
  async #requireAllowed(use: CommandUsage, confirm: Confirm | undefined): Promise<void> {
    this.deps.commands.askAgain(use)
    await this.deps.commands.require(use, confirm)
  }

  /** Revokes consent to a program that a connection no longer runs, because its tokens may go elsewhere later. */
  #forgetCommand(record: ConnectionRecord | undefined): void {
    if (record?.tokenSource?.kind === 'command')
      this.deps.commands.forget(toCommandUsage(record, record.tokenSource.command))
  }

  /** Hosts that would receive the saved secret for the first time. Empty without a secret. */
  #destinations(existingRecord: ConnectionRecord | undefined, addresses: ConnectionRecord['addresses']): Destination[] {
    if (existingRecord === undefined) return []
    const { id, kept, tokenSource } = existingRecord
    const holdsSecret = kept !== undefined || tokenSource?.kind === 'command' || this.deps.holdsMore?.(id) === true
    return holdsSecret ? findNewDestinations(existingRecord.addresses, addresses) : []
  }

  /** Fails while the connection is being changed, to avoid sending its new secret to the old destination. */
  #openRecord(id: string): Promise<{ record: ConnectionRecord; open: OpenConnection }> {
    return this.#queue(async () => {
      const record = this.#record(id)
      return { record, open: await this.#open.of(record) }
    })
  }

  #all(): ConnectionRecord[] {
    const { connections } = this.deps.settings.read()
    return [...connections].sort(
      (a, b) => Number(b.isBuiltIn ?? false) - Number(a.isBuiltIn ?? false) || a.createdAt.localeCompare(b.createdAt),
    )
  }

  #record(id: string): ConnectionRecord {
    const record = this.#all().find((candidate) => candidate.id === id)
    if (record) return record
    throw new AppError('connection.notFound', 'This connection was removed. Choose another.')
  }

  #changeable(id: string): ConnectionRecord {
    const record = this.#record(id)
    if (!record.isBuiltIn) return record
    const message = "The built-in sandbox's connection cannot be changed or removed. Add your own connection instead."
    throw new AppError('input.invalid', message, { field: 'id' })
  }

  #accept({ id, name, addresses, tokenSource, caFile }: ConnectionInput) {
    this.#requireFreeName(name, id)
    const normalizedInput = normalizeConnection({ addresses, tokenSource })
    const path = caFile?.trim() ? resolve(caFile.trim()) : undefined
    if (path !== undefined) requireCertificates(path)
    return { name, ...normalizedInput, ...(path === undefined ? {} : { caFile: path }) }
  }

  #requireFreeName(newName: string, ownId: string | undefined): void {
    if (!this.#all().some(({ id, name }) => name === newName && id !== ownId)) return
    throw new AppError('connection.nameTaken', `There is a connection named ${newName} already.`, { field: 'name' })
  }

  async #saveWithSecret(fields: ConnectionFields, before?: ConnectionRecord, secret?: Secret): Promise<ConnectionView> {
    const { tokenSource } = fields
    if (secret && !needsSecret(tokenSource)) {
      const message = 'This token source needs no secret. Leave it out, or choose another source.'
      throw new AppError('input.invalid', message, { field: 'tokenSource' })
    }
    if (secret) return this.#keep(fields, secret)
    if (before && hasSameSecret(before.tokenSource, tokenSource))
      return this.#save({ ...fields, kept: before.kept, secretAt: before.secretAt })
    await this.deps.vault.forget(secretAccount(fields.id), before?.kept)
    return this.#save(fields)
  }

  #keep(fields: ConnectionFields, secret: Secret): Promise<ConnectionView> {
    const secretAt = this.#timestamp()
    const account = secretAccount(fields.id)
    return saveWithRecord(this.deps, account, secret, (kept) => this.#save({ ...fields, kept, secretAt }))
  }

  #readSecret(id: string): Promise<Secret | undefined> {
    return undefinedIfFailed('vault.keyMissing', this.deps.vault.get(secretAccount(id)))
  }

  #save(record: ConnectionRecord): ConnectionView {
    const { settings, vault } = this.deps
    settings.update(() => {
      this.#requireFreeName(record.name, record.id)
      const savedConnections = this.#all()
      const isStored = savedConnections.some(({ id }) => id === record.id)
      const connections = isStored
        ? savedConnections.map((savedConnection) => (savedConnection.id === record.id ? record : savedConnection))
        : [...savedConnections, record]
      const activeConnectionId = this.active()?.id ?? record.id
      return { connections, activeConnectionId }
    })
    return toConnectionView(record, settings.read().activeConnectionId, vault)
  }

  #timestamp(): string {
    return this.deps.clock().toISOString()
  }
}

type ConnectionFields = Omit<ConnectionRecord, 'kept' | 'secretAt'>

/** Open connections. A changed record opens a new one, which shares no sockets or tokens with the old one. */
class OpenConnections {
  readonly #entries = new Map<string, { readonly state: string; readonly opened: Promise<OpenConnection> }>()

  constructor(private readonly ports: ConnectionPorts) {}

  /** Opens a connection, and closes the one of an earlier record. Loads the modules on first use. */
  async of(record: ConnectionRecord): Promise<OpenConnection> {
    const state = toState(record)
    const cachedEntry = this.#entries.get(record.id)
    if (cachedEntry?.state === state) return cachedEntry.opened
    const closePromise = this.close(record.id)
    const opened = import('./open-connection').then(({ openConnection }) => openConnection(record, this.ports))
    this.#entries.set(record.id, { state, opened })
    await closePromise
    return opened
  }

  /** Closes the open connections whose record is missing from `records` or has changed. */
  async keepOnly(records: readonly ConnectionRecord[]): Promise<void> {
    const states = new Map(records.map((record) => [record.id, toState(record)]))
    await Promise.all([...this.#entries].map(([id, { state }]) => states.get(id) !== state && this.close(id)))
  }

  async close(id: string): Promise<void> {
    const cachedEntry = this.#entries.get(id)
    this.#entries.delete(id)
    const connection = await cachedEntry?.opened.catch(() => undefined)
    await connection?.close()
  }
}

const toState = ({ addresses, tokenSource, caFile, secretAt }: ConnectionRecord): string =>
  JSON.stringify([addresses, tokenSource, caFile, secretAt])

/** Whether both sources use the same secret: the same client at the same server, or a pasted token. */
function hasSameSecret(a: TokenSource | undefined, b: TokenSource | undefined): boolean {
  if (a?.kind === 'client-credentials' && b?.kind === 'client-credentials') {
    return a.clientId === b.clientId && new URL(a.tokenUrl).origin === new URL(b.tokenUrl).origin
  }
  return a?.kind === 'pasted' && b?.kind === 'pasted'
}
