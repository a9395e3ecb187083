import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useMemo, useRef } from 'react'
import { rowKeys } from './row-keys'
import { useActiveRow } from './use-active-row'
import { useScrollPlace } from './use-scroll-place'
import styles from './virtual-table.module.css'
import {
  columnsFor,
  headHeight,
  type Selection,
  type Sorting,
  templateOf,
  toggled,
  type VirtualColumn,
} from './virtual-table-columns'
import { TickAll, VirtualTableHead } from './virtual-table-head'
import { VirtualTableRow } from './virtual-table-row'

export interface VirtualTableProps<Row> {
  /** What the table holds, for a screen reader. */
  readonly label: string
  readonly columns: readonly VirtualColumn<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** All rows have the same height, in px. */
  readonly rowHeight: number
  readonly sorting?: Sorting | undefined
  readonly onSort?: ((column: string) => void) | undefined
  readonly selection?: Selection<Row> | undefined
  /** What Enter on a row does. */
  readonly onOpen?: ((row: Row) => void) | undefined
}

function useRows(count: number, rowHeight: number) {
  const frame = useRef<HTMLTableElement>(null)
  const activeRef = useRef(0)
  const place = useScrollPlace(frame)
  const virtualizer = useVirtualizer({
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => place.scroller,
    scrollMargin: place.top + headHeight,
    // What the head covers, and the frame's edge.
    scrollPaddingStart: headHeight + 1,
    scrollPaddingEnd: 1,
    overscan: 3,
    useFlushSync: false,
    // The row with the focus stays, wherever one scrolls to.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), activeRef.current])]
        .filter((index) => index < range.count)
        .sort((a, b) => a - b),
  })
  return { frame, place, virtualizer, activeRef }
}

/** Rows of one height of which only those on the screen are drawn; the page around it scrolls, the headers stay on top. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, rows, rowKey, rowHeight, sorting, onSort, selection, onOpen } = props
  const { frame, place, virtualizer, activeRef } = useRows(rows.length, rowHeight)
  const { active, setActive, move, body } = useActiveRow(rows.length, (index) => virtualizer.scrollToIndex(index))
  activeRef.current = active
  const shown = useMemo(() => columnsFor(columns, place.width), [columns, place.width])
  const template = templateOf(shown, selection !== undefined)
  const latest = useRef({ rows, rowKey, selection, onOpen })
  latest.current = { rows, rowKey, selection, onOpen }
  const tick = useCallback((index: number): void => {
    const now = latest.current
    const row = now.rows[index]
    if (row === undefined || !now.selection?.canSelect(row)) return
    now.selection.onChange(toggled(now.selection.keys, now.rowKey(row)))
  }, [])
  const open = useCallback((index: number): void => {
    const row = latest.current.rows[index]
    if (row !== undefined) latest.current.onOpen?.(row)
  }, [])
  const pageSize = Math.max(1, Math.floor(((place.scroller?.clientHeight ?? 0) - headHeight) / rowHeight) - 1)
  const keys = { count: rows.length, active, pageSize, move, open, toggle: selection && tick }
  return (
    <table ref={frame} aria-label={label} aria-rowcount={rows.length + 1} className={styles.frame}>
      <VirtualTableHead
        {...{ columns: shown, template, sorting, onSort }}
        tickAll={selection && <TickAll {...{ rows, rowKey, selection }} />}
      />
      <tbody
        ref={body}
        className={styles.body}
        style={{ height: virtualizer.getTotalSize() }}
        onKeyDown={rowKeys(keys)}
      >
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index]
          if (row === undefined) return null
          const key = rowKey(row)
          return (
            <VirtualTableRow
              key={key}
              {...{ row, index, columns: shown, template, isActive: index === active }}
              top={start - virtualizer.options.scrollMargin}
              height={rowHeight}
              hasTicks={selection !== undefined}
              tickLabel={selection?.canSelect(row) ? selection.labelOf(row) : undefined}
              isTicked={selection?.keys.has(key) ?? false}
              onTick={tick}
              onFocus={setActive}
            />
          )
        })}
      </tbody>
    </table>
  )
}
