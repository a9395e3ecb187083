import { dueMs, letHappen } from './renewal'
import type { Key, Plan, World } from './world'

const dayMs = 86_400_000

/** What the control surface may change in a plan. */
export interface PlanChange {
  readonly status?: Plan['status'] | undefined
  readonly deleted?: boolean | undefined
  readonly expiresAt?: string | undefined
}

/** What may be changed in a key. */
export interface KeyChange {
  readonly name?: string | undefined
  readonly status?: Key['status'] | undefined
  readonly deleted?: boolean | undefined
}

/** Lets happen what is due, in order of time across all plans, because they share the credits; at the same moment in the order of record. */
function settleDue(world: World, nowMs: number): World {
  const plans = [...world.plans]
  const dues = plans.map(dueMs)
  let { credits } = world.account
  for (;;) {
    const nextMs = Math.min(...dues)
    const index = dues.indexOf(nextMs)
    const plan = plans[index]
    if (plan === undefined || nextMs > nowMs) return { ...world, plans, account: { ...world.account, credits } }
    const after = letHappen({ plan, credits })
    credits = after.credits
    plans[index] = after.plan
    dues[index] = dueMs(after.plan)
  }
}

/**
 * Lets the time that has passed take effect: cycles begin, plans are renewed or expire (spec, "States", Plan). Gives the very same world
 * when nothing is due. It is called for every request, so that case is one pass that makes nothing new.
 */
export function settlePlans(world: World, nowMs: number): World {
  for (const plan of world.plans) if (dueMs(plan) <= nowMs) return settleDue(world, nowMs)
  return world
}

/** Status and expiry always agree: whichever of the two is not given follows from the other. */
function changeTime(plan: Plan, change: PlanChange, nowMs: number): Plan {
  if (change.status === undefined && change.expiresAt === undefined) return plan
  const expiresMs = Date.parse(change.expiresAt ?? plan.expiresAt)
  const isAhead = expiresMs > nowMs
  const status = change.status ?? (change.expiresAt === undefined ? plan.status : isAhead ? 'ACTIVE' : 'EXPIRED')
  const fittingMs =
    (status === 'ACTIVE') === isAhead ? expiresMs : nowMs + (status === 'ACTIVE' ? plan.cycleDays * dayMs : 0)
  const expiresAt = new Date(fittingMs).toISOString()
  return { ...plan, status, expiresAt, cycleEndsAt: expiresAt, failedRenewals: 0 }
}

/**
 * Sets a plan's status, expiry or deletion; `undefined` when there is no such plan. `ACTIVE` alone starts a new cycle where the
 * expiry has passed, `EXPIRED` alone expires now, and of a contradicting pair the status wins.
 */
export function changePlan(world: World, change: PlanChange & { planId: string }, nowMs: number): World | undefined {
  if (!world.plans.some(({ planId }) => planId === change.planId)) return undefined
  const changed = (plan: Plan): Plan => ({
    ...changeTime(plan, change, nowMs),
    deleted: change.deleted ?? plan.deleted,
  })
  return { ...world, plans: world.plans.map((plan) => (plan.planId === change.planId ? changed(plan) : plan)) }
}

/** Switches a plan's auto-renew; nothing is charged or refunded, and failed attempts are not forgotten. */
export function setAutoRenew(world: World, planId: string, autoRenew: boolean): World {
  return { ...world, plans: world.plans.map((plan) => (plan.planId === planId ? { ...plan, autoRenew } : plan)) }
}

/** Sets a key's name, status or deletion; `undefined` when there is no such key. */
export function changeKey(world: World, change: KeyChange & { keyId: string }): World | undefined {
  if (!world.keys.some(({ keyId }) => keyId === change.keyId)) return undefined
  const changed = (key: Key): Key => ({
    ...key,
    name: change.name ?? key.name,
    status: change.status ?? key.status,
    deleted: change.deleted ?? key.deleted,
  })
  return { ...world, keys: world.keys.map((key) => (key.keyId === change.keyId ? changed(key) : key)) }
}

/** Moves the sandbox's clock forward. */
export function advanceClock(world: World, advanceMs: number): World {
  return { ...world, clockOffsetMs: world.clockOffsetMs + advanceMs }
}
