import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { AppError } from '@shared/failure'
import { explainNetworkError } from '../gateway/explain-network'
import { isNear } from '../net/near'

/** The port a container listens on (spec, "Agent container contract"). */
export const contractPort = 8080

/** Where a container is. */
export interface ContainerAddress {
  /** As it is shown: `http://host:port`. */
  readonly url: string
  /** As the request names it. */
  readonly host: string
  readonly port: number
  /** The IP addresses behind the name, every one of them near. */
  readonly addresses: readonly string[]
}

/**
 * Reads the address of a container; without a port it is 8080. Fails with `address.*` for what is not on this computer or its network, and
 * with `net.hostNotFound`. The name is looked up once: what it stood for then is what is asked.
 */
export async function readContainerAddress(text: string): Promise<ContainerAddress> {
  const given = text.trim()
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || url.hostname === '')
    throw refusal('address.notAnAddress', 'This is not an address. Write it as http://127.0.0.1:8080.')
  if (url.protocol !== 'http:')
    throw refusal('address.scheme', 'A container speaks plain http; the runtime adds the rest. Write http://.')
  if (url.username !== '' || url.password !== '') {
    throw refusal(
      'address.credentials',
      'The address holds a user name or a password. A container gets none: leave it out.',
    )
  }
  const port = portOf(url, written)
  return { url: `http://${url.hostname}:${port}`, host: url.hostname, port, addresses: await nearAddresses(url) }
}

/** `URL` drops the port 80, whether it was written or not. */
function portOf(url: URL, written: string): number {
  if (url.port !== '') return Number(url.port)
  const [, authority = ''] = /^[^:]+:\/\/([^/?#]*)/.exec(written) ?? []
  return /:0*80$/.test(authority) ? 80 : contractPort
}

async function nearAddresses({ hostname }: URL): Promise<readonly string[]> {
  const bare = hostname.replace(/^\[|\]$/g, '')
  const found = isIP(bare) === 0 ? await addressesOf(hostname) : [bare]
  if (found.length > 0 && found.every(isNear)) return found
  throw refusal(
    'address.notAnAddress',
    `${hostname} is not on this computer or its network. A container is checked at 127.0.0.1, localhost, or an address of a private network.`,
  )
}

async function addressesOf(name: string): Promise<string[]> {
  try {
    const found = await lookup(name, { all: true })
    return found.map(({ address }) => address)
  } catch (error) {
    const { code, message } = explainNetworkError(error, `http://${name}`)
    throw new AppError(code, message, { field: 'url' })
  }
}

const refusal = (code: 'address.notAnAddress' | 'address.scheme' | 'address.credentials', message: string): AppError =>
  new AppError(code, message, { field: 'url' })
