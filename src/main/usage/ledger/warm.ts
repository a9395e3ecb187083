import type { Database } from '../../sqlite'
import { groupingsIn } from './groupings'

/** So many days are read at once: in a ledger of five million a few ms, some 25 from a cold disk. */
const daysAtOnce = 30

/**
 * Reads the sums by day once, a part at each step, so that the first questions about a long time do not each wait for the disk: in a ledger of
 * five million requests that nobody had read from since the machine started, they took up to a quarter of a second.
 */
export function* warmDays(db: Database): Generator<void, void> {
  for (const { id } of groupingsIn('days')) {
    const ends = db.row('SELECT min(t), max(t) FROM day_sums WHERE grouping = ?', id)
    const [first, last] = [ends?.maybe(0), ends?.maybe(1)]
    if (first === undefined || last === undefined) continue
    for (let day = first; day <= last; day += daysAtOnce) {
      db.row('SELECT count(*) FROM day_sums WHERE grouping = ? AND t >= ? AND t < ?', id, day, day + daysAtOnce)
      yield
    }
  }
}
