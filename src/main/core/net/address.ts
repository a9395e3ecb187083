import { BlockList, isIP } from 'node:net'
import type { AddressView } from '@shared/contract'
import type { AddressCorrection, ApiStandard } from '@shared/contract/common'
import { AppError, err, type Failure, type FailureCode, ok, type Result, toAppError } from '@shared/failure'
import { redact } from '../secret'

type GatewayAddress = { readonly url: string; readonly corrections: AddressCorrection[] }

/**
 * Path that each API standard appends to the gateway root to form the base URL, and to the base URL to form the request
 * URL (spec, "Base-address rule"). Decisions 4 define the paths of messages.
 */
const suffixes: Readonly<Record<ApiStandard, { readonly base: string; readonly request: string }>> = {
  'chat-completions': { base: '/v1', request: '/chat/completions' },
  messages: { base: '', request: '/v1/messages' },
}

const defaultPorts = { http: '80', https: '443' } as const

const STANDARD_PATH = /^(?:\/v1)*(?:\/chat\/completions|\/messages(?:\/count_tokens)?|\/models|\/responses)?$/i

/** Parses a pasted gateway root. Failures never contain credentials. */
export function parseGatewayAddress(input: string): Result<GatewayAddress, Failure> {
  const pastedAddress = readPastedAddress(input)
  if (!pastedAddress.ok) return pastedAddress
  const host = checkHost(pastedAddress.value.authority)
  if (!host.ok) return host

  const { name, port } = host.value
  const scheme = pastedAddress.value.scheme ?? (isLoopbackHost(name) ? 'http' : 'https')
  const hasPort = port !== '' && port !== defaultPorts[scheme]
  const url = `${scheme}://${name}${hasPort ? `:${port}` : ''}`
  const insecureFailure = refuseInsecure(new URL(url))
  if (insecureFailure !== undefined) return err(insecureFailure)
  const { path } = pastedAddress.value
  const suffix = path.replace(/\/{2,}/g, '/').replace(/\/$/, '')
  if (!STANDARD_PATH.test(suffix)) {
    const shownPath = redact(path).slice(0, 60)
    const message = `A gateway is at its host's root, so the path ${shownPath} cannot be right. Use ${url}`
    return err(addressFailure('address.path', message))
  }
  const corrections = [...pastedAddress.value.corrections, ...host.value.corrections]
  if (suffix !== '') corrections.push('suffixRemoved')
  if (suffix !== suffix.toLowerCase()) corrections.push('lowercased')
  if (path.endsWith('/')) corrections.push('trailingSlashRemoved')
  if (port !== '' && !hasPort) corrections.push('defaultPortRemoved')
  return ok({ url, corrections: [...new Set(corrections)] })
}

export function baseAddress(url: string, standard: ApiStandard): string {
  return url + suffixes[standard].base
}

/** Joins a base URL and a path with exactly one slash. An empty path returns the base URL unchanged. */
export function requestAddress(base: string, suffix: string): string {
  if (suffix === '') return base
  return `${base.replace(/\/+$/, '')}/${suffix.replace(/^\/+/, '')}`
}

export function requestSuffix(standard: ApiStandard): string {
  return suffixes[standard].request
}

export function requestAddressFor(url: string, standard: ApiStandard): string {
  return requestAddress(baseAddress(url, standard), requestSuffix(standard))
}

/** Whether a base URL has the same host as the gateway. Ignores the path. False for URLs with user or password. */
export function isSameOrigin(base: string, gatewayUrl: string): boolean {
  if (!URL.canParse(base) || !URL.canParse(gatewayUrl)) return false
  const baseAddress = new URL(base)
  return baseAddress.origin === new URL(gatewayUrl).origin && baseAddress.username === '' && baseAddress.password === ''
}

/** Toggles the leading `/v1` in the path of a base URL. */
export function getOtherShape(base: string): string {
  const root = toBaseRoot(base)
  const path = base.slice(root.length).replace(/\/+$/, '')
  return root + (/^\/v1(?=\/|$)/.test(path) ? path.slice('/v1'.length) : `/v1${path}`)
}

/** Origin of an http URL, without user and password. Empty if invalid. */
export function toRoot(address: string): string {
  return httpUrl(address)?.origin ?? ''
}

/** Root of a base URL: its origin and, for the local relay, the tool's path prefix. */
export function toBaseRoot(address: string): string {
  const url = httpUrl(address)
  if (url === undefined) return ''
  const [tool = ''] = isLoopbackHost(url.hostname) ? (/^\/t\/[^/]+/.exec(url.pathname) ?? []) : []
  return url.origin + tool
}

/** Removes parts that may contain secrets (user, password, query, fragment). Empty if invalid. */
export function printableAddress(address: string): string {
  const url = httpUrl(address)
  return url === undefined ? '' : url.origin + url.pathname
}

function httpUrl(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url !== undefined && ['http:', 'https:'].includes(url.protocol) ? url : undefined
}

/** Reason that a key must not be sent to this URL. Undefined if it may. */
export function refuseRequestAddress(address: string): Failure | undefined {
  const url = httpUrl(address)
  if (url === undefined)
    return addressFailure('address.notAnAddress', 'The base address is not an http or https address. Write it again.')
  if (url.username !== '' || url.password !== '')
    return addressFailure('address.credentials', 'The base address contains a user name or a password. Remove them.')
  return refuseInsecure(url)
}

function refuseInsecure({ protocol, host, hostname }: URL): Failure | undefined {
  if (protocol === 'https:' || isLoopbackHost(hostname)) return undefined
  const message = `http:// would send the key unprotected to ${host}. Use https://${hostname}; http:// is for this machine only.`
  return addressFailure('address.insecure', message)
}

/** A parsed URL. `path` is empty or starts with a slash. `scheme` is omitted if none was given. */
type PastedAddress = {
  readonly scheme?: 'http' | 'https'
  readonly authority: string
  readonly path: string
  readonly corrections: readonly AddressCorrection[]
}

const addressFailure = (code: FailureCode, message: string): Failure => ({ code, message, field: 'gatewayUrl' })

const MAX_LENGTH = 2048
const OPENING_CHARACTERS = '"\'`“”‘’«»<('
const CLOSING_CHARACTERS = '"\'`“”‘’«»>)'

/** Parses pasted text without validating host or path. Failures never contain the text, which may include a key. */
export function readPastedAddress(input: string): Result<PastedAddress, Failure> {
  const corrections: AddressCorrection[] = []
  if (input.length > MAX_LENGTH) return err(notOneAddressFailure)
  const text = stripWrappings(input, corrections)
  if (text === '') return err(addressFailure('address.empty', "There is no address. Paste the plan's gateway address."))
  if (/\s/.test(text)) return err(notOneAddressFailure)

  const { scheme, rest } = readScheme(text, corrections)
  const schemeFailure = scheme === undefined ? otherScheme(rest) : undefined
  if (schemeFailure !== undefined) return err(schemeFailure)
  const [, authority = '', path = '', query, fragment] = /^([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(rest) ?? []
  if (query !== undefined) corrections.push('queryRemoved')
  if (fragment !== undefined) corrections.push('fragmentRemoved')
  if (authority.includes('@') || path.includes('@')) return err(credentials)
  return ok({ ...(scheme === undefined ? {} : { scheme }), authority, path, corrections })
}

/** Characters that are removed once: invisible characters, and line breaks of wrapped URLs. */
const invisiblePatterns: readonly RegExp[] = [
  /(?!\s)[\p{Cc}\p{Cf}]|\uFEFF/gu,
  /[ \t]*[\r\n]\s*(?=[/:.?#])|(?<=[/:.])[\r\n]\s*/g,
]

/** Texts that are removed repeatedly at both ends: spaces, variable or setting names, quotes and brackets. */
const wrappingPatterns: readonly (readonly [RegExp, AddressCorrection])[] = [
  [/^\s+|\s+$/g, 'trimmed'],
  [/^(?:export\s+|set\s+|\$env:)?[A-Za-z_]\w*\s*=/, 'unquoted'],
  [/^["']?\w*url["']?\s*:\s/i, 'unquoted'],
  [new RegExp(`^(?:\\\\?[${OPENING_CHARACTERS}])+`), 'unquoted'],
  [new RegExp(`(?:\\\\?[${CLOSING_CHARACTERS}]|[,;.])+$`), 'unquoted'],
]

/** Removes text that people copy along with a URL. */
function stripWrappings(input: string, corrections: AddressCorrection[]): string {
  let text = input
  const replacePattern = (pattern: RegExp, correction: AddressCorrection, instead = ''): void => {
    const replacedText = text.replace(pattern, instead)
    if (replacedText !== text) corrections.push(correction)
    text = replacedText
  }
  for (const pattern of invisiblePatterns) replacePattern(pattern, 'trimmed')
  for (let previousText: string | undefined; previousText !== text; ) {
    previousText = text
    for (const [pattern, correction] of wrappingPatterns) replacePattern(pattern, correction)
  }
  replacePattern(/\\/g, 'schemeRepaired', '/')
  return text
}

/** Parses the scheme, also if mistyped (`https//`, `htps://`, `http:///`) or duplicated. */
function readScheme(
  text: string,
  corrections: AddressCorrection[],
): { readonly scheme?: 'http' | 'https'; readonly rest: string } {
  const [schemePrefix = ''] = /^(?:https?(?:[:;]+\/*|\/{2,})|h?t+p+s?:\/\/+)+/i.exec(text) ?? []
  if (schemePrefix === '') {
    if (otherScheme(text) === undefined) corrections.push('schemeAdded')
    return { rest: text.replace(/^:?\/{2,}/, '') }
  }
  const lastSchemeWord = /[a-z]+[^a-z]*$/i.exec(schemePrefix)?.[0] ?? ''
  const scheme = /^\w*s\b/i.test(lastSchemeWord) ? 'https' : 'http'
  if (schemePrefix.toLowerCase() !== `${scheme}://`) corrections.push('schemeRepaired')
  else if (schemePrefix !== `${scheme}://`) corrections.push('lowercased')
  return { scheme, rest: text.slice(schemePrefix.length) }
}

function otherScheme(text: string): Failure | undefined {
  const [, scheme] =
    /^([a-z][a-z0-9+-]{0,20}):\/\//i.exec(text) ?? /^(mailto|javascript|data|file|ftp|vbscript|blob):/i.exec(text) ?? []
  if (scheme === undefined) return undefined
  const message = `A gateway address can't use ${scheme.toLowerCase()}:. It starts with https:// (http:// on this computer).`
  return addressFailure('address.scheme', message)
}

const notOneAddressFailure = addressFailure(
  'address.notAnAddress',
  'This is not one address: it is too long or has spaces in it. Paste the gateway address alone, as https://host.',
)

const credentials = addressFailure(
  'address.credentials',
  'The address holds a user name, a password or an @. Leave them out: the key is given in its own field.',
)

/** A validated host in canonical form. `port` is empty if none was given. */
type Host = {
  readonly name: string
  readonly port: string
  readonly corrections: readonly AddressCorrection[]
}

/** Whether a host, as in `URL.hostname`, is loopback: localhost, *.localhost, 127.0.0.0/8 or [::1]. */
export function isLoopbackHost(name: string): boolean {
  return /^(?:.+\.)?localhost$/.test(name) || /^127(?:\.\d{1,3}){3}$/.test(name) || name === '[::1]'
}

/** Validates `host[:port]`. Names need a dot, numbers must be complete IP addresses, and wildcards are rejected. */
function checkHost(authority: string): Result<Host, Failure> {
  const [, hostText, portText = ''] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(authority) ?? []
  if (!hostText) return err(noHost)
  const portNumber = /^\d+$/.test(portText) ? Number(portText) : 0
  if (portText !== '' && (portNumber < 1 || portNumber > 65_535)) return err(invalidPortFailure)
  // Without leading zeros.
  const port = portText === '' ? '' : String(portNumber)

  const lowerCaseText = hostText.toLowerCase()
  const givenName = lowerCaseText.replace(/\.$/, '')
  if (!URL.canParse(`https://${givenName}/`)) return err(noHost)
  // `URL` normalizes the host (punycode, short IPv6).
  const name = new URL(`https://${givenName}/`).hostname
  const nameFailure = checkHostName(name, givenName)
  if (nameFailure !== undefined) return err(nameFailure)
  return ok({
    name,
    port,
    corrections: [
      ...(lowerCaseText === hostText ? [] : ['lowercased' as const]),
      ...(name === lowerCaseText && port === portText ? [] : ['hostEncoded' as const]),
    ],
  })
}

function checkHostName(name: string, hostText: string): Failure | undefined {
  if (['[::]', '[::ffff:0:0]'].includes(name) || /^0\./.test(name)) return wildcardFailure
  if (name.startsWith('[')) return undefined
  // `URL` reads 2130706433, 0x7f.1 and 127.1 as 127.0.0.1. Reject unusual notations as typing errors.
  if (/^\d+(?:\.\d+){3}$/.test(name)) return name === hostText && Number.parseInt(name, 10) < 224 ? undefined : noHost
  if (isLoopbackHost(name)) return undefined
  if (!name.includes('.')) return missingDotFailure
  const isLabel = (label: string): boolean => /^[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?$/.test(label)
  return name.length <= 253 && name.split('.').every(isLabel) ? undefined : noHost
}

const noHost = addressFailure(
  'address.notAnAddress',
  'This is not the address of a host. Paste the gateway address as https://host, as the plan shows it.',
)

const missingDotFailure = addressFailure(
  'address.notAnAddress',
  'The host has no dot, so it is not the name of a gateway. Paste the whole gateway address, as https://gateway.example.com.',
)

const invalidPortFailure = addressFailure(
  'address.notAnAddress',
  'Invalid port. Use a number from 1 to 65535, or remove the colon and the port.',
)

const wildcardFailure = addressFailure(
  'address.notAnAddress',
  'This address means every network interface, not one host. For a gateway on this computer use http://127.0.0.1 and its port.',
)

/** Corrects a pasted gateway address and returns the request URLs per standard. Fails with `address.*`. */
export function readAddress(text: string): AddressView {
  const parsedAddress = parseGatewayAddress(text)
  if (!parsedAddress.ok) throw toAppError(parsedAddress.error)
  const { url, corrections } = parsedAddress.value
  return {
    url,
    corrections,
    bases: { 'chat-completions': baseAddress(url, 'chat-completions'), messages: baseAddress(url, 'messages') },
    requests: {
      'chat-completions': requestAddressFor(url, 'chat-completions'),
      messages: requestAddressFor(url, 'messages'),
    },
  }
}

const localAddresses = new BlockList()
for (const [network, bits] of [
  ['127.0.0.0', 8],
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  // Shared address space of overlay networks (RFC 6598).
  ['100.64.0.0', 10],
] as const)
  localAddresses.addSubnet(network, bits, 'ipv4')
localAddresses.addAddress('::1', 'ipv6')
localAddresses.addSubnet('fc00::', 7, 'ipv6')
localAddresses.addSubnet('fe80::', 10, 'ipv6')

export const isLocalOrPrivate = (address: string): boolean =>
  localAddresses.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

const externalSchemes = ['http:', 'https:', 'mailto:']

/** Parses a link to open: http, https or mailto, without user name and password. Fails with `input.invalid`. */
export function parseExternalUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && externalSchemes.includes(url.protocol) && url.username === '' && url.password === '') return url.href
  throw new AppError('input.invalid', 'Only web and mail addresses are opened outside of the app.', { field: 'url' })
}

/** Decodes a part of a URL. Returns text with an invalid escape unchanged. */
export function decodeUriOrKeep(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
