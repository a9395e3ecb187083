import { isTimeZone } from '../../core/local-time'
import type { Database } from '../../core/sqlite/database'
import { Calendar } from './calendar'
import { Dimensions, singleGrouping } from './groupings'
import { readCounts, Sums, sumColumnsSql } from './sums'

/** State of the ledger, stored in the file. Read in each transaction, because other processes also change it. */
export interface LedgerState {
  /** Requests before this time in ms may have been deleted. 0: none were deleted. */
  prunedBefore: number
  /** Number of stored single requests. */
  kept: number
  nextId: number
}

/** Open ledger with its caches and calendar, synchronized with other processes' changes. */
export class Store {
  readonly dimensions: Dimensions
  calendar: Calendar
  #generation = 0

  constructor(
    readonly db: Database,
    zone: string,
  ) {
    this.dimensions = new Dimensions(db)
    this.calendar = new Calendar(zone)
  }

  /** Runs `work` in a transaction and saves its changes of `state`. */
  write<T>(work: (state: LedgerState) => T): T {
    try {
      return this.db.transaction('IMMEDIATE', () => {
        const state = this.#readState()
        const result = work(state)
        const saveState = 'UPDATE state SET pruned_before = ?, kept = ?, next_id = ?'
        this.db.run(saveState, state.prunedBefore, state.kept, state.nextId)
        return result
      })
    } catch (error) {
      this.dimensions.clear()
      throw error
    }
  }

  /** Runs `work` on a consistent snapshot. */
  read<T>(work: (state: Readonly<LedgerState>) => T): T {
    return this.db.transaction('DEFERRED', () => work(this.#readState()))
  }

  sums(): Sums {
    return new Sums(this.db, this.dimensions, this.calendar)
  }

  /** Sets the time zone of days. Recomputes the daily sums if it changed. */
  setZone(zone: string): void {
    const hasCurrentZone = (): boolean => this.db.row('SELECT zone FROM state')?.text(0) === zone
    if (hasCurrentZone()) return
    this.write(() => {
      if (hasCurrentZone()) return
      this.calendar = new Calendar(zone)
      this.db.exec('DELETE FROM day_sums')
      this.#addUpDays()
      this.db.run('UPDATE state SET zone = ?', zone)
    })
  }

  #addUpDays(): void {
    const boundsRow = this.db.row('SELECT min(t), max(t) FROM slot_sums WHERE grouping = ?', singleGrouping.id)
    const [firstSlot, lastSlot] = [boundsRow?.maybe(0), boundsRow?.maybe(1)]
    if (firstSlot === undefined || lastSlot === undefined) return
    for (let day = this.calendar.toDay(firstSlot); this.calendar.firstSlot(day) <= lastSlot; day += 1) {
      const [from, to] = [this.calendar.firstSlot(day), this.calendar.firstSlot(day + 1)]
      const sums = this.sums()
      const rows = this.db.rows(
        'slice, n, e, i, o, c',
        `SELECT slice, ${sumColumnsSql} FROM slot_sums WHERE grouping = ? AND t >= ? AND t < ? GROUP BY slice`,
        ...[singleGrouping.id, from, to],
      )
      for (const row of rows) sums.add({ slot: from, slice: row.number(0) }, readCounts(row, 1))
      sums.write(true)
    }
  }

  #readState(): LedgerState {
    const row = this.db.row('SELECT zone, generation, pruned_before, kept, next_id FROM state')
    const zone = row?.text(0) ?? ''
    const generation = row?.number(1) ?? 0
    if (generation !== this.#generation) this.dimensions.clear()
    this.#generation = generation
    // Keep the current calendar if the stored time zone is invalid, as in a damaged file.
    if (zone !== this.calendar.zone && isTimeZone(zone)) this.calendar = new Calendar(zone)
    return { prunedBefore: row?.number(2) ?? 0, kept: row?.number(3) ?? 0, nextId: row?.number(4) ?? 1 }
  }
}
