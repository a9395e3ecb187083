import { findModel } from '../catalogue/models'
import type { Package } from '../catalogue/packages'
import type { ModelAllowance, World } from './world'

/** Names one pool: allowances belong to a model of a plan, whichever of the plan's keys is used. */
export interface PoolAddress {
  readonly planId: string
  readonly modelCode: string
}

const usedUpTo = (quota: number, used: number): number => Math.min(quota, used)

/** The allowances that a plan of a type begins with, nothing used. */
export function freshAllowances({ models }: Package): readonly ModelAllowance[] {
  return models.map(({ modelCode, tokenQuota, requestQuota }) => {
    const { displayName = modelCode, contextTokens = 0 } = findModel(modelCode) ?? {}
    return { modelCode, displayName, contextTokens, tokenQuota, tokensUsed: 0, requestQuota, requestsUsed: 0 }
  })
}

/** Whether calls to a model pause until the next cycle: one of its two allowances is at zero. */
export function isExhausted(model: ModelAllowance): boolean {
  const { tokens, requests } = left(model)
  return tokens <= 0 || requests <= 0
}

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
