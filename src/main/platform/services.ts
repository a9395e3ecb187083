import type { AddressKey } from '@shared/contract'
import { AppError, type Failure } from '@shared/failure'
import { limits } from '@shared/limits'
import { z } from 'zod'
import { explainStatus } from '../gateway/explain'
import { readServerMessage } from '../gateway/server-message'
import { type ErrorResponse, explainConsoleCode, explainRefusal } from './explain'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export type CredentialKind = 'iam' | 'gateway'

export type QueryValue = string | number | boolean

export type Operation = Readonly<ReturnType<Draft>>

/** An operation that is not part of a service yet. */
type Draft = ReturnType<ReturnType<typeof builder>>

const builder =
  (method: Method, isPaged = false) =>
  (
    path: string,
    purpose: string,
    details: {
      /** Names of required, nonempty query parameters. */
      readonly query?: readonly string[]
      readonly optionalQuery?: readonly string[]
      /** Default values of query parameters that must be sent but may be empty. */
      readonly defaultQuery?: Readonly<Record<string, QueryValue>>
      readonly body?: z.ZodType
    } = {},
  ) =>
  (
    service: string,
    key: string,
    { address, credential = 'iam', explain = explainRefusal, ...traits }: ServiceTraits,
  ) => {
    const { query = [], optionalQuery = [], defaultQuery = {}, body } = details
    const paging = isPaged ? traits.paging : undefined
    const pageQuery = paging === undefined ? {} : { page: paging.firstPage, size: DEFAULT_SIZE }
    const defaults: Readonly<Record<string, QueryValue>> = { ...defaultQuery, ...pageQuery }
    return {
      /** Id of the operation, as `service.resource.verb`. */
      id: `${service}.${key}`,
      service,
      /** Short description, from the specification. Those of the console are ours, because the specification omits it. */
      purpose,
      address,
      credential,
      method,
      /** Path with `{name}` for each of `pathParams`. */
      path,
      pathParams: [...path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => param),
      /** Known query parameters in the order of sending. */
      query: [...query, ...Object.keys(defaultQuery), ...optionalQuery, ...Object.keys(pageQuery)],
      requiredQuery: [...query, ...Object.keys(defaultQuery)],
      /** Default values of query parameters. A parameter listed here may be empty. */
      defaultQuery: defaults,
      paging,
      /** Validation rules of the spec. Unknown fields pass. */
      body,
      /** Explains a status by the platform's or the gateway's table. */
      explain,
    }
  }

/** A paged list with `page` and `size`. */
const list = builder('GET', true)
const get = builder('GET')
const post = builder('POST')
const replace = builder('PUT')
const patch = builder('PATCH')
const remove = builder('DELETE')

interface ServiceTraits {
  readonly address: AddressKey
  readonly credential?: CredentialKind
  readonly paging?: Paging
  readonly explain?: (refusal: ErrorResponse) => Failure
}

/** The operations of a service by their ids. */
function service<const Name extends string, const Key extends string>(
  name: Name,
  traits: ServiceTraits,
  drafts: Readonly<Record<Key, Draft>>,
): Readonly<Record<`${Name}.${Key}`, Operation>> {
  const operationsById = Object.entries<Draft>(drafts).map(([key, draft]): readonly unknown[] => [
    `${name}.${key}`,
    draft(name, key, traits),
  ])
  return Object.fromEntries(operationsById)
}

/** Page numbering and field names of a service (spec, "Pagination envelopes"). */
export interface Paging {
  readonly firstPage: number
  readonly items: string
  readonly totalItems: string
  readonly totalPages: string
}

/** Default page size, the most common one in the spec's examples. */
const DEFAULT_SIZE = 20

/** A page of a list. A total that is not a whole number counts as missing. */
export interface PageContent {
  readonly items: readonly unknown[]
  readonly totalItems?: number
  readonly totalPages?: number
}

/** Parses a nonnegative count. `Number` would turn null and empty text into 0. */
const PageTotal = z.union([
  z.int().nonnegative(),
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
])

/** Rows and totals of a list response, or undefined for other responses. An array has no totals. */
export function readPage(paging: Paging, data: unknown): PageContent | undefined {
  if (Array.isArray(data)) return { items: data }
  const envelope = z.looseObject({}).safeParse(data)
  if (!envelope.success) return undefined
  const { [paging.items]: rows, [paging.totalItems]: items, [paging.totalPages]: pages } = envelope.data
  const isEmpty = rows === null && items === 0
  if (!Array.isArray(rows) && !isEmpty) return undefined
  return {
    items: isEmpty ? [] : z.array(z.unknown()).parse(rows),
    ...parseTotalField('totalItems', items),
    ...parseTotalField('totalPages', pages),
  }
}

function parseTotalField(name: 'totalItems' | 'totalPages', value: unknown): Partial<PageContent> {
  const parsedTotal = PageTotal.safeParse(value)
  return parsedTotal.success ? { [name]: parsedTotal.data } : {}
}

/** Pages of the access control service, whose page numbers start at 0. */
const springPaging: Paging = {
  firstPage: 0,
  items: 'content',
  totalItems: 'totalElements',
  totalPages: 'totalPages',
}

/** Pages of all other services, whose page numbers start at 1. */
const listDataPaged: Paging = {
  firstPage: 1,
  items: 'listData',
  totalItems: 'totalItem',
  totalPages: 'totalPage',
}

const text = (pattern: RegExp, message: string) => z.string(message).regex(pattern, message)

type Bounds = Readonly<Record<'min' | 'max', number>>

const wholeNumber = ({ min, max }: Bounds) => {
  const message = `must be a whole number from ${min} to ${max}`
  return z.int(message).min(min, message).max(max, message).optional()
}

const createNumberSchema = ({ min, max }: Bounds, unit = '') => {
  const message = `must be a number from ${min} to ${max}${unit}`
  return z.number(message).min(min, message).max(max, message).optional()
}

const identityName = text(limits.identityName, 'takes 1 to 50 letters, digits, - and _')
const memoryName = text(limits.memoryName, 'takes up to 50 letters, digits, ., - and _')
const apiKeyName = text(limits.apiKeyName, 'takes 5 to 50 small letters, digits and -')
const planName = text(limits.planName, 'is required and takes 1 to 50 letters, digits, _, - and .')

/** A JSON object with some validated fields. Others pass. */
const body = (fields: z.ZodRawShape) => z.looseObject(fields, 'must be a JSON object')

/** A new identity or provider. */
const newIdentity = { body: body({ name: identityName.optional() }) }

/** Replicas and thresholds (percent) of a runtime. These three field names are ours (decisions 5). */
const runtimeConfig = {
  body: body({
    replicas: wholeNumber(limits.replicas),
    cpuUtilizationThreshold: createNumberSchema(limits.threshold, ' percent'),
    memoryUtilizationThreshold: createNumberSchema(limits.threshold, ' percent'),
  }),
}

const logRange = { body: body({ from: wholeNumber(limits.logFrom), limit: wholeNumber(limits.logLimit) }) }

/** A new memory. `eventExpiryDuration` (days) is a field name of ours (decisions 5). */
const memoryBody = body({ name: memoryName.optional(), eventExpiryDuration: wholeNumber(limits.expiryDays) })

const searchBody = body({
  limit: wholeNumber(limits.searchLimit),
  scoreThreshold: createNumberSchema(limits.scoreThreshold),
})

const purchase = { body: body({ name: planName }) }

/** Platform API keys and models (spec, "Model / API-key management"). */
const aipService = service(
  'aip',
  { address: 'aipApiUrl', paging: listDataPaged },
  {
    'apiKeys.list': list('/v1/api-keys', 'list API keys'),
    'apiKeys.create': post('/v1/api-keys', 'create API key (asynchronous)', {
      body: body({ name: apiKeyName.optional() }),
    }),
    'apiKeys.get': get('/v1/api-keys/{name}', 'get API key'),
    'apiKeys.update': replace('/v1/api-keys/{name}', 'update API key'),
    'apiKeys.delete': remove('/v1/api-keys/{name}', 'delete API key (asynchronous)'),
    'models.list': list('/v1/models', 'list models'),
    'models.get': get('/v1/models/detail/{uuid}', 'get model detail'),
  },
)

/** Buying and monitoring token plans. The contract is ours, because the spec has none (decisions 3). */
const consoleService = service(
  'console',
  {
    address: 'consoleUrl',
    paging: listDataPaged,
    // The console has its own error codes, which are more specific than the status.
    explain(refusal) {
      const failure = explainRefusal(refusal)
      const isClientError = refusal.status >= 400 && refusal.status < 500
      const { marks } = readServerMessage(refusal.body)
      return isClientError ? { ...failure, ...explainConsoleCode(marks) } : failure
    },
  },
  {
    'account.get': get('/account', 'get the account: role and credits'),
    'packages.list': list('/packages', 'list packages'),
    'packages.get': get('/packages/{packageId}', 'get package'),
    'tokenPlans.list': list('/token-plans', 'list token plans'),
    'tokenPlans.create': post('/token-plans', 'buy a token plan', purchase),
    'tokenPlans.get': get('/token-plans/{planId}', 'get token plan'),
    'tokenPlans.update': patch('/token-plans/{planId}', 'switch auto-renew'),
    'tokenPlans.delete': remove('/token-plans/{planId}', 'delete token plan (unused quota is refunded)'),
    'tokenPlans.batchDelete': post('/token-plans:batch-delete', 'delete several token plans'),
    'tokenPlans.buyAgain': post('/token-plans/{planId}:buy-again', 'buy another plan of the same type', purchase),
    'keys.list': list('/token-plans/{planId}/keys', 'list the subscription keys of a plan'),
    'keys.create': post('/token-plans/{planId}/keys', 'add subscription key'),
    'keys.update': patch('/token-plans/{planId}/keys/{keyId}', 'rename, enable or disable subscription key'),
    'keys.delete': remove('/token-plans/{planId}/keys/{keyId}', 'delete subscription key'),
    'usage.get': get('/token-plans/{planId}/usage', 'get the usage of a plan', {
      optionalQuery: ['from', 'to', 'interval', 'model', 'keyId'],
    }),
  },
)

/** The token plan's gateway with a subscription key (spec, "Token plan gateway") and its own error table. */
const gateway = service(
  'gateway',
  {
    address: 'tokenPlanUrl',
    credential: 'gateway',
    explain: ({ address, ...refusal }) =>
      explainStatus({ ...refusal, requestAddress: address, standard: 'chat-completions' }),
  },
  {
    chatCompletions: post('/v1/chat/completions', 'chat completion with a subscription key'),
  },
)

const identityPath = '/agent-identities/{agentName}'
const keysPath = '/outbound-auth/api-key-providers'
const delegatedPath = '/outbound-auth/delegated-api-key-providers'
const oauthPath = '/outbound-auth/oauth2-providers'

/** Agent identities and the providers of outbound credentials (spec, "Access control"). */
const identity = service(
  'identity',
  { address: 'identityApiUrl', paging: springPaging },
  {
    'agentIdentities.create': post('/agent-identities', 'create identity', newIdentity),
    'agentIdentities.list': list('/agent-identities', 'list identities'),
    'agentIdentities.get': get('/agent-identities/{name}', 'get identity'),
    'agentIdentities.update': replace('/agent-identities/{name}', 'update identity'),
    'agentIdentities.delete': remove('/agent-identities/{name}', 'delete identity'),
    'apiKeyProviders.create': post(keysPath, 'create static API-key provider', newIdentity),
    'apiKeyProviders.list': list(keysPath, 'list static API-key providers'),
    'apiKeyProviders.get': get(`${keysPath}/{name}`, 'get static API-key provider'),
    'apiKeyProviders.update': replace(`${keysPath}/{name}`, 'update static API-key provider (rotates the key)'),
    'apiKeyProviders.delete': remove(`${keysPath}/{name}`, 'delete static API-key provider'),
    'apiKeyProviders.retrieveKey': get(`${keysPath}/{name}${identityPath}/api-key`, 'retrieve the key for an identity'),
    'delegatedProviders.create': post(delegatedPath, 'create delegated API-key provider', newIdentity),
    'delegatedProviders.list': list(delegatedPath, 'list delegated API-key providers'),
    'delegatedProviders.get': get(`${delegatedPath}/{name}`, 'get delegated API-key provider'),
    'delegatedProviders.delete': remove(`${delegatedPath}/{name}`, 'delete delegated API-key provider'),
    'delegatedProviders.requestKey': post(`${delegatedPath}/{name}${identityPath}/api-key`, 'request a delegated key'),
    'oauth2Providers.create': post(oauthPath, 'create OAuth2 provider', newIdentity),
    'oauth2Providers.list': list(oauthPath, 'list OAuth2 providers'),
    'oauth2Providers.get': get(`${oauthPath}/{name}`, 'get OAuth2 provider'),
    'oauth2Providers.update': replace(`${oauthPath}/{name}`, 'update OAuth2 provider'),
    'oauth2Providers.delete': remove(`${oauthPath}/{name}`, 'delete OAuth2 provider'),
    'oauth2Providers.tokenM2m': post(`${oauthPath}/{name}${identityPath}/tokens/m2m`, 'get machine-to-machine token'),
    'oauth2Providers.token3lo': post(`${oauthPath}/{name}${identityPath}/tokens/3lo`, 'get three-legged token'),
  },
)

/** Completions and embeddings (spec, "Inference"). */
const inference = service(
  'inference',
  { address: 'inferenceUrl' },
  {
    chatCompletions: post('/chat/completions', 'chat completion'),
    completions: post('/completions', 'text completion'),
    embeddings: post('/embeddings', 'embeddings'),
  },
)

/** Memories with their events, actors and records (spec, "Memory"). */
const memory = service(
  'memory',
  { address: 'memoryApiUrl', paging: listDataPaged },
  {
    'memories.create': post('/memories', 'create memory', { body: memoryBody }),
    'memories.list': list('/memories', 'list memories'),
    'memories.get': get('/memories/{id}', 'get memory'),
    'memories.delete': remove('/memories/{id}', 'delete memory'),
    'strategies.list': get('/memories/{id}/long-term-memory-strategies', 'list long-term memory strategies'),
    'events.create': post('/memories/{id}/actors/{actorId}/sessions/{sessionId}/events', 'create event'),
    'events.list': list('/memories/{id}/actors/{actorId}/sessions/{sessionId}/events', 'list events'),
    'actors.list': list('/memories/{id}/actors', 'list actors'),
    'records.list': get('/memories/{id}/memory-records', 'browse records', {
      query: ['namespace'],
      optionalQuery: ['limit'],
    }),
    'records.search': post('/memories/{id}/memory-records:search', 'semantic search', {
      query: ['namespace'],
      body: searchBody,
    }),
    'records.generateFromSession': post(
      '/memories/{id}/memory-records:generate-from-session',
      'generate records from a session',
      {
        query: ['actorId', 'sessionId', 'longTermMemoryStrategyId'],
      },
    ),
  },
)

/** Repositories, images and robot accounts (spec, "Container registry"). */
const registry = service(
  'registry',
  { address: 'registryApiUrl', paging: listDataPaged },
  {
    'repositories.list': list('/v1/repository', 'list repositories'),
    'repositories.create': post('/v1/repository', 'create repository'),
    'repositories.get': get('/v1/repository/{repoId}', 'get repository'),
    'repositories.delete': remove('/v1/repository/{repoId}', 'delete repository'),
    'robotAccounts.list': list('/v1/user', 'list robot accounts'),
    'robotAccounts.create': post('/v1/user', 'create robot account'),
    'robotAccounts.permissions': get('/v1/user/permissions', 'list available permissions'),
    'robotAccounts.delete': remove('/v1/user/{repoUserId}', 'delete robot account'),
    'images.list': list('/v1/repository/{repoId}/images', 'list images', { defaultQuery: { name: '' } }),
    'images.delete': remove('/v1/repository/{repoId}/images/delete', 'delete image', {
      query: ['imageName'],
    }),
  },
)

/** Agent runtimes, their endpoints and versions, flavors, logs and metrics (spec, "Runtime"). */
const runtime = service(
  'runtime',
  { address: 'runtimeApiUrl', paging: listDataPaged },
  {
    'agentRuntimes.create': post('/agent-runtimes', 'create runtime', runtimeConfig),
    'agentRuntimes.list': list('/agent-runtimes', 'list runtimes'),
    'agentRuntimes.get': get('/agent-runtimes/{id}', 'get runtime'),
    'agentRuntimes.update': patch('/agent-runtimes/{id}', 'update runtime (creates a new version)', runtimeConfig),
    'agentRuntimes.delete': remove('/agent-runtimes/{id}', 'delete runtime'),
    'agentRuntimes.resetServiceAccount': patch('/agent-runtimes/{id}/reset-service-account', 'reset IAM credentials'),
    'agentRuntimes.logs': post('/agent-runtimes/{id}/logs', 'runtime logs', logRange),
    'endpoints.list': list('/agent-runtimes/{id}/endpoints', 'list endpoints'),
    'endpoints.create': post('/agent-runtimes/{id}/endpoints', 'create endpoint'),
    'endpoints.setVersion': patch('/agent-runtimes/{id}/endpoints/{endpointId}', 'point endpoint at a version', {
      query: ['version'],
    }),
    'endpoints.delete': remove('/agent-runtimes/{id}/endpoints/{endpointId}', 'delete endpoint'),
    'endpoints.logs': post('/agent-runtimes/{id}/endpoints/{endpointId}/logs', 'endpoint logs', logRange),
    'endpoints.metrics': get('/agent-runtimes/{id}/endpoints/{endpointId}/metrics', 'CPU / RAM metrics'),
    'versions.list': list('/agent-runtimes/{id}/versions', 'list versions'),
    'flavors.list': get('/flavors', 'list compute flavors'),
  },
)

const allOperations = {
  ...identity,
  ...runtime,
  ...memory,
  ...registry,
  ...aipService,
  ...inference,
  ...gateway,
  ...consoleService,
}

export type OperationId = keyof typeof allOperations

export const operations: readonly Operation[] = Object.values(allOperations)

export const isOperationId = (id: string): id is OperationId => Object.hasOwn(allOperations, id)

/** Finds an operation by id. Fails with `input.invalid`. */
export function findPlatformOperation(id: string): Operation {
  if (isOperationId(id)) return allOperations[id]
  throw new AppError('input.invalid', `There is no operation ${JSON.stringify(id.slice(0, 100))}.`, { field: 'id' })
}
