import { createHmac } from 'node:crypto'
import { findModel, type Package } from '../catalogue'
import { dayMs } from '../timing'
import type { Key, ModelAllowance, Plan, World } from './world'

/** Identifies the allowances of one model of a plan, which all keys of the plan share. */
export interface PoolAddress {
  readonly planId: string
  readonly modelCode: string
}

function createAllowances({ models }: Package): readonly ModelAllowance[] {
  return models.map(({ modelCode, tokenQuota, requestQuota }) => {
    const { displayName = modelCode, contextTokens = 0 } = findModel(modelCode) ?? {}
    return { modelCode, displayName, contextTokens, tokenQuota, tokensUsed: 0, requestQuota, requestsUsed: 0 }
  })
}

/** An unused active plan of a package, which expires after its first cycle. */
export const createPlan = (
  offer: Package,
  plan: Pick<Plan, 'planId' | 'name' | 'autoRenew' | 'purchasedAt' | 'provisionedAt' | 'expiresAt'>,
): Plan => ({
  ...plan,
  packageId: offer.packageId,
  planType: offer.planType,
  status: 'ACTIVE',
  deleted: false,
  total: offer.price,
  cycleEndsAt: plan.expiresAt,
  cycleDays: offer.durationDays,
  failedRenewals: 0,
  maxKeys: offer.maxKeys,
  models: createAllowances(offer),
})

/** Whether one of the model's allowances is used up, which blocks calls until the next cycle. */
export function isExhausted(model: ModelAllowance): boolean {
  const { tokens, requests } = getRemaining(model)
  return tokens <= 0 || requests <= 0
}

export function getRemaining(model: ModelAllowance): { readonly tokens: number; readonly requests: number } {
  return { tokens: model.tokenQuota - model.tokensUsed, requests: model.requestQuota - model.requestsUsed }
}

/** The world with a change of one plan. */
const mapPlan = (world: World, planId: string, change: (plan: Plan) => Plan): World => ({
  ...world,
  plans: world.plans.map((plan) => (plan.planId === planId ? change(plan) : plan)),
})

/** Finds the allowances of a model in a plan. Undefined if the plan lacks the model. */
export function findPool(world: World, { planId, modelCode }: PoolAddress): ModelAllowance | undefined {
  return world.plans.find((plan) => plan.planId === planId)?.models.find((model) => model.modelCode === modelCode)
}

/** Sets the usage of a pool, limited to its quota. `undefined` for an unknown pool. */
export function setUsedTokens(
  world: World,
  address: PoolAddress,
  newUsage: { readonly tokensUsed?: number | undefined; readonly requestsUsed?: number | undefined },
): World | undefined {
  const pool = findPool(world, address)
  if (pool === undefined) return undefined
  const changedPool = {
    ...pool,
    tokensUsed: Math.min(pool.tokenQuota, newUsage.tokensUsed ?? pool.tokensUsed),
    requestsUsed: Math.min(pool.requestQuota, newUsage.requestsUsed ?? pool.requestsUsed),
  }
  return mapPlan(world, address.planId, (plan) => ({
    ...plan,
    models: plan.models.map((model) => (model === pool ? changedPool : model)),
  }))
}

/** Reason to reject a key: 401 for the key itself, 402 for its plan (spec, "Errors", A). */
export type AdmissionRefusal = 'key_deleted' | 'key_disabled' | 'plan_deleted' | 'plan_expired'

function findRefusal(key: Key, plan: Plan): AdmissionRefusal | undefined {
  if (key.deleted) return 'key_deleted'
  if (key.status === 'DISABLED') return 'key_disabled'
  if (plan.deleted) return 'plan_deleted'
  if (plan.status === 'EXPIRED') return 'plan_expired'
  return undefined
}

/**
 * Decides whether a key may be used. Checks the key first, then its plan. Undefined for an unknown key. Expects that due
 * events were applied.
 */
export function checkAdmission(world: World, keyId: string | undefined) {
  const key = world.keys.find((candidate) => candidate.keyId === keyId)
  const plan = world.plans.find((candidate) => candidate.planId === key?.planId)
  return key && plan && { key, plan, refusal: findRefusal(key, plan) }
}

interface PlanChange {
  readonly status?: Plan['status'] | undefined
  readonly deleted?: boolean | undefined
  readonly expiresAt?: string | undefined
}

/**
 * Starts due cycles and renews or expires plans (spec, "States", Plan), in order of time, because plans share the
 * credits. Plan order breaks ties. Returns the same object if nothing is due.
 */
export function applyDuePlanEvents(world: World, nowMs: number): World {
  if (!world.plans.some((plan) => getDueMs(plan) <= nowMs)) return world
  const plans = [...world.plans]
  const dueTimesMs = plans.map(getDueMs)
  let { credits } = world.account
  for (;;) {
    const nextMs = Math.min(...dueTimesMs)
    const index = dueTimesMs.indexOf(nextMs)
    const plan = plans[index]
    if (plan === undefined || nextMs > nowMs) return { ...world, plans, account: { ...world.account, credits } }
    const stateAfter = applyDueEvent(plan, credits)
    credits = stateAfter.credits
    plans[index] = stateAfter.plan
    dueTimesMs[index] = getDueMs(stateAfter.plan)
  }
}

/** Applies a new status or expiry date and adjusts the other one, so that both always agree. */
function changeExpiry(plan: Plan, change: PlanChange, nowMs: number): Plan {
  if (change.status === undefined && change.expiresAt === undefined) return plan
  const expiryMs = Date.parse(change.expiresAt ?? plan.expiresAt)
  const expiresInFuture = expiryMs > nowMs
  const status =
    change.status ?? (change.expiresAt === undefined ? plan.status : expiresInFuture ? 'ACTIVE' : 'EXPIRED')
  const adjustedExpiryMs =
    (status === 'ACTIVE') === expiresInFuture ? expiryMs : nowMs + (status === 'ACTIVE' ? plan.cycleDays * dayMs : 0)
  const expiresAt = new Date(adjustedExpiryMs).toISOString()
  return { ...plan, status, expiresAt, cycleEndsAt: expiresAt, failedRenewals: 0 }
}

/**
 * Sets a plan's status, expiry or deletion. `undefined` if there is no such plan. `ACTIVE` alone starts a new cycle
 * after expiry, and `EXPIRED` alone expires now. Status overrides a contradicting expiry.
 */
export function changePlan(world: World, change: PlanChange & { planId: string }, nowMs: number): World | undefined {
  if (!world.plans.some(({ planId }) => planId === change.planId)) return undefined
  return mapPlan(world, change.planId, (plan) => ({
    ...changeExpiry(plan, change, nowMs),
    deleted: change.deleted ?? plan.deleted,
  }))
}

/** Sets auto-renew without charge or refund. Keeps the count of failed attempts. */
export function setAutoRenew(world: World, planId: string, autoRenew: boolean): World {
  return mapPlan(world, planId, (plan) => ({ ...plan, autoRenew }))
}

/** Sets a key's name, status or deletion. `undefined` if there is no such key. */
export function changeKey(
  world: World,
  change: {
    readonly keyId: string
    readonly name?: string | undefined
    readonly status?: Key['status'] | undefined
    readonly deleted?: boolean | undefined
  },
): World | undefined {
  const key = world.keys.find(({ keyId }) => keyId === change.keyId)
  if (key === undefined) return undefined
  const { name = key.name, status = key.status, deleted = key.deleted } = change
  return { ...world, keys: world.keys.map((other) => (other === key ? { ...key, name, status, deleted } : other)) }
}

export function advanceClock(world: World, advanceMs: number): World {
  return { ...world, clockOffsetMs: world.clockOffsetMs + advanceMs }
}

/**
 * Number of daily retries after the first renewal attempt, which is three days before expiry. The last retry is at the
 * expiry. Our choice, because the spec shows neither number nor timing.
 */
const retries = 3

/** Minimum cycle of one day. A zero length from a state file would loop forever. */
const getCycleMs = ({ cycleDays }: Plan): number => Math.max(1, cycleDays) * dayMs

const addOneCycle = (plan: Plan, instant: string): string =>
  new Date(Date.parse(instant) + getCycleMs(plan)).toISOString()

/** Lead time before the expiry of the next renewal attempt. */
const attemptLeadMs = ({ failedRenewals }: Plan): number => Math.max(0, retries - failedRenewals) * dayMs

const isPrepaid = ({ cycleEndsAt, expiresAt }: Plan): boolean => Date.parse(cycleEndsAt) < Date.parse(expiresAt)

/** Next automatic transition of a plan in ms since the epoch, or `Infinity`. Runs on every request. */
function getDueMs(plan: Plan): number {
  if (plan.deleted || plan.status === 'EXPIRED') return Number.POSITIVE_INFINITY
  const expiryMs = Date.parse(plan.expiresAt)
  const endMs = plan.autoRenew ? expiryMs - attemptLeadMs(plan) : expiryMs
  if (plan.cycleEndsAt === plan.expiresAt) return endMs
  const cycleEndsMs = Date.parse(plan.cycleEndsAt)
  return cycleEndsMs < expiryMs ? Math.min(cycleEndsMs, endMs) : endMs
}

/** Applies the event at `getDueMs`: the next cycle, a renewal attempt or the expiry (spec, "States", Plan). */
function applyDueEvent(plan: Plan, credits: number): { readonly plan: Plan; readonly credits: number } {
  if (isPrepaid(plan) && Date.parse(plan.cycleEndsAt) === getDueMs(plan)) {
    const models = plan.models.map((model) => ({ ...model, tokensUsed: 0, requestsUsed: 0 }))
    return { plan: { ...plan, cycleEndsAt: addOneCycle(plan, plan.cycleEndsAt), models }, credits }
  }
  if (!plan.autoRenew) return { plan: { ...plan, status: 'EXPIRED' }, credits }
  if (credits >= plan.total) {
    const expiresAt = addOneCycle(plan, plan.expiresAt)
    return { plan: { ...plan, expiresAt, failedRenewals: 0 }, credits: credits - plan.total }
  }
  const status = plan.failedRenewals < retries ? 'ACTIVE' : 'EXPIRED'
  return { plan: { ...plan, status, failedRenewals: plan.failedRenewals + 1 }, credits }
}

/** Renewal state during retries. Otherwise `undefined`. */
export function describeRenewal(
  plan: Plan,
): { readonly failedAttempts: number; readonly nextAttemptAt: string } | undefined {
  const isRetried = plan.status === 'ACTIVE' && plan.autoRenew && plan.failedRenewals > 0
  if (!isRetried) return undefined
  const nextAttemptAt = new Date(Date.parse(plan.expiresAt) - attemptLeadMs(plan)).toISOString()
  return { failedAttempts: plan.failedRenewals, nextAttemptAt }
}

/**
 * Removes a plan from lists and refunds its credits. Plan and keys stay on record: keys get 402 ("plan expired or was
 * deleted"), and usage stays readable.
 */
export function deletePlan(world: World, plan: Plan): { readonly world: World; readonly refund: number } {
  const refund = computeRefund(plan)
  const account = { ...world.account, credits: world.account.credits + refund }
  return { refund, world: { ...mapPlan(world, plan.planId, () => ({ ...plan, deleted: true })), account } }
}

type BigIntFraction = readonly [numerator: bigint, denominator: bigint]

const noShare: BigIntFraction = [0n, 1n]

const getUnusedShare = (quota: number, usedAmount: number): BigIntFraction =>
  quota === 0 ? noShare : [BigInt(Math.max(0, quota - usedAmount)), BigInt(quota)]

/** The smaller unused share of a model's two allowances. */
function unusedShare(model: ModelAllowance): BigIntFraction {
  const tokens = getUnusedShare(model.tokenQuota, model.tokensUsed)
  const requests = getUnusedShare(model.requestQuota, model.requestsUsed)
  return tokens[0] * requests[1] <= requests[0] * tokens[1] ? tokens : requests
}

/**
 * Refund in whole VND (spec: "unused allowance refunded pro rata"). For the current cycle: the average over all models
 * of the smaller unused share, rounded down. Prepaid cycles are refunded in full, an expired plan not at all. Uses
 * integer fractions, because floats could lose a dong.
 */
function computeRefund(plan: Plan): number {
  if (plan.status === 'EXPIRED') return 0
  const [numerator, denominator] = plan.models
    .map(unusedShare)
    .reduce((a, b) => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]], noShare)
  const models = BigInt(Math.max(1, plan.models.length))
  const prepaidMs = isPrepaid(plan) ? Date.parse(plan.expiresAt) - Date.parse(plan.cycleEndsAt) : 0
  const prepaidCycles = Math.round(prepaidMs / getCycleMs(plan))
  return Number((BigInt(plan.total) * numerator) / (denominator * models)) + plan.total * prepaidCycles
}

/**
 * Deducts the total and adds an active plan with `default-key` (spec, "States", Plan). Gateway and keys are unmasked
 * after `provisioningMs`. `undefined` if credits are insufficient.
 */
export function buyPlan(
  world: World,
  offer: Package,
  purchase: {
    readonly name: string
    readonly autoRenew: boolean
    readonly nowMs: number
    readonly provisioningMs: number
  },
): { readonly world: World; readonly plan: Plan } | undefined {
  const { account } = world
  const { name, autoRenew, nowMs, provisioningMs } = purchase
  if (account.credits < offer.price) return undefined
  const plan = createPlan(offer, {
    planId: createId('plan', world, world.plans.length),
    name,
    autoRenew,
    purchasedAt: new Date(nowMs).toISOString(),
    provisionedAt: new Date(nowMs + provisioningMs).toISOString(),
    expiresAt: new Date(nowMs + offer.durationDays * dayMs).toISOString(),
  })
  const paidWorld: World = {
    ...world,
    account: { ...account, credits: account.credits - plan.total },
    plans: [...world.plans, plan],
  }
  return { plan, world: addKey(paidWorld, plan.planId, { name: 'default-key', nowMs }).world }
}

/** Keys of a plan that are not deleted, oldest first. Includes disabled ones. */
export function listPlanKeys(world: World, planId: string): readonly Key[] {
  return world.keys.filter((key) => key.planId === planId && !key.deleted)
}

/** Adds an active key without checking the plan's limit. */
export function addKey(
  world: World,
  planId: string,
  { name, nowMs }: { readonly name: string; readonly nowMs: number },
) {
  const keyId = createId('key', world, world.keys.length)
  const createdAt = new Date(nowMs).toISOString()
  const key: Key = { keyId, planId, name, status: 'ACTIVE', deleted: false, createdAt }
  return { world: { ...world, keys: [...world.keys, key] }, key }
}

/** Id of the n-th plan or key of a world, counting deleted ones. A reset produces the same ids again. */
function createId(kind: 'plan' | 'key', { seed }: World, n: number): string {
  return `${kind}-${createHmac('sha256', seed).update(`${kind}|${n}`).digest('hex').slice(0, 16)}`
}
