import type { Key, Plan, World } from './world'

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
