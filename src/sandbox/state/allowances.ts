import type { ModelAllowance, World } from './world'

/** Names one pool: allowances belong to a model of a plan, whichever of the plan's keys is used. */
export interface PoolAddress {
  readonly planId: string
  readonly modelCode: string
}

const usedUpTo = (quota: number, used: number): number => Math.min(quota, used)

/** What is left of a pool. */
export function left(model: ModelAllowance): { readonly tokens: number; readonly requests: number } {
  return { tokens: model.tokenQuota - model.tokensUsed, requests: model.requestQuota - model.requestsUsed }
}

/** The pool at an address, if the plan has that model. */
export function findPool(world: World, { planId, modelCode }: PoolAddress): ModelAllowance | undefined {
  return world.plans.find((plan) => plan.planId === planId)?.models.find((model) => model.modelCode === modelCode)
}

function changePool(world: World, address: PoolAddress, change: (model: ModelAllowance) => ModelAllowance): World {
  const plans = world.plans.map((plan) =>
    plan.planId === address.planId
      ? { ...plan, models: plan.models.map((model) => (model.modelCode === address.modelCode ? change(model) : model)) }
      : plan,
  )
  return { ...world, plans }
}

/** Sets what is used of a pool, at most its quota; `undefined` when there is no such pool. */
export function setUsed(
  world: World,
  address: PoolAddress,
  used: { readonly tokensUsed?: number | undefined; readonly requestsUsed?: number | undefined },
): World | undefined {
  if (findPool(world, address) === undefined) return undefined
  return changePool(world, address, (model) => ({
    ...model,
    tokensUsed: usedUpTo(model.tokenQuota, used.tokensUsed ?? model.tokensUsed),
    requestsUsed: usedUpTo(model.requestQuota, used.requestsUsed ?? model.requestsUsed),
  }))
}

/** Takes one request out of a pool, or says which of its two allowances is at zero. */
export function takeRequest(world: World, address: PoolAddress): World | 'tokens' | 'requests' {
  const pool = findPool(world, address)
  if (pool === undefined) return world
  const { tokens, requests } = left(pool)
  if (tokens === 0) return 'tokens'
  if (requests === 0) return 'requests'
  return changePool(world, address, (model) => ({ ...model, requestsUsed: model.requestsUsed + 1 }))
}

/** Takes tokens out of a pool. The call that empties it is answered in full; the pool stops at zero. */
export function chargeTokens(world: World, address: PoolAddress, tokens: number): World {
  return changePool(world, address, (model) => ({
    ...model,
    tokensUsed: usedUpTo(model.tokenQuota, model.tokensUsed + tokens),
  }))
}
