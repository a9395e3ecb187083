import type { KeptSecret } from '@shared/contract'
import type { AuditNote, AuditPort } from '../ports'
import type { SettingsStore } from '../settings/settings'

/** What is done with a secret of the platform; the word says where it went. */
export type SecretUse = Extract<AuditNote['what'], `secret${string}`>

/** Whose secret it is: what of it may be told. */
export interface SecretFacts {
  readonly connectionId: string
  /** Absent where the answer does not tell. */
  readonly kind?: KeptSecret['kind'] | undefined
  /** Of the resource, or what it is kept as. */
  readonly name: string
}

/** Notes in the audit trail what is done with secrets of the platform, by kind, name and connection; never anything of a secret itself. */
export class SecretNotes {
  readonly #settings: Pick<SettingsStore, 'read'>
  readonly #audit: AuditPort

  constructor({ settings, audit }: { readonly settings: Pick<SettingsStore, 'read'>; readonly audit: AuditPort }) {
    this.#settings = settings
    this.#audit = audit
  }

  note(what: SecretUse, { connectionId, kind, name: keyName }: SecretFacts): Promise<void> {
    const connection = this.#settings.read().connections.find(({ id }) => id === connectionId)
    return this.#audit.note({ what, secretKind: kind, keyName, subject: connection?.name ?? connectionId })
  }
}

/** What the operations that tell a credential tell. */
const kinds: Readonly<Record<string, KeptSecret['kind']>> = {
  'registry.robotAccounts.create': 'robot',
  'aip.apiKeys.create': 'platformApiKey',
  'aip.apiKeys.get': 'platformApiKey',
  'identity.apiKeyProviders.retrieveKey': 'providerKey',
  'identity.delegatedProviders.requestKey': 'providerKey',
  'identity.oauth2Providers.tokenM2m': 'token',
  'identity.oauth2Providers.token3lo': 'token',
  'runtime.agentRuntimes.resetServiceAccount': 'serviceAccount',
}

/** A call of which the answer had a secret. */
interface TellingCall {
  readonly connectionId: string
  readonly operation: string
  readonly path?: Readonly<Record<string, string>> | undefined
  readonly body?: unknown
}

/** Whose secrets an answer has: the resource is named by the path, or by the body that made it. Other operations are named with it. */
export function factsOf({ connectionId, operation, path = {}, body }: TellingCall): SecretFacts {
  const kind = kinds[operation]
  const named = Object.values(path).join(' / ') || nameIn(body)
  const name = [...(kind === undefined || named === '' ? [operation] : []), named].filter(Boolean).join(' ')
  return { connectionId, kind, name }
}

const nameIn = (body: unknown): string =>
  typeof body === 'object' && body !== null && 'name' in body && typeof body.name === 'string' ? body.name : ''
