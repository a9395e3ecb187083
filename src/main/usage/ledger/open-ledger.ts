import { existsSync } from 'node:fs'
import { AppError } from '@shared/app-error'
import { dayMs } from '@shared/durations'
import { timeZone } from '../../core/local-time'
import { type DatabaseFile, databaseBytes, openFile, removeCopies } from '../../core/sqlite/file'
import type { LedgerEntry, LedgerFilter, LogPosition } from '../ports'
import { getSlot, slotMs } from './calendar'
import { migrations } from './migrations'
import { countSince, latency, listLastUses, queryStacks, readHours, readShares, readSpan, relayTotals } from './queries'
import { buildSumsCondition, origins, readCounts, Store, selectSlices, singleGrouping, sumColumnsSql } from './store'
import { type RequestRow, readEntry, readRow, rowColumns, writeEntries } from './write'

/** Ledger whose calls run synchronously in the current thread. They fail with SQLite errors. */
export type OpenLedger = ReturnType<typeof openLedger>

/** Opens the ledger. `zone` is the time zone of its days. Fails as `openFile` does. */
export function openLedger({
  zone = timeZone(),
  steps = migrations,
  ...place
}: Pick<DatabaseFile, 'file' | 'isSuspect' | 'cacheKib'> & {
  readonly steps?: readonly string[]
  readonly zone?: string | undefined
}) {
  const { file } = place
  const store = new Store(openFile({ ...place, steps }), zone)
  store.setZone(zone)
  const bind =
    <Input extends readonly unknown[], Output>(call: (store: Store, ...input: Input) => Output) =>
    (...input: Input): Output =>
      call(store, ...input)
  return {
    /** Usage by one dimension, largest first. Returns at most `limit` values of the dimension. */
    shares: bind(readShares),
    /**
     * Usage for each step of the period, including steps without usage, in total and by the given ids of one dimension.
     * The first step contains the start. Computed from hourly and daily sums.
     */
    stacks: bind(queryStacks),
    /** Reads requests, newest first. `before` is the `next` of the previous page. */
    requests: bind(page),
    /** Lists the hourly usage of a plan on this computer. */
    listHours: bind(readHours),
    /** Latency per step, from a limited number of newest requests. */
    latency: bind(latency),
    /** Requests since a moment by plan, model and kind of error, to detect bursts of failures. */
    countSince: bind(countSince),
    /** Sums of all relay requests ever recorded. They only decrease when the user deletes usage data. */
    relayTotals: bind(relayTotals),
    /** Start times of the first and the last request of a source or of one tool's log. */
    getSpan: bind(readSpan),
    listLastUses: bind(listLastUses),
    positions: bind(readPositions),
    add: (entries: readonly LedgerEntry[]) => writeEntries(store, entries),
    /** Saves log entries and the read position atomically. */
    addLog: bind(writeEntries),
    forgetLog: bind(deleteLogEntries),
    erase: () => {
      eraseAll(store)
      removeCopies(file)
    },
    /** Deletes some requests before a time, or frees disk space. Keeps the sums. Returns whether there is more. */
    pruneSome: (beforeMs: number) => deleteOldRows(store, beforeMs) || releasePages(store),
    contents: () => readContents(store, file),
    close: () => store.db.close(),
  }
}

/** Size of the file, stored requests, and the name of a damaged file that was moved aside. */
const readContents = (store: Store, file: string) =>
  store.read(({ kept: requests }) => {
    const oldest = store.db.row('SELECT min(at) FROM requests')?.maybe(0)
    const oldestTime = oldest === undefined ? undefined : new Date(oldest).toISOString()
    const setAside = store.db.row('SELECT set_aside FROM state')?.text(0) ?? ''
    const bytes = databaseBytes(file)
    return { bytes, requests, oldest: oldestTime, setAside: existsSync(setAside) ? setAside : undefined }
  })

const readPositions = ({ db }: Store, toolId: string): readonly LogPosition[] =>
  db
    .rows('path, state', 'SELECT path, state FROM log_positions WHERE tool = ?', toolId)
    .map((row) => ({ toolId, path: row.text(0), state: row.text(1) }))

/** Number of rows to delete per transaction. Other processes can write between two transactions. */
const rowBatchSize = 10_000
const pageBatchSize = 2_000
const maxFreePages = 500

function deleteOldRows(store: Store, beforeMs: number): boolean {
  const { db } = store
  return store.write((state) => {
    const sql = 'SELECT id FROM requests WHERE at < ? ORDER BY at LIMIT ?'
    const ids = db.rows('id', sql, beforeMs, rowBatchSize).map((row) => row.number(0))
    state.prunedBefore = Math.max(state.prunedBefore, Math.floor(beforeMs))
    state.kept -= ids.length
    const list = JSON.stringify(ids)
    // Save the hash of deleted log entries, so that they are not counted again when the log is read again.
    db.run(
      `INSERT OR IGNORE INTO pruned_ids SELECT r.mark, s.tool FROM json_each(?) AS j CROSS JOIN requests AS r ON r.id = j.value
       CROSS JOIN slices AS s ON s.id = r.slice AND s.origin IN (${origins.log}, ${origins.twin})`,
      list,
    )
    db.run('DELETE FROM requests WHERE id IN (SELECT value FROM json_each(?))', list)
    return ids.length === rowBatchSize
  })
}

/** Deletes all data of a tool's log, including sums and read position. */
function deleteLogEntries(store: Store, toolId: string): void {
  const { db, dimensions } = store
  store.write((state) => {
    db.run('DELETE FROM log_positions WHERE tool = ?', toolId)
    const tool = dimensions.find(toolId)
    if (tool === undefined || tool === 0) return
    const logSlicesSql = `SELECT id FROM slices WHERE grouping = ${singleGrouping.id} AND tool = ? AND origin IN (${origins.log}, ${origins.twin})`
    const sums = store.sums()
    for (const { counts, ...place } of readSlotSums(store, logSlicesSql, tool)) sums.add(place, counts, -1)
    sums.write()
    db.run(`DELETE FROM requests WHERE slice IN (${logSlicesSql})`, tool)
    state.kept -= db.row('SELECT changes()')?.number(0) ?? 0
    clearProjects(store, tool)
    db.run('DELETE FROM pruned_ids WHERE tool = ?', tool)
  })
}

/** Sums of slices, which a query with a tool as parameter selects. */
const readSlotSums = ({ db }: Store, slicesSql: string, tool: number) =>
  db
    .rows(
      't, slice, n, e, i, o, c',
      `SELECT t, slice, ${sumColumnsSql} FROM slot_sums WHERE grouping = ${singleGrouping.id} AND slice IN (${slicesSql}) GROUP BY t, slice`,
      tool,
    )
    .map((row) => ({ slot: row.number(0), slice: row.number(1), counts: readCounts(row, 2) }))

/** Removes the project from a tool's relay requests, because it comes from the tool's log. */
function clearProjects(store: Store, tool: number): void {
  const { db, dimensions } = store
  const relaySlicesSql = `SELECT id FROM slices WHERE grouping = ${singleGrouping.id} AND tool = ? AND origin = ${origins.relay} AND project <> 0`
  const sums = store.sums()
  for (const { slot, slice, counts } of readSlotSums(store, relaySlicesSql, tool)) {
    const newSlice = dimensions.toSliceId({ ...dimensions.getSliceKey(slice), project: 0 })
    sums.add({ slot, slice }, counts, -1)
    sums.add({ slot, slice: newSlice }, counts)
  }
  sums.write()
  db.run(
    `UPDATE requests SET slice = (SELECT new.id FROM slices AS old CROSS JOIN slices AS new
       ON new.grouping = old.grouping AND new.plan = old.plan AND new.key = old.key AND new.tool = old.tool
       AND new.model = old.model AND new.error = old.error AND new.project = 0 AND new.origin = old.origin
       WHERE old.id = requests.slice)
     WHERE slice IN (${relaySlicesSql})`,
    tool,
  )
}

function eraseAll(store: Store): void {
  store.write((state) => {
    for (const table of usageTables) store.db.exec(`DELETE FROM ${table}`)
    store.db.exec(`INSERT INTO texts VALUES (0, ''); UPDATE state SET generation = generation + 1, set_aside = ''`)
    store.dimensions.clear()
    state.kept = 0
    state.prunedBefore = 0
  })
  store.db.exec('VACUUM')
  store.db.pragma('wal_checkpoint(TRUNCATE)')
}

function releasePages({ db }: Store): boolean {
  const countFreePages = () => db.pragma('freelist_count')
  const freePagesBefore = countFreePages()
  if (freePagesBefore <= maxFreePages) return false
  db.exec(`PRAGMA incremental_vacuum(${pageBatchSize})`)
  return countFreePages() < freePagesBefore
}

const usageTables = ['requests', 'slot_sums', 'day_sums', 'slices', 'texts', 'pruned_ids', 'log_positions'] as const

type PageQuery = {
  readonly filter: LedgerFilter
  readonly onlyErrors: boolean
  readonly limit: number
  readonly before?: string | undefined
}

/** Position after a page. The next page has later rows, and rows of the same time with a higher id. */
interface Cursor {
  readonly at: number
  readonly id: number
}

/** Single requests, newest first. Uses daily sums to limit the search, so rare matches are found fast. */
function page(
  store: Store,
  query: PageQuery,
): { readonly entries: readonly LedgerEntry[]; readonly next?: string | undefined } {
  return store.read(() => {
    const rows = findRows(store, query, readCursor(query))
    const entries = rows.slice(0, query.limit).map((row) => readEntry(row, store.dimensions))
    const lastRow = rows[query.limit - 1]
    return rows.length > query.limit && lastRow ? { entries, next: `${lastRow.at}.${lastRow.id}` } : { entries }
  })
}

function readCursor({ before, filter }: PageQuery): Cursor {
  if (before === undefined) return { at: filter.to, id: 0 }
  if (!/^\d{1,15}\.\d{1,15}$/.test(before)) throw new AppError('input.invalid', 'This page of requests does not exist.')
  const [at = 0, id = 0] = before.split('.').map(Number)
  return at < filter.to ? { at, id } : { at: filter.to, id: 0 }
}

function findRows(store: Store, query: PageQuery, cursor: Cursor): readonly RequestRow[] {
  const oldestMs = store.db.row('SELECT min(at) FROM requests')?.maybe(0) ?? Number.POSITIVE_INFINITY
  const [newest, ...completeDays] = readDays(store, query, { oldest: oldestMs, cursor })
  if (!newest) return []
  const findStart = ({ day }: Day): number => Math.max(query.filter.from, store.calendar.firstSlot(day) * slotMs)
  const newestFrom = findStart(newest)
  const rows = readRows(store, query, { ...newest, from: newestFrom, to: cursor, wanted: query.limit + 1 })
  const wanted = query.limit + 1 - rows.length
  let [from, matching, all] = [newestFrom, 0, 0]
  for (const day of completeDays) {
    if (matching >= wanted) break
    from = findStart(day)
    matching += day.matching
    all += day.all
  }
  if (matching === 0) return rows
  return [...rows, ...readRows(store, query, { from, to: { at: newestFrom, id: 0 }, wanted, matching, all })]
}

interface Day {
  readonly day: number
  readonly matching: number
  readonly all: number
}

/** Days with matching requests, newest first, with their counts. */
function readDays(
  store: Store,
  { filter, onlyErrors }: PageQuery,
  span: { oldest: number; cursor: Cursor },
): readonly Day[] {
  const { db, dimensions, calendar } = store
  const from = Math.max(filter.from, span.oldest)
  if (from > span.cursor.at) return []
  const dayRange = { from: calendar.toDay(getSlot(from)), to: calendar.toDay(getSlot(span.cursor.at)) + 1 }
  const { sql, parameters } = buildSumsCondition(db, selectSlices(dimensions, filter, 'day_sums'), dayRange)
  const { grouping: totalGrouping } = selectSlices(dimensions, { scope: filter.scope }, 'day_sums')
  const rows = db.rows(
    'day, matching, total',
    `SELECT sums.t AS day, sum(${onlyErrors ? 'errors' : 'requests'}) AS matching,
     (SELECT sum(requests) FROM day_sums AS a WHERE a.grouping = ${totalGrouping} AND a.t = sums.t) AS total
     FROM day_sums AS sums WHERE ${sql} GROUP BY sums.t`,
    ...parameters,
  )
  const days = rows.map((row) => ({ day: row.number(0), matching: row.number(1), all: row.number(2) }))
  return days.filter(({ matching }) => matching > 0).sort((a, b) => b.day - a.day)
}

function readRows(
  { db, dimensions }: Store,
  { filter, onlyErrors }: PageQuery,
  stretch: Omit<Day, 'day'> & { readonly from: number; readonly to: Cursor; readonly wanted: number },
): readonly RequestRow[] {
  const { from, to, wanted, matching, all } = stretch
  const condition = selectSlices(dimensions, filter, 'requests')
  const sql = `SELECT id FROM slices WHERE ${condition.sql}${onlyErrors ? ' AND error <> 0' : ''}`
  const [firstDay, lastDay] = [Math.floor(from / dayMs), Math.floor(to.at / dayMs)]
  const days = Array.from({ length: lastDay - firstDay + 1 }, (_, offset) => firstDay + offset)
  const slices = db.row(`SELECT count(*) FROM (${sql})`, ...condition.parameters)?.number(0) ?? 0
  // Scan all requests, or look up matches by day and slice, whichever reads fewer rows.
  const coversMostRows = (wanted * all) / matching < matching + slices * days.length
  const [index, within] = coversMostRows
    ? ['requests_at', '']
    : ['requests_day', `at / ${dayMs} IN (SELECT value FROM json_each(?)) AND`]
  const rows = db.rows(
    rowColumns,
    `SELECT * FROM requests INDEXED BY ${index} WHERE ${within} slice IN (${sql})
     AND at >= ? AND at <= ? AND (at < ? OR id < ?) ORDER BY at DESC, id DESC LIMIT ?`,
    ...(coversMostRows ? [] : [JSON.stringify(days)]),
    ...[...condition.parameters, from, to.at, to.at, to.id, wanted],
  )
  return rows.map(readRow)
}
