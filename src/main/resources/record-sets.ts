import { randomUUID } from 'node:crypto'
import { AppError } from '@shared/failure'
import type { Clock } from '../ports'
import type { Json } from './hide-secrets'

const mostSets = 4
const longestIdleMs = 10 * 60_000

/** Long lists of the window, held here so that it needs no more of them than it shows. */
export interface RecordSets {
  /** Holds a list; of more than four the one that rested longest goes. */
  open(rows: readonly Json[]): string
  /** Some of its rows. Fails with `input.invalid` when it is no longer held. */
  slice(setId: string, from: number, count: number): Json[]
  /** All of it, or the rows at these places. Fails with `input.invalid` when it is no longer held. */
  rows(setId: string, places?: readonly number[]): readonly Json[]
  close(setId: string): void
}

interface RecordSet {
  readonly rows: readonly Json[]
  usedMs: number
}

/** `after` runs something once; what rested for ten minutes is let go by itself. */
export function createRecordSets(clock: Clock, after: (run: () => void, ms: number) => () => void): RecordSets {
  const sets = new Map<string, RecordSet>()
  let cancel: (() => void) | undefined
  const sweep = (): void => {
    cancel = undefined
    const nowMs = clock().getTime()
    for (const [id, { usedMs }] of sets) if (nowMs - usedMs >= longestIdleMs) sets.delete(id)
    watch()
  }
  const watch = (): void => {
    if (sets.size > 0) cancel ??= after(sweep, longestIdleMs / 2)
  }
  const find = (setId: string): RecordSet => {
    const set = sets.get(setId)
    if (set === undefined) {
      throw new AppError('input.invalid', 'This list is no longer held here. Load it again.', { field: 'setId' })
    }
    // The one that rested longest stands first.
    sets.delete(setId)
    sets.set(setId, set)
    set.usedMs = clock().getTime()
    return set
  }
  return {
    open(rows) {
      const [oldest] = sets.keys()
      if (sets.size >= mostSets && oldest !== undefined) sets.delete(oldest)
      const setId = randomUUID()
      sets.set(setId, { rows, usedMs: clock().getTime() })
      watch()
      return setId
    },
    slice: (setId, from, count) => find(setId).rows.slice(from, from + count),
    rows(setId, places) {
      const { rows } = find(setId)
      return places === undefined ? rows : places.flatMap((at) => (at < rows.length ? (rows[at] ?? null) : []))
    },
    close(setId) {
      sets.delete(setId)
      if (sets.size > 0) return
      cancel?.()
      cancel = undefined
    },
  }
}
