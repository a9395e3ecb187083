import { BlockList, isIP } from 'node:net'
import { AppError } from '@shared/failure'

/** Route to a host. The URL of a proxy may contain user and password. */
export type Route = { readonly kind: 'direct' } | { readonly kind: 'proxy'; readonly url: string }

/** Finds the route to an address. Fails with `net.proxy` for an unusable proxy. */
export type ResolveProxy = (url: string) => Promise<Route>

const directRoute: Route = { kind: 'direct' }

/** Proxy types of a PAC result with their URL scheme. */
const listSchemes: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks4',
  SOCKS4: 'socks4',
  SOCKS5: 'socks5',
}

/** First entry of a PAC result such as `PROXY host:port; DIRECT`. A DIRECT fallback after a proxy is ignored. */
export function readProxyList(text: string): Route {
  const entries = text.split(';').flatMap((entry) => entry.trim() || [])
  if (entries.length === 0 || /^direct$/i.test(entries[0] ?? '')) return directRoute
  for (const entry of entries) {
    const [kind = '', hostAndPort = ''] = entry.split(/\s+/)
    const scheme = listSchemes[kind.toUpperCase()]
    if (scheme !== undefined) return proxyRoute(`${scheme}://${hostAndPort}`)
  }
  throw createProxyError()
}

const proxySchemes = ['http:', 'https:', 'socks:', 'socks4:', 'socks4a:', 'socks5:', 'socks5h:']

/** Route of a configured proxy, with or without `http://`. */
function proxyRoute(proxyText: string): Route {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(proxyText) ? proxyText : `http://${proxyText}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.hostname === '' || !proxySchemes.includes(url.protocol)) throw createProxyError()
  return { kind: 'proxy', url: url.href }
}

function createProxyError(): AppError {
  const message =
    'The proxy settings name a proxy that cannot be used, so nothing was sent. Write it as http://host:port or socks5://host:port.'
  return new AppError('net.proxy', message)
}

type Variables = Readonly<Record<string, string | undefined>>

/** Uses HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY like curl, lower case first, or else `otherwise`. */
export function proxyFromEnvironment(
  variables: Variables,
  otherwise: ResolveProxy = async () => directRoute,
): ResolveProxy {
  return async (address) => {
    const url = new URL(address)
    const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
    const proxy = readVariable(variables, name) || readVariable(variables, 'all_proxy')
    if (proxy === '') return otherwise(address)
    return matchesNoProxy(url, readVariable(variables, 'no_proxy')) ? directRoute : proxyRoute(proxy)
  }
}

const readVariable = (variables: Variables, name: string): string =>
  (variables[name] || variables[name.toUpperCase()] || '').trim()

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/** Matches a NO_PROXY list (`*`, hosts, domains with subdomains, `host:port`, networks such as `10.0.0.0/8`). */
function matchesNoProxy({ protocol, hostname, port }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '' || entry === '*') return entry === '*'
    if (entry.includes('/')) return isHostInNetwork(host, entry)
    const [, name = '', wantedPort] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry) ?? []
    if (wantedPort !== undefined && wantedPort !== (port || defaultPorts[protocol])) return false
    const domain = name
      .replace(/^\[|\]$/g, '')
      .replace(/^\*?\./, '')
      .toLowerCase()
    return domain !== '' && (host === domain || host.endsWith(`.${domain}`))
  })
}

function isHostInNetwork(host: string, entry: string): boolean {
  const [network = '', length = ''] = entry.split('/')
  const version = isIP(host)
  const isNetwork = version !== 0 && isIP(network) === version && /^\d{1,3}$/.test(length)
  if (!isNetwork || Number(length) > (version === 4 ? 32 : 128)) return false
  const family = version === 4 ? 'ipv4' : 'ipv6'
  const networks = new BlockList()
  networks.addSubnet(network, Number(length), family)
  return networks.check(host, family)
}

/** Code of SOCKS errors, because the library's errors have none. */
export const socksErrorCode = 'ERR_SOCKS_PROXY'

/** The socket connects only to the proxy, so an error before the tunnel is open is the proxy's. */
const proxyCodes: readonly unknown[] = [
  socksErrorCode,
  'UND_ERR_ABORTED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]

/** Returns a `net.proxy` failure if the route's proxy caused the error. */
export function proxyFailure(error: unknown, route: Route): AppError | undefined {
  if (route.kind === 'direct' || !isProxyError(error)) return undefined
  const { host } = new URL(route.url)
  const message = `The proxy ${host} cannot be reached or did not let the request through. Check the proxy settings, and its user and password if it needs them.`
  return new AppError('net.proxy', message)
}

function isProxyError(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return ('code' in error && proxyCodes.includes(error.code)) || isProxyError(error.cause)
}
