import type { AddressCorrection, AddressKey, ConnectionView, TokenSource } from '@shared/contract'
import { addressKeys } from '@shared/contract/connections'
import { AppError, type Failure } from '@shared/failure'
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
  const { id, name, addresses, tokenSource, caFile, isBuiltIn = false, createdAt } = record
  const secret = getSecretState(record, vault)
  return { id, name, addresses, tokenSource, secret, caFile, isBuiltIn, isActive: id === activeId, createdAt }
}

function getSecretState({ id, tokenSource, kept }: ConnectionRecord, vault: Vault): ConnectionView['secret'] {
  if (!needsSecret(tokenSource)) return 'none'
  if (kept === undefined) return 'missing'
  return kept === 'session' && !vault.holdsForSession(secretAccount(id)) ? 'missing' : kept
}

export interface Correction {
  readonly field: AddressKey | 'tokenUrl'
  readonly correction: AddressCorrection
}

/** Entered or imported addresses. Empty means "not configured". */
export type AddressInput = Readonly<Partial<Record<AddressKey, string | undefined>>>

/** Normalizes addresses (decisions 1) and the token source. Fails with `address.*` or `input.invalid` and the field. */
export function normalizeConnection({
  addresses: enteredAddresses,
  tokenSource,
}: {
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
    const text = enteredAddresses[field] ?? ''
    if (text.trim() !== '') addresses[field] = readField(field, text)
  }
  const source = tokenSource && toTokenSource(tokenSource, (text) => readField('tokenUrl', text))
  return { addresses, corrections, ...(source ? { tokenSource: source } : {}) }
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
): { readonly value: string; readonly corrections: readonly AddressCorrection[] } {
  if (field === 'tokenPlanUrl') {
    const { url, corrections } = parseRoot(field, text)
    return { value: url, corrections }
  }
  const pastedAddress = readPastedAddress(text)
  if (!pastedAddress.ok) throw createInputError(field, pastedAddress.error)
  const { scheme, authority, path: pastedPath } = pastedAddress.value
  const root = parseRoot(field, scheme === undefined ? authority : `${scheme}://${authority}`)
  const path = pastedPath.replace(/\/+$/, '')
  const corrections = [...pastedAddress.value.corrections, ...root.corrections]
  if (field === 'registryHost') {
    const allCorrections: AddressCorrection[] = [...corrections, ...(path === '' ? [] : (['suffixRemoved'] as const))]
    return {
      value: new URL(root.url).host,
      corrections: listUnique(allCorrections.filter((correction) => correction !== 'schemeAdded')),
    }
  }
  if (path !== pastedPath) corrections.push('trailingSlashRemoved')
  return {
    value: root.url + (path === '' ? '' : new URL(root.url + path).pathname),
    corrections: listUnique(corrections),
  }
}

function parseRoot(field: Correction['field'], text: string) {
  const parsedAddress = parseGatewayAddress(text)
  if (parsedAddress.ok) return parsedAddress.value
  throw createInputError(field, parsedAddress.error)
}

const listUnique = (corrections: readonly AddressCorrection[]) => [...new Set(corrections)]

const createInputError = (field: Correction['field'], { code, message }: Failure): AppError =>
  new AppError(code, message, { field })
