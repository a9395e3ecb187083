import type { IncomingHttpHeaders } from 'node:http'
import { applyFault } from '../faults'
import type { ServerParts } from '../gateway/gateway'
import { newId } from '../gateway/standard'
import {
  createRouter,
  type Exchange,
  type Handler,
  HttpError,
  type Match,
  ownUrl,
  readJson,
  refuseForeignOrigin,
  waitWhileConnected,
} from '../http/listener'
import { ResponseWriter } from '../http/response-writer'
import type { RequestTrace } from '../journal'
import type { Store } from '../state/store'
import type { ApiKey } from '../state/world'
import { aipService, apiKeys, readApiKeySecret, readKeyStatus } from './aip'
import { consoleService } from './console'
import { findClient, iam } from './iam'
import { identity } from './identity'
import { inference } from './inference'
import { memory } from './memory/service'
import { type Call, type Caller, createUnauthorizedError, type Operation, parseBody, type Service } from './operation'
import { imageHost, registry } from './registry'
import { runtime } from './runtime'

export const services: readonly Service[] = [
  consoleService,
  identity,
  runtime,
  memory,
  registry,
  aipService,
  inference,
  imageHost,
  iam,
]

interface PlatformParts extends ServerParts {
  readonly gatewayUrl: string
}

const defaultBodyLimitBytes = 4 * 1024 * 1024

async function serve(
  parts: PlatformParts,
  pendingRequest: { readonly exchange: Exchange; readonly outlet: ResponseWriter; readonly trace: RequestTrace },
  { handler: target, params }: Match<Target>,
): Promise<void> {
  const { exchange, outlet, trace } = pendingRequest
  const { store, timing } = parts
  const { request, query } = exchange
  const { access, bodyLimitBytes = defaultBodyLimitBytes } = target.service
  const call: Call = {
    store,
    timing,
    caller: authenticateCaller(store, access, request.headers),
    params,
    query,
    body: async (schema) => parseBody(schema, await readJson(request, bodyLimitBytes, '{}')),
    gatewayUrl: parts.gatewayUrl,
    platformUrl: ownUrl(request),
    exchange,
    outlet,
    note: trace.note,
  }
  const changesBefore = store.changes()
  const reply = await target.operation.run(call)
  // Respond only after the change is saved to disk.
  if (store.changes() !== changesBefore) await waitWhileConnected(store.saved(), exchange)
  if (reply?.body !== undefined) outlet.json(reply.status, reply.body)
  else if (reply) outlet.empty(reply.status)
}

/**
 * The platform API, the console contract and IAM. Order of checks: host and origin, 404 or 405, injected fault, 401,
 * then the operation's own. Every response has an `x-request-id` (not in the spec) and the sandbox's time as `Date`.
 */
export function createPlatform(parts: PlatformParts): Handler {
  const { store, faults, journal } = parts
  return async (exchange) => {
    const { request, response, method, path } = exchange
    const target = findTarget(method, path)
    const operation = target?.handler.operation.id
    const trace = journal.open(exchange, { area: 'platform', at: store.nowIso(), operation, standard: null })
    const refusal = refuseForeignOrigin(request) ?? (target ? undefined : unknownPath(exchange))
    const fault = refusal || operation === undefined ? undefined : faults.take(operation)
    const outlet = new ResponseWriter(exchange, { fault, beforeLast: () => trace.finish(outlet, fault) })
    response.setHeader('x-request-id', newId('req_')).setHeader('date', new Date(store.nowMs()).toUTCString())
    try {
      if (refusal) throw refusal
      if (target && (!fault || (await applyFault(fault, exchange))))
        await serve(parts, { exchange, outlet, trace }, target)
    } catch (error) {
      // A service also formats the errors of paths that match none of its operations.
      const service =
        target?.handler.service ?? services.find(({ base }) => path === base || path.startsWith(`${base}/`))
      outlet.error(error, ({ status, code: lowerCaseCode, message }) => {
        const code = lowerCaseCode.toUpperCase()
        trace.note({ error: code })
        return service?.errorBody?.({ status, code, message }) ?? { code, message }
      })
    }
    trace.finish(outlet, fault)
  }
}

interface Target {
  readonly service: Service
  readonly operation: Operation
}

const findTarget = createRouter<Target>(
  services.flatMap((service) =>
    service.operations.map((operation) => ({
      method: operation.method,
      pattern: service.base + operation.path,
      handler: { service, operation },
    })),
  ),
)

/** 405 for a path with other methods, or else 404. */
function unknownPath({ method, path }: Exchange): HttpError {
  const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
  const otherMethods = methods.filter((otherMethod) => findTarget(otherMethod, path)).join(', ')
  const shownPath = path.slice(0, 200)
  if (otherMethods === '') {
    return new HttpError({ status: 404, code: 'NOT_FOUND', message: `The platform has no ${method} ${shownPath}.` })
  }
  const message = `${shownPath} takes ${otherMethods}, not ${method}.`
  return new HttpError({ status: 405, code: 'METHOD_NOT_ALLOWED', message, headers: { allow: otherMethods } })
}

function apiKeyOwner(store: Store, secret: string): string | undefined {
  const nowMs = store.nowMs()
  const isMatch = (key: ApiKey) => readKeyStatus(key, nowMs) === 'ACTIVE' && readApiKeySecret(store, key) === secret
  return apiKeys.list(store).find(isMatch)?.name
}

const credentialNames: Record<Exclude<Service['access'], 'open'>, string> = {
  iam: 'an IAM token',
  'iam-or-api-key': 'an IAM token or an active platform API key',
}

/** Why a service rejects a credential. */
function describeRejection(store: Store, credential: string, wants: string): string {
  if (store.findKeyId(credential) !== undefined) {
    return `This is a subscription key. It opens the token plan gateway only; send ${wants} here.`
  }
  if (apiKeyOwner(store, credential) !== undefined) {
    return `This is a platform API key. It opens inference only; send ${wants} here.`
  }
  return `The token is expired or invalid. Send ${wants}.`
}

/** Authenticates the caller. Throws 401 with the reason (spec, "Authentication", B: an IAM bearer token with every call). */
function authenticateCaller(store: Store, access: Service['access'], headers: IncomingHttpHeaders): Caller {
  if (access === 'open') return { id: '' }
  const requiredCredential = credentialNames[access]
  const credential = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (credential === undefined)
    throw createUnauthorizedError(`Send ${requiredCredential} as "Authorization: Bearer <token>".`)
  const id = findClient(store, credential) ?? (access === 'iam' ? undefined : apiKeyOwner(store, credential))
  if (id === undefined) throw createUnauthorizedError(describeRejection(store, credential, requiredCredential))
  return { id }
}
