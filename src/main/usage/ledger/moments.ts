import type { LedgerFilter } from '../ports'
import { slotMs } from './calendar'
import { conditionOf, dimensionsOf } from './condition'
import { groupingFor, single } from './groupings'
import type { State, Store } from './store'

type Wanted = Pick<LedgerFilter, 'scope' | 'toolId'>

/** When the first request began; to a quarter of an hour where single requests are gone. */
export const firstMoment = (store: Store, state: Readonly<State>, wanted: Wanted): number | undefined =>
  momentAt(store, state, { ...wanted, end: 'min' })

/** The same of the last request. */
export const lastMoment = (store: Store, state: Readonly<State>, wanted: Wanted): number | undefined =>
  momentAt(store, state, { ...wanted, end: 'max' })

function momentAt(
  store: Store,
  state: Readonly<State>,
  wanted: Wanted & { readonly end: 'min' | 'max' },
): number | undefined {
  const { db, dimensions, calendar } = store
  const { end } = wanted
  const ofDays = groupingFor('days', new Set(dimensionsOf(wanted)))
  const days = conditionOf(wanted, ofDays, dimensions)
  const where = `grouping = ${ofDays.id} AND slice IN (SELECT id FROM slices WHERE ${days.sql})`
  const day = db.row(`SELECT ${end}(t) FROM day_sums WHERE ${where}`, ...days.parameters)?.maybe(0)
  if (day === undefined) return undefined
  const [from, to] = [calendar.firstSlotOf(day), calendar.firstSlotOf(day + 1)]
  const singles = conditionOf(wanted, single, dimensions)
  const slices = `slice IN (SELECT id FROM slices WHERE ${singles.sql})`
  const ofSlots = `SELECT ${end}(t) FROM slot_sums WHERE grouping = ${single.id} AND t >= ? AND t < ? AND ${slices}`
  const slot = db.row(ofSlots, from, to, ...singles.parameters)?.maybe(0) ?? from
  const ofRows = `SELECT ${end}(at) FROM requests INDEXED BY requests_at WHERE at >= ? AND at < ? AND ${slices}`
  const isGone = slot * slotMs < state.prunedBefore
  const at = isGone ? undefined : db.row(ofRows, slot * slotMs, (slot + 1) * slotMs, ...singles.parameters)?.maybe(0)
  return at ?? slot * slotMs
}
