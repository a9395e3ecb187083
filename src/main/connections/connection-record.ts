import type { ConnectionView, TokenSource } from '@shared/contract'
import type { CommandUse } from '../consent/allowed-commands'
import { hostsOf } from '../consent/consent'
import type { ConnectionRecord } from '../settings/settings'
import { secretAccount, type Vault } from '../vault/vault'
/** The id in such an account, or undefined when it is another's. */
export const connectionOfAccount = (account: string): string | undefined => /^connection:(.+)$/.exec(account)?.[1]

/** Whether a source needs a secret: a client's, or the pasted token. */
export function needsSecret(source: TokenSource | undefined): boolean {
  return source?.kind === 'client-credentials' || source?.kind === 'pasted'
}

/** Whether the secret of one source is the other's too: the same client at the same server, or a token that was pasted. */
export function sharesSecret(one: TokenSource | undefined, other: TokenSource | undefined): boolean {
  if (one?.kind === 'client-credentials' && other?.kind === 'client-credentials') {
    return one.clientId === other.clientId && new URL(one.tokenUrl).origin === new URL(other.tokenUrl).origin
  }
  return one?.kind === 'pasted' && other?.kind === 'pasted'
}

/** What the person is asked about before a connection runs a program. */
export const commandUse = (
  { id, name, addresses }: Pick<ConnectionRecord, 'id' | 'name' | 'addresses'>,
  command: readonly string[],
): CommandUse => ({ connectionId: id, connection: name, command, hosts: hostsOf(addresses) })

/** A connection as the window may see it. */
export function viewOf(record: ConnectionRecord, activeId: string | undefined, vault: Vault): ConnectionView {
  const { id, name, addresses, tokenSource, caFile, isBuiltIn = false, createdAt } = record
  const secret = secretStateOf(record, vault)
  return { id, name, addresses, tokenSource, secret, caFile, isBuiltIn, isActive: id === activeId, createdAt }
}

function secretStateOf({ id, tokenSource, kept }: ConnectionRecord, vault: Vault): ConnectionView['secret'] {
  if (!needsSecret(tokenSource)) return 'none'
  if (kept === undefined) return 'missing'
  return kept === 'session' && !vault.holdsForSession(secretAccount(id)) ? 'missing' : kept
}
