import { slotMs, slotOf } from './calendar'
import { isPruned, type State, type Store } from './store'

/** A part of a span and the table that its sums come from; in days, slots or ms, half-open. */
export interface Piece {
  readonly table: 'day_sums' | 'slot_sums' | 'requests'
  readonly from: number
  readonly to: number
}

const dayMs = 96 * slotMs

interface Span {
  readonly from: number
  readonly to: number
}

/**
 * Cuts `[from, to)` into whole days, whole quarters of an hour, and what is left at the ends, which is read from single requests. Where these
 * are gone, a quarter counts as a whole where it begins, so that spans side by side never count anything twice.
 */
export function piecesOf(
  store: Store,
  state: Readonly<State>,
  { from, to, days }: Span & { readonly days: boolean },
): readonly Piece[] {
  // Nothing comes after the newest, so that the last day may be taken as a whole.
  const end = lastMoment(store, state) < to ? to + 2 * dayMs : to
  const wholeFrom = Math.ceil(from / slotMs)
  const wholeTo = isPruned(slotOf(end), state) ? Math.ceil(end / slotMs) : slotOf(end)
  if (wholeFrom > wholeTo) return [{ table: 'requests', from, to }]
  const edges: readonly Piece[] = [
    { table: 'requests', from: isPruned(slotOf(from), state) ? wholeFrom * slotMs : from, to: wholeFrom * slotMs },
    { table: 'requests', from: wholeTo * slotMs, to: end },
  ]
  const whole = days ? withDays(store, wholeFrom, wholeTo) : [slots(wholeFrom, wholeTo)]
  return [...edges, ...whole].filter((piece) => piece.from < piece.to)
}

const slots = (from: number, to: number): Piece => ({ table: 'slot_sums', from, to })

function withDays({ calendar }: Store, from: number, to: number): readonly Piece[] {
  const first = calendar.dayOf(from - 1) + 1
  const last = calendar.dayOf(to)
  if (first >= last) return [slots(from, to)]
  const [begin, end] = [calendar.firstSlotOf(first), calendar.firstSlotOf(last)]
  return [slots(from, begin), { table: 'day_sums', from: first, to: last }, slots(end, to)]
}

/** Nothing that is kept, in whatever form, began later. */
function lastMoment({ db }: Store, { prunedBefore }: Readonly<State>): number {
  return Math.max(db.row('SELECT max(at) FROM requests')?.maybe(0) ?? 0, prunedBefore)
}
