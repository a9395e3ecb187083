import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { rowKeys } from './row-keys'
import { useScrollPlace } from './use-scroll-place'
import styles from './virtual-table.module.css'
import { columnsFor, type Selection, type Sorting, toggled, type VirtualColumn } from './virtual-table-columns'
import { VirtualTableHead } from './virtual-table-head'
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

const headHeight = 32

/** Which row the keyboard is on: moved by keys (then the row takes the focus, scrolled to when it is not on the screen) and by clicks. */
function useActiveRow(count: number, scrollTo: (index: number) => void) {
  const [wanted, setActive] = useState(0)
  const body = useRef<HTMLTableSectionElement>(null)
  const isMoving = useRef(false)
  const active = Math.max(0, Math.min(wanted, count - 1))
  const move = (index: number): void => {
    isMoving.current = true
    setActive(index)
    scrollTo(index)
  }
  useEffect(() => {
    if (!isMoving.current) return
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    if (!row) return
    isMoving.current = false
    row.focus({ preventScroll: true })
  })
  return { active, setActive, move, body }
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
  const template = [...(selection ? ['40px'] : []), ...shown.map(({ width }) => width)].join(' ')
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
      <VirtualTableHead {...{ columns: shown, rows, rowKey, template, sorting, onSort, selection }} />
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
