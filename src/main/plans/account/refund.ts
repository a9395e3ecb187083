import type { AccountPlanRecord } from '@shared/contract/plans'
import { dayMs, minuteMs } from '@shared/durations'

/** Rounding tolerance in VND: larger than float errors, smaller than any real fraction of a dong. */
const roundingLoss = 1e-6

/** Tolerance in ms for clock differences, so that a new plan does not count as paid in advance. */
const clockToleranceMs = 5 * minuteMs

const unusedShare = (quota: number, used: number): number => (quota === 0 ? 0 : Math.max(0, quota - used) / quota)

/**
 * Estimated refund in whole VND (spec: "refunded pro rata", formula not shown). The total times the models' mean of
 * the smaller unused share, plus the total per prepaid renewal. An expired plan gives nothing.
 */
export function estimateRefund(plan: AccountPlanRecord, serverNowMs: number): number {
  const { status, total, models, expiresAt, cycleDays } = plan
  if (status === 'EXPIRED') return 0
  const remainingMs = Date.parse(expiresAt) - serverNowMs - clockToleranceMs
  const paidAheadAmount = total * Math.max(0, Math.ceil(remainingMs / (Math.max(1, cycleDays) * dayMs)) - 1)
  if (models.length === 0) return paidAheadAmount
  const shares = models.map(({ tokenQuota, tokensUsed, requestQuota, requestsUsed }) =>
    Math.min(unusedShare(tokenQuota, tokensUsed), unusedShare(requestQuota, requestsUsed)),
  )
  const sum = shares.reduce((partialSum, share) => partialSum + share, 0)
  return Math.floor((total * sum) / models.length + roundingLoss) + paidAheadAmount
}
