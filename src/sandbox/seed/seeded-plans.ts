import { packages } from '../catalogue'
import { freshAllowances } from '../state/allowances'
import type { Key, Plan } from '../state/world'
import { dayMs, hourMs } from '../timing'
import { at, hourOf } from './random'

/** How a seeded plan is described. */
export interface PlanSketch {
  readonly planId: string
  readonly name: string
  readonly planType: string
  readonly autoRenew: boolean
  /** Days from now to the end of the cycle under way; negative: it is over. */
  readonly endsInDays: number
  /** Cycles that were paid for. */
  readonly cycles: number
  /** How much of each model's tokens the seeded usage takes in the cycle under way, from 0 to 1. */
  readonly share: Readonly<Record<string, number>>
  readonly keys: readonly { readonly keyId: string; readonly name: string; readonly isDisabled?: boolean }[]
}

/** Three plans in different states: one at ease, one that ends soon and is nearly used up, one that is over. */
export const planSketches: readonly PlanSketch[] = [
  {
    planId: 'plan-sandbox-pro',
    name: 'sandbox-pro',
    planType: 'Pro',
    autoRenew: true,
    endsInDays: 18,
    cycles: 2,
    share: { 'aurora-large': 0.38, 'aurora-small': 0.21, 'vega-coder': 0.46, 'nova-vision': 1 },
    keys: [
      { keyId: 'key-pro-default', name: 'default-key' },
      { keyId: 'key-pro-old-laptop', name: 'old-laptop', isDisabled: true },
      { keyId: 'key-pro-ci', name: 'ci-runner' },
    ],
  },
  {
    planId: 'plan-sandbox-team',
    name: 'team-spring',
    planType: 'Team',
    autoRenew: false,
    endsInDays: 2.25,
    cycles: 1,
    share: { 'aurora-large': 0.94, 'aurora-small': 0.52, 'vega-coder': 0.81, 'nova-vision': 0.12, 'lotus-vi': 0.33 },
    keys: [
      { keyId: 'key-team-default', name: 'default-key' },
      { keyId: 'key-team-minh', name: 'minh-nguyen' },
      { keyId: 'key-team-lan', name: 'lan-tran' },
      { keyId: 'key-team-duc', name: 'duc-pham' },
      { keyId: 'key-team-build', name: 'build-server' },
      { keyId: 'key-team-hoa', name: 'hoa-le', isDisabled: true },
    ],
  },
  {
    planId: 'plan-sandbox-expired',
    name: 'sandbox-expired',
    planType: 'Starter',
    autoRenew: false,
    endsInDays: -3,
    cycles: 1,
    share: { 'aurora-small': 0.64, 'vega-coder': 0.27 },
    keys: [{ keyId: 'key-expired-default', name: 'default-key' }],
  },
]

/** When the cycle under way, or the last one, began and ends, in ms. */
export function cycleOf(
  { endsInDays, planType }: PlanSketch,
  nowMs: number,
): { readonly fromMs: number; readonly toMs: number } {
  const days = packages.find((one) => one.planType === planType)?.durationDays ?? 30
  const toMs = hourOf(nowMs) + endsInDays * dayMs
  return { fromMs: toMs - days * dayMs, toMs }
}

/** The plans as they were bought, with nothing used yet. */
export function seededPlans(nowMs: number): readonly Plan[] {
  return planSketches.flatMap((sketch) => {
    const bought = packages.find((one) => one.planType === sketch.planType)
    if (bought === undefined) return []
    const { toMs } = cycleOf(sketch, nowMs)
    const purchasedMs = toMs - sketch.cycles * bought.durationDays * dayMs
    const { planId, name, planType, autoRenew, endsInDays } = sketch
    return {
      planId,
      name,
      planType,
      autoRenew,
      packageId: bought.packageId,
      status: endsInDays > 0 ? 'ACTIVE' : 'EXPIRED',
      deleted: false,
      total: bought.price,
      purchasedAt: at(purchasedMs),
      provisionedAt: at(purchasedMs),
      cycleEndsAt: at(toMs),
      expiresAt: at(toMs),
      cycleDays: bought.durationDays,
      failedRenewals: 0,
      maxKeys: bought.maxKeys,
      models: freshAllowances(bought),
    }
  })
}

/** The keys of the seeded plans. Their ids never change, and with them and the seed their secrets. */
export function seededKeys(plans: readonly Plan[]): readonly Key[] {
  return planSketches.flatMap(({ planId, keys }) => {
    const purchasedMs = Date.parse(plans.find((plan) => plan.planId === planId)?.purchasedAt ?? at(0))
    return keys.map(({ keyId, name, isDisabled = false }, index) => ({
      keyId,
      planId,
      name,
      status: isDisabled ? 'DISABLED' : 'ACTIVE',
      deleted: false,
      createdAt: at(purchasedMs + index * 26 * hourMs),
    }))
  })
}
