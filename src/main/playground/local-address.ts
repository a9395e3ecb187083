import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '@shared/failure'
import { isLoopbackHost } from '../gateway/host'
import { isNear } from '../net/near'

/** What people paste with the base: the paths that a standard's tools append. */
const suffix = /(?:\/v1)*(?:\/chat\/completions|\/completions|\/embeddings|\/messages|\/models|\/responses)?\/*$/

/**
 * The base of a server on this computer or its network, without `/v1` and what follows it; `http://` unless another scheme is
 * written. Fails with `address.*`; of a name only `requireNear` can tell where it leads.
 */
export function readLocalBase(text: string): string {
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '')
    throw refusal('address.notAnAddress', 'This is not an address. Write it as http://127.0.0.1:11434.')
  if (url.username !== '' || url.password !== '')
    throw refusal('address.credentials', 'The address holds a user name or a password. A local address gets no key.')
  const address = addressIn(url.hostname)
  if (address !== undefined && !isNear(address)) throw farAway(url.host)
  return url.origin + url.pathname.replace(suffix, '')
}

/** Refuses an address whose host is not on this computer or its network, by what its name stands for now; rejects as `lookup` does. */
export async function requireNear(address: string): Promise<void> {
  const { hostname, host } = new URL(address)
  if (isLoopbackHost(hostname)) return
  const found = await lookup(addressIn(hostname) ?? hostname, { all: true })
  if (found.length === 0 || found.some((one) => !isNear(one.address))) throw farAway(host)
}

const addressIn = (hostname: string): string | undefined => {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return isIP(bare) === 0 ? undefined : bare
}

const farAway = (host: string): AppError =>
  refusal(
    'address.notAnAddress',
    `${host} is not on this computer or its network. A local address is 127.0.0.1, localhost, or one of a private network; for all else use a plan or a connection.`,
  )

const refusal = (code: 'address.notAnAddress' | 'address.credentials', message: string): AppError =>
  new AppError(code, message, { field: 'url' })
