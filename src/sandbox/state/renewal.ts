import type { Plan } from './world'

const dayMs = 86_400_000

/**
 * Ours (the spec shows neither number nor timing): the first attempt is three days before the expiry, and three retries follow a day
 * apart, so that the last one falls on the expiry itself.
 */
const retries = 3
const retryEveryMs = dayMs

/** A cycle lasts at least a day, whatever a state file says: one without length would never be over. */
const cycleMsOf = ({ cycleDays }: Plan): number => Math.max(1, cycleDays) * dayMs

const afterOneCycle = (plan: Plan, instant: string): string =>
  new Date(Date.parse(instant) + cycleMsOf(plan)).toISOString()

/** How long before the expiry a plan is tried to be renewed next. */
const attemptLeadMs = ({ failedRenewals }: Plan): number => Math.max(0, retries - failedRenewals) * retryEveryMs

const isPaidAhead = ({ cycleEndsAt, expiresAt }: Plan): boolean => Date.parse(cycleEndsAt) < Date.parse(expiresAt)

/** How many whole cycles beyond the one under way are paid for. */
export function cyclesAhead(plan: Plan): number {
  if (!isPaidAhead(plan)) return 0
  return Math.round((Date.parse(plan.expiresAt) - Date.parse(plan.cycleEndsAt)) / cycleMsOf(plan))
}

/** When something happens to a plan by itself next, in ms since the epoch; `Infinity` for never. Asked for every request. */
export function dueMs(plan: Plan): number {
  if (plan.deleted || plan.status === 'EXPIRED') return Number.POSITIVE_INFINITY
  const expiresMs = Date.parse(plan.expiresAt)
  const endMs = plan.autoRenew ? expiresMs - attemptLeadMs(plan) : expiresMs
  if (plan.cycleEndsAt === plan.expiresAt) return endMs
  const cycleEndsMs = Date.parse(plan.cycleEndsAt)
  return cycleEndsMs < expiresMs ? Math.min(cycleEndsMs, endMs) : endMs
}

/** A plan with the credits that pay for it. */
export interface PaidPlan {
  readonly plan: Plan
  readonly credits: number
}

function beginCycle(plan: Plan): Plan {
  return {
    ...plan,
    cycleEndsAt: afterOneCycle(plan, plan.cycleEndsAt),
    models: plan.models.map((model) => ({ ...model, tokensUsed: 0, requestsUsed: 0 })),
  }
}

function renew({ plan, credits }: PaidPlan): PaidPlan {
  if (credits >= plan.total) {
    const expiresAt = afterOneCycle(plan, plan.expiresAt)
    return { plan: { ...plan, expiresAt, failedRenewals: 0 }, credits: credits - plan.total }
  }
  const status = plan.failedRenewals < retries ? 'ACTIVE' : 'EXPIRED'
  return { plan: { ...plan, status, failedRenewals: plan.failedRenewals + 1 }, credits }
}

/** Lets happen what `dueMs` told: the next cycle begins, a renewal is tried, or the plan expires (spec, "States", Plan). */
export function letHappen({ plan, credits }: PaidPlan): PaidPlan {
  if (isPaidAhead(plan) && Date.parse(plan.cycleEndsAt) === dueMs(plan)) return { plan: beginCycle(plan), credits }
  if (plan.autoRenew) return renew({ plan, credits })
  return { plan: { ...plan, status: 'EXPIRED' }, credits }
}

/** What a plan whose renewal is being retried is told of it; `undefined` for any other plan. */
export function renewalOf(plan: Plan): { readonly failedAttempts: number; readonly nextAttemptAt: string } | undefined {
  const isRetried = plan.status === 'ACTIVE' && plan.autoRenew && plan.failedRenewals > 0
  if (!isRetried) return undefined
  const nextAttemptAt = new Date(Date.parse(plan.expiresAt) - attemptLeadMs(plan)).toISOString()
  return { failedAttempts: plan.failedRenewals, nextAttemptAt }
}
