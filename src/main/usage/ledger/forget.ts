import { origins, single } from './groupings'
import { tablesOfFigures } from './schema'
import type { Store } from './store'
import { addedUp, countsAt } from './sums'

/** Rows that go in one transaction, so that others get their turn. */
const rowsAtOnce = 10_000
const pagesAtOnce = 2_000
const freePagesKept = 500

/** Drops some of the single requests that began before a moment, and then gives back disk space; whether there is more to do. Sums stay. */
export function pruneSome(store: Store, before: number): boolean {
  return dropRows(store, before) || giveBackPages(store)
}

function dropRows(store: Store, before: number): boolean {
  const { db } = store
  return store.write((state) => {
    const sql = 'SELECT id FROM requests WHERE at < ? ORDER BY at LIMIT ?'
    const ids = db.rows('id', sql, before, rowsAtOnce).map((row) => row.number(0))
    state.prunedBefore = Math.max(state.prunedBefore, Math.floor(before))
    state.kept -= ids.length
    const list = JSON.stringify(ids)
    // What a tool's log may say once more is remembered by its mark, or it would be counted again.
    db.run(
      `INSERT OR IGNORE INTO pruned_ids SELECT r.mark, s.tool FROM json_each(?) AS j CROSS JOIN requests AS r ON r.id = j.value
       CROSS JOIN slices AS s ON s.id = r.slice AND s.origin IN (${origins.log}, ${origins.twin})`,
      list,
    )
    db.run('DELETE FROM requests WHERE id IN (SELECT value FROM json_each(?))', list)
    return ids.length === rowsAtOnce
  })
}

/** Drops everything that came from a tool's log, out of the sums as well, and how far it was read. */
export function forgetLog(store: Store, toolId: string): void {
  const { db, dimensions } = store
  store.write((state) => {
    db.run('DELETE FROM log_positions WHERE tool = ?', toolId)
    const tool = dimensions.find(toolId)
    if (tool === undefined || tool === 0) return
    const ofLog = `SELECT id FROM slices WHERE grouping = ${single.id} AND tool = ? AND origin IN (${origins.log}, ${origins.twin})`
    const sums = store.sums()
    const rows = db.rows(
      't, slice, n, e, i, o, c',
      `SELECT t, slice, ${addedUp} FROM slot_sums WHERE grouping = ${single.id} AND slice IN (${ofLog}) GROUP BY t, slice`,
      tool,
    )
    for (const row of rows) sums.add({ slot: row.number(0), slice: row.number(1) }, countsAt(row, 2), -1)
    sums.write()
    db.run(`DELETE FROM requests WHERE slice IN (${ofLog})`, tool)
    state.kept -= db.row('SELECT changes()')?.number(0) ?? 0
    db.run('DELETE FROM pruned_ids WHERE tool = ?', tool)
  })
}

/** Empties the file. */
export function eraseAll(store: Store): void {
  store.write((state) => {
    for (const table of tablesOfFigures) store.db.exec(`DELETE FROM ${table}`)
    store.db.exec(`INSERT INTO texts VALUES (0, ''); UPDATE state SET generation = generation + 1, set_aside = ''`)
    store.dimensions.clear()
    state.kept = 0
    state.prunedBefore = 0
  })
  store.db.exec('VACUUM')
  store.db.pragma('wal_checkpoint(TRUNCATE)')
}

function giveBackPages({ db }: Store): boolean {
  const free = () => db.pragma('freelist_count')
  const before = free()
  if (before <= freePagesKept) return false
  db.exec(`PRAGMA incremental_vacuum(${pagesAtOnce})`)
  return free() < before
}
