import { AppError } from '@shared/failure'
import { toRoot } from '../core/net/address'
import type { Clock } from '../core/ports'
import type { Secret } from '../core/secret'
import type { InferenceKeyRecord, SettingsStore } from '../core/settings/settings'
import { inferenceAccount, saveWithRecord, type Vault } from '../core/vault/vault'

export class InferenceKeys {
  constructor(
    private readonly deps: { readonly settings: SettingsStore; readonly vault: Vault; readonly clock: Clock },
  ) {}

  /** The masked key. Undefined without a key for this inference address. */
  masked(connectionId: string, address: string | undefined): string | undefined {
    return this.#usable(connectionId, address)?.masked
  }

  /** Reads the key for a host. Fails with `api.notConfigured` if there is no key for this host, or with `vault.*`. */
  async readSecret(connectionId: string, address: string): Promise<Secret> {
    if (this.#usable(connectionId, address)) return this.deps.vault.get(inferenceAccount(connectionId))
    const message =
      'No platform API key is saved for the inference of this connection. Enter one, or use its IAM token.'
    throw new AppError('api.notConfigured', message, { field: 'key' })
  }

  /** Replaces any earlier key. Fails with `api.notConfigured` without an inference address, or `vault.unavailable`. */
  async keep(connectionId: string, address: string | undefined, secret: Secret): Promise<void> {
    const origin = toRoot(address ?? '')
    if (origin === '') throw noInference()
    await saveWithRecord(this.deps, inferenceAccount(connectionId), secret, (kept) => {
      const record: InferenceKeyRecord = { connectionId, origin, masked: secret.masked, kept }
      this.deps.settings.update(({ inferenceKeys }) => ({
        inferenceKeys: [...inferenceKeys.filter((key) => key.connectionId !== connectionId), record],
      }))
    })
  }

  /** Removes a key, if any. Fails with `vault.unavailable` and keeps the key then. */
  async forget(connectionId: string): Promise<void> {
    const { settings, vault } = this.deps
    const record = this.#record(connectionId)
    if (!record) return
    await vault.forget(inferenceAccount(connectionId), record.kept)
    settings.update(({ inferenceKeys }) => ({
      inferenceKeys: inferenceKeys.filter((key) => key.connectionId !== connectionId),
    }))
  }

  #usable(connectionId: string, address: string | undefined): InferenceKeyRecord | undefined {
    const record = this.#record(connectionId)
    if (!record || record.origin !== toRoot(address ?? '')) return undefined
    return this.deps.vault.holds(inferenceAccount(connectionId), record.kept) ? record : undefined
  }

  #record(connectionId: string): InferenceKeyRecord | undefined {
    return this.deps.settings.read().inferenceKeys.find((key) => key.connectionId === connectionId)
  }
}

export const noInference = (): AppError =>
  new AppError('api.notConfigured', 'The connection has no inference address. Add it to the connection.', {
    field: 'inferenceUrl',
  })
