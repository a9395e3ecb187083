import { describe, expect, it } from 'vitest'
import { findPlatformOperation, isOperationId, operations, services } from '../../../../../src/main/platform/services'
import { consoleOperations, readFacts } from '../harness'

const operationFacts = readFacts()

const baseNames: Readonly<Record<string, string>> = {
  tokenPlanUrl: 'token_plan_url',
  identityApiUrl: 'identity_api_url',
  runtimeApiUrl: 'runtime_api_url',
  memoryApiUrl: 'memory_api_url',
  registryApiUrl: 'registry_api_url',
  aipApiUrl: 'aip_api_url',
  inferenceUrl: 'inference_url',
}

const sortNames = (names: readonly string[]) => [...names].sort()

describe('the tables of the services', () => {
  it('contain each operation of the spec and the console exactly once', () => {
    expect(sortNames(operations.map(({ id }) => id))).toEqual(
      sortNames([...operationFacts, ...consoleOperations].map(({ id }) => id)),
    )
  })

  it.each([...operationFacts, ...consoleOperations].map((fact) => [fact.id, fact] as const))(
    'match for %s what is documented',
    (id, fact) => {
      const operation = findPlatformOperation(id)
      expect(operation).toMatchObject({ id, service: fact.service, method: fact.method, path: fact.path })
      expect(operation.pathParams).toEqual(fact.pathParams)
      expect(sortNames(operation.query)).toEqual(sortNames(fact.query))
      expect(sortNames(operation.requiredQuery)).toEqual(sortNames(fact.requiredQuery))
      expect(operation.paging ?? null).toEqual(fact.paging)
      expect(baseNames[operation.address] ?? 'console').toBe(fact.base ?? 'console')
    },
  )

  it('have local body rules exactly where the spec has rules', () => {
    const operationIdsWithBody = operations.filter(({ body }) => body !== undefined).map(({ id }) => id)
    expect(sortNames(operationIdsWithBody)).toEqual([
      'aip.apiKeys.create',
      'console.tokenPlans.buyAgain',
      'console.tokenPlans.create',
      'identity.agentIdentities.create',
      'identity.apiKeyProviders.create',
      'identity.delegatedProviders.create',
      'identity.oauth2Providers.create',
      'memory.memories.create',
      'memory.records.search',
      'runtime.agentRuntimes.create',
      'runtime.agentRuntimes.logs',
      'runtime.agentRuntimes.update',
      'runtime.endpoints.logs',
    ])
  })

  it('give the gateway and inference their own keys, and all others the IAM token', () => {
    const serviceRows = Object.values(services).map(({ name, operations: [firstOperation] }) => [
      name,
      firstOperation?.credential,
    ])
    expect(Object.fromEntries(serviceRows)).toEqual({
      identity: 'iam',
      runtime: 'iam',
      memory: 'iam',
      registry: 'iam',
      aip: 'iam',
      console: 'iam',
      inference: 'inference',
      gateway: 'gateway',
    })
  })

  it('refuse an unknown id', () => {
    expect(isOperationId('runtime.flavors.list')).toBe(true)
    expect(isOperationId('runtime.flavors')).toBe(false)
    expect(() => findPlatformOperation('constructor')).toThrow('There is no operation "constructor"')
  })
})
