import type { PlanView, RelayWay } from '@shared/contract'
import { keyChoice } from '../tools/choice'

/** What names a way in a list. */
export const wayKey = ({ planId, keyId = '' }: RelayWay): string => `${planId} ${keyId}`

/** Whether two ways mean the same plan and key; without a key, the plan's first is meant. */
export function isSameWay(one: RelayWay, other: RelayWay, plans: readonly PlanView[]): boolean {
  const keyOf = ({ planId, keyId }: RelayWay) => keyId ?? plans.find(({ id }) => id === planId)?.keys[0]?.id
  return one.planId === other.planId && keyOf(one) === keyOf(other)
}

/** Every plan and key that could still be tried: all of this machine but those that are in use already. */
export function freeWays(plans: readonly PlanView[], used: readonly RelayWay[]): readonly RelayWay[] {
  return plans
    .flatMap((plan) => plan.keys.map((key): RelayWay => ({ planId: plan.id, ...keyChoice(plan, key.id) })))
    .filter((way) => !used.some((one) => isSameWay(one, way, plans)))
}

/** The list with one of it moved by so many places; the same list where it cannot be. */
export function moved<T>(list: readonly T[], at: number, by: number): readonly T[] {
  const to = at + by
  const one = list[at]
  if (one === undefined || to < 0 || to >= list.length) return list
  return list.toSpliced(at, 1).toSpliced(to, 0, one)
}

/** The names of a way's plan and key; a name is absent where the thing is no longer on this machine. */
export function namesOf({ planId, keyId }: RelayWay, plans: readonly PlanView[]) {
  const plan = plans.find(({ id }) => id === planId)
  const key = keyId === undefined ? plan?.keys[0] : plan?.keys.find(({ id }) => id === keyId)
  return { plan: plan?.name, key: key?.name }
}
