import type { UsageCounts, UsageStep } from '@shared/contract/usage'
import { dayMs } from '@shared/durations'
import type { Row } from '../../core/sqlite/database'
import type { LedgerBucket, LedgerFilter, LedgerShare, LedgerSplit, LedgerStack } from '../ports'
import { getSlot, type Span, slotMs } from './calendar'
import { findRecordedTime } from './facts'
import {
  buildCondition,
  buildSumsCondition,
  type Dimension,
  findDimensions,
  findGrouping,
  singleGrouping,
  toUsageSource,
} from './groupings'
import type { LedgerState, Store } from './store'
import { addUsageCounts, noCounts, readCounts, sumColumnsSql, sumTokens } from './sums'

/** Usage for all steps up to `to`. The first step contains `from` or, if later, the scope's first request. */
export function querySeries(store: Store, filter: LedgerFilter, step: UsageStep): readonly LedgerBucket[] {
  return store.read((state) => {
    const firstKnownTime = findRecordedTime(store, state, { scope: filter.scope, end: 'min' })
    if (firstKnownTime === undefined) return []
    const from = Math.max(filter.from, firstKnownTime)
    const starts = store.calendar.starts(step, from, filter.to)
    const counts = starts.map(() => noCounts)
    for (const tableRange of splitSpan(store, state, { from, to: filter.to, days: step !== 'hour' })) {
      for (const addition of readAdditions(store, tableRange, { filter, isOverTime: true })) {
        const stepIndex = findStepIndex(starts, rangeKeyToMs(store, tableRange, addition.moment))
        counts[stepIndex] = addUsageCounts(counts[stepIndex] ?? noCounts, addition.counts)
      }
    }
    return starts.map((start, index) => ({ start, ...(counts[index] ?? noCounts) }))
  })
}

function rangeKeyToMs({ calendar }: Store, { table }: TableRange, key: number): number {
  if (table === 'requests') return key
  return (table === 'slot_sums' ? key : calendar.firstSlot(key)) * slotMs
}

/** Index of the step that contains `ms`. */
function findStepIndex(starts: readonly number[], ms: number): number {
  let [low, high] = [0, starts.length - 1]
  while (low < high) {
    const middleIndex = Math.ceil((low + high) / 2)
    if ((starts[middleIndex] ?? 0) <= ms) low = middleIndex
    else high = middleIndex - 1
  }
  return low
}

/** Usage by one dimension, by descending requests, then tokens. A split by error has only failed requests. */
export function readShares(
  store: Store,
  filter: LedgerFilter,
  { by, limit }: { by: LedgerSplit; limit: number },
): readonly LedgerShare[] {
  return store.read((state) => {
    const countsById = new Map<string, UsageCounts>()
    for (const tableRange of splitSpan(store, state, { ...filter, days: true })) {
      for (const { key, counts } of readAdditions(store, tableRange, { filter, by })) {
        const id = getId(store, by, key)
        countsById.set(id, addUsageCounts(countsById.get(id) ?? noCounts, counts))
      }
    }
    return [...countsById]
      .map(([id, counts]) => ({ id, ...counts }))
      .sort((a, b) => b.requests - a.requests || sumTokens(b) - sumTokens(a) || (a.id < b.id ? -1 : 1))
      .slice(0, limit)
  })
}

const getId = (store: Store, by: LedgerSplit, key: number): string =>
  by === 'source' ? toUsageSource(key) : store.dimensions.getText(key)

/** Usage over time for the given ids of one dimension, and in total. A split by error has only failed requests. */
export function queryStacks(
  store: Store,
  filter: LedgerFilter,
  { step, by, ids }: { step: UsageStep; by: LedgerSplit; ids: readonly string[] },
): readonly LedgerStack[] {
  return store.read((state) => {
    const starts = store.calendar.starts(step, filter.from, filter.to)
    const rows = starts.map((start) => ({ start, all: noCounts, counts: ids.map(() => noCounts) }))
    for (const tableRange of splitSpan(store, state, { ...filter, days: step !== 'hour' })) {
      for (const { moment, key, counts } of readAdditions(store, tableRange, { filter, by, isOverTime: true })) {
        const row = rows[findStepIndex(starts, rangeKeyToMs(store, tableRange, moment))]
        if (!row) continue
        row.all = addUsageCounts(row.all, counts)
        const partIndex = ids.indexOf(getId(store, by, key))
        if (partIndex >= 0) row.counts[partIndex] = addUsageCounts(row.counts[partIndex] ?? noCounts, counts)
      }
    }
    return rows
  })
}

interface SeriesQuery {
  readonly filter: LedgerFilter
  readonly isOverTime?: boolean
  /** Dimension by which usage is split. A split by error contains only failed requests. */
  readonly by?: LedgerSplit
}

/** Sums by time unit of the table and dimension (0: none). Sums of single requests all have the same time. */
function readAdditions(store: Store, range: TableRange, query: SeriesQuery) {
  const rows = range.table === 'requests' ? sumRequests(store, range, query) : readSums(store, range, query)
  return rows.map((row) => ({ moment: row.number(0), key: row.number(1), counts: readCounts(row, 2) }))
}

const columns = 'moment, part, n, e, i, o, c'

const getColumn = (by: LedgerSplit | undefined): string =>
  by === undefined ? '0' : `s.${by === 'source' ? 'origin' : by}`

function readSums(
  { db, dimensions }: Store,
  { table, from, to }: TableRange,
  { filter, by, isOverTime }: SeriesQuery,
): readonly Row[] {
  const neededDimensions = new Set<Dimension>(findDimensions(filter))
  if (by !== undefined && by !== 'source') neededDimensions.add(by)
  const grouping = findGrouping(table === 'day_sums' ? 'days' : 'slots', neededDimensions)
  const condition = buildCondition(filter, grouping, dimensions)
  const slices = { ...condition, sql: `${condition.sql}${buildFailedCondition(by)}` }
  const { sql, parameters } = buildSumsCondition(db, { grouping, from, to }, slices)
  const join = by === undefined ? '' : 'CROSS JOIN slices AS s ON s.id = sums.slice'
  return db.rows(
    columns,
    `SELECT ${isOverTime ? 'sums.t' : '0'} AS moment, ${getColumn(by)} AS part, ${sumColumnsSql}
     FROM ${table} AS sums ${join} WHERE ${sql} GROUP BY moment, part`,
    ...parameters,
  )
}

function sumRequests({ db, dimensions }: Store, { from, to }: TableRange, { filter, by }: SeriesQuery): readonly Row[] {
  const { sql, parameters } = buildCondition(filter, singleGrouping, dimensions)
  return db.rows(
    columns,
    `SELECT min(r.at) AS moment, ${getColumn(by)} AS part, ${addedRequests}
     FROM requests AS r INDEXED BY requests_at CROSS JOIN slices AS s ON s.id = r.slice
     WHERE r.at >= ? AND r.at < ? AND ${sql}${buildFailedCondition(by)} GROUP BY part`,
    ...[from, to, ...parameters],
  )
}

const buildFailedCondition = (by: LedgerSplit | undefined): string => (by === 'error' ? ' AND error <> 0' : '')

/** Part of a period that is read from one table. `from` (inclusive) and `to` (exclusive) are in days, slots or ms. */
interface TableRange {
  readonly table: 'day_sums' | 'slot_sums' | 'requests'
  readonly from: number
  readonly to: number
}

/**
 * Splits `[from, to)` into whole days and slots, which have sums, and ends, for which single requests are read. If
 * those were deleted, their slot counts completely at its start, so that adjacent periods do not overlap.
 */
function splitSpan(
  store: Store,
  state: Readonly<LedgerState>,
  { from, to, days }: Span & { readonly days: boolean },
): readonly TableRange[] {
  // If there are no requests after `to`, its whole day can be read from the daily sums.
  const lastRequestMs = store.db.row('SELECT max(at) FROM requests')?.maybe(0) ?? 0
  const end = Math.max(lastRequestMs, state.prunedBefore) < to ? to + 2 * dayMs : to
  const firstWholeSlot = Math.ceil(from / slotMs)
  const firstCountedSlot = isPrunedSlot(getSlot(end), state) ? Math.ceil(end / slotMs) : getSlot(end)
  if (firstWholeSlot > firstCountedSlot) return [{ table: 'requests', from, to }]
  const edgePieces: readonly TableRange[] = [
    {
      table: 'requests',
      from: isPrunedSlot(getSlot(from), state) ? firstWholeSlot * slotMs : from,
      to: firstWholeSlot * slotMs,
    },
    { table: 'requests', from: firstCountedSlot * slotMs, to: end },
  ]
  const fullRanges = days
    ? splitIntoDays(store, firstWholeSlot, firstCountedSlot)
    : [slotsPiece(firstWholeSlot, firstCountedSlot)]
  return [...edgePieces, ...fullRanges].filter((timePiece) => timePiece.from < timePiece.to)
}

const slotsPiece = (from: number, to: number): TableRange => ({ table: 'slot_sums', from, to })

function splitIntoDays({ calendar }: Store, from: number, to: number): readonly TableRange[] {
  const firstDay = calendar.toDay(from - 1) + 1
  const lastDay = calendar.toDay(to)
  if (firstDay >= lastDay) return [slotsPiece(from, to)]
  const [begin, end] = [calendar.firstSlot(firstDay), calendar.firstSlot(lastDay)]
  return [slotsPiece(from, begin), { table: 'day_sums', from: firstDay, to: lastDay }, slotsPiece(end, to)]
}

const isPrunedSlot = (slot: number, { prunedBefore }: Readonly<LedgerState>): boolean => slot * slotMs < prunedBefore

/** SQL expressions that compute the columns of the sum tables from single requests `r` and their slices `s`. */
const addedRequests = `count(*) AS n, sum(s.error <> 0) AS e, sum(coalesce(r.input, 0)) AS i, sum(coalesce(r.output, 0)) AS o,
  sum(coalesce(r.cache_read, 0) + coalesce(r.cache_write, 0)) AS c`
