import type { UsageCounts, UsageSplit } from '@shared/contract/usage'
import type { LedgerFilter, LedgerShare } from '../ports'
import { addUp } from './added'
import { sourceOf } from './groupings'
import { piecesOf } from './span'
import type { Store } from './store'
import { noCounts, plus } from './sums'

/** The parts of a span, those with most requests first, then with most tokens. By error: of failed requests only. */
export function shares(
  store: Store,
  filter: LedgerFilter,
  { by, limit }: { by: UsageSplit; limit: number },
): readonly LedgerShare[] {
  return store.read((state) => {
    const all = new Map<string, UsageCounts>()
    for (const piece of piecesOf(store, state, { ...filter, days: true })) {
      for (const { key, counts } of addUp(store, piece, { filter, by: by === 'source' ? 'origin' : by })) {
        const id = by === 'source' ? sourceOf(key) : store.dimensions.textOf(key)
        all.set(id, plus(all.get(id) ?? noCounts, counts))
      }
    }
    const found = [...all].map(([id, counts]) => ({ id, ...counts }))
    return found
      .sort((a, b) => b.requests - a.requests || tokens(b) - tokens(a) || (a.id < b.id ? -1 : 1))
      .slice(0, limit)
  })
}

const tokens = ({ inputTokens, outputTokens, cacheTokens }: UsageCounts): number =>
  inputTokens + outputTokens + cacheTokens
