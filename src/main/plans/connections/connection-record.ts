import type { AddressCorrection, AddressKey, ConnectionDraft, ConnectionView } from '@shared/contract'
import { CleanName } from '@shared/contract/common'
import { Addresses, addressKeys, TokenSource } from '@shared/contract/connections'
import { AppError, type Failure, type Result } from '@shared/failure'
import { cleanName } from '@shared/hidden-characters'
import { z } from 'zod'
import { type CommandUsage, type Confirm, listHosts, requireConsent } from '../../core/consent/consent'
import type { Disk } from '../../core/files/disk'
import { addFileName, readChosenText, writeChosenFile } from '../../core/files/files'
import { parseGatewayAddress, readPastedAddress } from '../../core/net/address'
import { requireCertificates } from '../../core/net/trust'
import type { FileDialogs } from '../../core/ports'
import { isSecretEntry, redact } from '../../core/secret'
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
  const isLost = kept === 'session' && !vault.holds(secretAccount(id), kept)
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

/** Content of a connection file (decisions 1). Never a secret. */
export const ConnectionFile = z.strictObject({
  name: CleanName(50),
  ...Addresses.shape,
  tokenSource: TokenSource.optional(),
  caFile: z.string().min(1).max(4000).optional(),
})
export type ConnectionFile = z.infer<typeof ConnectionFile>

/** Fails with `file.*`, `address.*` or `input.invalid`. Rejects a secret by its field name without repeating it. */
export function readDraft(text: string): ConnectionDraft {
  const value = parseFile(text)
  const secret = findSecretName(value)
  if (secret !== undefined) {
    const message = `The connection file holds a secret (${secret}). Remove it from the file, and enter it when you add the connection.`
    throw new AppError('input.invalid', message, { field: secret })
  }
  const parsedFile = ConnectionFile.safeParse(value)
  if (!parsedFile.success) throw toFileFormatError(parsedFile.error)
  const { name, tokenSource, caFile, ...addresses } = parsedFile.data
  return { name, ...normalizeConnection({ addresses, tokenSource }), ...(caFile === undefined ? {} : { caFile }) }
}

/** Formats a connection as a file that `readDraft` parses back to the same connection. */
export function toConnectionFile({ name, addresses, tokenSource, caFile }: ConnectionRecord): ConnectionFile {
  return {
    name,
    ...Object.fromEntries(addressKeys.flatMap((key) => (addresses[key] ? [[key, addresses[key]]] : []))),
    ...(tokenSource === undefined ? {} : { tokenSource }),
    ...(caFile === undefined ? {} : { caFile }),
  }
}

function parseFile(content: string): unknown {
  const text = content.replace(/^\uFEFF/, '')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw syntaxError(text, error instanceof Error ? error : new Error('unknown'))
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  const message = 'A connection file holds one JSON object. Export a connection to see what one looks like.'
  throw new AppError('file.unparsable', message, { line: 1 })
}

/** V8 reports the position of most syntax errors. Its message repeats parts of the text, so it is not shown. */
function syntaxError(text: string, { message }: Error): AppError {
  const [, position] = /position (\d+)/.exec(message) ?? []
  const isComment = position === undefined ? message.includes("token '/'") : text[Number(position)] === '/'
  const line = position === undefined ? {} : { line: text.slice(0, Number(position)).split('\n').length }
  if (isComment) return new AppError('file.notStrict', 'A connection file is JSON without comments. Remove them.', line)
  const hint = 'The connection file is not valid JSON. Export a connection to see what one looks like.'
  return new AppError('file.unparsable', hint, line)
}

/** Finds a secret by its field name. Searches only to the depth of a valid file. */
function findSecretName(value: unknown, depth = 0): string | undefined {
  if (typeof value !== 'object' || value === null || depth > 10) return undefined
  for (const [name, inner] of Object.entries(value)) {
    const secretName = isSecretEntry(name) ? redactName(name) : findSecretName(inner, depth + 1)
    if (secretName !== undefined) return secretName
  }
  return undefined
}

const redactName = (name: string): string => cleanName(redact(name), 60)

function toFileFormatError({ issues: [issue] }: z.ZodError): AppError {
  const path = cleanName(issue?.path.join('.') ?? '')
  if (issue?.code === 'unrecognized_keys') {
    const names = issue.keys.map(redactName)
    const fileLocation = path === '' ? 'A connection file' : path
    const message = `${fileLocation} has no ${names.join(', ')}. Correct or remove the name. An exported connection shows every field.`
    return new AppError('input.invalid', message, { field: names[0] ?? path })
  }
  const message = `The connection file cannot be used: ${path || 'it'} is not valid (${issue?.message ?? 'unknown'}).`
  return new AppError('input.invalid', message, path === '' ? {} : { field: path })
}

/** Reads a connection file with at most 64 kB of UTF-8. Fails with `file.unreadable` or `file.unparsable`. */
export const readConnectionText = (path: string): Promise<string> =>
  readChosenText(path, { maxBytes: 64_000, kind: 'a connection file', code: 'file.unparsable' })

interface ConnectionFilesDeps {
  readonly connections: { exportFile(id: string): ConnectionFile }
  /** Connections and plans that may have a certificate file. */
  readonly owners: () => readonly Pick<ConnectionView, 'id' | 'caFile'>[]
  readonly confirm: Confirm
  readonly dialogs: Pick<FileDialogs, 'open' | 'save'>
  readonly disk: Disk
}

export type ConnectionFiles = ReturnType<typeof createConnectionFiles>

export function createConnectionFiles({ connections, owners, confirm, dialogs, disk }: ConnectionFilesDeps) {
  const chosenNames = new Set<string>()
  return {
    /** Opens a connection file. Fails with `file.*`, `address.*` or `input.invalid`. */
    async read(): Promise<{ draft?: ConnectionDraft }> {
      const path = await dialogs.open('json')
      if (path === undefined) return {}
      const text = await readConnectionText(path)
      try {
        const draft = readDraft(text)
        if (draft.caFile !== undefined) chosenNames.add(draft.caFile)
        return { draft }
      } catch (error) {
        throw addFileName(path, error)
      }
    },
    /** Saves a connection as a file. Fails with `connection.notFound` or `file.unwritable`. */
    async write(id: string): Promise<{ path?: string }> {
      const file = connections.exportFile(id)
      const fileName = `${file.name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 50)}.json`
      return writeChosenFile(await dialogs.save(fileName, 'json'), `${JSON.stringify(file, null, 2)}\n`, disk)
    },
    /** Selects a certificate file. Fails with `file.unreadable`, or `file.unparsable` without a certificate. */
    async chooseCertificates(): Promise<{ path?: string }> {
      const path = await dialogs.open('certificates')
      if (path === undefined) return {}
      requireCertificates(path)
      chosenNames.add(path)
      return { path }
    },
    /** Asks about a certificate file that is neither chosen in a dialog nor trusted. Fails with `input.declined`. */
    async requireTrusted(owner: { id?: string | undefined; name: string; caFile?: string | undefined }): Promise<void> {
      const { id, name, caFile = '' } = owner
      const path = caFile.trim()
      const isUsed = owners().some((candidate) => candidate.id === id && candidate.caFile === path)
      if (path === '' || isUsed || chosenNames.has(path)) return
      await requireConsent(confirm, { kind: 'trustCertificates', connection: name, path })
      chosenNames.add(path)
    },
  }
}
