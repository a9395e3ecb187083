import { readText } from '../../http/body'
import { Refused } from '../../http/refused'
import { type Call, type Operation, ok, type Service } from '../operation'
import { clientSecretOf } from './clients'
import { issueToken } from './token'

const bodyLimitBytes = 16 * 1024

const refuse = (status: 400 | 401, code: string, message: string): Refused =>
  new Refused({ status, code, message, ...(status === 401 ? { headers: { 'www-authenticate': 'Basic' } } : {}) })

interface Client {
  readonly id: string
  readonly secret: string
}

/** RFC 6749, 2.3.1: form-encoded inside of Basic. */
const formDecoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

function basicClient(header: string | undefined): Client | undefined {
  const encoded = /^Basic\s+([\w+/=]+)$/i.exec(header ?? '')?.[1]
  if (encoded === undefined) return undefined
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  try {
    return { id: formDecoded(id), secret: formDecoded(secret.join(':')) }
  } catch {
    return undefined
  }
}

function clientIn(form: URLSearchParams): Client | undefined {
  const [id, secret] = [form.get('client_id'), form.get('client_secret')]
  return id === null || secret === null ? undefined : { id, secret }
}

async function giveToken({ store, timing, exchange }: Call) {
  const { headers } = exchange.request
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '')) {
    throw refuse(400, 'invalid_request', 'The body must be application/x-www-form-urlencoded.')
  }
  const form = new URLSearchParams(await readText(exchange.request, bodyLimitBytes))
  const grant = form.get('grant_type')
  if (grant === null) throw refuse(400, 'invalid_request', 'grant_type is required.')
  if (grant !== 'client_credentials') throw refuse(400, 'unsupported_grant_type', 'Only client_credentials is served.')
  const client = basicClient(headers.authorization) ?? clientIn(form)
  if (client === undefined || clientSecretOf(store.world(), client.id) !== client.secret) {
    throw refuse(401, 'invalid_client', 'The client is not known, or its secret is wrong.')
  }
  const lifetimeS = timing().tokenLifetimeS
  exchange.response.setHeader('cache-control', 'no-store')
  return ok({
    access_token: issueToken(store, { clientId: client.id, lifetimeS }),
    token_type: 'Bearer',
    expires_in: lifetimeS,
  })
}

const operations: readonly Operation[] = [{ id: 'iam.token', method: 'POST', path: '/oauth2/token', run: giveToken }]

/** Where tokens come from: client credentials of RFC 6749, section 4.4 (ours: the spec shows no token endpoint). */
export const iam: Service = {
  base: '/iam',
  access: 'open',
  operations,
  errorBody: ({ code, message }) => ({ error: code, error_description: message }),
}
