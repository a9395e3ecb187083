import type { UsageCounts, UsageStep } from '@shared/contract/usage'
import type { LedgerBucket, LedgerFilter } from '../ports'
import { addUp } from './added'
import { slotMs } from './calendar'
import { firstMoment } from './moments'
import { type Piece, piecesOf } from './span'
import type { Store } from './store'
import { noCounts, plus } from './sums'

/** Every step between the first request that the scope knows of, or `from`, and `to`. A bucket's `start` is where its step begins. */
export function series(store: Store, filter: LedgerFilter, step: UsageStep): readonly LedgerBucket[] {
  return store.read((state) => {
    const known = firstMoment(store, state, { scope: filter.scope })
    if (known === undefined) return []
    const from = Math.max(filter.from, known)
    const starts = store.calendar.starts(step, from, filter.to)
    const counts: UsageCounts[] = starts.map(() => noCounts)
    for (const piece of piecesOf(store, state, { from, to: filter.to, days: step !== 'hour' })) {
      for (const added of addUp(store, piece, { filter, by: 't' })) {
        const at = indexOf(starts, momentOf(store, piece, added.key))
        counts[at] = plus(counts[at] ?? noCounts, added.counts)
      }
    }
    return starts.map((start, at) => ({ start, ...(counts[at] ?? noCounts) }))
  })
}

function momentOf({ calendar }: Store, { table }: Piece, key: number): number {
  if (table === 'requests') return key
  return (table === 'slot_sums' ? key : calendar.firstSlotOf(key)) * slotMs
}

/** The last start that is not later. */
function indexOf(starts: readonly number[], ms: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= ms) low = middle
    else high = middle - 1
  }
  return low
}
