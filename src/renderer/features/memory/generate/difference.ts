import type { Json } from '../../resources/resource'
import { recordKey } from '../names'

/** A record after records were made, and what came of it. */
export interface Difference {
  readonly key: string
  readonly row: Json
  readonly change: 'new' | 'gone' | 'same'
}

/** Rows with what tells them apart; equal ones are counted. */
function keyed(rows: readonly Json[]): readonly (readonly [string, Json])[] {
  const counts = new Map<string, number>()
  return rows.map((row) => {
    const key = recordKey(row)
    const nth = counts.get(key) ?? 0
    counts.set(key, nth + 1)
    return [nth === 0 ? key : `${key} ${nth}`, row]
  })
}

/** What is new, what is gone and what stayed between two lists of records; new ones first. */
export function differences(before: readonly Json[], after: readonly Json[]): readonly Difference[] {
  const [had, has] = [new Map(keyed(before)), new Map(keyed(after))]
  const now = [...has].map(([key, row]): Difference => ({ key, row, change: had.has(key) ? 'same' : 'new' }))
  const gone = [...had].filter(([key]) => !has.has(key)).map(([key, row]): Difference => ({ key, row, change: 'gone' }))
  return [...now.filter(({ change }) => change === 'new'), ...gone, ...now.filter(({ change }) => change === 'same')]
}
