import type { Failure, FailureCode } from '@shared/failure'
import { rootOf } from './address'

type NetworkCode = Extract<FailureCode, `net.${string}`> | 'gateway.notAGateway'

/** A cause by the code of the error that tells it, and a sentence with `{place}` for what could not be reached. */
type Cause = readonly [pattern: RegExp, code: NetworkCode, sentence: string]

/** The first row that fits says it all; order matters where a general row follows a particular one. */
const causes: readonly Cause[] = [
  [
    /^ECONNREFUSED$/,
    'net.refused',
    '{place} refused the connection: nothing listens there. Check the host and the port; start the sandbox if it is its address.',
  ],
  [
    /^(?:ENOTFOUND|EAI_AGAIN|EAI_NONAME|EAI_NODATA)$/,
    'net.hostNotFound',
    'The host of {place} was not found. Check how the address is written, and whether this machine is online.',
  ],
  [
    /^(?:TimeoutError|ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/,
    'net.timeout',
    '{place} did not answer in time. Try again; if it stays so, check the network, the proxy and the address.',
  ],
  [/^AbortError$/, 'net.other', 'The request to {place} was cancelled. Start it again when you need it.'],
  [
    /^(?:CERT_HAS_EXPIRED|CERT_NOT_YET_VALID)$/,
    'net.tls',
    'The certificate of {place} is not valid today. Check the clock of this machine; else its operator must renew it.',
  ],
  [
    /^(?:ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    'net.tls',
    'The certificate of {place} was made out for another host. Check how the address is written.',
  ],
  [
    /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|CERT_|INVALID_CA|PATH_LENGTH_EXCEEDED)/,
    'net.tls',
    'This machine does not trust the certificate of {place}. Name its authority in NODE_EXTRA_CA_CERTS, or ask its operator.',
  ],
  [
    /^(?:EPROTO|ERR_SSL_|ERR_TLS_)/,
    'net.tls',
    'No secure connection to {place} came about: it may not speak https on this port. Check the scheme and the port.',
  ],
  [
    /^(?:ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
    'net.cut',
    '{place} cut the connection before its answer was complete. Try again; if it stays so, look at proxies on the way.',
  ],
  [
    /^(?:HPE_|HTTPParserError$|UND_ERR_HEADERS_OVERFLOW|Z_|ERR__)/,
    'gateway.notAGateway',
    'What answers at {place} does not speak HTTP as a gateway does. Check the host and the port.',
  ],
  [
    /^(?:ENETUNREACH|EHOSTUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL)$/,
    'net.other',
    'No network leads to {place}. Check that this machine is online and its VPN, if it needs one, is up.',
  ],
]

const unknown = ['net.other', 'The request to {place} failed ({name}). Check the address and the network.'] as const

/** The cause and the remedy behind an error of `fetch`; never the error's own words, which may repeat the request. */
export function explainNetworkError(error: unknown, requestAddress = ''): Failure {
  const names = namesOf(error)
  const cause = causes.find(([pattern]) => names.some((name) => pattern.test(name)))
  const [code, sentence] = cause === undefined ? unknown : [cause[1], cause[2]]
  const place = rootOf(requestAddress) || (sentence.startsWith('{place}') ? 'The gateway' : 'the gateway')
  const name = names[0] ?? 'no cause given'
  return { code, message: sentence.replace('{place}', () => place).replace('{name}', () => name) }
}

/** The codes and kinds of an error and of all its causes, the innermost first. */
function namesOf(error: unknown, depth = 0): readonly string[] {
  if (!(error instanceof Error) || depth > 8) return []
  const inner = error instanceof AggregateError ? error.errors : []
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const own = [code, error.name].filter((name) => name !== undefined && /^\w{1,60}$/.test(name))
  return [...[error.cause, ...inner].flatMap((cause) => namesOf(cause, depth + 1)), ...own.map(String)]
}
