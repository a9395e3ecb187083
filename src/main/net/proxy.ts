import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { BlockList, isIP } from 'node:net'
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls'
import { AppError } from '@shared/failure'

/** A way to a host: straight, or by a proxy with an http: or https: address that may hold its user and password. */
export type Route = { readonly kind: 'direct' } | { readonly kind: 'proxy'; readonly url: string }

/** Tells the way to an address. Fails with `net.proxy` when the settings name none that can be used. */
export type ProxyFor = (url: string) => Promise<Route>

const direct: Route = { kind: 'direct' }

/** The kinds of a resolved proxy list that can be used, with the scheme their proxy speaks. */
const schemes: Readonly<Record<string, string>> = { PROXY: 'http', HTTP: 'http', HTTPS: 'https' }

/** The first way that can be used in a text such as `PROXY host:port; DIRECT`, as proxy resolvers answer. */
export function readProxyList(text: string): Route {
  for (const entry of text.split(';')) {
    const [kind = '', place = ''] = entry.trim().split(/\s+/)
    if (kind.toUpperCase() === 'DIRECT') return direct
    const scheme = schemes[kind.toUpperCase()]
    if (scheme !== undefined) return proxyRoute(`${scheme}://${place}`)
  }
  if (text.trim() === '') return direct
  throw new AppError('net.proxy', 'The proxy settings name no proxy that speaks HTTP. Set an HTTP or HTTPS proxy.')
}

/** The way by a proxy as settings write it, with or without `http://` before it. */
function proxyRoute(written: string): Route {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && url.hostname !== '' && ['http:', 'https:'].includes(url.protocol)) {
    return { kind: 'proxy', url: url.href }
  }
  throw new AppError(
    'net.proxy',
    'The proxy settings hold something that is not an HTTP or HTTPS proxy. Write it as http://host:port.',
  )
}

type Variables = Readonly<Record<string, string | undefined>>

/** Follows HTTPS_PROXY, HTTP_PROXY and NO_PROXY as command-line programs do; the small spelling goes first. */
export function proxyFromEnvironment(variables: Variables): ProxyFor {
  return async (address) => {
    const url = new URL(address)
    const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
    const proxy = variableOf(variables, name)
    return proxy === '' || isExcepted(url, variableOf(variables, 'no_proxy')) ? { kind: 'direct' } : proxyRoute(proxy)
  }
}

const variableOf = (variables: Variables, name: string): string =>
  (variables[name] || variables[name.toUpperCase()] || '').trim()

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** Whether a NO_PROXY list (`*`, hosts, domains with all below them, `host:port`, networks as `10.0.0.0/8`) names it. */
function isExcepted({ protocol, hostname, port }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '' || entry === '*') return entry === '*'
    if (entry.includes('/')) return isInNetwork(host, entry)
    const [, name = '', wantedPort] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? []
    if (wantedPort !== undefined && wantedPort !== (port || defaultPorts[protocol])) return false
    const domain = name
      .replace(/^\[|\]$/g, '')
      .replace(/^\*?\./, '')
      .toLowerCase()
    return domain !== '' && (host === domain || host.endsWith(`.${domain}`))
  })
}

function isInNetwork(host: string, entry: string): boolean {
  const [network = '', length = ''] = entry.split('/')
  const version = isIP(host)
  const isNetwork = version !== 0 && isIP(network) === version && /^\d{1,3}$/.test(length)
  if (!isNetwork || Number(length) > (version === 4 ? 32 : 128)) return false
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const networks = new BlockList()
  networks.addSubnet(network, Number(length), family)
  return networks.check(host, family)
}

/** Only the proxy itself is connected to, so what stops a connection or a tunnel before it stands is the proxy's. */
const proxyCodes: readonly unknown[] = [
  'UND_ERR_ABORTED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]

/** `net.proxy` when what broke an exchange along this route is its proxy's. */
export function proxyFailure(error: unknown, route: Route): AppError | undefined {
  if (route.kind === 'direct' || !isOfProxy(error)) return undefined
  const { host } = new URL(route.url)
  const message = `The proxy ${host} cannot be reached or did not let the request through. Check the proxy settings, and its user and password if it needs them.`
  return new AppError('net.proxy', message)
}

function isOfProxy(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && proxyCodes.includes(error.code)) || isOfProxy(error.cause)
}

/**
 * Whom to trust besides the default roots: the certificates in these files (PEM, one or several, or DER); undefined
 * when there are none. Fails with `file.unreadable` or `file.unparsable`.
 */
export function readTrust(caFiles: readonly string[]): SecureContext | undefined {
  if (caFiles.length === 0) return undefined
  return createSecureContext({ ca: [...rootCertificates, ...caFiles.flatMap(readCertificates)] })
}

function readCertificates(path: string): string[] {
  const bytes = readFile(path)
  const blocks = bytes.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  try {
    return (blocks ?? [bytes]).map((one) => new X509Certificate(one).toString())
  } catch (cause) {
    const message = `There is no certificate in ${path}, or a damaged one. Name a file with the certificate of an authority (PEM or DER).`
    throw new AppError('file.unparsable', message, { field: 'caFiles', cause })
  }
}

function readFile(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (cause) {
    const message = `The certificate file ${path} cannot be read. Check its path and permissions.`
    throw new AppError('file.unreadable', message, { field: 'caFiles', cause })
  }
}
