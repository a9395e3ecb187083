import { findModel, type Package } from '../catalogue'
import type { Key, ModelAllowance, Plan, World } from './world'

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

/** Why a key opens nothing: 401 for what concerns the key, 402 for what concerns its plan (spec, "Errors", A). */
export type AdmissionRefusal = 'key_unknown' | 'key_deleted' | 'key_disabled' | 'plan_deleted' | 'plan_expired'

/** The outcome of presenting a key; key and plan are known even when it is refused, unless the key is unknown. */
export interface Admission {
  readonly refusal?: AdmissionRefusal
  readonly key?: Key
  readonly plan?: Plan
}

function refusalOf(key: Key, plan: Plan): AdmissionRefusal | undefined {
  if (key.deleted) return 'key_deleted'
  if (key.status === 'DISABLED') return 'key_disabled'
  if (plan.deleted) return 'plan_deleted'
  if (plan.status === 'EXPIRED') return 'plan_expired'
  return undefined
}

/** Judges a key in a settled world: the key itself comes before its plan. */
export function admit(world: World, keyId: string | undefined): Admission {
  const key = world.keys.find((candidate) => candidate.keyId === keyId)
  const plan = world.plans.find((candidate) => candidate.planId === key?.planId)
  if (key === undefined || plan === undefined) return { refusal: 'key_unknown' }
  const refusal = refusalOf(key, plan)
  return refusal === undefined ? { key, plan } : { key, plan, refusal }
}
