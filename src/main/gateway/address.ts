import type { AddressCorrection, Standard } from '@shared/contract/common'
import type { Failure } from '@shared/failure'
import { err, ok, type Result } from '@shared/result'
import { redact } from '../secret'
import { checkHost, isLoopbackHost } from './host'
import { addressFailure, readPastedAddress } from './pasted-address'

/** A gateway's root as `scheme://host[:port]`, and what was corrected to get it. */
export type GatewayAddress = { readonly url: string; readonly corrections: AddressCorrection[] }

/** What a base adds to the gateway's root and a tool to its base (spec, "Base-address rule"; messages: decisions 4). */
const suffixes: Readonly<Record<Standard, { readonly base: string; readonly request: string }>> = {
  'chat-completions': { base: '/v1', request: '/chat/completions' },
  messages: { base: '', request: '/v1/messages' },
}

const defaultPorts = { http: '80', https: '443' } as const

const PATH_OF_A_STANDARD = /^(?:\/v1)*(?:\/chat\/completions|\/messages(?:\/count_tokens)?|\/models|\/responses)?$/i

/** The gateway's root in what a person pasted, or why it cannot be a gateway; no failure repeats credentials. */
export function parseGatewayAddress(input: string): Result<GatewayAddress, Failure> {
  const pasted = readPastedAddress(input)
  if (!pasted.ok) return pasted
  const host = checkHost(pasted.value.authority)
  if (!host.ok) return host

  const { name, port } = host.value
  const scheme = pasted.value.scheme ?? (isLoopbackHost(name) ? 'http' : 'https')
  const hasPort = port !== '' && port !== defaultPorts[scheme]
  const url = `${scheme}://${name}${hasPort ? `:${port}` : ''}`
  const insecure = refuseInsecure(new URL(url))
  if (insecure !== undefined) return err(insecure)
  const path = readPath(pasted.value.path)
  if (path === undefined) return err(unknownPath(pasted.value.path, url))

  const corrections = [...pasted.value.corrections, ...host.value.corrections, ...path]
  if (port !== '' && !hasPort) corrections.push('defaultPortRemoved')
  return ok({ url, corrections: [...new Set(corrections)] })
}

/** The address to write into a tool of this standard. */
export function baseAddress(url: string, standard: Standard): string {
  return url + suffixes[standard].base
}

/** What a tool with this base calls: base and suffix, joined with exactly one slash; without a suffix the base itself. */
export function requestAddress(base: string, suffix: string): string {
  if (suffix === '') return base
  return `${base.replace(/\/+$/, '')}/${suffix.replace(/^\/+/, '')}`
}

/** What a tool of this standard appends to its base. */
export function requestSuffix(standard: Standard): string {
  return suffixes[standard].request
}

/** The full address that a tool of this standard calls when its base is right. */
export function requestAddressFor(url: string, standard: Standard): string {
  return requestAddress(baseAddress(url, standard), requestSuffix(standard))
}

/** True when a base leads to this gateway's host, whatever its path; false for one with user and password. */
export function sameOrigin(base: string, gatewayUrl: string): boolean {
  if (!URL.canParse(base) || !URL.canParse(gatewayUrl)) return false
  const found = new URL(base)
  return found.origin === new URL(gatewayUrl).origin && found.username === '' && found.password === ''
}

/** The same base in the other shape: without its first `/v1`, or with one where it begins with none. */
export function otherShape(base: string): string {
  const root = baseRootOf(base)
  const path = base.slice(root.length).replace(/\/+$/, '')
  return root + (/^\/v1(?=\/|$)/.test(path) ? path.slice('/v1'.length) : `/v1${path}`)
}

/** The root of an http address, to name a gateway by, without user and password; empty when it is none. */
export function rootOf(address: string): string {
  return httpUrl(address)?.origin ?? ''
}

/** What stands for a gateway's root in a base: its origin and, where the base is of this machine's relay, the tool's part. */
export function baseRootOf(address: string): string {
  const url = httpUrl(address)
  if (url === undefined) return ''
  const [tool = ''] = isLoopbackHost(url.hostname) ? (/^\/t\/[^/]+/.exec(url.pathname) ?? []) : []
  return url.origin + tool
}

/** An http address without what may hold a secret: user, password, query, fragment; empty when it is none. */
export function printableAddress(address: string): string {
  const url = httpUrl(address)
  return url === undefined ? '' : url.origin + url.pathname
}

function httpUrl(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  return url !== undefined && ['http:', 'https:'].includes(url.protocol) ? url : undefined
}

/** Why a key must not be sent to this address, or undefined when it may be. */
export function refuseRequestAddress(address: string): Failure | undefined {
  const url = httpUrl(address)
  if (url === undefined)
    return addressFailure('address.notAnAddress', 'The base address is not an http or https address. Write it again.')
  if (url.username !== '' || url.password !== '')
    return addressFailure('address.credentials', 'The base address holds a user name or a password. Leave them out.')
  return refuseInsecure(url)
}

function refuseInsecure(url: URL): Failure | undefined {
  if (url.protocol === 'https:' || isLoopbackHost(url.hostname)) return undefined
  return addressFailure(
    'address.insecure',
    `http:// would send the key unprotected to ${url.host}. Use https://${url.hostname}; http:// is for this machine only.`,
  )
}

/** What was taken off when the path is empty or one that a standard's tools use, else undefined. */
function readPath(path: string): AddressCorrection[] | undefined {
  const suffix = path.replace(/\/{2,}/g, '/').replace(/\/$/, '')
  if (!PATH_OF_A_STANDARD.test(suffix)) return undefined
  const corrections: AddressCorrection[] = []
  if (suffix !== '') corrections.push('suffixRemoved')
  if (suffix !== suffix.toLowerCase()) corrections.push('lowercased')
  if (path.endsWith('/')) corrections.push('trailingSlashRemoved')
  return corrections
}

function unknownPath(path: string, root: string): Failure {
  const named = redact(path).slice(0, 60)
  return addressFailure(
    'address.path',
    `A gateway is at its host's root, so the path ${named} cannot be right. Use ${root}`,
  )
}
