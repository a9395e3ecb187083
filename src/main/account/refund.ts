import type { AccountPlanRecord } from './records'

/** Smaller than any share of a dong that comes of whole numbers, larger than what floats lose. */
const lost = 1e-6

const unusedShare = (quota: number, used: number): number => (quota === 0 ? 0 : Math.max(0, quota - used) / quota)

/**
 * What deleting a plan may give back, in whole VND: an estimate of ours (spec: "refunded pro rata", the formula is not shown). The total,
 * times the mean over the models of the smaller of the two unused shares; an expired plan gives nothing.
 */
export function estimateRefund({ status, total, models }: AccountPlanRecord): number {
  if (status === 'EXPIRED' || models.length === 0) return 0
  const shares = models.map(({ tokenQuota, tokensUsed, requestQuota, requestsUsed }) =>
    Math.min(unusedShare(tokenQuota, tokensUsed), unusedShare(requestQuota, requestsUsed)),
  )
  const sum = shares.reduce((left, share) => left + share, 0)
  return Math.floor((total * sum) / models.length + lost)
}
