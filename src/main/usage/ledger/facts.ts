import type { UsageErrorKind, UsageSource } from '@shared/contract/usage'
import { usageErrorKinds } from '@shared/usage-words'
import type { KeyLastUse, Ledger, LedgerFilter, LedgerTotal, ModelHour } from '../ports'
import { computeLatency } from '../stacks'
import { getSlot, slotMs } from './calendar'
import { buildCondition, findDimensions } from './condition'
import { findGrouping, origins, singleGrouping, toUsageSource } from './groupings'
import type { LedgerState, Store } from './store'
import { addUsageCounts, readCounts, sumColumnsSql } from './sums'

const slotsOfHour = 4

/** Usage of a plan by UTC hour and model, from the hour that contains `from`. Omits hours without requests. */
export function readHours(store: Store, planId: string, from: number): readonly ModelHour[] {
  const { db, dimensions } = store
  return store.read(() => {
    const grouping = findGrouping('slots', new Set(['plan', 'model'] as const))
    const { sql, parameters } = buildCondition({ scope: 'machine', planId }, grouping, dimensions)
    const hour = `t / ${slotsOfHour}`
    const rows = db.rows(
      'hour, slice, n, e, i, o, c',
      `SELECT ${hour} AS hour, slice, ${sumColumnsSql} FROM slot_sums WHERE grouping = ${grouping.id} AND t >= ?
       AND slice IN (SELECT id FROM slices WHERE ${sql}) GROUP BY ${hour}, slice`,
      ...[Math.floor(getSlot(from) / slotsOfHour) * slotsOfHour, ...parameters],
    )
    const hoursByModel = new Map<string, ModelHour>()
    for (const row of rows) {
      const start = row.number(0) * slotsOfHour * slotMs
      const modelCode = dimensions.getText(dimensions.getSliceKey(row.number(1)).model)
      const hourBefore = hoursByModel.get(`${start} ${modelCode}`)
      const counts = hourBefore ? addUsageCounts(hourBefore, readCounts(row, 2)) : readCounts(row, 2)
      hoursByModel.set(`${start} ${modelCode}`, { start, planId, modelCode, ...counts })
    }
    return [...hoursByModel.values()]
  })
}

/**
 * Number of local failures since a point in time by plan, model and kind. Each row also has the total number of
 * requests of that plan and model.
 */
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
      const text = dimensions.getText(row.number(2))
      const error = usageErrorKinds.find((kind) => kind === text)
      const [planId, modelCode] = [dimensions.getText(row.number(0)), dimensions.getText(row.number(1))]
      return error === undefined ? [] : [{ planId, modelCode, error, count, requests: requestCounts.get(of) ?? count }]
    })
  })
}

/** Sums of all relay requests ever recorded, by plan, tool and model. */
export function relayTotals(store: Store): readonly LedgerTotal[] {
  const { db, dimensions } = store
  return store.read(() => {
    const totals = new Map<string, LedgerTotal & { readonly failed: { error: UsageErrorKind; requests: number }[] }>()
    for (const groupingDimensions of [
      ['plan', 'tool', 'model'],
      ['plan', 'tool', 'model', 'error'],
    ] as const) {
      const grouping = findGrouping('days', new Set(groupingDimensions))
      const { sql, parameters } = buildCondition({ scope: 'relay' }, grouping, dimensions)
      const rows = db.rows(
        'slice, n, e, i, o, c',
        `SELECT slice, ${sumColumnsSql} FROM day_sums WHERE grouping = ${grouping.id}
         AND slice IN (SELECT id FROM slices WHERE ${sql}) GROUP BY slice`,
        ...parameters,
      )
      for (const row of rows) {
        const { plan, tool, model, error } = dimensions.getSliceKey(row.number(0))
        const name = `${plan} ${tool} ${model}`
        const [planId, toolId, modelCode] = [plan, tool, model].map((number) => dimensions.getText(number))
        const text = dimensions.getText(error)
        const kind = grouping.failedOnly ? usageErrorKinds.find((errorKind) => errorKind === text) : undefined
        if (kind !== undefined) totals.get(name)?.failed.push({ error: kind, requests: row.number(1) })
        if (grouping.failedOnly) continue
        const texts = { planId: planId ?? '', toolId: toolId ?? '', modelCode: modelCode ?? '' }
        totals.set(name, { ...texts, ...readCounts(row, 1), failed: [] })
      }
    }
    return [...totals.values()].map((total) => ({ ...total, failed: mergedFailures(total.failed) }))
  })
}

/** Merges failures of different keys by kind, because the file stores them by key. */
function mergedFailures(failed: LedgerTotal['failed']): LedgerTotal['failed'] {
  const requestsByKind = new Map<UsageErrorKind, number>()
  for (const { error, requests } of failed) requestsByKind.set(error, (requestsByKind.get(error) ?? 0) + requests)
  return [...requestsByKind].map(([error, requests]) => ({ error, requests }))
}

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
    const measuredTimes = rows.map((row) => ({
      at: row.number(0),
      durationMs: row.number(1),
      firstByteMs: row.maybe(2),
    }))
    return computeLatency(measuredTimes, calendar, step)
  })
}

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
    const [first, last] = [findFirstTime(store, state, logFilter), lastMoment(store, state, logFilter)]
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
      const lastUsedAt = lastMoment(store, state, { scope: source, planId, keyId })
      return lastUsedAt === undefined ? [] : [{ planId, keyId, source, at: lastUsedAt }]
    })
  })
}

/** Number of stored requests, the oldest start, and the name of a damaged file that was moved aside. */
export function contents(store: Store): {
  readonly requests: number
  readonly oldest: number | undefined
  readonly setAside: string
} {
  return store.read(({ kept }) => ({
    requests: kept,
    oldest: store.db.row('SELECT min(at) FROM requests')?.maybe(0),
    setAside: store.db.row('SELECT set_aside FROM state')?.text(0) ?? '',
  }))
}

type LogFilter = Pick<LedgerFilter, 'scope' | 'planId' | 'keyId' | 'toolId'>

/** Start of the first request. For deleted requests, the start of their 15-minute slot. */
export const findFirstTime = (store: Store, state: Readonly<LedgerState>, logFilter: LogFilter): number | undefined =>
  findRecordedTime(store, state, { ...logFilter, end: 'min' })

const lastMoment = (store: Store, state: Readonly<LedgerState>, logFilter: LogFilter): number | undefined =>
  findRecordedTime(store, state, { ...logFilter, end: 'max' })

function findRecordedTime(
  store: Store,
  state: Readonly<LedgerState>,
  logFilter: LogFilter & { readonly end: 'min' | 'max' },
): number | undefined {
  const { db, dimensions, calendar } = store
  const { end } = logFilter
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
  const isPrunedSlot = slot * slotMs < state.prunedBefore
  const requestMs = isPrunedSlot
    ? undefined
    : db.row(requestsSql, slot * slotMs, (slot + 1) * slotMs, ...ungroupedSlices.parameters)?.maybe(0)
  return requestMs ?? slot * slotMs
}
