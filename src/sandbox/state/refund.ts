import { cyclesAhead } from './renewal'
import type { ModelAllowance, Plan } from './world'

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
