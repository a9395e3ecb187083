import type { PlanView } from '@shared/contract'
import type { AccountPlanView, AccountView } from '@shared/contract/account'

/** A plan as far as a reminder needs it. */
export interface ReminderPlan {
  readonly id: string
  readonly name: string
  readonly expiresAt: string
  /** How far the clock of its place is ahead of ours, in ms. */
  readonly aheadMs?: number | undefined
  /** Where the platform tells it; else the expiry decides. */
  readonly status?: 'ACTIVE' | 'EXPIRED' | undefined
  readonly autoRenew?: boolean | undefined
  /** False when the account's credits will not pay for the next cycle. */
  readonly isCovered?: boolean | undefined
  /** True while the platform tries to renew in vain. */
  readonly isRenewalFailing?: boolean | undefined
  /** Where in the window it is shown. */
  readonly path: string
}

export interface ReminderSources {
  readonly plans: { list(): readonly PlanView[] }
  readonly account: {
    get(of: { connectionId: string }): Promise<AccountView>
    plans(of: { connectionId: string }): Promise<AccountPlanView[]>
  }
  /** The connections whose accounts are asked. */
  readonly connectionIds: () => readonly string[]
  /** Where the window shows a plan of this machine, or of an account. */
  readonly pathOf: (planId: string, connectionId?: string) => string
}

/** The plans that reminders look at: those of the accounts, and handed-over ones whose expiry is known. An account that cannot be asked is left out. */
export async function reminderPlans({
  plans,
  account,
  connectionIds,
  pathOf,
}: ReminderSources): Promise<ReminderPlan[]> {
  const ofAccount = async (connectionId: string): Promise<ReminderPlan[]> => {
    const [{ credits }, all] = await Promise.all([account.get({ connectionId }), account.plans({ connectionId })])
    const covered = coveredBy(credits, all)
    return all.map(({ planId, name, expiresAt, aheadMs, status, autoRenew, renewal }) => ({
      ...{ id: `${connectionId}/${planId}`, name, expiresAt, aheadMs, status, autoRenew },
      isCovered: covered.has(planId),
      isRenewalFailing: renewal !== undefined && renewal.failedAttempts > 0,
      path: pathOf(planId, connectionId),
    }))
  }
  const asked = await Promise.allSettled(connectionIds().map(ofAccount))
  const local = plans.list().flatMap(({ id, name, source, expiresAt }): ReminderPlan[] => {
    return source === 'handed-over' && expiresAt ? [{ id, name, expiresAt, path: pathOf(id) }] : []
  })
  return [...asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])), ...local]
}

/** The plans whose next cycle the credits pay for, when those that end first are renewed first. */
function coveredBy(credits: number, plans: readonly AccountPlanView[]): ReadonlySet<string> {
  const renewing = plans.filter(({ status, autoRenew }) => status === 'ACTIVE' && autoRenew)
  let left = credits
  const covered = renewing
    .toSorted((a, b) => a.expiresAt.localeCompare(b.expiresAt))
    .filter(({ total }) => {
      const isPaid = left >= total
      if (isPaid) left -= total
      return isPaid
    })
  return new Set(covered.map(({ planId }) => planId))
}
