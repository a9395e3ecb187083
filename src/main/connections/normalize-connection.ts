import { type AddressCorrection, type AddressKey, addressKeys, type TokenSource } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { parseGatewayAddress, readPastedAddress } from '../gateway/address'
import { redact } from '../secret'

/** What was put right, and in which field. */
export interface Correction {
  readonly field: AddressKey | 'tokenUrl'
  readonly correction: AddressCorrection
}

/** Addresses as a person or a file gives them; an empty one means "not configured". */
export type GivenAddresses = Readonly<Partial<Record<AddressKey, string | undefined>>>

interface Given {
  readonly addresses: GivenAddresses
  readonly tokenSource?: TokenSource | undefined
}

interface PutRight {
  readonly addresses: Partial<Record<AddressKey, string>>
  readonly tokenSource?: TokenSource
  readonly corrections: Correction[]
}

/** Addresses (decisions 1) and the token source as they are kept. Fails with `address.*` or `input.invalid`, and the field. */
export function normalizeConnection({ addresses: given, tokenSource }: Given): PutRight {
  const corrections: Correction[] = []
  const read = (field: Correction['field'], text: string): string => {
    const right = readAddress(field, text)
    corrections.push(...right.corrections.map((correction) => ({ field, correction })))
    return right.value
  }
  const addresses: Partial<Record<AddressKey, string>> = {}
  for (const field of addressKeys) {
    const text = given[field] ?? ''
    if (text.trim() !== '') addresses[field] = read(field, text)
  }
  const source = tokenSource && sourceOf(tokenSource, (text) => read('tokenUrl', text))
  return { addresses, corrections, ...(source ? { tokenSource: source } : {}) }
}

/** The source without what is empty in it; its command may hold no secret, because settings and views show it. */
function sourceOf(source: TokenSource, readTokenUrl: (text: string) => string): TokenSource {
  if (source.kind === 'client-credentials') {
    const { kind, tokenUrl, clientId } = source
    const scope = source.scope?.trim()
    return { kind, tokenUrl: readTokenUrl(tokenUrl), clientId: clientId.trim(), ...(scope ? { scope } : {}) }
  }
  if (source.kind === 'command' && source.command.some((part) => redact(part) !== part)) {
    const message =
      'The token command holds something that looks like a key or a token. Let the command read it from a safe place.'
    throw new AppError('input.invalid', message, { field: 'command' })
  }
  return source
}

interface RightAddress {
  readonly value: string
  readonly corrections: readonly AddressCorrection[]
}

/** The gateway is a host without a path, the registry a bare host; all others keep their path and lose trailing slashes. */
function readAddress(field: Correction['field'], text: string): RightAddress {
  if (field === 'tokenPlanUrl') {
    const { url, corrections } = rootOf(field, text)
    return { value: url, corrections }
  }
  const pasted = readPastedAddress(text)
  if (!pasted.ok) throw refusal(field, pasted.error)
  const { scheme, authority, path: written } = pasted.value
  const root = rootOf(field, scheme === undefined ? authority : `${scheme}://${authority}`)
  const path = written.replace(/\/+$/, '')
  const corrections = [...pasted.value.corrections, ...root.corrections]
  if (field === 'registryHost') {
    const rest: AddressCorrection[] = [...corrections, ...(path === '' ? [] : (['suffixRemoved'] as const))]
    return { value: new URL(root.url).host, corrections: unique(rest.filter((one) => one !== 'schemeAdded')) }
  }
  if (path !== written) corrections.push('trailingSlashRemoved')
  return { value: root.url + (path === '' ? '' : new URL(root.url + path).pathname), corrections: unique(corrections) }
}

function rootOf(field: Correction['field'], text: string) {
  const parsed = parseGatewayAddress(text)
  if (parsed.ok) return parsed.value
  throw refusal(field, parsed.error)
}

const unique = (corrections: readonly AddressCorrection[]) => [...new Set(corrections)]

const refusal = (field: Correction['field'], { code, message }: Failure): AppError =>
  new AppError(code, message, { field })
