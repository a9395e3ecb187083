import { createHmac } from 'node:crypto'
import type { Package } from '../catalogue'
import { dayMs } from '../timing'
import { freshAllowances } from './allowances'
import type { Key, Plan, World } from './world'

const at = (ms: number): string => new Date(ms).toISOString()

/** What a buyer confirms at checkout, and when. */
interface Purchase {
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

/** A key to be made. */
interface NewKey {
  readonly planId: string
  readonly name: string
  readonly nowMs: number
}

/** The keys of a plan that were not deleted, the oldest first; disabled ones are among them and count. */
export function keysOf(world: World, planId: string): readonly Key[] {
  return world.keys.filter((key) => key.planId === planId && !key.deleted)
}

/** The world with one more active key, whatever its plan allows. */
function withKey(world: World, { planId, name, nowMs }: NewKey): { readonly world: World; readonly key: Key } {
  const createdAt = new Date(nowMs).toISOString()
  const key: Key = { keyId: nextKeyId(world), planId, name, status: 'ACTIVE', deleted: false, createdAt }
  return { world: { ...world, keys: [...world.keys, key] }, key }
}

/** Adds an active key to a plan; `undefined` when the plan has as many keys as it may (spec, "States", Subscription key). */
export function addKey(
  world: World,
  { planId, maxKeys }: Plan,
  rest: Omit<NewKey, 'planId'>,
): { readonly world: World; readonly key: Key } | undefined {
  return keysOf(world, planId).length < maxKeys ? withKey(world, { planId, ...rest }) : undefined
}

function idFor(kind: 'plan' | 'key', { seed }: World, n: number): string {
  return `${kind}-${createHmac('sha256', seed).update(`${kind}|${n}`).digest('hex').slice(0, 16)}`
}

/** The id of the next plan: it follows from the seed and from how many there were, since deleted ones stay on record. */
const nextPlanId = (world: World): string => idFor('plan', world, world.plans.length)

/** The id of the next key, in the same way; the same world gives the same keys again after a reset. */
const nextKeyId = (world: World): string => idFor('key', world, world.keys.length)
