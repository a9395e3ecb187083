/** Lengths of a list and of the window it is seen through, in px. */
export interface Lengths {
  /** Of all rows. */
  readonly full: number
  /** Of what is seen at a time. */
  readonly view: number
}

/** Where the scroll bar stands, and which px of all rows is at the top then. They differ where not all rows can be drawn at their own height. */
export interface Spot {
  readonly bar: number
  readonly row: number
}

/** What the scroll bar is told that all rows are high: browsers draw nothing beyond 33 million px. */
export const mostDrawn = 12_000_000

/** A jump of more than so many screens is one of the scroll bar: it goes to the share of all rows that the bar shows. */
const nearScreens = 3

const between = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** How high the list is drawn. */
export const drawnHeight = ({ full }: Lengths): number => Math.min(full, mostDrawn)

const furthestRow = ({ full, view }: Lengths): number => Math.max(0, full - view)
const furthestBar = (lengths: Lengths): number => Math.max(0, drawnHeight(lengths) - lengths.view)

/** The spot at which a px of all rows is at the top. */
export function spotOf(row: number, lengths: Lengths): Spot {
  const wanted = between(row, 0, furthestRow(lengths))
  if (lengths.full <= mostDrawn) return { bar: wanted, row: wanted }
  return { bar: Math.round((wanted / furthestRow(lengths)) * furthestBar(lengths)), row: wanted }
}

/** The spot after the scroll bar moved: a little is the same little in rows, far is a share of all of them. */
export function movedTo(bar: number, before: Spot, lengths: Lengths): Spot {
  const most = furthestBar(lengths)
  const now = between(bar, 0, most)
  if (lengths.full <= mostDrawn) return { bar: now, row: now }
  const step = now - before.bar
  const isNear = Math.abs(step) <= nearScreens * lengths.view
  const row = isNear ? before.row + step : (now / most) * furthestRow(lengths)
  const isAtEnd = now <= 0 || now >= most
  const end = now <= 0 ? 0 : furthestRow(lengths)
  const isEndNear = isAtEnd && Math.abs(row - end) <= nearScreens * lengths.view
  return { bar: now, row: isEndNear ? end : between(row, 0, furthestRow(lengths)) }
}

/** Whether the bar stands at an end of its way and the rows do not: then one could not go on. */
export const isStuck = ({ bar, row }: Spot, lengths: Lengths): boolean =>
  (bar <= 0 && row > 0) || (bar >= furthestBar(lengths) && row < furthestRow(lengths))
