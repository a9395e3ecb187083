import type { UsageErrorKind, UsageSource } from '@shared/contract/usage'
import { usageErrorKinds } from '@shared/usage-words'
import type { Row } from '../../core/sqlite/database'
import type { KeyLastUse, Ledger, LedgerFilter, LedgerTotal, ModelHour } from '../ports'
import { getSlot, slotMs } from './calendar'
import {
  buildCondition,
  type Dimension,
  findDimensions,
  findGrouping,
  origins,
  singleGrouping,
  toUsageSource,
} from './groupings'
import type { LedgerState, Store } from './store'
import { readCounts, sumColumnsSql } from './sums'

const slotsOfHour = 4

const toErrorKind = (text: string): UsageErrorKind | undefined => usageErrorKinds.find((kind) => kind === text)

/** Usage of a plan by UTC hour and model, from the hour that contains `from`. Omits hours without requests. */
export function readHours(store: Store, planId: string, from: number): readonly ModelHour[] {
  const { db, dimensions } = store
  return store.read(() => {
    const grouping = findGrouping('slots', new Set(['plan', 'model'] as const))
    const { sql, parameters } = buildCondition({ scope: 'machine', planId }, grouping, dimensions)
    const rows = db.rows(
      'hour, model, n, e, i, o, c',
      `SELECT t / ${slotsOfHour} AS hour, s.model, ${sumColumnsSql} FROM slot_sums AS sums
       CROSS JOIN slices AS s ON s.id = sums.slice WHERE sums.grouping = ${grouping.id} AND t >= ?
       AND slice IN (SELECT id FROM slices WHERE ${sql}) GROUP BY hour, s.model`,
      ...[Math.floor(getSlot(from) / slotsOfHour) * slotsOfHour, ...parameters],
    )
    return rows.map((row) => ({
      start: row.number(0) * slotsOfHour * slotMs,
      planId,
      modelCode: dimensions.getText(row.number(1)),
      ...readCounts(row, 2),
    }))
  })
}

/** Local failures since a time by plan, model and kind, each with all requests of that plan and model. */
export function errorsSince(store: Store, from: number): Awaited<ReturnType<Ledger['errorsSince']>> {
  const { db, dimensions } = store
  return store.read(() => {
    const { sql, parameters } = buildCondition({ scope: 'machine' }, singleGrouping, dimensions)
    const rows = db.rows(
      'plan, model, error, n',
      `SELECT s.plan, s.model, s.error, count(*) AS n FROM requests AS r INDEXED BY requests_at
       CROSS JOIN slices AS s ON s.id = r.slice WHERE r.at >= ? AND ${sql} GROUP BY s.plan, s.model, s.error`,
      ...[from, ...parameters],
    )
    const parts = rows.map((row) => ({ of: `${row.number(0)} ${row.number(1)}`, row, count: row.number(3) }))
    const requestCounts = new Map<string, number>()
    for (const { of, count } of parts) requestCounts.set(of, (requestCounts.get(of) ?? 0) + count)
    return parts.flatMap(({ of, row, count }) => {
      const error = toErrorKind(dimensions.getText(row.number(2)))
      const [planId, modelCode] = [dimensions.getText(row.number(0)), dimensions.getText(row.number(1))]
      return error === undefined ? [] : [{ planId, modelCode, error, count, requests: requestCounts.get(of) ?? count }]
    })
  })
}

/** Sums of all relay requests ever recorded, by plan, tool and model. */
export function relayTotals(store: Store): readonly LedgerTotal[] {
  const { db, dimensions } = store
  return store.read(() => {
    const readGroups = (by: readonly Dimension[]) => {
      const grouping = findGrouping('days', new Set(by))
      const { sql, parameters } = buildCondition({ scope: 'relay' }, grouping, dimensions)
      return db.rows(
        'plan, tool, model, error, n, e, i, o, c',
        `SELECT s.plan, s.tool, s.model, s.error, ${sumColumnsSql} FROM day_sums AS sums
         CROSS JOIN slices AS s ON s.id = sums.slice WHERE sums.grouping = ${grouping.id}
         AND slice IN (SELECT id FROM slices WHERE ${sql}) GROUP BY s.plan, s.tool, s.model, s.error`,
        ...parameters,
      )
    }
    const getText = (row: Row, column: number): string => dimensions.getText(row.number(column))
    const toName = (row: Row): string => [0, 1, 2].map((column) => row.number(column)).join()
    const totals = new Map(
      readGroups(['plan', 'tool', 'model']).map((row) => {
        const subject = { planId: getText(row, 0), toolId: getText(row, 1), modelCode: getText(row, 2) }
        const failed: { error: UsageErrorKind; requests: number }[] = []
        return [toName(row), { ...subject, ...readCounts(row, 4), failed }]
      }),
    )
    for (const row of readGroups(['plan', 'tool', 'model', 'error'])) {
      const error = toErrorKind(getText(row, 3))
      if (error !== undefined) totals.get(toName(row))?.failed.push({ error, requests: row.number(4) })
    }
    return [...totals.values()]
  })
}

/** Latency percentiles for each step. Omits steps without a measured request. */
export function latency(
  store: Store,
  { filter, step, limit }: Parameters<Ledger['latency']>[0],
): Awaited<ReturnType<Ledger['latency']>> {
  const { db, dimensions, calendar } = store
  return store.read(() => {
    const { sql, parameters } = buildCondition(filter, singleGrouping, dimensions)
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
    const grouping = findGrouping('days', new Set(findDimensions(logFilter)))
    const { sql, parameters } = buildCondition(logFilter, grouping, dimensions)
    const sliceCondition = `grouping = ${grouping.id} AND slice IN (SELECT id FROM slices WHERE ${sql})`
    const requests = db
      .row(`SELECT coalesce(sum(requests), 0) FROM day_sums WHERE ${sliceCondition}`, ...parameters)
      ?.number(0)
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
export function findRecordedTime(
  store: Store,
  state: Readonly<LedgerState>,
  { end, ...logFilter }: LogFilter & { readonly end: 'min' | 'max' },
): number | undefined {
  const { db, dimensions, calendar } = store
  const dayGrouping = findGrouping('days', new Set(findDimensions(logFilter)))
  const days = buildCondition(logFilter, dayGrouping, dimensions)
  const sliceCondition = `grouping = ${dayGrouping.id} AND slice IN (SELECT id FROM slices WHERE ${days.sql})`
  const day = db.row(`SELECT ${end}(t) FROM day_sums WHERE ${sliceCondition}`, ...days.parameters)?.maybe(0)
  if (day === undefined) return undefined
  const [from, to] = [calendar.firstSlot(day), calendar.firstSlot(day + 1)]
  const ungroupedSlices = buildCondition(logFilter, singleGrouping, dimensions)
  const slices = `slice IN (SELECT id FROM slices WHERE ${ungroupedSlices.sql})`
  const slotsSql = `SELECT ${end}(t) FROM slot_sums WHERE grouping = ${singleGrouping.id} AND t >= ? AND t < ? AND ${slices}`
  const slot = db.row(slotsSql, from, to, ...ungroupedSlices.parameters)?.maybe(0) ?? from
  const requestsSql = `SELECT ${end}(at) FROM requests INDEXED BY requests_at WHERE at >= ? AND at < ? AND ${slices}`
  if (slot * slotMs < state.prunedBefore) return slot * slotMs
  return (
    db.row(requestsSql, slot * slotMs, (slot + 1) * slotMs, ...ungroupedSlices.parameters)?.maybe(0) ?? slot * slotMs
  )
}
