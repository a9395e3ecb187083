import { createHmac, timingSafeEqual } from 'node:crypto'
import { z } from 'zod'
import { HttpError, readText } from '../http'
import { deriveSecret, type Store } from '../state/store'
import type { Runtime, World } from '../state/world'
import { type Call, createOperation, okReply, type Reply, type Service } from './operation'

const bodyLimitBytes = 16 * 1024

const invalidRequest = (message: string): HttpError => new HttpError(400, 'invalid_request', message)

interface Client {
  readonly id: string
  readonly secret: string
}

/** RFC 6749, 2.3.1: form-encoded inside of Basic. */
const decodeFormText = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

export function basicClient(header: string): Client | undefined {
  const encodedCredentials = /^Basic\s+([\w+/=]+)$/i.exec(header)?.[1] ?? ''
  const [id = '', ...secret] = Buffer.from(encodedCredentials, 'base64').toString('utf8').split(':')
  try {
    return { id: decodeFormText(id), secret: decodeFormText(secret.join(':')) }
  } catch {
    return undefined
  }
}

/** Client credentials of a request, from the header or the body but not both (RFC 6749, 2.3). */
function presentedClient(authorization: string | undefined, form: FormFields): Client | undefined {
  const { client_id: id, client_secret: secret } = form
  if (authorization === undefined) return id === undefined || secret === undefined ? undefined : { id, secret }
  if (secret === undefined) return basicClient(authorization)
  throw invalidRequest('Send the client secret in the Authorization header or in the body, not in both.')
}

type FormFields = Readonly<Partial<Record<string, string>>>

async function issueAccessToken({ store, timing, exchange }: Call): Promise<Reply> {
  const { headers } = exchange.request
  if (!/^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? ''))
    throw invalidRequest('The body must be application/x-www-form-urlencoded.')
  // RFC 6749, 3.2: a parameter without a value counts as omitted, and duplicates are invalid.
  const fields = [...new URLSearchParams(await readText(exchange.request, bodyLimitBytes))]
  const nonemptyFields = fields.filter(([, value]) => value !== '')
  const form: FormFields = Object.fromEntries(nonemptyFields)
  if (Object.keys(form).length < nonemptyFields.length) throw invalidRequest('A parameter is there more than once.')
  if (form.grant_type === undefined) throw invalidRequest('The parameter "grant_type" is required.')
  if (form.grant_type !== 'client_credentials')
    throw new HttpError(400, 'unsupported_grant_type', 'Only the grant type client_credentials is served.')
  const client = presentedClient(headers.authorization, form)
  if (client === undefined || findClientSecret(store.world(), client.id) !== client.secret) {
    const message = 'The client is not known, or its secret is wrong.'
    throw new HttpError(401, 'invalid_client', message, { 'www-authenticate': 'Basic realm="sandbox"' })
  }
  const tokenLifetimeSeconds = timing().tokenLifetimeS
  const { seed, tokenGeneration } = store.world()
  const claims = JSON.stringify([client.id, store.nowMs() + tokenLifetimeSeconds * 1000, tokenGeneration])
  const text = Buffer.from(claims).toString('base64url')
  // A stateless signed token. It is valid while signature, expiry and generation are.
  const token = `${prefix}${text}.${signClaims(seed, text)}`
  exchange.response.setHeader('cache-control', 'no-store').setHeader('pragma', 'no-cache')
  return okReply({ access_token: token, token_type: 'Bearer', expires_in: tokenLifetimeSeconds })
}

/** Token endpoint for client credentials, RFC 6749, section 4.4 (our choice, because the spec shows none). */
export const iam: Service = {
  base: '/iam',
  access: 'open',
  operations: [createOperation('iam.token', 'POST', '/oauth2/token', issueAccessToken)],
  errorBody: ({ code, message }) => ({ error: code.toLowerCase(), error_description: message }),
}

/** Token claims: client, expiry in ms on the sandbox's clock, generation. */
const TokenClaims = z.tuple([z.string(), z.number(), z.number()])

const prefix = 'iam-sandbox-'

const signClaims = (seed: string, claims: string): string =>
  createHmac('sha256', seed).update(`iam-token|${claims}`).digest('base64url')

function verifyToken(seed: string, token: string): z.infer<typeof TokenClaims> | undefined {
  const [text = '', signature = '', ...rest] = token.startsWith(prefix) ? token.slice(prefix.length).split('.') : []
  const expectedSignature = Buffer.from(signClaims(seed, text))
  const presentedSignature = Buffer.from(signature)
  const isSigned =
    expectedSignature.length === presentedSignature.length && timingSafeEqual(expectedSignature, presentedSignature)
  if (!isSigned || rest.length > 0) return undefined
  return TokenClaims.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))).data
}

/** Whether a token is neither invalid nor expired nor revoked, and its client exists. */
export function isValidToken(store: Store, token: string): boolean {
  const world = store.world()
  const [clientId, endsMs, generation] = verifyToken(world.seed, token) ?? ['', 0, -1]
  const isCurrent = endsMs > store.nowMs() && generation === world.tokenGeneration
  return isCurrent && findClientSecret(world, clientId) !== undefined
}

export const mainClientId = 'sandbox-client'

export const runtimeClientId = (runtimeId: string): string => `service-account-${runtimeId}`

const deriveClientSecret = (world: World, clientId: string, generation: number): string =>
  deriveSecret(world.seed, `iam|${clientId}|${generation}`, 'cs-sandbox-')

export const mainClientSecret = (world: World): string => deriveClientSecret(world, mainClientId, 0)

/** Secret of a runtime's service account. Changes with each reset. */
export function runtimeClientSecret(world: World, { id, secretGeneration }: Runtime): string {
  return deriveClientSecret(world, runtimeClientId(id), secretGeneration)
}

/** Expected secret of a client. `undefined` if the client does not exist. */
function findClientSecret(world: World, clientId: string): string | undefined {
  if (clientId === mainClientId) return mainClientSecret(world)
  const runtime = world.runtime.runtimes.find(({ id }) => runtimeClientId(id) === clientId)
  return runtime && runtimeClientSecret(world, runtime)
}
