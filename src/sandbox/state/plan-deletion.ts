import { refundOf } from './refund'
import type { Plan, World } from './world'

/**
 * Takes a plan off the lists and its refund to the credits. Plan and keys stay on record: its keys are answered 402 from then on ("plan
 * expired or was deleted"), and its usage can still be read.
 */
export function deletePlan(world: World, plan: Plan): { readonly world: World; readonly refund: number } {
  const refund = refundOf(plan)
  const { account } = world
  return {
    refund,
    world: {
      ...world,
      account: { ...account, credits: account.credits + refund },
      plans: world.plans.map((each) => (each.planId === plan.planId ? { ...each, deleted: true } : each)),
    },
  }
}
