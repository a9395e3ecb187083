import { AppError } from '@shared/app-error'
import type { VaultView } from '@shared/contract'
import { dayMs } from '@shared/durations'
import type { Clock } from '../ports'
import { Secret } from '../secret'
import type { Settings, SettingsStore } from '../settings/settings'
import { isProcessAlive } from '../sqlite/process-lock'
import { createWorkQueue, isFulfilled, shareRunning } from '../work-queue'
import { type Keychain, KeychainStalled } from './keychain'

/** Maximum age of a pending write. Afterwards its process id may be reused. */
const maxWriteMs = dayMs

type Note = Settings['newItems'][number]

interface SecretStores {
  readonly settings: SettingsStore
  readonly vault: Vault
  readonly clock: Clock
}

/**
 * Saves a secret, then calls `record` to store its settings record. Removes a new keychain item if either step fails.
 * Notes a new item in the settings first, so that a kill leaves no orphan.
 */
export async function saveWithRecord<T>(
  stores: SecretStores,
  account: string,
  secret: Secret,
  record: (storage: KeyStorage) => T,
): Promise<T> {
  const { settings, vault, clock } = stores
  const isRecorded = listVaultAccounts(settings.read()).includes(account)
  // Without a keychain there is no item to record.
  if (isRecorded || (await vault.state()).kind === 'session') return record(await vault.save(account, secret))
  await sweepNewItems(stores)
  const pendingNote = { account, pid: process.pid, at: clock().toISOString() }
  settings.update(({ newItems }) => ({ newItems: [...newItems, pendingNote] }))
  try {
    const storage = await vault.save(account, secret)
    return settings.transaction(() => {
      const result = record(storage)
      settings.update(({ newItems }) => ({ newItems: newItems.filter((note) => note.account !== account) }))
      return result
    })
  } catch (error) {
    await dropNewItem(stores, pendingNote)
    throw error
  }
}

/** Removes keychain items of interrupted writes. Retries failed ones at the next sweep. */
export async function sweepNewItems(stores: SecretStores): Promise<void> {
  const nowMs = stores.clock().getTime()
  const isInterrupted = ({ pid, at }: Note): boolean =>
    nowMs - Date.parse(at) > maxWriteMs || (pid !== process.pid && !isProcessAlive(pid))
  for (const note of stores.settings.read().newItems.filter(isInterrupted)) await dropNewItem(stores, note)
}

async function dropNewItem({ settings, vault }: SecretStores, note: Note): Promise<void> {
  const isMatch = ({ account, pid, at }: Note): boolean =>
    account === note.account && pid === note.pid && at === note.at
  // Another process may have removed this pending item and reused its account.
  if (!settings.read().newItems.some(isMatch)) return
  const isResolved =
    listVaultAccounts(settings.read()).includes(note.account) || (await isFulfilled(vault.remove(note.account)))
  if (isResolved) settings.update(({ newItems }) => ({ newItems: newItems.filter((newItem) => !isMatch(newItem)) }))
}

/** Where a key is stored. `session` means in memory until the process ends. */
export type KeyStorage = 'keychain' | 'session'

interface VaultOptions {
  readonly keychain: Keychain
  readonly install: string
  /** Whether keys may stay in memory. False for short-lived processes, where an unsaved key is an error. */
  readonly sessionAllowed: boolean
  /** Called when the keychain stops or resumes responding. */
  readonly onChange?: () => void
  /** Called when session keys have been moved to the keychain. */
  readonly onMoved?: (ids: readonly string[]) => void
}

/** Nonexistent account that is read to check whether the keychain responds. */
const probeAccount = 'keychain-check'

export const createVault = (options: VaultOptions): Vault => new Vault(options)

/** Stores keys in the keychain or in memory, never in a file. Sequential, since parallel writes of an item can fail. */
export class Vault {
  readonly #session = new Map<string, Secret>()
  #view: Promise<VaultView> | undefined
  readonly #queue = createWorkQueue()

  constructor(private readonly options: VaultOptions) {}

  state(): Promise<VaultView> {
    this.#view ??= this.#probe()
    return this.#view
  }

  /** Moves session keys into the keychain if it responds. Resolves with their ids. Each read and write does this. */
  readonly recheck = shareRunning(() => this.#recheck())

  /** Returns `keychain` only if the keychain returned the same secret. Fails with `vault.unavailable`. */
  async save(id: string, secret: Secret): Promise<KeyStorage> {
    const { sessionAllowed } = this.options
    const isKnown = this.#view !== undefined
    if ((await this.state()).kind === 'session' && isKnown) await this.recheck()
    const view = await this.state()
    if (view.kind === 'session') {
      if (!sessionAllowed) throw this.#unavailable(view.reason)
      this.#session.set(id, secret)
      return 'session'
    }
    try {
      await this.#save(id, secret)
    } catch (error) {
      if ((await this.state()).kind === 'keychain') throw error
      this.#session.set(id, secret)
      return 'session'
    }
    this.#session.delete(id)
    return 'keychain'
  }

  /** Reads a secret. Fails with `vault.unavailable` or `vault.keyMissing`. */
  async get(id: string): Promise<Secret> {
    const sessionSecret = this.#session.get(id)
    if (sessionSecret) {
      // Do not await the keychain: if it stalls, it would delay a request whose key is in memory by seconds.
      void this.recheck().catch(() => undefined)
      return sessionSecret
    }
    const storedSecret = await this.#ask((keychain) => keychain.get(id))
    if (storedSecret !== null) return new Secret(storedSecret)
    throw new AppError('vault.keyMissing', 'The key is not in the keychain of this computer. Paste it again.')
  }

  /** Whether a secret whose record says where it was stored still exists. One of an earlier session is gone. */
  holds(id: string, storage: KeyStorage | undefined): boolean {
    return storage === 'keychain' || this.#session.has(id)
  }

  /** Removes a secret if it still exists, because `remove` fails without a keychain. */
  async forget(id: string, storage: KeyStorage | undefined): Promise<void> {
    if (this.holds(id, storage)) await this.remove(id)
  }

  async remove(id: string): Promise<void> {
    const wasInSession = this.#session.delete(id)
    try {
      await this.#ask((keychain) => keychain.remove(id))
    } catch (error) {
      // A session key has a keychain item only if it was replaced while the keychain stalled, so ignore the error.
      if (!wasInSession) throw error
    }
  }

  async #recheck(): Promise<readonly string[]> {
    const previousView = await this.#view
    this.#view = this.#probe()
    const { kind } = await this.#view
    if (previousView && previousView.kind !== kind) this.options.onChange?.()
    if (kind === 'session') return []
    const movedIds: string[] = []
    for (const [id, secret] of [...this.#session]) {
      await this.#save(id, secret)
      if (this.#session.get(id) === secret) this.#session.delete(id)
      movedIds.push(id)
    }
    if (movedIds.length > 0) this.options.onMoved?.(movedIds)
    return movedIds
  }

  /** Writes an item and reads it back, because a keychain may confirm a write that it did not make. */
  async #save(id: string, secret: Secret): Promise<void> {
    await this.#ask((keychain) => keychain.set(id, secret))
    const storedSecret = await this.#ask((keychain) => keychain.get(id))
    if (storedSecret !== null && new Secret(storedSecret).isSame(secret)) return
    throw this.#unavailable('it did not return the key that was saved')
  }

  #probe(): Promise<VaultView> {
    const { keychain } = this.options
    return this.#queue(() => keychain.get(probeAccount)).then(
      () => ({ kind: 'keychain' }),
      (error: unknown) => this.#sessionView(error),
    )
  }

  async #ask<T>(work: (keychain: Keychain) => Promise<T>): Promise<T> {
    try {
      const answer = await this.#queue(() => work(this.options.keychain))
      if ((await this.#view)?.kind === 'session') void this.recheck().catch(() => undefined)
      return answer
    } catch (error) {
      if (error instanceof KeychainStalled && this.options.sessionAllowed) {
        this.#view = Promise.resolve(this.#sessionView(error))
        this.options.onChange?.()
      }
      throw this.#unavailable(error)
    }
  }

  #sessionView(error: unknown): VaultView {
    return { kind: 'session', reason: describeError(error), install: this.#adviceFor(error) }
  }

  #adviceFor(error: unknown): string {
    return error instanceof KeychainStalled ? error.advice : this.options.install
  }

  #unavailable(cause: unknown): AppError {
    const problem =
      cause instanceof KeychainStalled ? cause.message : `The OS keychain does not respond (${describeError(cause)})`
    return new AppError('vault.unavailable', `${problem}. ${this.#adviceFor(cause)}`, { cause })
  }
}

function describeError(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.split('\n')[0]?.slice(0, 200) || 'no reason given'
}

/** Vault account of a connection's secret. A key's account is its record id. */
export const secretAccount = (connectionId: string): string => `connection:${connectionId}`

export const inferenceAccount = (connectionId: string): string => `inference:${connectionId}`

export const platformAccount = (id: string): string => `platform:${id}`

export const metricsAccount = 'metrics:otlp'
export const webhookAccount = 'alerts:webhook'
export const teamAccount = (spaceId: string): string => `team:${spaceId}`

/** Applies `change` to the record of each secret, with its vault account. Returns the changed parts of the settings. */
function mapSecretRecords(
  { plans, connections, inferenceKeys, platformSecrets, metrics, team, webhook }: Settings,
  change: <T extends object>(record: T, account: string) => T,
): Partial<Settings> {
  return {
    plans: plans.map((plan) => ({ ...plan, keys: plan.keys.map((key) => change(key, key.id)) })),
    connections: connections.map((connection) => change(connection, secretAccount(connection.id))),
    inferenceKeys: inferenceKeys.map((key) => change(key, inferenceAccount(key.connectionId))),
    platformSecrets: platformSecrets.map((secret) => change(secret, platformAccount(secret.id))),
    ...(metrics.otlp?.kept && { metrics: { ...metrics, otlp: change(metrics.otlp, metricsAccount) } }),
    ...(team && { team: change(team, teamAccount(team.spaceId)) }),
    ...(webhook && { webhook: change(webhook, webhookAccount) }),
  }
}

/** Records that these session secrets have been moved to the keychain. */
export function noteKept(settings: SettingsStore, accounts: readonly string[]): void {
  settings.update((current) =>
    mapSecretRecords(current, (record, account) =>
      accounts.includes(account) ? { ...record, kept: 'keychain' } : record,
    ),
  )
}

function listVaultAccounts(settings: Settings): readonly string[] {
  const accounts: string[] = []
  mapSecretRecords(settings, (record, account) => {
    accounts.push(account)
    return record
  })
  return accounts
}
