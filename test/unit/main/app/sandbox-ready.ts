import { SandboxReady } from '../../../../src/main/app/sandbox'

/** The message that the sandbox process sends first, with the given fields replaced. */
export const readyMessage = (overrides: Record<string, unknown> = {}) => ({
  kind: 'ready',
  gatewayUrl: 'http://127.0.0.1:5001',
  platformUrl: 'http://127.0.0.1:5002',
  controlToken: 'control',
  addresses: {
    tokenPlanUrl: 'http://127.0.0.1:5001',
    consoleUrl: 'http://127.0.0.1:5002/console',
    identityApiUrl: 'http://127.0.0.1:5002/identity/api/v1',
    runtimeApiUrl: 'http://127.0.0.1:5002/runtime',
    memoryApiUrl: 'http://127.0.0.1:5002/memory',
    registryApiUrl: 'http://127.0.0.1:5002/registry',
    aipApiUrl: 'http://127.0.0.1:5002/aip',
    inferenceUrl: 'http://127.0.0.1:5002/inference/v1',
    registryHost: '127.0.0.1:5002',
  },
  iam: {
    tokenUrl: 'http://127.0.0.1:5002/iam/oauth2/token',
    clientId: 'sandbox-client',
    clientSecret: 'cs-sandbox-0123456789',
  },
  plans: [],
  ...overrides,
})

/** The sandbox's first message, parsed by its schema. */
export const waitForReady = (overrides?: Record<string, unknown>): SandboxReady =>
  SandboxReady.parse(readyMessage(overrides))

/** A plan in the sandbox's first message, with one key. */
export const offeredPlan = (planId: string, overrides: Record<string, unknown> = {}) => ({
  planId,
  name: planId,
  status: 'ACTIVE',
  models: [{ modelCode: 'a', contextTokens: 128_000 }],
  keys: [{ keyId: `${planId}-key`, name: 'default-key', status: 'ACTIVE', key: 'sk-sandbox-0123456789abcdef' }],
  ...overrides,
})
