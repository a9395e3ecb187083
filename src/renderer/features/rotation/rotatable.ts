import type { KeyView, PlanView } from '@shared/contract'
import type { KeyHere } from './paths'

/** A key that can be rotated: it is kept here, and an account makes keys for its plan. */
export interface RotatableKey extends KeyHere {
  readonly plan: PlanView
  readonly key: KeyView
}

const isKept = ({ kept }: KeyView): boolean => kept !== 'missing'

/** The keys of these plans that can be rotated. */
export const rotatableKeys = (plans: readonly PlanView[]): readonly RotatableKey[] =>
  plans
    .filter(({ origin }) => origin !== undefined)
    .flatMap((plan) =>
      plan.keys
        .filter((key) => key.origin !== undefined && isKept(key))
        .map((key) => ({ planId: plan.id, keyId: key.id, plan, key })),
    )

/** The key of this computer that is this one of the account, if it can be rotated. */
export function keyHereOf(plan: PlanView | undefined, accountKeyId: string): KeyHere | undefined {
  const found = plan && rotatableKeys([plan]).find(({ key }) => key.origin?.keyId === accountKeyId)
  return found && { planId: found.planId, keyId: found.keyId }
}
