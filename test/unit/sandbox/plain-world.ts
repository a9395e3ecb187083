import type { Key, ModelAllowance, Plan, World } from '../../../src/sandbox/state/world'

const dayMs = 86_400_000
const cycleDays = 30

const model = (modelCode: string, displayName: string, [tokenQuota, requestQuota]: readonly [number, number]) =>
  ({
    modelCode,
    displayName,
    contextTokens: 128_000,
    tokenQuota,
    tokensUsed: 0,
    requestQuota,
    requestsUsed: 0,
  }) satisfies ModelAllowance

const proModels: readonly ModelAllowance[] = [
  model('aurora-large', 'Aurora Large', [20_000_000, 20_000]),
  model('aurora-small', 'Aurora Small', [60_000_000, 60_000]),
  model('vega-coder', 'Vega Coder', [30_000_000, 30_000]),
  { ...model('nova-vision', 'Nova Vision', [5_000_000, 5_000]), tokensUsed: 5_000_000, requestsUsed: 3_120 },
]

const starterModels: readonly ModelAllowance[] = [
  model('aurora-small', 'Aurora Small', [10_000_000, 10_000]),
  model('vega-coder', 'Vega Coder', [5_000_000, 5_000]),
]

const toIso = (ms: number): string => new Date(ms).toISOString()

/** A plan bought some days before now. */
const createPlan = (
  nowMs: number,
  ageDays: number,
  fields: Pick<Plan, 'planId' | 'name' | 'planType' | 'status' | 'autoRenew' | 'total' | 'maxKeys' | 'models'>,
): Plan => {
  const purchasedAt = toIso(nowMs - ageDays * dayMs)
  const endsAt = toIso(nowMs + (cycleDays - ageDays) * dayMs)
  return {
    ...fields,
    packageId: `package-${fields.planType.toLowerCase()}`,
    deleted: false,
    purchasedAt,
    provisionedAt: purchasedAt,
    cycleEndsAt: endsAt,
    failedRenewals: 0,
    expiresAt: endsAt,
    cycleDays,
  }
}

const createPlans = (nowMs: number): readonly Plan[] => [
  createPlan(nowMs, 0, {
    planId: 'plan-sandbox-pro',
    name: 'sandbox-pro',
    planType: 'Pro',
    status: 'ACTIVE',
    autoRenew: true,
    total: 490_000,
    maxKeys: 5,
    models: proModels,
  }),
  createPlan(nowMs, 33, {
    planId: 'plan-sandbox-expired',
    name: 'sandbox-expired',
    planType: 'Starter',
    status: 'EXPIRED',
    autoRenew: false,
    total: 99_000,
    maxKeys: 2,
    models: starterModels,
  }),
]

function createKeys(nowMs: number): readonly Key[] {
  const [pro, expired] = ['plan-sandbox-pro', 'plan-sandbox-expired'] as const
  const key = (keyId: string, planId: string, keyFields: Pick<Key, 'name' | 'status' | 'createdAt'>): Key => ({
    keyId,
    planId,
    deleted: false,
    ...keyFields,
  })
  return [
    key('key-pro-default', pro, { name: 'default-key', status: 'ACTIVE', createdAt: toIso(nowMs) }),
    key('key-pro-old-laptop', pro, { name: 'old-laptop', status: 'DISABLED', createdAt: toIso(nowMs) }),
    key('key-expired-default', expired, {
      name: 'default-key',
      status: 'ACTIVE',
      createdAt: toIso(nowMs - 33 * dayMs),
    }),
  ]
}

/**
 * A small state for tests with two plans and no usage but one used-up model. Its ids are fixed, so the same seed (64
 * hex digits) produces the same keys.
 */
export function plainWorld(seed: string, nowMs: number): World {
  return {
    version: 2,
    seed,
    clockOffsetMs: 0,
    tokenGeneration: 0,
    account: { accountId: 'acc-sandbox-0001', role: 'ROOT', credits: 5_000_000 },
    plans: createPlans(nowMs),
    keys: createKeys(nowMs),
    usage: {},
    identity: { agentIdentities: [], apiKeyProviders: [], delegatedProviders: [], oauth2Providers: [] },
    runtime: { runtimes: [] },
    memory: { memories: [] },
    registry: { repositories: [], robotAccounts: [] },
    aip: { apiKeys: [] },
  }
}
