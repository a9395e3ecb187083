import { BlockList, isIP } from 'node:net'
import { AppError } from '@shared/failure'

/** The proxy URL may hold a user and a password. */
export type Route = { readonly kind: 'direct' } | { readonly kind: 'proxy'; readonly url: string }

/** Finds the route to an address. Fails with `net.proxy` when a proxy is configured that cannot be used. */
export type ProxyFor = (url: string) => Promise<Route>

const direct: Route = { kind: 'direct' }

/** The kinds of a resolved proxy list (`FindProxyForURL`) with the scheme of their proxy. */
const listSchemes: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
  SOCKS: 'socks4',
  SOCKS4: 'socks4',
  SOCKS5: 'socks5',
}

/** The first entry of a text such as `PROXY host:port; DIRECT`. DIRECT after a proxy is a fallback and not used. */
export function readProxyList(text: string): Route {
  const entries = text.split(';').flatMap((entry) => entry.trim() || [])
  if (entries.length === 0 || /^direct$/i.test(entries[0] ?? '')) return direct
  for (const entry of entries) {
    const [kind = '', place = ''] = entry.split(/\s+/)
    const scheme = listSchemes[kind.toUpperCase()]
    if (scheme !== undefined) return proxyRoute(`${scheme}://${place}`)
  }
  throw unusable()
}

const proxySchemes = ['http:', 'https:', 'socks:', 'socks4:', 'socks4a:', 'socks5:', 'socks5h:']

/** The route by a proxy as settings write it, with or without `http://` before it. */
function proxyRoute(written: string): Route {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(written) ? written : `http://${written}`
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || url.hostname === '' || !proxySchemes.includes(url.protocol)) throw unusable()
  return { kind: 'proxy', url: url.href }
}

const unusable = (): AppError =>
  new AppError(
    'net.proxy',
    'The proxy settings name a proxy that cannot be used, so nothing was sent. Write it as http://host:port or socks5://host:port.',
  )

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Follows HTTPS_PROXY, HTTP_PROXY, ALL_PROXY and NO_PROXY as curl does, lower case first. Where no variable names a proxy,
 * `otherwise` decides: the settings of the system, or a direct connection.
 */
export function proxyFromEnvironment(variables: Variables, otherwise: ProxyFor = async () => direct): ProxyFor {
  return async (address) => {
    const url = new URL(address)
    const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy'
    const proxy = readVariable(variables, name) || readVariable(variables, 'all_proxy')
    if (proxy === '') return otherwise(address)
    return isExcepted(url, readVariable(variables, 'no_proxy')) ? direct : proxyRoute(proxy)
  }
}

const readVariable = (variables: Variables, name: string): string =>
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

/** The code of errors of a SOCKS proxy; the library's own have none. */
export const socksErrorCode = 'ERR_SOCKS_PROXY'

/** Only the proxy itself is connected to, so an error before the tunnel is open is the proxy's. */
const proxyCodes: readonly unknown[] = [
  socksErrorCode,
  'UND_ERR_ABORTED',
  'UND_ERR_CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]

/** `net.proxy` when the proxy of this route caused the error. */
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
