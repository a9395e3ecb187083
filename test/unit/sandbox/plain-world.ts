import { findPackage } from '../../../src/sandbox/catalogue'
import { createPlan as createPackagePlan } from '../../../src/sandbox/state/plans'
import type { Key, Plan, World } from '../../../src/sandbox/state/world'

const dayMs = 86_400_000
const toIso = (ms: number): string => new Date(ms).toISOString()

/** An unused plan of a package, bought some days before now. */
function createPlan(nowMs: number, name: string, packageId: string, ageDays: number): Plan {
  const tokenPackage = findPackage(packageId)
  if (tokenPackage === undefined) throw new Error(`no package ${packageId}`)
  const purchasedAt = toIso(nowMs - ageDays * dayMs)
  const expiresAt = toIso(nowMs + (tokenPackage.durationDays - ageDays) * dayMs)
  const autoRenew = ageDays < tokenPackage.durationDays
  const plan = { planId: `plan-${name}`, name, autoRenew, purchasedAt, provisionedAt: purchasedAt, expiresAt }
  return { ...createPackagePlan(tokenPackage, plan), status: autoRenew ? 'ACTIVE' : 'EXPIRED' }
}

function createPlans(nowMs: number): Plan[] {
  const pro = createPlan(nowMs, 'sandbox-pro', 'package-pro', 0)
  const models = pro.models.map((model) =>
    model.modelCode === 'nova-vision' ? { ...model, tokensUsed: model.tokenQuota, requestsUsed: 3_120 } : model,
  )
  return [{ ...pro, models }, createPlan(nowMs, 'sandbox-expired', 'package-starter', 33)]
}

const createKeys = (nowMs: number): Key[] =>
  (
    [
      ['key-pro-default', 'plan-sandbox-pro', 'default-key', 'ACTIVE', 0],
      ['key-pro-old-laptop', 'plan-sandbox-pro', 'old-laptop', 'DISABLED', 0],
      ['key-expired-default', 'plan-sandbox-expired', 'default-key', 'ACTIVE', 33],
    ] as const
  ).map(([keyId, planId, name, status, ageDays]) => {
    const createdAt = toIso(nowMs - ageDays * dayMs)
    return { keyId, planId, name, status, createdAt, deleted: false }
  })

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
