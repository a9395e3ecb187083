import type { AccountPlanView, PlanView } from '@shared/contract'
import { nowThere } from '../../relative-time'

/** A plan of the account (with the one on this computer that holds its keys), or one of which only a key was handed over. */
export type Entry =
  | {
      readonly kind: 'account'
      readonly id: string
      readonly plan: AccountPlanView
      readonly local: PlanView | undefined
    }
  /** `isGone`: it was kept from the account, which no longer knows it. */
  | { readonly kind: 'handed'; readonly id: string; readonly plan: PlanView; readonly isGone: boolean }

/** How a plan stands. The last three are all that is known of one that was handed over: its last check. */
export type Standing = 'expired' | 'renewalFailing' | 'provisioning' | 'active' | 'fails' | 'works' | 'unchecked'

/** How long before its end a plan counts as about to end, in ms. */
export const soonMs = 7 * 86_400_000

/** What a connection's console answered; nothing while, or where, it did not. */
interface Answered {
  readonly connectionId: string
  readonly plans: readonly AccountPlanView[]
}

/** All plans in one list: the account's, each joined with the one on this computer, and those of which only that one is known. */
export function entriesOf(answered: Answered | undefined, local: readonly PlanView[]): readonly Entry[] {
  const account = answered?.plans ?? []
  // Either list may be older than the other: a plan that has just been kept here names where it comes from before the account names it.
  const localOf = ({ planId, localPlanId }: AccountPlanView): PlanView | undefined =>
    local.find(({ id, origin }) => id === localPlanId || (origin?.planId === planId && isHere(origin)))
  const isHere = ({ connectionId }: NonNullable<PlanView['origin']>): boolean => connectionId === answered?.connectionId
  const joined = new Set(account.map((plan) => localOf(plan)?.id))
  const isGone = ({ origin }: PlanView): boolean => origin !== undefined && isHere(origin)
  return [
    ...account.map((plan): Entry => ({ kind: 'account', id: plan.planId, plan, local: localOf(plan) })),
    ...local
      .filter(({ id }) => !joined.has(id))
      .map((plan): Entry => ({ kind: 'handed', id: plan.id, plan, isGone: isGone(plan) })),
  ]
}

/** How a plan stands at a moment. */
export function getPlanStatus(entry: Entry, now: Date): Standing {
  const isOver =
    entry.plan.expiresAt !== undefined && Date.parse(entry.plan.expiresAt) <= nowThere(now, entry.plan).getTime()
  if (entry.kind === 'account') {
    const { status, renewal, provisioned } = entry.plan
    if (status === 'EXPIRED') return 'expired'
    return renewal ? 'renewalFailing' : provisioned ? 'active' : 'provisioning'
  }
  if (isOver) return 'expired'
  const { lastCheck } = entry.plan
  return lastCheck === undefined ? 'unchecked' : lastCheck.ok ? 'works' : 'fails'
}
