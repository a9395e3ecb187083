import type { PlanView } from '@shared/contract'
import type { UsageRequest, UsageShare, UsageSplit } from '@shared/contract/usage'
import type { LedgerEntry } from './entry'
import type { LedgerShare } from './ports'

/** What the parts of figures are called now; what is gone has no name. */
export interface Names {
  readonly plans: readonly PlanView[]
  readonly toolName: (toolId: string) => string | undefined
}

/** A share with the name of what it is of. */
export function namedShare(share: LedgerShare, by: UsageSplit, names: Names): UsageShare {
  const name = share.id === '' ? undefined : nameOf(share.id, by, names)
  return { ...share, ...(name === undefined ? {} : { name }) }
}

/** A request with the names of its plan, key and tool. */
export function namedRequest(entry: LedgerEntry, names: Names): UsageRequest {
  const { at, planId, keyId, toolId, answerId: _, ...rest } = entry
  return {
    ...rest,
    at: new Date(at).toISOString(),
    planName: planId && nameOf(planId, 'plan', names),
    keyName: keyId && nameOf(keyId, 'key', names),
    toolId,
    toolName: toolId && nameOf(toolId, 'tool', names),
  }
}

function nameOf(id: string, by: UsageSplit, { plans, toolName }: Names): string | undefined {
  if (by === 'plan') return plans.find((plan) => plan.id === id)?.name
  if (by === 'key') return plans.flatMap(({ keys }) => keys).find((key) => key.id === id)?.name
  if (by === 'tool') return toolName(id)
  return by === 'model' ? id : undefined
}
