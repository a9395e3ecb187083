import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { PlaygroundRun, PlaygroundTarget } from '@shared/contract'
import type { ApiStandard } from '@shared/contract/common'
import type { ModelFacts } from '@shared/contract/plans'
import { AppError, type Failure } from '@shared/failure'
import {
  isLocalOrPrivate,
  isLoopbackHost,
  refuseRequestAddress,
  requestAddress,
  requestAddressFor,
  requestSuffix,
} from '../core/net/address'
import { withAbort } from '../core/net/deadline'
import type { HttpAnswer, Send } from '../core/net/send'
import type { Secret } from '../core/secret'
import { chatCompletions, listModels, messages } from '../gateway/probe'
import type { InferenceEndpoint } from '../plans/connections/open-connection'
import type { Plans } from '../plans/plans'
import { buildBearerHeader } from '../platform/credentials'
import type { TokenSource } from '../platform/tokens'
import { type InferenceKeys, noInference } from './inference-keys'

export type Purpose = PlaygroundRun['kind']

/** The start of a response, with the masked headers of its request. */
export interface TargetAnswer {
  readonly answer: HttpAnswer
  readonly requestHeaders: readonly (readonly [string, string])[]
}

/** A target that is ready for a request. Nothing has been sent yet. */
export interface OpenTarget {
  readonly target: PlaygroundTarget
  readonly standard: ApiStandard
  readonly requestAddress: string
  readonly keyId?: string | undefined
  /** Adds details to a gateway's failure, based on the request that caused the failure. */
  readonly explain?: ((failure: Failure) => Failure) | undefined
  /** Secrets that were sent and must be masked. */
  secrets(): readonly Secret[]
  /**
   * Posts a JSON body. Retries once with a new token after a rejected token. Follows no redirects. Rejects as `Send`
   * does.
   */
  post(body: string, signal: AbortSignal): Promise<TargetAnswer>
}

export interface TargetsDeps {
  readonly plans: Pick<Plans, 'find' | 'readSecret' | 'explainRefusal'>
  /** Endpoint for inference of a connection. Fails with `connection.notFound`. */
  readonly getInferenceEndpoint: (connectionId: string) => Promise<InferenceEndpoint>
  readonly keys: Pick<InferenceKeys, 'readSecret'>
  /** Sends requests to gateways. */
  readonly send: Send
  /** Sends requests without a key to this computer and the local network. */
  readonly sendNear: Send
}

const suffixes = { completion: '/completions', embeddings: '/embeddings' } as const

const headersByStandard: Readonly<Record<ApiStandard, Readonly<Record<string, string>>>> = {
  'chat-completions': chatCompletions.headers,
  messages: messages.headers,
}

type TargetOfKind<K extends PlaygroundTarget['kind']> = Extract<PlaygroundTarget, { kind: K }>

/**
 * Opens a target without sending. Fails with `playground.noTarget` for an unsupported purpose, `plan.notFound`,
 * `key.notFound`, `connection.notFound`, `api.notConfigured`, `vault.*` or `address.*`.
 */
export async function openTarget(target: PlaygroundTarget, purpose: Purpose, deps: TargetsDeps): Promise<OpenTarget> {
  if (target.kind === 'platform') return openPlatform(target, purpose, deps)
  if (target.kind === 'local') return openLocalTarget(target, purpose, deps)
  if (purpose !== 'chat')
    throw createNoServiceError('A plan serves chats. Choose platform inference or a local address.')
  return openPlan(target, deps)
}

async function openPlan(target: TargetOfKind<'plan'>, { plans, send }: TargetsDeps): Promise<OpenTarget> {
  const plan = plans.find(target.planId)
  const keyId = target.keyId ?? plan.defaultKeyId
  const secret = await plans.readSecret(plan, keyId)
  const address = checkAddress(requestAddressFor(plan.gatewayUrl, target.standard))
  return {
    ...createTokenTarget(target, createFixedTokenSource(secret), { address, standard: target.standard, send }),
    keyId,
    explain: (failure) => plans.explainRefusal(failure, plan, keyId),
  }
}

async function openPlatform(
  target: TargetOfKind<'platform'>,
  purpose: Purpose,
  { getInferenceEndpoint, keys }: TargetsDeps,
): Promise<OpenTarget> {
  const { address: base, send, tokens } = await getInferenceEndpoint(target.connectionId)
  if (base === undefined) throw noInference()
  const suffix = purpose === 'chat' ? '/chat/completions' : suffixes[purpose]
  const address = checkAddress(requestAddress(base, suffix))
  const isKey = target.credential === 'apiKey'
  const source = isKey ? createFixedTokenSource(await keys.readSecret(target.connectionId, base)) : tokens
  if (source === undefined) {
    const message = 'The connection has no source of IAM tokens. Add one, or keep a platform API key for its inference.'
    throw new AppError('api.notConfigured', message, { field: 'tokenSource' })
  }
  return createTokenTarget(target, source, { address, standard: 'chat-completions', send })
}

async function openLocalTarget(
  target: TargetOfKind<'local'>,
  purpose: Purpose,
  { sendNear }: TargetsDeps,
): Promise<OpenTarget> {
  const { standard, url } = target
  if (purpose !== 'chat' && standard !== 'chat-completions') {
    const message = 'Completions and embeddings are of the chat-completions standard. Choose it for this address.'
    throw createNoServiceError(message)
  }
  const suffix = purpose === 'chat' ? requestSuffix(standard) : suffixes[purpose]
  const address = readLocalBase(url) + (suffix.startsWith('/v1') ? suffix : `/v1${suffix}`)
  const headers = headersByStandard[standard]
  return {
    target,
    standard,
    requestAddress: address,
    secrets: () => [],
    async post(body, signal) {
      await withAbort(requireLocalAddress(address), signal)
      const answer = await sendNear({ method: 'POST', url: address, headers, body, signal })
      return { answer, requestHeaders: Object.entries(headers) }
    },
  }
}

/** Models of a server on this computer or in the local network. Fails with `address.*` or the reason of the server. */
export async function listLocalModels(url: string, { sendNear }: Pick<TargetsDeps, 'sendNear'>): Promise<ModelFacts[]> {
  const base = readLocalBase(url)
  await requireLocalAddress(base)
  const list = await listModels({ url: base, timeoutMs: localListTimeoutMs }, sendNear)
  if (list.kind === 'refused') throw new AppError(list.failure.code, list.failure.message)
  return [...(list.facts ?? [])]
}

const localListTimeoutMs = 3000

/** Posts with a token. Renews a rejected token once, like all platform calls (spec, "Authentication", B). */
function createTokenTarget(
  target: PlaygroundTarget,
  source: TokenSource,
  { address, standard, send }: { readonly address: string; readonly standard: ApiStandard; readonly send: Send },
): OpenTarget {
  const sentSecrets: Secret[] = []
  const sendPost = async (token: Secret, body: string, signal: AbortSignal): Promise<TargetAnswer> => {
    if (!sentSecrets.some((sentSecret) => sentSecret.isSame(token))) sentSecrets.push(token)
    const headers = headersByStandard[standard]
    const sentHeaders = { ...headers, authorization: buildBearerHeader(token) }
    const answer = await send({ method: 'POST', url: address, body, signal, headers: sentHeaders })
    return { answer, requestHeaders: [...Object.entries(headers), ['authorization', `Bearer ${token.masked}`]] }
  }
  return {
    target,
    standard,
    requestAddress: address,
    secrets: () => sentSecrets,
    async post(body, signal) {
      const token = await withAbort(source.token(), signal)
      const firstResponse = await sendPost(token, body, signal)
      if (firstResponse.answer.status !== 401) return firstResponse
      const renewedToken = await withAbort(source.renew(token), signal)
      if (renewedToken === undefined) return firstResponse
      await firstResponse.answer.body?.cancel()
      return sendPost(renewedToken, body, signal)
    },
  }
}

const createFixedTokenSource = (secret: Secret): TokenSource => ({
  token: async () => secret,
  renew: async () => undefined,
})

function checkAddress(address: string): string {
  const addressFailure = refuseRequestAddress(address)
  if (addressFailure !== undefined) throw new AppError(addressFailure.code, addressFailure.message)
  return address
}

const createNoServiceError = (message: string): AppError =>
  new AppError('playground.noTarget', message, { field: 'target' })

/** Endpoint paths that people paste along with the base. */
const pastedSuffix = /(?:\/v1)*(?:\/chat\/completions|\/completions|\/embeddings|\/messages|\/models|\/responses)?\/*$/

/**
 * Base URL of a local server, without `/v1` and endpoint paths. Default scheme `http://`. Fails with `address.*`. Only
 * `requireLocalAddress` can check where a host name leads.
 */
function readLocalBase(text: string): string {
  const fullAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`
  const url = URL.canParse(fullAddress) ? new URL(fullAddress) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.hostname === '')
    throw createInputError('address.notAnAddress', 'This is not an address. Write it as http://127.0.0.1:11434.')
  if (url.username !== '' || url.password !== '')
    throw createInputError(
      'address.credentials',
      'The address holds a user name or a password. A local address gets no key.',
    )
  const address = findIpAddress(url.hostname)
  if (address !== undefined && !isLocalOrPrivate(address)) throw createNotLocalError(url.host)
  return url.origin + url.pathname.replace(pastedSuffix, '')
}

/** Rejects a host outside this computer and the local network, by its current IP addresses. Rejects as `lookup` does. */
async function requireLocalAddress(address: string): Promise<void> {
  const { hostname, host } = new URL(address)
  if (isLoopbackHost(hostname)) return
  const resolved = await lookup(findIpAddress(hostname) ?? hostname, { all: true })
  if (resolved.length === 0 || !resolved.every(({ address: ip }) => isLocalOrPrivate(ip)))
    throw createNotLocalError(host)
}

const findIpAddress = (hostname: string): string | undefined => {
  const unbracketedHost = hostname.replace(/^\[|\]$/g, '')
  return isIP(unbracketedHost) === 0 ? undefined : unbracketedHost
}

const createNotLocalError = (host: string): AppError =>
  createInputError(
    'address.notAnAddress',
    `${host} is not on this computer or its network. A local address is 127.0.0.1, localhost, or one of a private network. For others use a plan or a connection.`,
  )

const createInputError = (code: 'address.notAnAddress' | 'address.credentials', message: string): AppError =>
  new AppError(code, message, { field: 'url' })
