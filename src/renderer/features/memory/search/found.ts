import type { Json } from '../../resources/resource'
import { recordKey, scoreOf } from '../names'

/** A record that a search found. */
export interface FoundRecord {
  readonly key: string
  /** From 1, best first. */
  readonly rank: number
  readonly row: Json
  readonly score: number | undefined
  /** Its score as a share of the whole bar, from 0 to 1; nothing without a score. */
  readonly share: number | undefined
}

/** The records of an answer in its order, each once, with what their bars show. Scores beyond 1 are measured by the best. */
export function foundRecords(rows: readonly Json[]): readonly FoundRecord[] {
  const most = Math.max(1, ...rows.map((row) => scoreOf(row) ?? 0))
  const seen = new Set<string>()
  return rows.flatMap((row, at) => {
    const key = recordKey(row)
    if (seen.has(key)) return []
    seen.add(key)
    const score = scoreOf(row)
    const share = score === undefined ? undefined : Math.min(1, Math.max(0, score / most))
    return [{ key, rank: at + 1, row, score, share }]
  })
}

/** Where a record stands in the other search: nowhere, or so many ranks better (more than 0) or worse in this one. */
export type Standing = { readonly kind: 'only' } | { readonly kind: 'both'; readonly better: number }

/** How each record of one search stands in another. */
export function compared(mine: readonly FoundRecord[], other: readonly FoundRecord[]): ReadonlyMap<string, Standing> {
  const ranks = new Map(other.map(({ key, rank }) => [key, rank]))
  return new Map(
    mine.map(({ key, rank }): readonly [string, Standing] => {
      const there = ranks.get(key)
      return [key, there === undefined ? { kind: 'only' } : { kind: 'both', better: there - rank }]
    }),
  )
}
