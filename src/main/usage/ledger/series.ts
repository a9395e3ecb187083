import type { UsageCounts, UsageStep } from '@shared/contract/usage'
import type { Row } from '../../core/sqlite/database'
import type { LedgerBucket, LedgerFilter, LedgerShare, LedgerSplit, LedgerStack } from '../ports'
import { slotMs, toSlot } from './calendar'
import { buildCondition, findDimensions, sumsWithin } from './condition'
import { firstMoment } from './facts'
import { type Dimension, groupingFor, single, toUsageSource } from './groupings'
import type { State, Store } from './store'
import { addedUp, countsAt, noCounts, plus } from './sums'

/** All steps from the scope's first request, or `from`, to `to`. `start` is the start of the step. */
export function series(store: Store, filter: LedgerFilter, step: UsageStep): readonly LedgerBucket[] {
  return store.read((state) => {
    const known = firstMoment(store, state, { scope: filter.scope })
    if (known === undefined) return []
    const from = Math.max(filter.from, known)
    const starts = store.calendar.starts(step, from, filter.to)
    const counts = starts.map(() => noCounts)
    for (const piece of splitSpan(store, state, { from, to: filter.to, days: step !== 'hour' })) {
      for (const added of addUp(store, piece, { filter, isOverTime: true })) {
        const at = indexOf(starts, toMs(store, piece, added.moment))
        counts[at] = plus(counts[at] ?? noCounts, added.counts)
      }
    }
    return starts.map((start, at) => ({ start, ...(counts[at] ?? noCounts) }))
  })
}

function toMs({ calendar }: Store, { table }: Piece, key: number): number {
  if (table === 'requests') return key
  return (table === 'slot_sums' ? key : calendar.firstSlot(key)) * slotMs
}

/** Index of the last start at or before `ms`. */
function indexOf(starts: readonly number[], ms: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= ms) low = middle
    else high = middle - 1
  }
  return low
}

/** Parts of a period by requests, then tokens, descending. By error: failed requests only. */
export function shares(
  store: Store,
  filter: LedgerFilter,
  { by, limit }: { by: LedgerSplit; limit: number },
): readonly LedgerShare[] {
  return store.read((state) => {
    const all = new Map<string, UsageCounts>()
    for (const piece of splitSpan(store, state, { ...filter, days: true })) {
      for (const { key, counts } of addUp(store, piece, { filter, by })) {
        const id = getId(store, by, key)
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

const getId = (store: Store, by: LedgerSplit, key: number): string =>
  by === 'source' ? toUsageSource(key) : store.dimensions.getText(key)

/** Steps from the one containing `from`, split into the given ids plus a total. By error: failed requests only. */
export function stacks(
  store: Store,
  filter: LedgerFilter,
  { step, by, ids }: { step: UsageStep; by: LedgerSplit; ids: readonly string[] },
): readonly LedgerStack[] {
  return store.read((state) => {
    const starts = store.calendar.starts(step, filter.from, filter.to)
    const rows = starts.map((start) => ({ start, all: noCounts, counts: ids.map(() => noCounts) }))
    for (const piece of splitSpan(store, state, { ...filter, days: step !== 'hour' })) {
      for (const { moment, key, counts } of addUp(store, piece, { filter, by, isOverTime: true })) {
        const row = rows[indexOf(starts, toMs(store, piece, moment))]
        if (!row) continue
        row.all = plus(row.all, counts)
        const part = ids.indexOf(getId(store, by, key))
        if (part >= 0) row.counts[part] = plus(row.counts[part] ?? noCounts, counts)
      }
    }
    return rows
  })
}

/** Sums of one time unit of the table and one split value. The value id is 0 without a split. */
interface Added {
  readonly moment: number
  readonly key: number
  readonly counts: UsageCounts
}

interface Question {
  readonly filter: LedgerFilter
  readonly isOverTime?: boolean
  /** Dimension of the split. A split by error contains only failed requests. */
  readonly by?: LedgerSplit
}

/** Sums one piece of a period. Single requests form one point in time. */
function addUp(store: Store, piece: Piece, question: Question): readonly Added[] {
  const rows = piece.table === 'requests' ? ofRequests(store, piece, question) : ofSums(store, piece, question)
  return rows.map((row) => ({ moment: row.number(0), key: row.number(1), counts: countsAt(row, 2) }))
}

const columns = 'moment, part, n, e, i, o, c'

const getColumn = (by: LedgerSplit | undefined): string =>
  by === undefined ? '0' : `s.${by === 'source' ? 'origin' : by}`

function ofSums(
  { db, dimensions }: Store,
  { table, from, to }: Piece,
  { filter, by, isOverTime }: Question,
): readonly Row[] {
  const apart: readonly Dimension[] = by === undefined || by === 'source' ? [] : [by]
  const grouping = groupingFor(table === 'day_sums' ? 'days' : 'slots', new Set([...findDimensions(filter), ...apart]))
  const condition = buildCondition(filter, grouping, dimensions)
  const slices = { ...condition, sql: `${condition.sql}${failedOnly(by)}` }
  const { sql, parameters } = sumsWithin(db, { grouping, from, to }, slices)
  const join = by === undefined ? '' : 'CROSS JOIN slices AS s ON s.id = sums.slice'
  return db.rows(
    columns,
    `SELECT ${isOverTime ? 'sums.t' : '0'} AS moment, ${getColumn(by)} AS part, ${addedUp}
     FROM ${table} AS sums ${join} WHERE ${sql} GROUP BY moment, part`,
    ...parameters,
  )
}

function ofRequests({ db, dimensions }: Store, { from, to }: Piece, { filter, by }: Question): readonly Row[] {
  const { sql, parameters } = buildCondition(filter, single, dimensions)
  return db.rows(
    columns,
    `SELECT min(r.at) AS moment, ${getColumn(by)} AS part, ${addedRequests}
     FROM requests AS r INDEXED BY requests_at CROSS JOIN slices AS s ON s.id = r.slice
     WHERE r.at >= ? AND r.at < ? AND ${sql}${failedOnly(by)} GROUP BY part`,
    ...[from, to, ...parameters],
  )
}

const failedOnly = (by: LedgerSplit | undefined): string => (by === 'error' ? ' AND error <> 0' : '')

/** Part of a period with its source table. Half-open, in days, slots or ms. */
interface Piece {
  readonly table: 'day_sums' | 'slot_sums' | 'requests'
  readonly from: number
  readonly to: number
}

const dayMs = 96 * slotMs

interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Splits `[from, to)` into whole days, whole slots, and ends from single requests. Pruned slots count fully at their
 * start, so adjacent periods never overlap.
 */
function splitSpan(
  store: Store,
  state: Readonly<State>,
  { from, to, days }: Span & { readonly days: boolean },
): readonly Piece[] {
  // Treat the last day as whole if there are no later requests.
  const end = lastMoment(store, state) < to ? to + 2 * dayMs : to
  const wholeFrom = Math.ceil(from / slotMs)
  const wholeTo = isPruned(toSlot(end), state) ? Math.ceil(end / slotMs) : toSlot(end)
  if (wholeFrom > wholeTo) return [{ table: 'requests', from, to }]
  const edges: readonly Piece[] = [
    { table: 'requests', from: isPruned(toSlot(from), state) ? wholeFrom * slotMs : from, to: wholeFrom * slotMs },
    { table: 'requests', from: wholeTo * slotMs, to: end },
  ]
  const whole = days ? withDays(store, wholeFrom, wholeTo) : [slots(wholeFrom, wholeTo)]
  return [...edges, ...whole].filter((piece) => piece.from < piece.to)
}

const slots = (from: number, to: number): Piece => ({ table: 'slot_sums', from, to })

function withDays({ calendar }: Store, from: number, to: number): readonly Piece[] {
  const first = calendar.toDay(from - 1) + 1
  const last = calendar.toDay(to)
  if (first >= last) return [slots(from, to)]
  const [begin, end] = [calendar.firstSlot(first), calendar.firstSlot(last)]
  return [slots(from, begin), { table: 'day_sums', from: first, to: last }, slots(end, to)]
}

/** Upper bound of the start of all stored requests and sums. */
function lastMoment({ db }: Store, { prunedBefore }: Readonly<State>): number {
  return Math.max(db.row('SELECT max(at) FROM requests')?.maybe(0) ?? 0, prunedBefore)
}

const isPruned = (slot: number, { prunedBefore }: Readonly<State>): boolean => slot * slotMs < prunedBefore

/** The sums of a sum table, computed from single requests `r` and their slices `s`. */
const addedRequests = `count(*) AS n, sum(s.error <> 0) AS e, sum(coalesce(r.input, 0)) AS i, sum(coalesce(r.output, 0)) AS o,
  sum(coalesce(r.cache_read, 0) + coalesce(r.cache_write, 0)) AS c`
