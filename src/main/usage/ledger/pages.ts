import { AppError } from '@shared/failure'
import type { LedgerEntry } from '../entry'
import type { LedgerFilter } from '../ports'
import { slotMs, slotOf } from './calendar'
import { conditionOf, dimensionsOf, sumsWithin } from './condition'
import { groupingFor, single } from './groupings'
import type { Store } from './store'
import { entryOf, type RequestRow, readRow, rowColumns, utcDayMs } from './write'

/** A question for single requests. */
interface PageQuery {
  readonly filter: LedgerFilter
  readonly onlyErrors: boolean
  readonly limit: number
  readonly before?: string | undefined
}

/** Where a page ends: rows are later, or as late with a greater number. */
interface Cursor {
  readonly at: number
  readonly id: number
}

/** Single requests, the newest first. Sums by day tell how far back to look, so that rare ones are found as fast as others. */
export function page(
  store: Store,
  query: PageQuery,
): { readonly entries: readonly LedgerEntry[]; readonly next?: string } {
  return store.read(() => {
    const rows = rowsOf(store, query, cursorOf(query))
    const entries = rows.slice(0, query.limit).map((row) => entryOf(row, store.dimensions))
    const last = rows[query.limit - 1]
    return rows.length > query.limit && last ? { entries, next: `${last.at}.${last.id}` } : { entries }
  })
}

function cursorOf({ before, filter }: PageQuery): Cursor {
  if (before === undefined) return { at: filter.to, id: 0 }
  const [, at, id] = /^(\d{1,15})\.(\d{1,15})$/.exec(before) ?? []
  if (at === undefined || id === undefined) throw new AppError('input.invalid', 'This page of requests is not known.')
  return Number(at) < filter.to ? { at: Number(at), id: Number(id) } : { at: filter.to, id: 0 }
}

function rowsOf(store: Store, query: PageQuery, cursor: Cursor): readonly RequestRow[] {
  const oldest = store.db.row('SELECT min(at) FROM requests')?.maybe(0) ?? Number.POSITIVE_INFINITY
  const rows: RequestRow[] = []
  let [to, days] = [cursor, daysOf(store, query, { oldest, cursor })]
  while (days.length > 0 && rows.length <= query.limit) {
    const wanted = query.limit + 1 - rows.length
    const stretch = stretchOf(days, wanted)
    days = days.slice(stretch.days)
    const from = Math.max(query.filter.from, store.calendar.firstSlotOf(stretch.day) * slotMs)
    rows.push(...rowsIn(store, query, { from, to, wanted, ...stretch }))
    to = { at: from, id: 0 }
  }
  return rows
}

interface Day {
  readonly day: number
  readonly matching: number
  readonly all: number
}

/** The days with requests that match, the newest first, and how many requests they have. */
function daysOf(
  store: Store,
  { filter, onlyErrors }: PageQuery,
  span: { oldest: number; cursor: Cursor },
): readonly Day[] {
  const { db, dimensions, calendar } = store
  const from = Math.max(filter.from, span.oldest)
  if (from > span.cursor.at) return []
  const grouping = groupingFor('days', new Set(dimensionsOf(filter)))
  const reach = { grouping, from: calendar.dayOf(slotOf(from)), to: calendar.dayOf(slotOf(span.cursor.at)) + 1 }
  const { sql, parameters } = sumsWithin(db, reach, conditionOf(filter, grouping, dimensions))
  const total = groupingFor('days', new Set()).id
  const rows = db.rows(
    'day, matching, total',
    `SELECT sums.t AS day, sum(${onlyErrors ? 'errors' : 'requests'}) AS matching,
     (SELECT sum(requests) FROM day_sums AS a WHERE a.grouping = ${total} AND a.t = sums.t) AS total
     FROM day_sums AS sums WHERE ${sql} GROUP BY sums.t`,
    ...parameters,
  )
  const days = rows.map((row) => ({ day: row.number(0), matching: row.number(1), all: row.number(2) }))
  return days.filter(({ matching }) => matching > 0).sort((a, b) => b.day - a.day)
}

/** As many days as hold what is wanted: the oldest of them, and their requests. The first day may be read in part already. */
function stretchOf(days: readonly Day[], wanted: number): Day & { readonly days: number } {
  let [count, matching, all] = [0, 0, 0]
  let day = 0
  for (const next of days) {
    if (count > 1 && matching >= wanted) break
    count += 1
    matching += next.matching
    all += next.all
    day = next.day
  }
  return { day, matching, all, days: count }
}

interface Stretch extends Day {
  readonly from: number
  readonly to: Cursor
  readonly wanted: number
}

function rowsIn({ db, dimensions }: Store, { filter, onlyErrors }: PageQuery, stretch: Stretch): readonly RequestRow[] {
  const { from, to, wanted, matching, all } = stretch
  const condition = conditionOf(filter, single, dimensions)
  const sql = `SELECT id FROM slices WHERE ${condition.sql}${onlyErrors ? ' AND error <> 0' : ''}`
  const [first, last] = [Math.floor(from / utcDayMs), Math.floor(to.at / utcDayMs)]
  const days = Array.from({ length: last - first + 1 }, (_, at) => first + at)
  const slices = db.row(`SELECT count(*) FROM (${sql})`, ...condition.parameters)?.number(0) ?? 0
  // Through all requests until enough match, or to those that match, by day and slice: whichever is less.
  const isDense = (wanted * all) / matching < matching + slices * days.length
  const [index, within] = isDense ? ['requests_at', ''] : ['requests_day', dayIn]
  const rows = db.rows(
    rowColumns,
    `SELECT * FROM requests INDEXED BY ${index} WHERE ${within} slice IN (${sql})
     AND at >= ? AND at <= ? AND (at < ? OR id < ?) ORDER BY at DESC, id DESC LIMIT ?`,
    ...(isDense ? [] : [JSON.stringify(days)]),
    ...[...condition.parameters, from, to.at, to.at, to.id, wanted],
  )
  return rows.map(readRow)
}

const dayIn = `at / ${utcDayMs} IN (SELECT value FROM json_each(?)) AND`
