import type { Operation } from '../platform/service-definition'
import { type OperationId, operations } from '../platform/services'
import { type Output, printOutput, table } from './output'

/**
 * Descriptions of the operations, from the platform's specification. Those of the console are our own, because the
 * specification does not cover it.
 */
const purposes: Readonly<Record<OperationId, string>> = {
  'identity.agentIdentities.create': 'create identity',
  'identity.agentIdentities.list': 'list identities',
  'identity.agentIdentities.get': 'get identity',
  'identity.agentIdentities.update': 'update identity',
  'identity.agentIdentities.delete': 'delete identity',
  'identity.apiKeyProviders.create': 'create static API-key provider',
  'identity.apiKeyProviders.list': 'list static API-key providers',
  'identity.apiKeyProviders.get': 'get static API-key provider',
  'identity.apiKeyProviders.update': 'update static API-key provider (rotates the key)',
  'identity.apiKeyProviders.delete': 'delete static API-key provider',
  'identity.apiKeyProviders.retrieveKey': 'retrieve the key for an identity',
  'identity.delegatedProviders.create': 'create delegated API-key provider',
  'identity.delegatedProviders.list': 'list delegated API-key providers',
  'identity.delegatedProviders.get': 'get delegated API-key provider',
  'identity.delegatedProviders.delete': 'delete delegated API-key provider',
  'identity.delegatedProviders.requestKey': 'request a delegated key',
  'identity.oauth2Providers.create': 'create OAuth2 provider',
  'identity.oauth2Providers.list': 'list OAuth2 providers',
  'identity.oauth2Providers.get': 'get OAuth2 provider',
  'identity.oauth2Providers.update': 'update OAuth2 provider',
  'identity.oauth2Providers.delete': 'delete OAuth2 provider',
  'identity.oauth2Providers.tokenM2m': 'get machine-to-machine token',
  'identity.oauth2Providers.token3lo': 'get three-legged token',
  'runtime.agentRuntimes.create': 'create runtime',
  'runtime.agentRuntimes.list': 'list runtimes',
  'runtime.agentRuntimes.get': 'get runtime',
  'runtime.agentRuntimes.update': 'update runtime (creates a new version)',
  'runtime.agentRuntimes.delete': 'delete runtime',
  'runtime.agentRuntimes.resetServiceAccount': 'reset IAM credentials',
  'runtime.agentRuntimes.logs': 'runtime logs',
  'runtime.endpoints.list': 'list endpoints',
  'runtime.endpoints.create': 'create endpoint',
  'runtime.endpoints.setVersion': 'point endpoint at a version',
  'runtime.endpoints.delete': 'delete endpoint',
  'runtime.endpoints.logs': 'endpoint logs',
  'runtime.endpoints.metrics': 'CPU / RAM metrics',
  'runtime.versions.list': 'list versions',
  'runtime.flavors.list': 'list compute flavors',
  'memory.memories.create': 'create memory',
  'memory.memories.list': 'list memories',
  'memory.memories.get': 'get memory',
  'memory.memories.delete': 'delete memory',
  'memory.strategies.list': 'list long-term memory strategies',
  'memory.events.create': 'create event',
  'memory.events.list': 'list events',
  'memory.actors.list': 'list actors',
  'memory.records.list': 'browse records',
  'memory.records.search': 'semantic search',
  'memory.records.generateFromSession': 'generate records from a session',
  'registry.repositories.list': 'list repositories',
  'registry.repositories.create': 'create repository',
  'registry.repositories.get': 'get repository',
  'registry.repositories.delete': 'delete repository',
  'registry.robotAccounts.list': 'list robot accounts',
  'registry.robotAccounts.create': 'create robot account',
  'registry.robotAccounts.permissions': 'list available permissions',
  'registry.robotAccounts.delete': 'delete robot account',
  'registry.images.list': 'list images',
  'registry.images.delete': 'delete image',
  'aip.apiKeys.list': 'list API keys',
  'aip.apiKeys.create': 'create API key (asynchronous)',
  'aip.apiKeys.get': 'get API key',
  'aip.apiKeys.update': 'update API key',
  'aip.apiKeys.delete': 'delete API key (asynchronous)',
  'aip.models.list': 'list models',
  'aip.models.get': 'get model detail',
  'inference.chatCompletions': 'chat completion',
  'inference.completions': 'text completion',
  'inference.embeddings': 'embeddings',
  'gateway.chatCompletions': 'chat completion with a subscription key',
  'console.account.get': 'get the account: role and credits',
  'console.packages.list': 'list packages',
  'console.packages.get': 'get package',
  'console.tokenPlans.list': 'list token plans',
  'console.tokenPlans.create': 'buy a token plan',
  'console.tokenPlans.get': 'get token plan',
  'console.tokenPlans.update': 'switch auto-renew',
  'console.tokenPlans.delete': 'delete token plan (unused quota is refunded)',
  'console.tokenPlans.batchDelete': 'delete several token plans',
  'console.tokenPlans.buyAgain': 'buy another plan of the same type',
  'console.keys.list': 'list the subscription keys of a plan',
  'console.keys.create': 'add subscription key',
  'console.keys.update': 'rename, enable or disable subscription key',
  'console.keys.delete': 'delete subscription key',
  'console.usage.get': 'get the usage of a plan',
}

export function listOperations(output: Output, service?: string): void {
  const shownOperations = operations.filter((operation) => service === undefined || operation.service === service)
  const headings = ['ID', 'VERB', 'PATH', 'PATH PARAMETERS', 'QUERY', 'PURPOSE']
  printOutput(output, shownOperations.map(toView), () => table(headings, shownOperations.map(operationRow)))
}

const purposeById: ReadonlyMap<string, string> = new Map(Object.entries(purposes))

/** JSON of `api list`. `default`: value that is sent when the parameter is omitted. */
function toView({ id, service, method, path, pathParams, paging, ...query }: Operation) {
  const parameter = (name: string) => ({
    name,
    required: query.requiredQuery.includes(name),
    ...(name in query.defaultQuery ? { default: query.defaultQuery[name] } : {}),
  })
  const isPaged = paging !== undefined
  return {
    id,
    service,
    method,
    path,
    pathParams,
    query: query.query.map(parameter),
    isPaged,
    purpose: purposeById.get(id),
  }
}

function operationRow({ id, method, path, pathParams, query, requiredQuery, defaultQuery }: Operation): string[] {
  const mark = (name: string): string => {
    if (!requiredQuery.includes(name)) return name
    return name in defaultQuery ? `${name} (required, may be empty)` : `${name} (required)`
  }
  return [id, method, path, pathParams.join(', ') || '-', query.map(mark).join(', ') || '-', purposeById.get(id) ?? '']
}
