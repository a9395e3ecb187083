import type { IncomingHttpHeaders } from 'node:http'
import { readText } from '../../http/body'
import { Refused } from '../../http/refused'
import { type Call, type Operation, ok, type Reply, type Service } from '../operation'
import { clientSecretOf } from './clients'
import { issueToken } from './token'

const bodyLimitBytes = 16 * 1024

const invalidRequest = (message: string): Refused => new Refused({ status: 400, code: 'invalid_request', message })

interface Client {
  readonly id: string
  readonly secret: string
}

/** RFC 6749, 2.3.1: form-encoded inside of Basic. */
const formDecoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

function basicClient(header: string): Client | undefined {
  const encoded = /^Basic\s+([\w+/=]+)$/i.exec(header)?.[1] ?? ''
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  try {
    return { id: formDecoded(id), secret: formDecoded(secret.join(':')) }
  } catch {
    return undefined
  }
}

/** The client that a request presents, in one way only (RFC 6749, 2.3). */
function presentedClient({ authorization }: IncomingHttpHeaders, form: Form): Client | undefined {
  const { client_id: id, client_secret: secret } = form
  if (authorization === undefined) return id === undefined || secret === undefined ? undefined : { id, secret }
  if (secret === undefined) return basicClient(authorization)
  throw invalidRequest('Send the client secret in the Authorization header or in the body, not in both.')
}

type Form = Readonly<Partial<Record<string, string>>>

/** RFC 6749, 3.2: a parameter without a value counts as left out, and none may be there twice. */
function readForm(text: string): Form {
  const given = [...new URLSearchParams(text)].filter(([, value]) => value !== '')
  const form = Object.fromEntries(given)
  if (Object.keys(form).length < given.length) throw invalidRequest('A parameter is there more than once.')
  return form
}

async function giveToken({ store, timing, exchange }: Call): Promise<Reply> {
  const { headers } = exchange.request
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) {
    throw invalidRequest('The body must be application/x-www-form-urlencoded.')
  }
  const form = readForm(await readText(exchange.request, bodyLimitBytes))
  if (form.grant_type === undefined) throw invalidRequest('The parameter "grant_type" is required.')
  if (form.grant_type !== 'client_credentials') {
    const message = 'Only the grant type client_credentials is served.'
    throw new Refused({ status: 400, code: 'unsupported_grant_type', message })
  }
  const client = presentedClient(headers, form)
  if (client === undefined || clientSecretOf(store.world(), client.id) !== client.secret) {
    const message = 'The client is not known, or its secret is wrong.'
    const challenge = { 'www-authenticate': 'Basic realm="sandbox"' }
    throw new Refused({ status: 401, code: 'invalid_client', message, headers: challenge })
  }
  const lifetimeS = timing().tokenLifetimeS
  const token = issueToken(store, { clientId: client.id, lifetimeS })
  exchange.response.setHeader('cache-control', 'no-store').setHeader('pragma', 'no-cache')
  return ok({ access_token: token, token_type: 'Bearer', expires_in: lifetimeS })
}

const operations: readonly Operation[] = [{ id: 'iam.token', method: 'POST', path: '/oauth2/token', run: giveToken }]

/** Where tokens come from: client credentials of RFC 6749, section 4.4 (ours: the spec shows no token endpoint). */
export const iam: Service = {
  base: '/iam',
  access: 'open',
  operations,
  errorBody: ({ code, message }) => ({ error: code.toLowerCase(), error_description: message }),
}
