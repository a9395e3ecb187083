import { AppError, type Failure } from '@shared/failure'
import { limits } from '@shared/limits'
import { z } from 'zod'
import { explainStatus } from '../gateway/explain'
import { readServerMessage } from '../gateway/server-message'
import { type ErrorResponse, explainConsoleCode, explainRefusal } from './explain'
import {
  buildDeleteOperation,
  buildGetOperation,
  buildPutOperation,
  list,
  type Operation,
  type Paging,
  patch,
  post,
  type Service,
  service,
} from './service-definition'

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

interface Bounds {
  readonly min: number
  readonly max: number
}

const wholeNumber = ({ min, max }: Bounds) => {
  const message = `must be a whole number from ${min} to ${max}`
  return z.int(message).min(min, message).max(max, message)
}

const createNumberSchema = ({ min, max }: Bounds, unit = '') => {
  const message = `must be a number from ${min} to ${max}${unit}`
  return z.number(message).min(min, message).max(max, message)
}

const identityName = text(limits.identityName, 'takes 1 to 50 letters, digits, - and _')
const memoryName = text(limits.memoryName, 'takes up to 50 letters, digits, ., - and _')
const apiKeyName = text(limits.apiKeyName, 'takes 5 to 50 small letters, digits and -')
const planName = text(limits.planName, 'is required and takes 1 to 50 letters, digits, _, - and .')

/** A JSON object with some validated fields. Others pass. */
const body = (fields: z.ZodRawShape) => z.looseObject(fields, 'must be a JSON object')

const nameBody = (name: z.ZodType) => body({ name: name.optional() })

/** Replicas and thresholds (percent) of a runtime. These three field names are ours (decisions 5). */
const runtimeBody = body({
  replicas: wholeNumber(limits.replicas).optional(),
  cpuUtilizationThreshold: createNumberSchema(limits.threshold, ' percent').optional(),
  memoryUtilizationThreshold: createNumberSchema(limits.threshold, ' percent').optional(),
})

const logBody = body({ from: wholeNumber(limits.logFrom).optional(), limit: wholeNumber(limits.logLimit).optional() })

/** A new memory. `eventExpiryDuration` (days) is a field name of ours (decisions 5). */
const memoryBody = body({ name: memoryName.optional(), eventExpiryDuration: wholeNumber(limits.expiryDays).optional() })

const searchBody = body({
  limit: wholeNumber(limits.searchLimit).optional(),
  scoreThreshold: createNumberSchema(limits.scoreThreshold).optional(),
})

const purchaseBody = body({ name: planName })

/** Platform API keys and models (spec, "Model / API-key management"). */
const aipService = service(
  'aip',
  {
    address: 'aipApiUrl',
    paging: listDataPaged,
    test: { operation: 'models.list', query: { size: 1 } },
  },
  {
    'apiKeys.list': list('/v1/api-keys'),
    'apiKeys.create': post('/v1/api-keys', { body: nameBody(apiKeyName) }),
    'apiKeys.get': buildGetOperation('/v1/api-keys/{name}'),
    'apiKeys.update': buildPutOperation('/v1/api-keys/{name}'),
    'apiKeys.delete': buildDeleteOperation('/v1/api-keys/{name}'),
    'models.list': list('/v1/models'),
    'models.get': buildGetOperation('/v1/models/detail/{uuid}'),
  },
)

/** The console has its own error codes, which are more specific than the status. */
function explainConsoleRefusal(refusal: ErrorResponse): Failure {
  const failure = explainRefusal(refusal)
  const isClientError = refusal.status >= 400 && refusal.status < 500
  const { marks } = readServerMessage(refusal.body)
  return isClientError ? { ...failure, ...explainConsoleCode(marks) } : failure
}

/** Buying and monitoring token plans. The contract is ours, because the spec has none (decisions 3). */
const consoleService = service(
  'console',
  {
    address: 'consoleUrl',
    paging: listDataPaged,
    explain: explainConsoleRefusal,
    test: { operation: 'account.get' },
  },
  {
    'account.get': buildGetOperation('/account'),
    'packages.list': list('/packages'),
    'packages.get': buildGetOperation('/packages/{packageId}'),
    'tokenPlans.list': list('/token-plans'),
    'tokenPlans.create': post('/token-plans', { body: purchaseBody }),
    'tokenPlans.get': buildGetOperation('/token-plans/{planId}'),
    'tokenPlans.update': patch('/token-plans/{planId}'),
    'tokenPlans.delete': buildDeleteOperation('/token-plans/{planId}'),
    'tokenPlans.batchDelete': post('/token-plans:batch-delete'),
    'tokenPlans.buyAgain': post('/token-plans/{planId}:buy-again', { body: purchaseBody }),
    'keys.list': list('/token-plans/{planId}/keys'),
    'keys.create': post('/token-plans/{planId}/keys'),
    'keys.update': patch('/token-plans/{planId}/keys/{keyId}'),
    'keys.delete': buildDeleteOperation('/token-plans/{planId}/keys/{keyId}'),
    'usage.get': buildGetOperation('/token-plans/{planId}/usage', {
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
    chatCompletions: post('/v1/chat/completions'),
  },
)

const identityPath = '/agent-identities/{agentName}'

/** Agent identities and the providers of outbound credentials (spec, "Access control"). */
const identity = service(
  'identity',
  {
    address: 'identityApiUrl',
    paging: springPaging,
    test: { operation: 'agentIdentities.list', query: { size: 1 } },
  },
  {
    'agentIdentities.create': post('/agent-identities', { body: nameBody(identityName) }),
    'agentIdentities.list': list('/agent-identities'),
    'agentIdentities.get': buildGetOperation('/agent-identities/{name}'),
    'agentIdentities.update': buildPutOperation('/agent-identities/{name}'),
    'agentIdentities.delete': buildDeleteOperation('/agent-identities/{name}'),
    'apiKeyProviders.create': post('/outbound-auth/api-key-providers', { body: nameBody(identityName) }),
    'apiKeyProviders.list': list('/outbound-auth/api-key-providers'),
    'apiKeyProviders.get': buildGetOperation('/outbound-auth/api-key-providers/{name}'),
    'apiKeyProviders.update': buildPutOperation('/outbound-auth/api-key-providers/{name}'),
    'apiKeyProviders.delete': buildDeleteOperation('/outbound-auth/api-key-providers/{name}'),
    'apiKeyProviders.retrieveKey': buildGetOperation(`/outbound-auth/api-key-providers/{name}${identityPath}/api-key`),
    'delegatedProviders.create': post('/outbound-auth/delegated-api-key-providers', { body: nameBody(identityName) }),
    'delegatedProviders.list': list('/outbound-auth/delegated-api-key-providers'),
    'delegatedProviders.get': buildGetOperation('/outbound-auth/delegated-api-key-providers/{name}'),
    'delegatedProviders.delete': buildDeleteOperation('/outbound-auth/delegated-api-key-providers/{name}'),
    'delegatedProviders.requestKey': post(`/outbound-auth/delegated-api-key-providers/{name}${identityPath}/api-key`),
    'oauth2Providers.create': post('/outbound-auth/oauth2-providers', { body: nameBody(identityName) }),
    'oauth2Providers.list': list('/outbound-auth/oauth2-providers'),
    'oauth2Providers.get': buildGetOperation('/outbound-auth/oauth2-providers/{name}'),
    'oauth2Providers.update': buildPutOperation('/outbound-auth/oauth2-providers/{name}'),
    'oauth2Providers.delete': buildDeleteOperation('/outbound-auth/oauth2-providers/{name}'),
    'oauth2Providers.tokenM2m': post(`/outbound-auth/oauth2-providers/{name}${identityPath}/tokens/m2m`),
    'oauth2Providers.token3lo': post(`/outbound-auth/oauth2-providers/{name}${identityPath}/tokens/3lo`),
  },
)

/** Completions and embeddings, with a platform API key (spec, "Inference"). */
const inference = service(
  'inference',
  {
    address: 'inferenceUrl',
    credential: 'inference',
    // The service has no list operation. A request without a model is free, and its error identifies the service.
    test: { operation: 'chatCompletions', body: { model: '', messages: [] }, provenBy: ['api.badRequest'] },
  },
  {
    chatCompletions: post('/chat/completions'),
    completions: post('/completions'),
    embeddings: post('/embeddings'),
  },
)

/** Memories with their events, actors and records (spec, "Memory"). */
const memory = service(
  'memory',
  {
    address: 'memoryApiUrl',
    paging: listDataPaged,
    test: { operation: 'memories.list', query: { size: 1 } },
  },
  {
    'memories.create': post('/memories', { body: memoryBody }),
    'memories.list': list('/memories'),
    'memories.get': buildGetOperation('/memories/{id}'),
    'memories.delete': buildDeleteOperation('/memories/{id}'),
    'strategies.list': buildGetOperation('/memories/{id}/long-term-memory-strategies'),
    'events.create': post('/memories/{id}/actors/{actorId}/sessions/{sessionId}/events'),
    'events.list': list('/memories/{id}/actors/{actorId}/sessions/{sessionId}/events'),
    'actors.list': list('/memories/{id}/actors'),
    'records.list': buildGetOperation('/memories/{id}/memory-records', {
      query: ['namespace'],
      optionalQuery: ['limit'],
    }),
    'records.search': post('/memories/{id}/memory-records:search', { query: ['namespace'], body: searchBody }),
    'records.generateFromSession': post('/memories/{id}/memory-records:generate-from-session', {
      query: ['actorId', 'sessionId', 'longTermMemoryStrategyId'],
    }),
  },
)

/** Repositories, images and robot accounts (spec, "Container registry"). */
const registry = service(
  'registry',
  {
    address: 'registryApiUrl',
    paging: listDataPaged,
    test: { operation: 'repositories.list', query: { size: 1 } },
  },
  {
    'repositories.list': list('/v1/repository'),
    'repositories.create': post('/v1/repository'),
    'repositories.get': buildGetOperation('/v1/repository/{repoId}'),
    'repositories.delete': buildDeleteOperation('/v1/repository/{repoId}'),
    'robotAccounts.list': list('/v1/user'),
    'robotAccounts.create': post('/v1/user'),
    'robotAccounts.permissions': buildGetOperation('/v1/user/permissions'),
    'robotAccounts.delete': buildDeleteOperation('/v1/user/{repoUserId}'),
    'images.list': list('/v1/repository/{repoId}/images', { defaultQuery: { name: '' } }),
    'images.delete': buildDeleteOperation('/v1/repository/{repoId}/images/delete', { query: ['imageName'] }),
  },
)

/** Agent runtimes, their endpoints and versions, flavors, logs and metrics (spec, "Runtime"). */
const runtime = service(
  'runtime',
  {
    address: 'runtimeApiUrl',
    paging: listDataPaged,
    test: { operation: 'agentRuntimes.list', query: { size: 1 } },
  },
  {
    'agentRuntimes.create': post('/agent-runtimes', { body: runtimeBody }),
    'agentRuntimes.list': list('/agent-runtimes'),
    'agentRuntimes.get': buildGetOperation('/agent-runtimes/{id}'),
    'agentRuntimes.update': patch('/agent-runtimes/{id}', { body: runtimeBody }),
    'agentRuntimes.delete': buildDeleteOperation('/agent-runtimes/{id}'),
    'agentRuntimes.resetServiceAccount': patch('/agent-runtimes/{id}/reset-service-account'),
    'agentRuntimes.logs': post('/agent-runtimes/{id}/logs', { body: logBody }),
    'endpoints.list': list('/agent-runtimes/{id}/endpoints'),
    'endpoints.create': post('/agent-runtimes/{id}/endpoints'),
    'endpoints.setVersion': patch('/agent-runtimes/{id}/endpoints/{endpointId}', { query: ['version'] }),
    'endpoints.delete': buildDeleteOperation('/agent-runtimes/{id}/endpoints/{endpointId}'),
    'endpoints.logs': post('/agent-runtimes/{id}/endpoints/{endpointId}/logs', { body: logBody }),
    'endpoints.metrics': buildGetOperation('/agent-runtimes/{id}/endpoints/{endpointId}/metrics'),
    'versions.list': list('/agent-runtimes/{id}/versions'),
    'flavors.list': buildGetOperation('/flavors'),
  },
)

const allServices = {
  identity,
  runtime,
  memory,
  registry,
  aip: aipService,
  inference,
  gateway,
  console: consoleService,
}

export const services: Readonly<Record<ServiceName, Service>> = allServices

export type ServiceName = keyof typeof allServices

export type OperationId = { [Name in ServiceName]: ServiceOperationIds<(typeof allServices)[Name]> }[ServiceName]

export const operations: readonly Operation[] = Object.values(services).flatMap((definition) => definition.operations)

const operationsById: ReadonlyMap<string, Operation> = new Map(operations.map((operation) => [operation.id, operation]))

export function isOperationId(id: string): id is OperationId {
  return operationsById.has(id)
}

/** Finds an operation by id. Fails with `input.invalid`. */
export function findPlatformOperation(id: string): Operation {
  const operation = operationsById.get(id)
  if (operation !== undefined) return operation
  throw new AppError('input.invalid', `There is no operation ${JSON.stringify(id.slice(0, 100))}.`, { field: 'id' })
}

type ServiceOperationIds<S> = S extends Service<infer Name, infer Key> ? `${Name}.${Key}` : never
