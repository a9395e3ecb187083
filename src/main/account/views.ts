import type { PlanView } from '@shared/contract'
import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract/account'
import type { AccountPlanRecord, SubscriptionKeyRecord } from './records'

/** What is shown of a key that the platform masks. */
const unknownKey = '...'

/** A plan of an account, with the plan here that holds keys of it, and how far the clock of its place is ahead of ours. */
export function planView(record: AccountPlanRecord, local: PlanView | undefined, aheadMs = 0): AccountPlanView {
  return {
    ...record,
    ...(aheadMs === 0 ? {} : { aheadMs }),
    localPlanId: local?.id,
    usedBy: [...(local?.usedBy ?? [])],
  }
}

/** A key of an account without the key itself. Tools use the first key of a plan, and no other. */
export function keyView(
  { secret, ...record }: SubscriptionKeyRecord,
  local: PlanView | undefined,
): SubscriptionKeyView {
  // A sandbox that was reset gives the ids out again, to other keys.
  const isIt = ({ origin, masked }: PlanView['keys'][number]): boolean =>
    origin?.keyId === record.keyId && (secret === undefined || masked === secret.masked)
  const held = local?.keys.find(isIt)
  const usedBy = local && held && local.keys[0] === held ? [...local.usedBy] : []
  return { ...record, masked: secret?.masked ?? unknownKey, kept: held?.kept, usedBy }
}
