import type { PlanView } from '@shared/contract'
import type { DeletionPreview } from '@shared/contract/account'
import type { Console } from './console-client'
import type { AccountPlanRecord } from './records'

/** How many plans are looked into at the same time. */
const atOnce = 6

interface PreviewPorts {
  readonly console: Console
  /** The plans here that hold keys of the account, by the account's plan. */
  readonly linked: ReadonlyMap<string, PlanView>
  readonly toolName: (toolId: string) => Promise<string>
}

/** What deleting each of these plans would stop, and what may come back. */
export async function previewDeletions(
  records: readonly AccountPlanRecord[],
  { console, linked, toolName }: PreviewPorts,
): Promise<DeletionPreview[]> {
  const preview = async (record: AccountPlanRecord): Promise<DeletionPreview> => ({
    planId: record.planId,
    name: record.name,
    keys: (await console.keys(record.planId)).map(({ name }) => name),
    tools: await Promise.all((linked.get(record.planId)?.usedBy ?? []).map(toolName)),
    estimatedRefund: estimateRefund(record),
  })
  const previews: DeletionPreview[] = []
  for (let at = 0; at < records.length; at += atOnce) {
    previews.push(...(await Promise.all(records.slice(at, at + atOnce).map(preview))))
  }
  return previews
}

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
