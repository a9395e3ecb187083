import type { UsageCounts, UsageErrorKind, UsageLatency, UsageSource, UsageStep } from '@shared/contract/usage'
import { dayMs } from '@shared/durations'
import { addUsageCounts, noCounts, sumTokens } from '@shared/usage-counts'
import { usageErrorKinds } from '@shared/usage-words'
import type { KeyLastUse, LedgerFilter, LedgerShare, LedgerSplit, LedgerStack, LedgerTotal, ModelHour } from '../ports'
import { getSlot, type Span, slotMs } from './calendar'
import {
  buildSumsCondition,
  type Dimension,
  type LedgerState,
  type LedgerTable,
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
  { filter, by, limit }: { readonly filter: LedgerFilter; readonly by: LedgerSplit; readonly limit: number },
): readonly LedgerShare[] {
  return store.read((state) => {
    const countsById = new Map<string, UsageCounts>()
    for (const tableRange of splitSpan(store, state, { ...filter, days: true })) {
      for (const { ids, counts } of readSums(store, tableRange, { filter, ...toSplit(by) })) {
        const id = getId(store, by, ids)
        countsById.set(id, addUsageCounts(countsById.get(id) ?? noCounts, counts))
      }
    }
    return [...countsById]
      .map(([id, counts]) => ({ id, ...counts }))
      .sort((a, b) => b.requests - a.requests || sumTokens(b) - sumTokens(a) || (a.id < b.id ? -1 : 1))
      .slice(0, limit)
  })
}

/** A split by error contains only failed requests. */
const toSplit = (by: LedgerSplit | undefined): Pick<SumsQuery, 'by' | 'onlyFailed'> => ({
  by: by === undefined ? [] : [by === 'source' ? 'origin' : by],
  onlyFailed: by === 'error',
})

const getId = (store: Store, by: LedgerSplit | undefined, [id = 0]: readonly number[]): string =>
  by === 'source' ? toUsageSource(id) : store.dimensions.getText(id)

type StacksQuery = {
  readonly filter: LedgerFilter
  readonly step: UsageStep
  readonly by?: LedgerSplit
  readonly ids?: readonly string[]
}

/** Usage for each step of a period, in total and by the given ids. A split by error has only failed requests. */
export function queryStacks(store: Store, { filter, step, by, ids = [] }: StacksQuery): readonly LedgerStack[] {
  return store.read((state) => {
    const { calendar } = store
    const starts = calendar.starts(step, filter.from, filter.to)
    const rows = starts.map((start) => ({ start, all: noCounts, counts: ids.map(() => noCounts) }))
    const rowByStart = new Map(rows.map((row) => [row.start, row]))
    for (const tableRange of splitSpan(store, state, { ...filter, days: step !== 'hour' })) {
      for (const { moment, ids: partIds, counts } of readSums(store, tableRange, { filter, ...toSplit(by), unit: 1 })) {
        const row = rowByStart.get(calendar.startOfStep(step, rangeKeyToMs(store, tableRange, moment)))
        if (!row) continue
        row.all = addUsageCounts(row.all, counts)
        const partIndex = ids.indexOf(getId(store, by, partIds))
        if (partIndex >= 0) row.counts[partIndex] = addUsageCounts(row.counts[partIndex] ?? noCounts, counts)
      }
    }
    return rows
  })
}

interface SumsQuery {
  readonly filter: Omit<LedgerFilter, 'from' | 'to'>
  /** Columns of slices by which the sums are split. */
  readonly by: readonly (Dimension | 'origin')[]
  readonly onlyFailed?: boolean
  /** Days or slots per sum. Default: one sum of the whole range. Sums of single requests have the time of the first. */
  readonly unit?: number
}

/** Sums of a range by time and columns of slices. */
function readSums(store: Store, { table, from, to }: TableRange, { filter, by, onlyFailed, unit }: SumsQuery) {
  const { db, dimensions } = store
  const split = by.filter((column) => column !== 'origin')
  const slices = selectSlices(dimensions, filter, table, split)
  const selection = onlyFailed ? { ...slices, sql: `${slices.sql} AND error <> 0` } : slices
  const isSingle = table === 'requests'
  const condition = isSingle
    ? { sql: `r.at >= ? AND r.at < ? AND ${selection.sql}`, parameters: [from, to, ...selection.parameters] }
    : buildSumsCondition(db, selection, { from, to })
  const columns = by.map((column) => `, s.${column}`).join('')
  const moment = unit === undefined ? '0' : `sums.t / ${unit}`
  const join = by.length === 0 ? '' : 'CROSS JOIN slices AS s ON s.id = sums.slice'
  const sql = isSingle
    ? `SELECT min(r.at) AS moment${columns}, ${addedRequests} FROM requests AS r INDEXED BY requests_at
       CROSS JOIN slices AS s ON s.id = r.slice WHERE ${condition.sql} GROUP BY s.grouping${columns}`
    : `SELECT ${moment} AS moment${columns}, ${sumColumnsSql} FROM ${table} AS sums ${join}
       WHERE ${condition.sql} GROUP BY moment${columns}`
  const rows = db.rows(['moment', ...by, 'n, e, i, o, c'].join(), sql, ...condition.parameters)
  return rows.map((row) => ({
    moment: row.number(0),
    ids: by.map((_, index) => row.number(index + 1)),
    counts: readCounts(row, by.length + 1),
  }))
}

/** Part of a period that is read from one table. `from` (inclusive) and `to` (exclusive) are in days, slots or ms. */
interface TableRange extends Span {
  readonly table: LedgerTable
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

const noEnd = Number.MAX_SAFE_INTEGER
const allDays = { table: 'day_sums', from: 0, to: noEnd } as const

const toErrorKind = (text: string): UsageErrorKind | undefined => usageErrorKinds.find((kind) => kind === text)

/** Usage of a plan by UTC hour and model, from the hour that contains `from`. Omits hours without requests. */
export const readHours = (store: Store, planId: string, from: number): readonly ModelHour[] =>
  store.read(() => {
    const firstSlot = Math.floor(getSlot(from) / slotsOfHour) * slotsOfHour
    const range = { table: 'slot_sums', from: firstSlot, to: noEnd } as const
    const query = { filter: { scope: 'machine', planId }, by: ['model'], unit: slotsOfHour } as const
    return readSums(store, range, query).map(({ moment, ids: [model = 0], counts }) => {
      return { start: moment * slotsOfHour * slotMs, planId, modelCode: store.dimensions.getText(model), ...counts }
    })
  })

/** Number of local requests since a time, by plan, model and kind of error. */
export const countSince = (store: Store, from: number) =>
  store.read(() => {
    const range = { table: 'requests', from, to: noEnd } as const
    const query = { filter: { scope: 'machine' }, by: ['plan', 'model', 'error'] } as const
    return readSums(store, range, query).map(({ ids, counts: { requests } }) => {
      const [planId = '', modelCode = '', error = ''] = ids.map((id) => store.dimensions.getText(id))
      return { planId, modelCode, error: toErrorKind(error), requests }
    })
  })

/** Sums of all relay requests ever recorded, by plan, tool and model, and sums of those that failed by error. */
export const relayTotals = (store: Store): readonly LedgerTotal[] =>
  store.read(() => {
    const readTotals = (by: SumsQuery['by']) =>
      readSums(store, allDays, { filter: { scope: 'relay' }, by }).map(({ ids, counts }) => {
        const [planId = '', toolId = '', modelCode = '', error = ''] = ids.map((id) => store.dimensions.getText(id))
        return { planId, toolId, modelCode, error: toErrorKind(error), ...counts }
      })
    const failedTotals = readTotals(['plan', 'tool', 'model', 'error']).filter(({ error }) => error !== undefined)
    return [...readTotals(['plan', 'tool', 'model']), ...failedTotals]
  })

/** Latency percentiles for each step. Omits steps without a measured request. */
export function latency(
  store: Store,
  { filter, step, limit }: { readonly filter: LedgerFilter; readonly step: UsageStep; readonly limit: number },
): UsageLatency['buckets'] {
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
  return store.read((state) => {
    const logFilter = toolId === undefined ? { scope: source } : { scope: source, toolId }
    const requests = readSums(store, allDays, { filter: logFilter, by: [] })[0]?.counts.requests
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

type LogFilter = Pick<LedgerFilter, 'scope' | 'planId' | 'keyId' | 'toolId'>

/** Start of the first or last request. For deleted requests, the start of their 15-minute slot. */
function findRecordedTime(
  store: Store,
  state: Readonly<LedgerState>,
  { end, ...logFilter }: LogFilter & { readonly end: 'min' | 'max' },
): number | undefined {
  const { db, dimensions, calendar } = store
  const days = selectSlices(dimensions, logFilter, 'day_sums')
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
