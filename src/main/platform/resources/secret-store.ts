import { randomUUID } from 'node:crypto'
import type { SavedSecret } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { AppError } from '@shared/failure'
import { z } from 'zod'
import type { AuditEvent, AuditPort, Clock } from '../../core/ports'
import type { Secret } from '../../core/secret'
import type { PlatformSecretRecord, SettingsStore } from '../../core/settings/settings'
import { platformAccount, saveWithRecord, type Vault } from '../../core/vault/vault'

const retentionMs = 15 * minuteMs
const maxSecrets = 5000

interface CapturedSecret {
  readonly secret: Secret
  readonly facts: SecretFacts
}

export type CapturedSecrets = ReturnType<typeof createHeldSecrets>

/** Secrets of responses, in memory for 15 minutes. The window gets only their masked form. */
export function createHeldSecrets(clock: Clock) {
  const capturedSecrets = new Map<string, CapturedSecret & { readonly until: number }>()
  const deleteExpired = (nowMs: number): void => {
    // Oldest first.
    for (const [handle, { until }] of capturedSecrets) {
      if (until >= nowMs && capturedSecrets.size < maxSecrets) return
      capturedSecrets.delete(handle)
    }
  }
  return {
    /** Stores a secret and returns its handle. Evicts the oldest above the limit. */
    hold({ secret, facts }: CapturedSecret): string {
      const nowMs = clock().getTime()
      deleteExpired(nowMs)
      const handle = randomUUID()
      capturedSecrets.set(handle, { secret, facts, until: nowMs + retentionMs })
      return handle
    },
    /** Finds a secret. Fails with `key.notFound` when it has expired or belongs to another connection. */
    get(handle: string, connectionId?: string): CapturedSecret {
      const entry = capturedSecrets.get(handle)
      const belongsToConnection = connectionId === undefined || entry?.facts.connectionId === connectionId
      if (entry !== undefined && belongsToConnection && entry.until >= clock().getTime()) return entry
      const message = 'This secret expired after 15 minutes. Request it from the platform again.'
      throw new AppError('key.notFound', message, { field: 'handle' })
    },
    isMasked: (text: string): boolean =>
      [...capturedSecrets.values()].some(({ secret }) => secret.last4 !== '' && secret.masked === text),
  }
}

/** Platform secrets saved by the user: names in the settings, secrets in the keychain. */
export class SavedSecretStore {
  constructor(
    private readonly deps: {
      readonly settings: SettingsStore
      readonly vault: Vault
      readonly clock: Clock
      readonly notes: Pick<SecretNotes, 'note'>
    },
  ) {}

  /** Saved secrets, newest first. */
  list(connectionId?: string): SavedSecret[] {
    const { vault } = this.deps
    return this.#all()
      .filter((record) => connectionId === undefined || record.connectionId === connectionId)
      .filter(({ id, kept }) => vault.holds(platformAccount(id), kept))
      .map(toSavedSecret)
  }

  /** Finds a saved secret. Fails with `key.notFound`. */
  find(id: string): SavedSecret {
    return toSavedSecret(this.#record(id))
  }

  /**
   * Saves a secret, replacing one of the same kind and name. Fails with `vault.unavailable`, or `input.invalid` for a
   * multi-word text, which can only be copied.
   */
  async keep(
    secret: Secret,
    { connectionId, kind, name }: Pick<SavedSecret, 'connectionId' | 'kind' | 'name'>,
  ): Promise<SavedSecret> {
    if (!secret.fitsHeader) {
      const message = "A secret with spaces or line breaks can't be saved in the keychain. Copy it instead."
      throw new AppError('input.invalid', message, { field: 'handle' })
    }
    const { clock, notes } = this.deps
    const isSameSecret = (keptSecret: SavedSecret) =>
      keptSecret.connectionId === connectionId && keptSecret.kind === kind && keptSecret.name === name
    const id = this.#all().find(isSameSecret)?.id ?? randomUUID()
    const view = { id, connectionId, kind, name, masked: secret.masked, keptAt: clock().toISOString() }
    await saveWithRecord(this.deps, platformAccount(id), secret, (kept) =>
      this.#write((records) => [{ ...view, kept }, ...records.filter((record) => record.id !== id)]),
    )
    await notes.note('secretKept', view)
    return view
  }

  /** Reads a saved secret. Fails with `key.notFound`, also for a secret of another connection, or with `vault.*`. */
  async readSecret(id: string, connectionId?: string): Promise<Secret> {
    const record = this.#record(id)
    if (connectionId !== undefined && record.connectionId !== connectionId) throw createNotSavedError()
    return this.deps.vault.get(platformAccount(id))
  }

  /** Deletes a saved secret. Fails with `key.notFound`, or with `vault.unavailable` without deleting it. */
  async forget(id: string): Promise<void> {
    const { vault, notes } = this.deps
    const { kept, ...facts } = this.#record(id)
    await vault.forget(platformAccount(id), kept)
    this.#write((records) => records.filter((record) => record.id !== id))
    await notes.note('secretForgotten', facts)
  }

  /** Removes all secrets of a removed connection. Fails with `vault.unavailable`. */
  async forgetConnection(connectionId: string): Promise<void> {
    for (const record of this.#all()) if (record.connectionId === connectionId) await this.forget(record.id)
  }

  #record(id: string): PlatformSecretRecord {
    const record = this.#all().find((candidate) => candidate.id === id)
    if (record) return record
    throw createNotSavedError()
  }

  #write(change: (records: readonly PlatformSecretRecord[]) => PlatformSecretRecord[]): void {
    this.deps.settings.update(({ platformSecrets }) => ({ platformSecrets: change(platformSecrets) }))
  }

  #all(): PlatformSecretRecord[] {
    return this.deps.settings.read().platformSecrets
  }
}

function createNotSavedError(): AppError {
  const message = 'This secret is not saved on this computer, or not for this connection.'
  return new AppError('key.notFound', message, { field: 'id' })
}

const toSavedSecret = ({ kept: _, ...saved }: PlatformSecretRecord): SavedSecret => saved

type SecretAuditKind = Extract<AuditEvent['what'], `secret${string}`>

export interface SecretFacts {
  readonly connectionId: string
  readonly kind?: SavedSecret['kind'] | undefined
  /** Name of the resource that the secret belongs to, or the name under which the user saved the secret. */
  readonly name: string
}

/** Audits uses of platform secrets by kind, name and connection. Never records the secret. */
export class SecretNotes {
  constructor(private readonly deps: { readonly settings: Pick<SettingsStore, 'read'>; readonly audit: AuditPort }) {}

  note(what: SecretAuditKind, { connectionId, kind, name: keyName }: SecretFacts): Promise<void> {
    const connection = this.deps.settings.read().connections.find(({ id }) => id === connectionId)
    return this.deps.audit.note({ what, secretKind: kind, keyName, subject: connection?.name ?? connectionId })
  }
}

/** Kinds of the secrets that operations return. */
export const secretKinds: Readonly<Partial<Record<string, SavedSecret['kind']>>> = {
  'registry.robotAccounts.create': 'robot',
  'aip.apiKeys.create': 'platformApiKey',
  'aip.apiKeys.get': 'platformApiKey',
  'identity.apiKeyProviders.retrieveKey': 'providerKey',
  'identity.delegatedProviders.requestKey': 'providerKey',
  'identity.oauth2Providers.tokenM2m': 'token',
  'identity.oauth2Providers.token3lo': 'token',
  'runtime.agentRuntimes.resetServiceAccount': 'serviceAccount',
}

const NamedItem = z.looseObject({ name: z.string() })

/** Describes the secrets of a response. The resource name is in the path or the request body, or else the operation's. */
export function toSecretFacts(call: {
  readonly connectionId: string
  readonly operation: string
  readonly path?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
}): SecretFacts {
  const { connectionId, operation, path = {}, body } = call
  const kind = secretKinds[operation]
  const resourceName = Object.values(path).join(' / ') || (NamedItem.safeParse(body).data?.name ?? '')
  const isNamed = kind !== undefined && resourceName !== ''
  return { connectionId, kind, name: isNamed ? resourceName : `${operation} ${resourceName}`.trim() }
}
