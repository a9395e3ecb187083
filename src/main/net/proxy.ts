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
export function proxyRoute(written: string): Route {
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
