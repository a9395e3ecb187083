import type { ReactNode } from 'react'

/** A column of a virtual table. */
export interface VirtualColumn<Row> {
  readonly id: string
  readonly header: string
  /** Keeps the header for screen readers only. */
  readonly headerHidden?: boolean
  /** A track of a CSS grid: `120px`, `minmax(160px, 1fr)`. */
  readonly width: string
  readonly align?: 'left' | 'right'
  readonly sortable?: boolean
  /** From which width of the table on it is shown, in px; always when left out. */
  readonly from?: number
  /** What stands in it. Controls take `tabIndex`, so that only those of the row in use are stops of the Tab key. */
  readonly cell: (row: Row, tabIndex: number) => ReactNode
}

/** The head that stays on top, in px. */
export const headHeight = 32

/** The column a table is sorted by. */
export interface Sorting {
  readonly by: string
  readonly isDescending: boolean
}

/** Which rows are ticked, and what may be. */
export interface Selection<Row> {
  readonly keys: ReadonlySet<string>
  readonly onChange: (keys: ReadonlySet<string>) => void
  readonly canSelect: (row: Row) => boolean
  readonly labelOf: (row: Row) => string
  readonly allLabel: string
}

/** The columns that a table of this width (px, 0: not known) shows. */
export const columnsFor = <Row>(
  columns: readonly VirtualColumn<Row>[],
  width: number,
): readonly VirtualColumn<Row>[] => (width === 0 ? columns : columns.filter(({ from = 0 }) => width >= from))

/** The tracks of a row's grid. */
export const gridTemplate = (columns: readonly { readonly width: string }[], hasTicks: boolean): string =>
  [...(hasTicks ? ['40px'] : []), ...columns.map(({ width }) => width)].join(' ')

/** The sorting after a press on a header: the other way round for the same column, upwards for another. */
export const sortedBy = (sorting: Sorting | undefined, column: string): Sorting => ({
  by: column,
  isDescending: sorting?.by === column && !sorting.isDescending,
})

/** The ticked keys with one put in or taken out. */
export function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys)
  if (!next.delete(key)) next.add(key)
  return next
}
