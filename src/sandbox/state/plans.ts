import type { Key, Plan, World } from './world'

const dayMs = 86_400_000

/** What the control surface may change in a plan. */
export interface PlanChange {
  readonly status?: Plan['status'] | undefined
  readonly deleted?: boolean | undefined
  readonly expiresAt?: string | undefined
}

/** What the control surface may change in a key. */
export interface KeyChange {
  readonly status?: Key['status'] | undefined
  readonly deleted?: boolean | undefined
}

const isDue = (plan: Plan, nowMs: number): boolean => plan.status === 'ACTIVE' && Date.parse(plan.expiresAt) <= nowMs

/** Lets the time that has passed take effect: an `ACTIVE` plan at its expiry becomes `EXPIRED` (spec, "States", Plan). */
export function settlePlans(world: World, nowMs: number): World {
  if (!world.plans.some((plan) => isDue(plan, nowMs))) return world
  return { ...world, plans: world.plans.map((plan) => (isDue(plan, nowMs) ? { ...plan, status: 'EXPIRED' } : plan)) }
}

/** Status and expiry always agree: whichever of the two is not given follows from the other. */
function changeTime(plan: Plan, change: PlanChange, nowMs: number): Plan {
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

/** Sets a key's status or deletion; `undefined` when there is no such key. */
export function changeKey(world: World, change: KeyChange & { keyId: string }): World | undefined {
  if (!world.keys.some(({ keyId }) => keyId === change.keyId)) return undefined
  const changed = (key: Key): Key => ({
    ...key,
    status: change.status ?? key.status,
    deleted: change.deleted ?? key.deleted,
  })
  return { ...world, keys: world.keys.map((key) => (key.keyId === change.keyId ? changed(key) : key)) }
}

/** Moves the sandbox's clock forward. */
export function advanceClock(world: World, advanceMs: number): World {
  return { ...world, clockOffsetMs: world.clockOffsetMs + advanceMs }
}
