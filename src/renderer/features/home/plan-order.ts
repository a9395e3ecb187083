import { modelShare, tightestModel } from '../plans/allowance'
import { type Entry, standingOf } from '../plans/entries'

/** What is left of the model that runs out first; more than all where it is not known. */
function leftOf({ kind, plan }: Entry): number {
  const model = kind === 'account' ? tightestModel(plan.models) : undefined
  return model ? modelShare(model) : 2
}

/** The plans that a glance should fall on: those that run, the tightest first; expired ones last. */
export function glance(entries: readonly Entry[], count: number, now: Date): readonly Entry[] {
  const rows = entries.map((entry) => ({
    entry,
    isOver: standingOf(entry, now) === 'expired' ? 1 : 0,
    left: leftOf(entry),
  }))
  const order = rows.toSorted(
    (a, b) => a.isOver - b.isOver || a.left - b.left || a.entry.plan.name.localeCompare(b.entry.plan.name),
  )
  return order.slice(0, count).map(({ entry }) => entry)
}
