import type { IncomingHttpHeaders } from 'node:http'
import type { ServerParts } from '../gateway'
import {
  applyFault,
  createRouter,
  type Exchange,
  type Handler,
  HttpError,
  type Match,
  ownUrl,
  ResponseWriter,
  readJson,
  refuseForeignOrigin,
  waitWhileConnected,
} from '../http'
import type { RequestTrace } from '../journal'
import { newId } from '../standards'
import type { Store } from '../state/store'
import type { ApiKey } from '../state/world'
import { aipService, listApiKeys, readApiKeySecret, readKeyStatus } from './aip'
import { consoleService } from './console'
import { iam, isValidToken } from './iam'
import { identity } from './identity'
import { inference } from './inference'
import { memory } from './memory'
import { createUnauthorizedError, type Operation, parseBody, type Service } from './operation'
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
  { store, timing, gatewayUrl }: PlatformParts,
  pendingRequest: { readonly exchange: Exchange; readonly outlet: ResponseWriter; readonly trace: RequestTrace },
  { handler: { service, operation }, params }: Match<Target>,
): Promise<void> {
  const { exchange, outlet, trace } = pendingRequest
  const { request, query } = exchange
  const { access, bodyLimitBytes = defaultBodyLimitBytes } = service
  authenticateCaller(store, access, request.headers)
  const changesBefore = store.changes()
  const reply = await operation.run({
    store,
    timing,
    params,
    query,
    body: async (schema) => parseBody(schema, await readJson(request, bodyLimitBytes, '{}')),
    gatewayUrl,
    platformUrl: ownUrl(request),
    exchange,
    outlet,
    note: trace.note,
  })
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
  if (otherMethods === '') return new HttpError(404, 'NOT_FOUND', `The platform has no ${method} ${shownPath}.`)
  const message = `${shownPath} takes ${otherMethods}, not ${method}.`
  return new HttpError(405, 'METHOD_NOT_ALLOWED', message, { allow: otherMethods })
}

function isActiveApiKey(store: Store, secret: string): boolean {
  const isMatch = (key: ApiKey) =>
    readKeyStatus(key, store.nowMs()) === 'ACTIVE' && readApiKeySecret(store, key) === secret
  return listApiKeys(store).some(isMatch)
}

const credentialNames: Record<Exclude<Service['access'], 'open'>, string> = {
  iam: 'an IAM token',
  'iam-or-api-key': 'an IAM token or an active platform API key',
}

/** Authenticates the caller. Throws 401 with the reason (spec, "Authentication", B: an IAM bearer token with every call). */
function authenticateCaller(store: Store, access: Service['access'], headers: IncomingHttpHeaders): void {
  if (access === 'open') return
  const wants = credentialNames[access]
  const credential = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (credential === undefined) throw createUnauthorizedError(`Send ${wants} as "Authorization: Bearer <token>".`)
  if (isValidToken(store, credential)) return
  const isApiKey = isActiveApiKey(store, credential)
  if (isApiKey && access === 'iam-or-api-key') return
  if (isApiKey)
    throw createUnauthorizedError(`This is a platform API key. It opens inference only; send ${wants} here.`)
  throw createUnauthorizedError(
    store.findKeyId(credential) === undefined
      ? `The token is expired or invalid. Send ${wants}.`
      : `This is a subscription key. It opens the token plan gateway only; send ${wants} here.`,
  )
}
