import { BlockList, isIP } from 'node:net'
import { type ProxyFor, proxyRoute } from './proxy'

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
