import type { UsageCounts, UsageErrorKind, UsageSource } from '@shared/contract/usage'
import { dayMs } from '@shared/durations'
import { addUsageCounts, noCounts, sumTokens } from '@shared/usage-counts'
import { usageErrorKinds } from '@shared/usage-words'
import type { Row } from '../../core/sqlite/database'
import type {
  KeyLastUse,
  Ledger,
  LedgerFilter,
  LedgerShare,
  LedgerSplit,
  LedgerStack,
  LedgerTotal,
  ModelHour,
} from '../ports'
import { getSlot, type Span, slotMs } from './calendar'
import {
  buildSumsCondition,
  type Dimension,
  type LedgerState,
  origins,
  readCounts,
  type Store,
  selectSlices,
  singleGrouping,
  sumColumnsSql,
  toSumsSql,
  toUsageSource,
} from './store'

function rangeKeyToMs({ calendar }: Store, { table }: TableRange, key: number): number {
  if (table === 'requests') return key
  return (table === 'slot_sums' ? key : calendar.firstSlot(key)) * slotMs
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

const getId = (store: Store, by: LedgerSplit | undefined, key: number): string =>
  by === 'source' ? toUsageSource(key) : store.dimensions.getText(key)

/** Usage for each step of a period, in total and by the given ids. A split by error has only failed requests. */
export function queryStacks(
  store: Store,
  filter: LedgerFilter,
  { step, by, ids = [] }: Omit<Parameters<Ledger['stacks']>[0], 'filter'>,
): readonly LedgerStack[] {
  return store.read((state) => {
    const { calendar } = store
    const starts = calendar.starts(step, filter.from, filter.to)
    const rows = starts.map((start) => ({ start, all: noCounts, counts: ids.map(() => noCounts) }))
    const rowByStart = new Map(rows.map((row) => [row.start, row]))
    for (const tableRange of splitSpan(store, state, { ...filter, days: step !== 'hour' })) {
      for (const { moment, key, counts } of readAdditions(store, tableRange, { filter, by, isOverTime: true })) {
        const row = rowByStart.get(calendar.startOfStep(step, rangeKeyToMs(store, tableRange, moment)))
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
  readonly by?: LedgerSplit | undefined
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
  const split = by === undefined || by === 'source' ? [] : [by]
  const slices = selectSlices(dimensions, filter, table === 'day_sums' ? 'days' : 'slots', split)
  const selection = { ...slices, sql: `${slices.sql}${buildFailedCondition(by)}` }
  const { sql, parameters } = buildSumsCondition(db, selection, { from, to })
  const join = by === undefined ? '' : 'CROSS JOIN slices AS s ON s.id = sums.slice'
  return db.rows(
    columns,
    `SELECT ${isOverTime ? 'sums.t' : '0'} AS moment, ${getColumn(by)} AS part, ${sumColumnsSql}
     FROM ${table} AS sums ${join} WHERE ${sql} GROUP BY moment, part`,
    ...parameters,
  )
}

function sumRequests({ db, dimensions }: Store, { from, to }: TableRange, { filter, by }: SeriesQuery): readonly Row[] {
  const { sql, parameters } = selectSlices(dimensions, filter, 'requests')
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

const slotsOfHour = 4

const toErrorKind = (text: string): UsageErrorKind | undefined => usageErrorKinds.find((kind) => kind === text)

/** Usage of a plan by UTC hour and model, from the hour that contains `from`. Omits hours without requests. */
export function readHours(store: Store, planId: string, from: number): readonly ModelHour[] {
  const { db, dimensions } = store
  return store.read(() => {
    const slices = selectSlices(dimensions, { scope: 'machine', planId }, 'slots', ['model'])
    const rows = db.rows(
      'hour, model, n, e, i, o, c',
      `SELECT t / ${slotsOfHour} AS hour, s.model, ${sumColumnsSql} FROM slot_sums AS sums
       CROSS JOIN slices AS s ON s.id = sums.slice WHERE t >= ? AND ${toSumsSql(slices)} GROUP BY hour, s.model`,
      ...[Math.floor(getSlot(from) / slotsOfHour) * slotsOfHour, ...slices.parameters],
    )
    return rows.map((row) => ({
      start: row.number(0) * slotsOfHour * slotMs,
      planId,
      modelCode: dimensions.getText(row.number(1)),
      ...readCounts(row, 2),
    }))
  })
}

/** Number of local requests since a time, by plan, model and kind of error. */
export function countSince(store: Store, from: number): Awaited<ReturnType<Ledger['countSince']>> {
  const { db, dimensions } = store
  return store.read(() => {
    const { sql, parameters } = selectSlices(dimensions, { scope: 'machine' }, 'requests')
    const rows = db.rows(
      'plan, model, error, n',
      `SELECT s.plan, s.model, s.error, count(*) AS n FROM requests AS r INDEXED BY requests_at
       CROSS JOIN slices AS s ON s.id = r.slice WHERE r.at >= ? AND ${sql} GROUP BY s.plan, s.model, s.error`,
      ...[from, ...parameters],
    )
    return rows.map((row) => ({
      planId: dimensions.getText(row.number(0)),
      modelCode: dimensions.getText(row.number(1)),
      error: toErrorKind(dimensions.getText(row.number(2))),
      requests: row.number(3),
    }))
  })
}

/** Sums of all relay requests ever recorded, by plan, tool and model, and sums of those that failed by error. */
export function relayTotals(store: Store): readonly LedgerTotal[] {
  const { db, dimensions } = store
  return store.read(() => {
    const readTotals = (by: readonly Dimension[]) => {
      const slices = selectSlices(dimensions, { scope: 'relay' }, 'days', by)
      const rows = db.rows(
        'plan, tool, model, error, n, e, i, o, c',
        `SELECT s.plan, s.tool, s.model, s.error, ${sumColumnsSql} FROM day_sums AS sums
         CROSS JOIN slices AS s ON s.id = sums.slice WHERE ${toSumsSql(slices)}
         GROUP BY s.plan, s.tool, s.model, s.error`,
        ...slices.parameters,
      )
      const getText = (row: Row, column: number): string => dimensions.getText(row.number(column))
      return rows.map((row) => ({
        planId: getText(row, 0),
        toolId: getText(row, 1),
        modelCode: getText(row, 2),
        error: toErrorKind(getText(row, 3)),
        ...readCounts(row, 4),
      }))
    }
    const failedTotals = readTotals(['plan', 'tool', 'model', 'error']).filter(({ error }) => error !== undefined)
    return [...readTotals(['plan', 'tool', 'model']), ...failedTotals]
  })
}

/** Latency percentiles for each step. Omits steps without a measured request. */
export function latency(
  store: Store,
  { filter, step, limit }: Parameters<Ledger['latency']>[0],
): Awaited<ReturnType<Ledger['latency']>> {
  const { db, dimensions, calendar } = store
  return store.read(() => {
    const { sql, parameters } = selectSlices(dimensions, filter, 'requests')
    const rows = db.rows(
      'at, duration, first_byte',
      `SELECT r.at, r.duration, r.first_byte FROM requests AS r INDEXED BY requests_at
       CROSS JOIN slices AS s ON s.id = r.slice
       WHERE r.at >= ? AND r.at < ? AND r.duration IS NOT NULL AND ${sql} ORDER BY r.at DESC LIMIT ?`,
      ...[filter.from, filter.to, ...parameters, limit],
    )
    const groups: { readonly start: number; readonly durations: number[]; readonly firstBytes: number[] }[] = []
    let endMs = Number.NEGATIVE_INFINITY
    for (const row of rows.toReversed()) {
      const at = row.number(0)
      let group = groups.at(-1)
      if (!group || at >= endMs) {
        group = { start: calendar.startOfStep(step, at), durations: [], firstBytes: [] }
        groups.push(group)
        endMs = calendar.endOfStep(step, at)
      }
      group.durations.push(row.number(1))
      const firstByteMs = row.maybe(2)
      if (firstByteMs !== undefined) group.firstBytes.push(firstByteMs)
    }
    return groups.map(({ start, durations, firstBytes }) => ({
      start: new Date(start).toISOString(),
      requests: durations.length,
      p50Ms: percentile(durations, 0.5),
      p95Ms: percentile(durations, 0.95),
      ...(firstBytes.length > 0 && { firstByteMs: percentile(firstBytes, 0.5) }),
    }))
  })
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0

/** Number of requests of a source or tool log, with first and last start. */
export function readSpan(
  store: Store,
  source: Exclude<UsageSource, 'console'>,
  toolId?: string,
): { readonly requests: number; readonly first?: number; readonly last?: number } {
  const { db, dimensions } = store
  return store.read((state) => {
    const logFilter = toolId === undefined ? { scope: source } : { scope: source, toolId }
    const slices = selectSlices(dimensions, logFilter, 'days')
    const sumSql = `SELECT coalesce(sum(requests), 0) FROM day_sums AS sums WHERE ${toSumsSql(slices)}`
    const requests = db.row(sumSql, ...slices.parameters)?.number(0)
    const [first, last] = (['min', 'max'] as const).map((end) => findRecordedTime(store, state, { ...logFilter, end }))
    return { requests: requests ?? 0, ...(first !== undefined && { first }), ...(last !== undefined && { last }) }
  })
}

export function listLastUses(store: Store): readonly KeyLastUse[] {
  const { db, dimensions } = store
  return store.read((state) => {
    const rows = db.rows(
      'plan, key, origin',
      'SELECT DISTINCT plan, key, origin FROM slices WHERE grouping = ? AND key <> 0 AND origin <> ?',
      ...[singleGrouping.id, origins.twin],
    )
    return rows.flatMap((row) => {
      const [planId, keyId] = [dimensions.getText(row.number(0)), dimensions.getText(row.number(1))]
      const source = toUsageSource(row.number(2))
      const at = findRecordedTime(store, state, { scope: source, planId, keyId, end: 'max' })
      return at === undefined ? [] : [{ planId, keyId, source, at }]
    })
  })
}

/** Number of stored requests, the oldest start, and the name of a damaged file that was moved aside. */
export const contents = (store: Store) =>
  store.read(({ kept }) => ({
    requests: kept,
    oldest: store.db.row('SELECT min(at) FROM requests')?.maybe(0),
    setAside: store.db.row('SELECT set_aside FROM state')?.text(0) ?? '',
  }))

type LogFilter = Pick<LedgerFilter, 'scope' | 'planId' | 'keyId' | 'toolId'>

/** Start of the first or last request. For deleted requests, the start of their 15-minute slot. */
function findRecordedTime(
  store: Store,
  state: Readonly<LedgerState>,
  { end, ...logFilter }: LogFilter & { readonly end: 'min' | 'max' },
): number | undefined {
  const { db, dimensions, calendar } = store
  const days = selectSlices(dimensions, logFilter, 'days')
  const daySql = `SELECT ${end}(t) FROM day_sums AS sums WHERE ${toSumsSql(days)}`
  const day = db.row(daySql, ...days.parameters)?.maybe(0)
  if (day === undefined) return undefined
  const [from, to] = [calendar.firstSlot(day), calendar.firstSlot(day + 1)]
  const singles = selectSlices(dimensions, logFilter, 'requests')
  const slotsSql = `SELECT ${end}(t) FROM slot_sums AS sums WHERE t >= ? AND t < ? AND ${toSumsSql(singles)}`
  const slot = db.row(slotsSql, from, to, ...singles.parameters)?.maybe(0) ?? from
  const requestsSql = `SELECT ${end}(at) FROM requests INDEXED BY requests_at WHERE at >= ? AND at < ?
    AND slice IN (SELECT id FROM slices WHERE ${singles.sql})`
  if (slot * slotMs < state.prunedBefore) return slot * slotMs
  return db.row(requestsSql, slot * slotMs, (slot + 1) * slotMs, ...singles.parameters)?.maybe(0) ?? slot * slotMs
}
