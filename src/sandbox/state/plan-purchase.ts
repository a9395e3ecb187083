import type { Package } from '../catalogue/packages'
import { freshAllowances } from './allowances'
import { withKey } from './key-additions'
import { nextPlanId } from './plan-ids'
import type { Plan, World } from './world'

const dayMs = 86_400_000
const at = (ms: number): string => new Date(ms).toISOString()

/** What a buyer confirms at checkout, and when. */
export interface Purchase {
  readonly name: string
  readonly offer: Package
  readonly autoRenew: boolean
  readonly nowMs: number
  /** Until gateway and keys are shown in full. */
  readonly provisioningMs: number
}

function boughtPlan(planId: string, { name, offer, autoRenew, nowMs, provisioningMs }: Purchase): Plan {
  const expiresAt = at(nowMs + offer.durationDays * dayMs)
  return {
    planId,
    packageId: offer.packageId,
    name,
    planType: offer.planType,
    status: 'ACTIVE',
    deleted: false,
    autoRenew,
    total: offer.price,
    purchasedAt: at(nowMs),
    provisionedAt: at(nowMs + provisioningMs),
    cycleEndsAt: expiresAt,
    expiresAt,
    cycleDays: offer.durationDays,
    failedRenewals: 0,
    maxKeys: offer.maxKeys,
    models: freshAllowances(offer),
  }
}

/** Deducts the total and adds an active plan with its `default-key` (spec, "States", Plan); `undefined` when the credits do not suffice. */
export function buyPlan(world: World, purchase: Purchase): { readonly world: World; readonly plan: Plan } | undefined {
  const { account } = world
  const plan = boughtPlan(nextPlanId(world), purchase)
  if (account.credits < plan.total) return undefined
  const paid: World = {
    ...world,
    account: { ...account, credits: account.credits - plan.total },
    plans: [...world.plans, plan],
  }
  const { planId } = plan
  return { plan, world: withKey(paid, { planId, name: 'default-key', nowMs: purchase.nowMs }).world }
}
