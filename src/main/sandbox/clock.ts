import type { SandboxHappening, SandboxStep } from '@shared/contract'
import type { SandboxPlanState, SandboxState } from './state'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** A plan ends at its expiry to the millisecond; a minute later nobody doubts it. */
const pastMs = 60_000

/** How far a step moves the clock, in ms; nothing when it would not go forward. */
export function advanceOf(
  step: SandboxStep,
  { clock }: Pick<SandboxState, 'clock'>,
  plan: Pick<SandboxPlanState, 'expiresAt'> | undefined,
): number | undefined {
  const leftMs = plan ? Date.parse(plan.expiresAt) - Date.parse(clock) : 0
  const steps: Readonly<Record<SandboxStep, number>> = {
    hour: hourMs,
    day: dayMs,
    week: 7 * dayMs,
    beforeExpiry: leftMs - dayMs,
    pastExpiry: leftMs > 0 ? leftMs + pastMs : 0,
  }
  return steps[step] > 0 ? steps[step] : undefined
}

const isLater = (after: string, before: string): boolean => Date.parse(after) > Date.parse(before)

function happeningsOf(before: SandboxPlanState, after: SandboxPlanState): readonly SandboxHappening[] {
  const { name: plan, total, expiresAt, failedRenewals } = after
  const addedMs = Date.parse(expiresAt) - Date.parse(before.expiresAt)
  const cycles = Math.round(addedMs / (before.cycleDays * dayMs))
  const hasExpired = before.status === 'ACTIVE' && after.status === 'EXPIRED'
  const rows: readonly (readonly [boolean, SandboxHappening])[] = [
    [cycles > 0, { kind: 'renewed', plan, charged: cycles * total, expiresAt }],
    [isLater(after.cycleEndsAt, before.cycleEndsAt), { kind: 'cycleBegan', plan }],
    [
      !hasExpired && failedRenewals > before.failedRenewals,
      { kind: 'renewalFailed', plan, attempts: Math.max(1, failedRenewals) },
    ],
    [hasExpired, { kind: 'expired', plan, why: after.autoRenew ? 'unpaid' : 'notRenewed' }],
  ]
  return rows.flatMap(([isSo, happening]) => (isSo ? [happening] : []))
}

/** What the time between two states has done to the plans that are in both, in the order of the plans. */
export function whatHappened(before: SandboxState, after: SandboxState): SandboxHappening[] {
  return before.plans.flatMap((plan) => {
    const later = after.plans.find(({ planId }) => planId === plan.planId)
    return plan.deleted || !later || later.deleted ? [] : happeningsOf(plan, later)
  })
}
