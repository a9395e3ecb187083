import type { AddressCorrection, AddressKey, ConnectionView, TokenSource } from '@shared/contract'
import { addressKeys } from '@shared/contract/connections'
import { AppError, type Failure, type Result } from '@shared/failure'
import type { CommandUsage } from '../../core/consent/allowed-commands'
import { listHosts } from '../../core/consent/consent'
import { parseGatewayAddress, readPastedAddress } from '../../core/net/address'
import { redact } from '../../core/secret'
import type { ConnectionRecord } from '../../core/settings/settings'
import { secretAccount, type Vault } from '../../core/vault/vault'

export function needsSecret(source: TokenSource | undefined): boolean {
  return source?.kind === 'client-credentials' || source?.kind === 'pasted'
}

export const toCommandUsage = (
  { id, name, addresses }: Pick<ConnectionRecord, 'id' | 'name' | 'addresses'>,
  command: readonly string[],
): CommandUsage => ({ connectionId: id, connection: name, command, hosts: listHosts(addresses) })

export function toConnectionView(record: ConnectionRecord, activeId: string | undefined, vault: Vault): ConnectionView {
  const { id, name, addresses, tokenSource, caFile, isBuiltIn = false, kept = 'missing', createdAt } = record
  const isLost = kept === 'session' && !vault.holdsForSession(secretAccount(id))
  const secret = !needsSecret(tokenSource) ? 'none' : isLost ? 'missing' : kept
  return { id, name, addresses, tokenSource, secret, caFile, isBuiltIn, isActive: id === activeId, createdAt }
}

export interface Correction {
  readonly field: AddressKey | 'tokenUrl'
  readonly correction: AddressCorrection
}

/** Entered or imported addresses. Empty means "not configured". */
export type AddressInput = Readonly<Partial<Record<AddressKey, string | undefined>>>

/** Normalizes addresses (decisions 1) and the token source. Fails with `address.*` or `input.invalid` and the field. */
export function normalizeConnection(input: {
  readonly addresses: AddressInput
  readonly tokenSource?: TokenSource | undefined
}) {
  const corrections: Correction[] = []
  const readField = (field: Correction['field'], text: string): string => {
    const normalizedAddress = readAddress(field, text)
    corrections.push(...normalizedAddress.corrections.map((correction) => ({ field, correction })))
    return normalizedAddress.value
  }
  const addresses: Partial<Record<AddressKey, string>> = {}
  for (const field of addressKeys) {
    const text = input.addresses[field] ?? ''
    if (text.trim() !== '') addresses[field] = readField(field, text)
  }
  const tokenSource = input.tokenSource && toTokenSource(input.tokenSource, (text) => readField('tokenUrl', text))
  return { addresses, corrections, ...(tokenSource ? { tokenSource } : {}) }
}

/** Drops empty fields. Rejects a command with a secret, because settings and views show it. */
function toTokenSource(source: TokenSource, readTokenUrl: (text: string) => string): TokenSource {
  if (source.kind === 'client-credentials') {
    const { kind, tokenUrl, clientId } = source
    const scope = source.scope?.trim()
    return { kind, tokenUrl: readTokenUrl(tokenUrl), clientId: clientId.trim(), ...(scope ? { scope } : {}) }
  }
  if (source.kind === 'command' && source.command.some((argument) => redact(argument) !== argument)) {
    const message =
      'The token command holds something that looks like a key or a token. Let the command read it from a safe place.'
    throw new AppError('input.invalid', message, { field: 'command' })
  }
  return source
}

/** The gateway address has no path, the registry address is a host name. Others keep their path. */
function readAddress(
  field: Correction['field'],
  text: string,
): { value: string; corrections: readonly AddressCorrection[] } {
  if (field === 'tokenPlanUrl') {
    const { url, corrections } = requireAddress(field, parseGatewayAddress(text))
    return { value: url, corrections }
  }
  const { scheme, authority, path: pastedPath, ...pasted } = requireAddress(field, readPastedAddress(text))
  const rootText = scheme === undefined ? authority : `${scheme}://${authority}`
  const root = requireAddress(field, parseGatewayAddress(rootText))
  const path = pastedPath.replace(/\/+$/, '')
  const corrections = [...pasted.corrections, ...root.corrections]
  if (field === 'registryHost') {
    if (path !== '') corrections.push('suffixRemoved')
    const shownCorrections = new Set(corrections.filter((correction) => correction !== 'schemeAdded'))
    return { value: new URL(root.url).host, corrections: [...shownCorrections] }
  }
  if (path !== pastedPath) corrections.push('trailingSlashRemoved')
  const value = root.url + (path === '' ? '' : new URL(root.url + path).pathname)
  return { value, corrections: [...new Set(corrections)] }
}

function requireAddress<T>(field: Correction['field'], address: Result<T, Failure>): T {
  if (address.ok) return address.value
  throw new AppError(address.error.code, address.error.message, { field })
}
