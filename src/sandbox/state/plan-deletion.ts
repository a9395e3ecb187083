import { cyclesAhead } from './renewal'
import type { ModelAllowance, Plan, World } from './world'

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

type Fraction = readonly [numerator: bigint, denominator: bigint]

const none: Fraction = [0n, 1n]

const unused = (quota: number, used: number): Fraction =>
  quota === 0 ? none : [BigInt(Math.max(0, quota - used)), BigInt(quota)]

const smaller = (a: Fraction, b: Fraction): Fraction => (a[0] * b[1] <= b[0] * a[1] ? a : b)

const sum = (a: Fraction, b: Fraction): Fraction => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]]

const unusedShare = (model: ModelAllowance): Fraction =>
  smaller(unused(model.tokenQuota, model.tokensUsed), unused(model.requestQuota, model.requestsUsed))

/**
 * What deleting a plan gives back, in whole VND (spec: "unused allowance refunded pro rata"). Ours: of each model counts the smaller of
 * its two unused shares, of the cycle under way their average, floored; a cycle paid ahead counts in full, an expired plan not at all.
 * Reckoned in fractions, since a float could end just below a whole number and lose a dong.
 */
export function refundOf(plan: Plan): number {
  if (plan.status === 'EXPIRED') return 0
  const [numerator, denominator] = plan.models.map(unusedShare).reduce(sum, none)
  const models = BigInt(Math.max(1, plan.models.length))
  return Number((BigInt(plan.total) * numerator) / (denominator * models)) + plan.total * cyclesAhead(plan)
}
