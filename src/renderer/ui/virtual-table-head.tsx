import clsx from 'clsx'
import { ChevronDown, ChevronUp } from 'lucide-react'
import type { ReactNode } from 'react'
import { Checkbox } from './checkbox'
import styles from './virtual-table.module.css'
import type { Selection, Sorting, VirtualColumn } from './virtual-table-columns'

interface HeadProps<Row> {
  readonly columns: readonly VirtualColumn<Row>[]
  readonly template: string
  readonly sorting?: Sorting | undefined
  readonly onSort?: ((column: string) => void) | undefined
  /** The box over the rows' own; nothing where they cannot be ticked. */
  readonly tickAll: ReactNode
}

interface TickAllProps<Row> {
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly selection: Selection<Row>
}

const directionOf = (column: string, sorting: Sorting | undefined): 'ascending' | 'descending' | 'none' =>
  sorting?.by !== column ? 'none' : sorting.isDescending ? 'descending' : 'ascending'

/** Ticks every row that may be, or none; not there where none may be. */
export function TickAll<Row>({ rows, rowKey, selection }: TickAllProps<Row>) {
  const all = rows.filter(selection.canSelect).map(rowKey)
  const ticked = all.filter((key) => selection.keys.has(key)).length
  const isAll = ticked > 0 && ticked === all.length
  if (all.length === 0) return null
  return (
    <Checkbox
      checked={isAll ? true : ticked > 0 ? 'indeterminate' : false}
      onCheckedChange={() => selection.onChange(new Set(isAll ? [] : all))}
      label={selection.allLabel}
    />
  )
}

function Heading<Row>({
  column,
  sorting,
  onSort,
}: { column: VirtualColumn<Row> } & Pick<HeadProps<Row>, 'sorting' | 'onSort'>) {
  const { id, header, headerHidden, sortable } = column
  if (!sortable || !onSort) return headerHidden ? <span className="sr-only">{header}</span> : <span>{header}</span>
  const direction = directionOf(id, sorting)
  const Icon = direction === 'descending' ? ChevronDown : ChevronUp
  return (
    <button type="button" className={styles.sort} onClick={() => onSort(id)}>
      {header}
      <Icon size={12} strokeWidth={2.2} aria-hidden="true" className={clsx(direction === 'none' && styles.unsorted)} />
    </button>
  )
}

/** The line of headers, which stays on top; a press on one that can be sorted by does so. */
export function VirtualTableHead<Row>(props: HeadProps<Row>) {
  const { columns, template, sorting, onSort, tickAll } = props
  return (
    <thead className={styles.head}>
      <tr aria-rowindex={1} className={styles.headRow} style={{ gridTemplateColumns: template }}>
        {tickAll ? (
          <th scope="col" className={styles.tick}>
            {tickAll}
          </th>
        ) : null}
        {columns.map((column) => (
          <th
            key={column.id}
            scope="col"
            aria-sort={column.sortable ? directionOf(column.id, sorting) : undefined}
            className={clsx(styles.cell, column.align === 'right' && styles.right)}
          >
            <Heading column={column} sorting={sorting} onSort={onSort} />
          </th>
        ))}
      </tr>
    </thead>
  )
}
