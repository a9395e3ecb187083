import type { UsageScope } from '@shared/contract'
import type { Entry } from '../plans/entries'

/** A plan to choose, by its id in the scope: the account's with the console, this machine's otherwise. */
export interface PlanChoice {
  readonly id: string
  readonly name: string
  readonly models: readonly string[]
}

/** Where figures come from, and whose account a console is asked about. */
export interface Asking {
  readonly scope: UsageScope
  readonly connectionId: string | undefined
}

const modelsOf = (entry: Entry): readonly string[] =>
  entry.kind === 'account' ? entry.plan.models.map(({ modelCode }) => modelCode) : entry.plan.models

/** The plan's id at the account: as the account tells it, or as it was kept here while the console is silent. */
function accountId(entry: Entry, connectionId: string | undefined): string | undefined {
  if (entry.kind === 'account') return entry.plan.planId
  const { origin } = entry.plan
  return origin?.connectionId === connectionId && !entry.isGone ? origin?.planId : undefined
}

const localId = (entry: Entry): string | undefined => (entry.kind === 'account' ? entry.local?.id : entry.plan.id)

const idIn = ({ scope, connectionId }: Asking, entry: Entry): string | undefined =>
  scope === 'console' ? accountId(entry, connectionId) : localId(entry)

/** The plans that a source can tell of. */
export const plansIn = (asking: Asking, entries: readonly Entry[]): readonly PlanChoice[] =>
  entries.flatMap((entry) => {
    const id = idIn(asking, entry)
    return id === undefined ? [] : [{ id, name: entry.plan.name, models: modelsOf(entry) }]
  })

/** The same plan by its id in another scope; nothing where that scope does not know it. */
export function planInScope(planId: string | undefined, asking: Asking, entries: readonly Entry[]): string | undefined {
  if (planId === undefined) return undefined
  const entry = entries.find((one) => [accountId(one, asking.connectionId), localId(one)].includes(planId))
  return entry && idIn(asking, entry)
}
