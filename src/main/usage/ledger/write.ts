import { hash } from 'node:crypto'
import { dayMs } from '@shared/durations'
import { apiStandards, usageErrorKinds } from '@shared/usage-words'
import type { Row } from '../../core/sqlite/database'
import type { LedgerEntry, LogPosition } from '../ports'
import { getSlot } from './calendar'
import {
  type Dimensions,
  type LedgerState,
  origins,
  plainText,
  type SliceKey,
  type Store,
  type Sums,
  singleGrouping,
  toUsageSource,
} from './store'

/** Saves entries and the read positions of logs in one transaction. An entry with an existing id replaces it. */
export function writeEntries(
  store: Store,
  entries: readonly LedgerEntry[],
  positions: readonly LogPosition[] = [],
): void {
  store.write((state) => {
    const sums = store.sums()
    const storableEntries = entries.filter(({ at }) => at >= earliest && at < latest)
    const markedEntries = storableEntries.map((entry) => {
      // For relay and app entries the number starts with the day, so that new rows are appended to the index. A log may
      // later report another date for the same entry, so the number of a log entry contains no day.
      const mark = entry.source === 'toolLog' ? hashToNumber(entry.id) : toDayMark(entry.id, entry.at)
      return [entry.id, { entry, mark, name: plainText(entry.id) }] as const
    })
    // Keep only the last entry of each id.
    const rows = replaceRows(store, [...new Map(markedEntries).values()], { sums, state })
    matchLogRows(store, sums, rows)
    sums.write()
    for (const { toolId, path, state: text } of positions) {
      store.db.run('INSERT OR REPLACE INTO log_positions VALUES (?, ?, ?)', toolId, path, text)
    }
  })
}

function replaceRows(
  store: Store,
  entries: readonly MarkedEntry[],
  { sums, state }: { readonly sums: Sums; readonly state: LedgerState },
): readonly RequestRow[] {
  const { db, dimensions } = store
  const existingRows = findRows(store, entries)
  const prunedAnswerMarks = findPrunedIndexNumbers(store, entries)
  const rows: RequestRow[] = []
  const isCopy = createCopyDetector(store, entries)
  for (const markedEntry of entries) {
    const existingRow = existingRows.get(sliceKey(markedEntry))
    if (!existingRow && (prunedAnswerMarks.has(markedEntry.mark) || isCopy(markedEntry))) continue
    if (existingRow) {
      const share = toShare(existingRow, dimensions)
      sums.add(share.place, share.counts, -1)
    } else state.kept += 1
    const row = toRow(markedEntry, existingRow?.id ?? state.nextId++, dimensions)
    const share = toShare(row, dimensions)
    sums.add(share.place, share.counts)
    rows.push(row)
  }
  db.insert(
    `INSERT OR REPLACE INTO requests (${rowColumns}) VALUES`,
    rowWidth,
    rows.map((row) => Object.values(row)),
  )
  unlinkLogRows(store, sums, [...existingRows.values()])
  return rows
}

const sliceKey = ({ mark, name }: Pick<RequestRow, 'mark' | 'name'>): string => `${mark} ${name}`

function findRows({ db }: Store, entries: readonly MarkedEntry[]): ReadonlyMap<string, RequestRow> {
  const keys = new Set(entries.map(sliceKey))
  const sql = 'SELECT r.* FROM json_each(?) AS j CROSS JOIN requests AS r INDEXED BY requests_mark ON r.mark = j.value'
  const rows = db.rows(rowColumns, sql, JSON.stringify(entries.map(({ mark }) => mark))).map(readRow)
  return new Map(rows.map((row) => [sliceKey(row), row] as const).filter(([key]) => keys.has(key)))
}

/** Hashes of the given log entries that were deleted but are still in the sums. A log may be read again much later. */
function findPrunedIndexNumbers({ db }: Store, entries: readonly MarkedEntry[]): ReadonlySet<number> {
  const marks = entries.filter(({ entry }) => entry.source === 'toolLog').map(({ mark }) => mark)
  if (marks.length === 0) return new Set()
  const sql = 'SELECT p.mark FROM json_each(?) AS j CROSS JOIN pruned_ids AS p ON p.mark = j.value'
  return new Set(db.rows('mark', sql, JSON.stringify(marks)).map((row) => row.number(0)))
}

/** Finds copies of entries. A forked session has new ids, but equal times, models and tokens. */
function createCopyDetector(
  { db, dimensions }: Store,
  entries: readonly MarkedEntry[],
): (markedEntry: MarkedEntry) => boolean {
  const loggedEntries = entries.filter(({ entry }) => entry.source === 'toolLog' && entry.isDistinct !== true)
  if (loggedEntries.length === 0) return () => false
  const nameByContentKey = new Map<string, string>()
  const sql = 'SELECT r.* FROM json_each(?) AS j CROSS JOIN requests AS r INDEXED BY requests_at ON r.at = j.value'
  const entryTimes = [...new Set(loggedEntries.map(({ entry }) => Math.floor(entry.at)))]
  for (const row of db.rows(rowColumns, sql, JSON.stringify(entryTimes)).map(readRow)) {
    const entry = readEntry(row, dimensions)
    if (entry.source === 'toolLog') nameByContentKey.set(toContentKey(entry, row.answer), row.name)
  }
  const entriesToCompare = new Set(loggedEntries)
  return (markedEntry) => {
    if (!entriesToCompare.has(markedEntry) || listTokenCounts(markedEntry.entry).every((count) => count === 0))
      return false
    const key = toContentKey(markedEntry.entry, getAnswerDayMark(markedEntry.entry))
    const name = nameByContentKey.get(key)
    if (name === undefined) nameByContentKey.set(key, markedEntry.name)
    return name !== undefined && name !== markedEntry.name
  }
}

const listTokenCounts = (entry: LedgerEntry): readonly number[] =>
  [entry.inputTokens, entry.outputTokens, entry.cacheReadTokens, entry.cacheWriteTokens].map(
    (count) => toAmount(count) ?? 0,
  )

function toContentKey(entry: LedgerEntry, answer: number | null): string {
  const { toolId = '', modelCode, at } = entry
  return [plainText(toolId), plainText(modelCode), Math.floor(at), answer, ...listTokenCounts(entry)].join('\0')
}

/** Maximum time difference between relay and log entries of the same request, in ms. */
const maxTimeDifferenceMs = 600_000

/**
 * Finds new relay rows and tool log rows of the same request, by response id or else by model, tokens and time. A
 * matched log row is only counted when the log is shown alone.
 */
function matchLogRows(store: Store, sums: Sums, allRows: readonly RequestRow[]): void {
  const sliceKey = (row: RequestRow): SliceKey => store.dimensions.getSliceKey(row.slice)
  const isRecordedByOther = hasOtherSource(store)
  const rows = allRows.filter((row) => isRecordedByOther(sliceKey(row)))
  if (rows.length === 0) return
  const rowsByAnswer = groupByAnswer(store, rows)
  const hasUnansweredRows = hasRowsWithoutResponseId(store, rows)
  const settledIds = new Set<number>()
  for (const row of rows) {
    const isLog = sliceKey(row).origin === origins.log
    if (settledIds.has(row.id)) continue
    const unsettledRows = (rowsByAnswer.get(row.id) ?? []).filter(({ id }) => !settledIds.has(id))
    const candidates =
      unsettledRows.length > 0 || (row.answer !== null && !hasUnansweredRows)
        ? unsettledRows
        : findNearestRequests(store, row)
    const matchedPairs = isLog
      ? candidates.slice(0, 1).map(({ id }) => ({ log: row, relay: id }))
      : candidates.map((log) => ({ log, relay: row.id }))
    for (const pair of matchedPairs) {
      mark(store, sums, pair)
      settledIds.add(pair.log.id)
    }
  }
}

/** Removes the link between log rows and relay rows that were replaced. They can be matched again. */
function unlinkLogRows(store: Store, sums: Sums, relayRows: readonly RequestRow[]): void {
  for (const { id, slice } of relayRows) {
    if (store.dimensions.getSliceKey(slice).origin !== origins.relay) continue
    const logs = store.db.rows(rowColumns, 'SELECT * FROM requests WHERE twin = ?', id).map(readRow)
    for (const log of logs) mark(store, sums, { log, relay: null })
  }
}

const otherOrigin = (origin: number): number => (origin === origins.relay ? origins.log : origins.relay)

/** Whether the other source (relay or tool log) has requests of the same tool. Most tools have no log. */
function hasOtherSource({ db }: Store): (key: SliceKey) => boolean {
  const cachedResults = new Map<string, boolean>()
  const sql = 'SELECT 1 FROM slices INDEXED BY slices_tool WHERE grouping = ? AND tool = ? AND origin = ? LIMIT 1'
  return ({ tool, origin }) => {
    if (tool === 0 || origin === origins.app) return false
    const name = `${tool} ${origin}`
    const isKnown = cachedResults.get(name) ?? db.row(sql, singleGrouping.id, tool, otherOrigin(origin)) !== undefined
    cachedResults.set(name, isKnown)
    return isKnown
  }
}

/** Maximum rows to read per response id. Some gateways reuse one id for very many. */
const minMatchingFields = 8

/** Finds rows of the other source (relay or tool log) with the same tool and response id. */
function groupByAnswer(
  { db, dimensions }: Store,
  rows: readonly RequestRow[],
): ReadonlyMap<number, readonly RequestRow[]> {
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  const sql = `SELECT r.*, j.value->>0 AS asked FROM json_each(?) AS j
    CROSS JOIN requests AS r ON r.id IN (SELECT same.id FROM requests AS same INDEXED BY requests_answer
      WHERE same.answer = j.value->>1 LIMIT ${minMatchingFields}) AND r.id <> j.value->>0 AND r.twin IS NULL`
  const answers = rows.flatMap(({ id, answer }) =>
    // Another source may have the same response with a date that differs by one day.
    answer === null ? [] : [answer - dayFactor, answer, answer + dayFactor].map((mark) => [id, mark]),
  )
  const matchesById = new Map<number, RequestRow[]>()
  for (const row of db.rows(`${rowColumns}, asked`, sql, JSON.stringify(answers))) {
    const [otherRow, ownRow] = [readRow(row), rowsById.get(row.number(rowWidth))]
    if (!ownRow) continue
    const [ownKey, otherKey] = [dimensions.getSliceKey(ownRow.slice), dimensions.getSliceKey(otherRow.slice)]
    if (ownKey.tool !== otherKey.tool || otherKey.origin !== otherOrigin(ownKey.origin)) continue
    matchesById.set(ownRow.id, [...(matchesById.get(ownRow.id) ?? []), otherRow])
  }
  return matchesById
}

/** Whether any row at nearly the same time has no response id. If not, rows with an id cannot match by time. */
function hasRowsWithoutResponseId({ db }: Store, rows: readonly RequestRow[]): boolean {
  const times = rows.map(({ at }) => at)
  const sql =
    'SELECT 1 FROM requests INDEXED BY requests_unanswered WHERE answer IS NULL AND at BETWEEN ? AND ? LIMIT 1'
  return db.row(sql, Math.min(...times) - maxTimeDifferenceMs, Math.max(...times) + maxTimeDifferenceMs) !== undefined
}

/** Finds the nearest unmatched row of the other source (relay or tool log) with equal tool, model and tokens. */
function findNearestRequests({ db, dimensions }: Store, row: RequestRow): readonly RequestRow[] {
  const { tool, model, origin } = dimensions.getSliceKey(row.slice)
  const counts = [row.input, row.output, row.cacheRead, row.cacheWrite].map((count) => count ?? 0)
  if (counts.every((count) => count === 0)) return []
  const unmatchedRowsSql =
    origin === origins.log ? 'NOT EXISTS (SELECT 1 FROM requests AS log WHERE log.twin = r.id)' : 'r.twin IS NULL'
  const sql = `SELECT r.* FROM slices AS s INDEXED BY slices_tool CROSS JOIN requests AS r INDEXED BY requests_day
    ON r.at / ${dayMs} IN (?, ?) AND r.slice = s.id
    WHERE s.grouping = ${singleGrouping.id} AND s.tool = ? AND s.model = ? AND s.origin = ? AND r.at BETWEEN ? AND ?
    AND coalesce(r.input, 0) = ? AND coalesce(r.output, 0) = ? AND coalesce(r.cache_read, 0) = ?
    AND coalesce(r.cache_write, 0) = ? AND (r.answer IS NULL OR ? IS NULL) AND ${unmatchedRowsSql}
    ORDER BY abs(r.at - ?), r.id LIMIT 1`
  const span = [row.at - maxTimeDifferenceMs, row.at + maxTimeDifferenceMs]
  const days = span.map((timeMs) => Math.floor(timeMs / dayMs))
  const parameters = [...days, tool, model, otherOrigin(origin), ...span, ...counts, row.answer, row.at]
  return db.rows(rowColumns, sql, ...parameters).map(readRow)
}

/** Links a log row to the relay row of the same request, or unlinks it. */
function mark(store: Store, sums: Sums, { log, relay }: { log: RequestRow; relay: number | null }): void {
  const { db, dimensions } = store
  moveRow(store, sums, log, { origin: relay === null ? origins.log : origins.twin })
  db.run('UPDATE requests SET twin = ? WHERE id = ?', relay, log.id)
  const { project } = dimensions.getSliceKey(log.slice)
  if (relay === null || project === 0) return
  // The relay does not know the project.
  for (const row of db.rows(rowColumns, 'SELECT * FROM requests WHERE id = ?', relay).map(readRow))
    if (dimensions.getSliceKey(row.slice).project === 0) moveRow(store, sums, row, { project })
}

/** Moves a row and its counts to the slice with other values of some dimensions. */
function moveRow({ db, dimensions }: Store, sums: Sums, row: RequestRow, change: Partial<SliceKey>): void {
  const { place, counts } = toShare(row, dimensions)
  const slice = dimensions.toSliceId({ ...dimensions.getSliceKey(row.slice), ...change })
  sums.add(place, counts, -1)
  sums.add({ ...place, slice }, counts)
  db.run('UPDATE requests SET slice = ? WHERE id = ?', slice, row.id)
}

export const rowColumns =
  'id, at, slice, name, mark, answer, standard, input, output, cache_read, cache_write, status, first_byte, duration, twin, estimated'

const rowWidth = rowColumns.split(',').length

/** Valid range of times in ms: years 2000 to 2100. Other times are errors of the source. */
const [earliest, latest] = [946_684_800_000, 4_102_444_800_000]
const maxCount = 1e12

interface MarkedEntry {
  readonly entry: LedgerEntry
  readonly mark: number
  readonly name: string
}

/** Converts an entry to a row with valid numbers, and finds its slice. */
function toRow({ entry, mark, name }: MarkedEntry, id: number, dimensions: Dimensions): RequestRow {
  const number = (text: string | undefined): number => dimensions.toTextId(plainText(text ?? ''))
  const key: SliceKey = {
    plan: number(entry.planId),
    key: number(entry.keyId),
    tool: number(entry.toolId),
    model: number(entry.modelCode),
    error: number(entry.error),
    project: number(entry.projectId),
    origin: origins[entry.source === 'toolLog' ? 'log' : entry.source],
  }
  return {
    id,
    at: Math.floor(entry.at),
    slice: dimensions.toSliceId(key),
    name,
    mark,
    answer: getAnswerDayMark(entry),
    standard: number(entry.standard),
    input: toAmount(entry.inputTokens),
    output: toAmount(entry.outputTokens),
    cacheRead: toAmount(entry.cacheReadTokens),
    cacheWrite: toAmount(entry.cacheWriteTokens),
    status: toAmount(entry.status),
    firstByte: toAmount(entry.firstByteMs),
    duration: toAmount(entry.durationMs),
    twin: null,
    estimated: entry.isEstimated ? 1 : null,
  }
}

/** A stored request, with its members in the order of `rowColumns`. */
export type RequestRow = Readonly<ReturnType<typeof readRow>>

/** Reads a row. `name`: id of the entry. `mark` and `answer`: hashes for indexes. */
export function readRow(row: Row) {
  const numberOrNull = (column: number): number | null => row.maybe(column) ?? null
  return {
    id: row.number(0),
    at: row.number(1),
    slice: row.number(2),
    name: row.text(3),
    mark: row.number(4),
    answer: numberOrNull(5),
    standard: row.number(6),
    input: numberOrNull(7),
    output: numberOrNull(8),
    cacheRead: numberOrNull(9),
    cacheWrite: numberOrNull(10),
    status: numberOrNull(11),
    firstByte: numberOrNull(12),
    duration: numberOrNull(13),
    /** In a tool log row, id of the relay row of the same request. */
    twin: numberOrNull(14),
    /** 1 if the token counts are estimates. */
    estimated: numberOrNull(15),
  }
}

/** Converts a row to an entry. The response id is lost, because only its hash is stored. */
export function readEntry(row: RequestRow, dimensions: Dimensions): LedgerEntry {
  const key = dimensions.getSliceKey(row.slice)
  const text = (number: number): string | undefined => dimensions.getText(number) || undefined
  return {
    id: row.name,
    at: row.at,
    source: toUsageSource(key.origin),
    planId: text(key.plan),
    keyId: text(key.key),
    toolId: text(key.tool),
    projectId: text(key.project),
    modelCode: dimensions.getText(key.model),
    standard: apiStandards.find((standard) => standard === text(row.standard)),
    inputTokens: row.input ?? undefined,
    outputTokens: row.output ?? undefined,
    cacheReadTokens: row.cacheRead ?? undefined,
    cacheWriteTokens: row.cacheWrite ?? undefined,
    ...(row.estimated === 1 && { isEstimated: true }),
    status: row.status ?? undefined,
    error: usageErrorKinds.find((kind) => kind === text(key.error)),
    firstByteMs: row.firstByte ?? undefined,
    durationMs: row.duration ?? undefined,
  }
}

function toShare(row: RequestRow, dimensions: Dimensions) {
  const errors = dimensions.getSliceKey(row.slice).error === 0 ? 0 : 1
  const cacheTokens = (row.cacheRead ?? 0) + (row.cacheWrite ?? 0)
  const counts = { requests: 1, errors, inputTokens: row.input ?? 0, outputTokens: row.output ?? 0, cacheTokens }
  return { place: { slot: getSlot(row.at), slice: row.slice }, counts }
}

function toAmount(value: number | undefined): number | null {
  if (value === undefined || !(value >= 0)) return null
  return Math.min(Math.round(value), maxCount)
}

/** Factor that puts the day into the high bits of a number, above the bits of the hash. */
const dayFactor = 2 ** 37

/** Index number of a response, from its day and id. Equal ids more than a day apart do not match. */
const getAnswerDayMark = ({ answerId, at }: LedgerEntry): number | null =>
  answerId === undefined ? null : toDayMark(answerId, at)

const toDayMark = (text: string, timeMs: number): number =>
  Math.floor(timeMs / dayMs) * dayFactor + (hashToNumber(text) % dayFactor)

/** 48-bit hash of a text. */
function hashToNumber(text: string): number {
  return Number.parseInt(hash('sha256', text).slice(0, 12), 16)
}
