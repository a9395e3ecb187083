import type { LedgerEntry } from '../entry'
import type { LogPosition } from '../ports'
import {
  cellsOf,
  hasMoment,
  type MarkedEntry,
  markEntry,
  type RequestRow,
  readRow,
  rowColumns,
  rowOf,
  rowWidth,
  shareOf,
} from './entry-row'
import type { State, Store } from './store'
import type { Sums } from './sums'
import { releaseTwins, settleTwins } from './twins'

/** Keeps entries and how far a tool's log was read, in one transaction. An entry of an id that is there replaces it. */
export function writeEntries(
  store: Store,
  entries: readonly LedgerEntry[],
  positions: readonly LogPosition[] = [],
): void {
  store.write((state) => {
    const sums = store.sums()
    const rows = replaceRows(store, {
      sums,
      state,
      entries: markAll(entries),
    })
    settleTwins(store, sums, rows)
    sums.write()
    for (const { toolId, path, state: text } of positions) {
      store.db.run('INSERT OR REPLACE INTO log_positions VALUES (?, ?, ?)', toolId, path, text)
    }
  })
}

interface Batch {
  readonly sums: Sums
  readonly state: State
  readonly entries: readonly MarkedEntry[]
}

/** The last of each id. */
const markAll = (entries: readonly LedgerEntry[]): readonly MarkedEntry[] => [
  ...new Map(entries.filter(hasMoment).map((entry) => [entry.id, markEntry(entry)])).values(),
]

function replaceRows(store: Store, { sums, state, entries }: Batch): readonly RequestRow[] {
  const { db, dimensions } = store
  const known = rowsOf(store, entries)
  const gone = prunedMarks(store, entries)
  const rows: RequestRow[] = []
  for (const marked of entries) {
    const before = known.get(keyOf(marked))
    if (!before && gone.has(marked.mark)) continue
    if (before) {
      const share = shareOf(before, dimensions.keyOf(before.slice))
      sums.add(share.place, share.counts, -1)
    } else state.kept += 1
    const row = rowOf(marked, before?.id ?? state.nextId++, dimensions)
    const share = shareOf(row, dimensions.keyOf(row.slice))
    sums.add(share.place, share.counts)
    rows.push(row)
  }
  db.insert(`INSERT OR REPLACE INTO requests (${rowColumns}) VALUES`, rowWidth, rows.map(cellsOf))
  releaseTwins(store, sums, [...known.values()])
  return rows
}

const keyOf = ({ mark, name }: Pick<RequestRow, 'mark' | 'name'>): string => `${mark} ${name}`

/** The rows that entries have already. */
function rowsOf({ db }: Store, entries: readonly MarkedEntry[]): ReadonlyMap<string, RequestRow> {
  const keys = new Set(entries.map(keyOf))
  const sql = 'SELECT r.* FROM json_each(?) AS j CROSS JOIN requests AS r INDEXED BY requests_mark ON r.mark = j.value'
  const rows = db.rows(rowColumns, sql, JSON.stringify(entries.map(({ mark }) => mark))).map(readRow)
  const keyed = rows.map((row) => [keyOf(row), row] as const)
  return new Map(keyed.filter(([key]) => keys.has(key)))
}

/** Marks of entries of tools' logs that were kept once and are in the sums still: a log may be read again long after. */
function prunedMarks({ db }: Store, entries: readonly MarkedEntry[]): ReadonlySet<number> {
  const marks = entries.filter(({ entry }) => entry.source === 'toolLog').map(({ mark }) => mark)
  if (marks.length === 0) return new Set()
  const sql = 'SELECT p.mark FROM json_each(?) AS j CROSS JOIN pruned_ids AS p ON p.mark = j.value'
  return new Set(db.rows('mark', sql, JSON.stringify(marks)).map((row) => row.number(0)))
}
