import { createHmac } from 'node:crypto'
import { findModel, type Package } from '../catalogue'
import { dayMs } from '../timing'
import type { Account, Key, ModelAllowance, Plan, UsageCountsTuple, World } from './world'

function createAllowances({ models }: Package): ModelAllowance[] {
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

/** Finds the allowances of a model in a plan, which all keys of the plan share. Undefined if the plan lacks the model. */
export function findPool(
  world: World,
  { planId, modelCode }: { readonly planId: string; readonly modelCode: string },
): ModelAllowance | undefined {
  return world.plans.find((plan) => plan.planId === planId)?.models.find((model) => model.modelCode === modelCode)
}

/** Sets the usage of a pool, limited to its quota. */
export function setUsage(
  pool: ModelAllowance,
  usage: { readonly tokensUsed?: number | undefined; readonly requestsUsed?: number | undefined },
): void {
  pool.tokensUsed = Math.min(pool.tokenQuota, usage.tokensUsed ?? pool.tokensUsed)
  pool.requestsUsed = Math.min(pool.requestQuota, usage.requestsUsed ?? pool.requestsUsed)
}

/** Adds usage to a pool, up to its quota. Charges input, output and cache tokens, the same sum as in the usage series. */
export function addToPool(pool: ModelAllowance, [input, output, cache, requests]: UsageCountsTuple): void {
  setUsage(pool, { tokensUsed: pool.tokensUsed + input + output + cache, requestsUsed: pool.requestsUsed + requests })
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

/**
 * Starts due cycles and renews or expires plans (spec, "States", Plan), in order of time, because plans share the
 * credits. Plan order breaks ties. Returns whether anything was due.
 */
export function applyDuePlanEvents({ plans, account }: World, nowMs: number): boolean {
  const dueTimesMs = plans.map(getDueMs)
  for (let isChanged = false; ; isChanged = true) {
    const nextMs = Math.min(...dueTimesMs)
    const index = dueTimesMs.indexOf(nextMs)
    const plan = plans[index]
    if (plan === undefined || nextMs > nowMs) return isChanged
    applyDueEvent(plan, account)
    dueTimesMs[index] = getDueMs(plan)
  }
}

interface PlanChange {
  readonly status?: Plan['status'] | undefined
  readonly deleted?: boolean | undefined
  readonly expiresAt?: string | undefined
}

/**
 * Sets a plan's status, expiry or deletion, so that status and expiry agree. `ACTIVE` alone starts a new cycle after
 * expiry, and `EXPIRED` alone expires now. Status overrides a contradicting expiry.
 */
export function changePlan(plan: Plan, { deleted = plan.deleted, ...change }: PlanChange, nowMs: number): void {
  plan.deleted = deleted
  if (change.status === undefined && change.expiresAt === undefined) return
  const expiryMs = Date.parse(change.expiresAt ?? plan.expiresAt)
  const expiresInFuture = expiryMs > nowMs
  plan.status = change.status ?? (expiresInFuture ? 'ACTIVE' : 'EXPIRED')
  const isActive = plan.status === 'ACTIVE'
  const adjustedExpiryMs = isActive === expiresInFuture ? expiryMs : nowMs + (isActive ? plan.cycleDays * dayMs : 0)
  plan.expiresAt = new Date(adjustedExpiryMs).toISOString()
  plan.cycleEndsAt = plan.expiresAt
  plan.failedRenewals = 0
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
function applyDueEvent(plan: Plan, account: Account): void {
  if (isPrepaid(plan) && Date.parse(plan.cycleEndsAt) === getDueMs(plan)) {
    plan.cycleEndsAt = addOneCycle(plan, plan.cycleEndsAt)
    for (const pool of plan.models) setUsage(pool, { tokensUsed: 0, requestsUsed: 0 })
  } else if (!plan.autoRenew) {
    plan.status = 'EXPIRED'
  } else if (account.credits >= plan.total) {
    account.credits -= plan.total
    plan.expiresAt = addOneCycle(plan, plan.expiresAt)
    plan.failedRenewals = 0
  } else {
    plan.status = plan.failedRenewals < retries ? 'ACTIVE' : 'EXPIRED'
    plan.failedRenewals += 1
  }
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
 * Removes a plan from lists and refunds its credits, which it returns. Plan and keys stay on record: keys get 402 ("plan
 * expired or was deleted"), and usage stays readable.
 */
export function deletePlan({ account }: World, plan: Plan): number {
  const refund = computeRefund(plan)
  account.credits += refund
  plan.deleted = true
  return refund
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
): Plan | undefined {
  const { account, plans } = world
  const { name, autoRenew, nowMs, provisioningMs } = purchase
  if (account.credits < offer.price) return undefined
  const plan = createPlan(offer, {
    planId: createId('plan', world, plans.length),
    name,
    autoRenew,
    purchasedAt: new Date(nowMs).toISOString(),
    provisionedAt: new Date(nowMs + provisioningMs).toISOString(),
    expiresAt: new Date(nowMs + offer.durationDays * dayMs).toISOString(),
  })
  account.credits -= plan.total
  plans.push(plan)
  addKey(world, plan.planId, { name: 'default-key', nowMs })
  return plan
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
): Key {
  const keyId = createId('key', world, world.keys.length)
  const createdAt = new Date(nowMs).toISOString()
  const key: Key = { keyId, planId, name, status: 'ACTIVE', deleted: false, createdAt }
  world.keys.push(key)
  return key
}

/** Id of the n-th plan or key of a world, counting deleted ones. A reset produces the same ids again. */
function createId(kind: 'plan' | 'key', { seed }: World, n: number): string {
  return `${kind}-${createHmac('sha256', seed).update(`${kind}|${n}`).digest('hex').slice(0, 16)}`
}
