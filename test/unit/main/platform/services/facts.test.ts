import { describe, expect, it } from 'vitest'
import { operations, services } from '../../../../../src/main/platform/services'

const sortNames = (names: readonly string[]) => [...names].sort()

describe('the tables of the services', () => {
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
})
