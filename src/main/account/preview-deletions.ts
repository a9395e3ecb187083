import type { PlanView } from '@shared/contract'
import type { DeletionPreview } from '@shared/contract/account'
import type { Console } from './console'
import type { AccountPlanRecord } from './records'
import { estimateRefund } from './refund'

/** How many plans are looked into at the same time. */
const atOnce = 6

export interface PreviewPorts {
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
