import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual'
import { ChevronDown, ChevronUp } from 'lucide-react'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Checkbox } from './checkbox'
import { joinClassNames } from './cn'
import { type SharedMenu, useSharedMenu } from './menu'
import type { RowPosition } from './rows'
import type { Column } from './table'
import { useScrollPosition } from './use-scroll-place'

export interface VirtualColumn<Row> extends Omit<Column<Row>, 'cell' | 'width'> {
  /** CSS grid track: `120px`, `minmax(160px, 1fr)`. */
  readonly width: string
  readonly sortable?: boolean
  /** Minimum table width in px that shows the column. Default: always. */
  readonly from?: number
  /**
   * Cell content. Pass `tabIndex` to controls, so that Tab only stops in the active row. `openMenu` shows a menu below a
   * button.
   */
  readonly cell: (row: Row, tabIndex: number, openMenu: SharedMenu['open']) => ReactNode
}

/** Height of the sticky header in px. */
const headHeight = 32

export interface Sorting {
  readonly by: string
  readonly isDescending: boolean
}

/** Selected rows, and which rows are selectable. */
export interface Selection<Row> {
  readonly keys: ReadonlySet<string>
  readonly onChange: (keys: ReadonlySet<string>) => void
  readonly canSelect: (row: Row) => boolean
  readonly getLabel: (row: Row) => string
  readonly allLabel: string
}

/** Sorting after a click on a header: reverses the same column, or starts ascending. */
export const toggleSorting = (sorting: Sorting | undefined, column: string): Sorting => ({
  by: column,
  isDescending: sorting?.by === column && !sorting.isDescending,
})

export function toggleKey(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const nextKeys = new Set(keys)
  if (!nextKeys.delete(key)) nextKeys.add(key)
  return nextKeys
}

const virtualTableClass = 'block w-full rounded-lg border bg-surface tabular-nums'
const cellClass = 'min-w-0 px-2 first:pl-4'
const alignRightClass = 'flex justify-end text-right'

interface VirtualTableProps<Row> {
  readonly label: string
  readonly columns: readonly VirtualColumn<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  /** Common height of all rows in px. */
  readonly rowHeight: number
  readonly sorting?: Sorting | undefined
  readonly onSort?: ((column: string) => void) | undefined
  readonly selection?: Selection<Row> | undefined
  /** Called when the user presses Enter on a row. */
  readonly onOpen?: ((row: Row) => void) | undefined
  /** Called when the last row is rendered, to load more rows. */
  readonly onEnd?: (() => void) | undefined
}

/** Renders the rows in view, and the focused row, which stays mounted when it scrolls out of view. */
const withFocusedRow =
  (focusedIndex: RefObject<number>) =>
  (range: Range): number[] =>
    [...new Set([...defaultRangeExtractor(range), focusedIndex.current])]
      .filter((index) => index >= 0 && index < range.count)
      .sort((a, b) => a - b)

/** Virtual table with fixed row height. The page scrolls, and the header is sticky. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, rows, rowKey, rowHeight, sorting, onSort, selection, onOpen, onEnd } = props
  const containerRef = useRef<HTMLTableElement>(null)
  const activeIndexRef = useRef(0)
  const place = useScrollPosition(containerRef)
  const virtualizer = useVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    getScrollElement: () => place.scroller,
    scrollMargin: place.top + headHeight,
    // Height of the sticky header plus border.
    scrollPaddingStart: headHeight + 1,
    scrollPaddingEnd: 1,
    // Defer overscan rows until visible ones are rendered.
    overscan: useDeferredValue(3, 0),
    useFlushSync: false,
    rangeExtractor: withFocusedRow(activeIndexRef),
  })
  // The width is 0 until it is known.
  const shownColumns = useMemo(
    () => (place.width === 0 ? columns : columns.filter(({ from = 0 }) => place.width >= from)),
    [columns, place.width],
  )
  const { open: openMenu, menu } = useSharedMenu()
  const template = [...(selection ? ['40px'] : []), ...shownColumns.map(({ width }) => width)].join(' ')
  const latestPropsRef = useRef({ rows, rowKey, selection, onEnd })
  latestPropsRef.current = { rows, rowKey, selection, onEnd }
  const isRangeRef = useRef(false)
  const lastSelectedIndexRef = useRef<number>(undefined)
  const tick = useCallback((index: number): void => {
    const { rows, rowKey, selection } = latestPropsRef.current
    const row = rows[index]
    if (row === undefined || !selection?.canSelect(row)) return
    const keys = toggleKey(selection.keys, rowKey(row))
    const rangeStart = isRangeRef.current ? (lastSelectedIndexRef.current ?? index) : index
    lastSelectedIndexRef.current = index
    // Shift-click applies the state of the clicked row to the range.
    const rangeRows = rows.slice(Math.min(rangeStart, index), Math.max(rangeStart, index) + 1)
    const rangeKeys = new Set(rangeRows.filter(selection.canSelect).map(rowKey))
    const isRowSelected = keys.has(rowKey(row))
    selection.onChange(
      new Set(isRowSelected ? [...keys, ...rangeKeys] : [...keys].filter((key) => !rangeKeys.has(key))),
    )
  }, [])
  const { active, setActive, body, onKeyDown } = useRowKeys({
    count: rows.length,
    reveal: (index) => virtualizer.scrollToIndex(index),
    getPageSize: () => Math.max(1, Math.floor(((place.scroller?.clientHeight ?? 0) - headHeight) / rowHeight) - 1),
    open: (index) => {
      const row = rows[index]
      if (row !== undefined) onOpen?.(row)
    },
    toggle: selection && tick,
  })
  // Set before the virtualizer selects the rows to render, of which the active one is always one.
  activeIndexRef.current = active
  const items = virtualizer.getVirtualItems()
  const isLastRowRendered = items.at(-1)?.index === rows.length - 1
  // biome-ignore lint/correctness/useExhaustiveDependencies: after more rows were loaded, their end may already be visible.
  useEffect(() => {
    if (isLastRowRendered) latestPropsRef.current.onEnd?.()
  }, [isLastRowRendered, rows.length])
  const recordShiftKey = ({ shiftKey }: { readonly shiftKey: boolean }): void => {
    isRangeRef.current = shiftKey
  }
  return (
    <>
      <table ref={containerRef} aria-label={label} aria-rowcount={rows.length + 1} className={virtualTableClass}>
        <VirtualTableHead
          {...{ columns: shownColumns, template, sorting, onSort }}
          tickAll={selection && <SelectAllCheckbox {...{ rows, rowKey, selection }} />}
        />
        <tbody
          ref={body}
          className="relative block"
          style={{ height: virtualizer.getTotalSize() }}
          onKeyDown={onKeyDown}
          onKeyDownCapture={recordShiftKey}
          onClickCapture={recordShiftKey}
          onMouseDown={(event) => {
            // Shift-click selects rows, so prevent the browser's text selection.
            if (event.shiftKey && selection) event.preventDefault()
          }}
        >
          {items.map(({ index, start }) => {
            const row = rows[index]
            if (row === undefined) return null
            const key = rowKey(row)
            return (
              <VirtualTableRow
                key={key}
                {...{ row, index, columns: shownColumns, template, isActive: index === active }}
                top={start - virtualizer.options.scrollMargin}
                height={rowHeight}
                hasTicks={selection !== undefined}
                tickLabel={selection?.canSelect(row) ? selection.getLabel(row) : undefined}
                isTicked={selection?.keys.has(key) ?? false}
                onTick={tick}
                onFocus={setActive}
                openMenu={openMenu}
              />
            )
          })}
        </tbody>
      </table>
      {menu}
    </>
  )
}

interface HeadProps<Row> extends Pick<VirtualTableProps<Row>, 'columns' | 'sorting' | 'onSort'> {
  readonly template: string
  /** Checkbox for all rows. Empty if rows are not selectable. */
  readonly tickAll: ReactNode
}

const toAriaSort = (column: string, sorting: Sorting | undefined): 'ascending' | 'descending' | 'none' =>
  sorting?.by !== column ? 'none' : sorting.isDescending ? 'descending' : 'ascending'

/** Checkbox that selects or clears all selectable rows. Renders only a hidden label if no row is selectable. */
function SelectAllCheckbox<Row>({
  rows,
  rowKey,
  selection: { canSelect, keys, onChange, allLabel },
}: Required<Pick<VirtualTableProps<Row>, 'rows' | 'rowKey'>> & { readonly selection: Selection<Row> }) {
  // Avoid allocations for long tables, because this renders on every scroll.
  const selectedCount = keys.size === 0 ? 0 : rows.filter((row) => canSelect(row) && keys.has(rowKey(row))).length
  const areAllRowsSelected = selectedCount > 0 && selectedCount === rows.filter(canSelect).length
  if (!rows.some(canSelect)) return <span className="sr-only">{allLabel}</span>
  return (
    <Checkbox
      checked={areAllRowsSelected ? true : selectedCount > 0 ? 'indeterminate' : false}
      onCheckedChange={() => onChange(new Set(areAllRowsSelected ? [] : rows.filter(canSelect).map(rowKey)))}
      label={allLabel}
    />
  )
}

function Heading<Row>(props: { column: VirtualColumn<Row> } & Pick<HeadProps<Row>, 'sorting' | 'onSort'>) {
  const { column, sorting, onSort } = props
  const { id, header, headerHidden, sortable } = column
  if (!sortable || !onSort) return headerHidden ? <span className="sr-only">{header}</span> : <span>{header}</span>
  const direction = toAriaSort(id, sorting)
  const Icon = direction === 'descending' ? ChevronDown : ChevronUp
  return (
    <button
      type="button"
      className="group/sort -mx-1 inline-flex h-6 items-center gap-0.75 rounded-sm px-1 hover:bg-hover hover:text-text"
      onClick={() => onSort(id)}
    >
      {header}
      <Icon
        size={12}
        strokeWidth={2.2}
        className={joinClassNames(
          direction === 'none' && 'opacity-0 group-hover/sort:opacity-60 group-focus-visible/sort:opacity-60',
        )}
      />
    </button>
  )
}

/** Sticky header. Clicking a sortable column sorts by it. */
function VirtualTableHead<Row>(props: HeadProps<Row>) {
  const { columns, template, sorting, onSort, tickAll } = props
  return (
    <thead
      className={joinClassNames(
        'sticky top-0 z-2 block h-8 whitespace-nowrap rounded-t-[7px] bg-surface font-medium text-faint',
        'text-xs shadow-underline',
      )}
    >
      <tr aria-rowindex={1} className="grid h-full items-center" style={{ gridTemplateColumns: template }}>
        {tickAll ? (
          <th scope="col" className="flex justify-end pr-px">
            {tickAll}
          </th>
        ) : null}
        {columns.map((column, columnIndex) => (
          <th
            key={column.id}
            scope="col"
            aria-sort={column.sortable ? toAriaSort(column.id, sorting) : undefined}
            className={joinClassNames(
              cellClass,
              'font-medium',
              column.align === 'right' ? alignRightClass : 'text-left',
              tickAll && columnIndex === 0 && 'pl-1.5',
            )}
          >
            <Heading column={column} sorting={sorting} onSort={onSort} />
          </th>
        ))}
      </tr>
    </thead>
  )
}

interface RowProps<Row> {
  readonly row: Row
  readonly index: number
  /** Offset from the first row in px. */
  readonly top: number
  readonly height: number
  readonly columns: readonly VirtualColumn<Row>[]
  readonly template: string
  /** Whether the row has the keyboard focus. */
  readonly isActive: boolean
  /** Whether the table has checkboxes. */
  readonly hasTicks: boolean
  /** Accessible name of the checkbox. Undefined if the row is not selectable. */
  readonly tickLabel: string | undefined
  readonly isTicked: boolean
  readonly onTick: (index: number) => void
  readonly onFocus: (index: number) => void
  readonly openMenu: SharedMenu['open']
}

/** Memoized row, to keep scrolling fast. */
function VirtualTableRow<Row>(props: RowProps<Row>) {
  const { row, index, top, height, columns, template } = props
  const { isActive, hasTicks, tickLabel, isTicked, onTick, onFocus, openMenu } = props
  return useMemo(() => {
    const tabIndex = isActive ? 0 : -1
    return (
      <tr
        aria-rowindex={index + 2}
        tabIndex={tabIndex}
        data-index={index}
        className={joinClassNames(
          'absolute top-0 left-0 grid w-full items-center contain-[layout_style] not-first:shadow-overline',
          'hover:bg-hover focus-visible:z-1 focus-visible:rounded-sm focus-visible:-outline-offset-2',
          isTicked && 'bg-accent-soft hover:bg-accent-soft',
        )}
        style={{ gridTemplateColumns: template, height, transform: `translateY(${top}px)` }}
        onFocus={() => onFocus(index)}
      >
        {hasTicks ? (
          <td className="flex justify-end pr-px">
            {tickLabel === undefined ? null : (
              <Checkbox
                checked={isTicked}
                onCheckedChange={() => onTick(index)}
                label={tickLabel}
                tabIndex={tabIndex}
              />
            )}
          </td>
        ) : null}
        {columns.map(({ id, align, cell }, columnIndex) => (
          <td
            key={id}
            className={joinClassNames(
              cellClass,
              align === 'right' && alignRightClass,
              hasTicks && columnIndex === 0 && 'pl-1.5',
            )}
          >
            {cell(row, tabIndex, openMenu)}
          </td>
        ))}
      </tr>
    )
  }, [row, index, top, height, columns, template, isActive, hasTicks, tickLabel, isTicked, onTick, onFocus, openMenu])
}

const controls = 'a[href], button:not(:disabled), [role="checkbox"], [role="switch"]'

/** Moves focus between the controls of a row, or from the first one to the row. */
function moveFocusInRow(row: HTMLElement, step: 1 | -1): void {
  const focusableElements = [row, ...row.querySelectorAll<HTMLElement>(controls)]
  const focusedIndex = focusableElements.findIndex((stop) => stop.matches(':focus'))
  focusableElements[focusedIndex + step]?.focus()
}

/**
 * Active row and keyboard navigation: arrows, page keys, Home, End. Enter opens, Space selects, left and right reach the
 * controls. Keys move the focus after `reveal` has rendered the row. Clicks also move it.
 */
function useRowKeys(table: {
  readonly count: number
  readonly reveal: (index: number) => void
  /** Returns the number of visible rows, the step of Page Up and Page Down. */
  readonly getPageSize: () => number
  readonly open: (index: number) => void
  readonly toggle: ((index: number) => void) | undefined
}) {
  const { count, reveal, getPageSize, open, toggle } = table
  const [requestedIndex, setActive] = useState(0)
  const body = useRef<HTMLTableSectionElement>(null)
  const isFocusMovingRef = useRef(false)
  const toValidIndex = (index: number): number => Math.max(0, Math.min(index, count - 1))
  const active = toValidIndex(requestedIndex)
  useEffect(() => {
    if (!isFocusMovingRef.current) return
    const row = body.current?.querySelector<HTMLElement>(`[data-index="${active}"]`)
    if (!row) return
    isFocusMovingRef.current = false
    row.focus({ preventScroll: true })
  })
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
    if (!(event.target instanceof HTMLElement)) return
    const row = event.target.closest('tr')
    // React portals of a row, such as menus, bubble their key events here. Ignore them.
    if (!row || !event.currentTarget.contains(row)) return
    const isTargetRow = event.target === row
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + getPageSize(),
      PageUp: active - getPageSize(),
      Home: 0,
      End: count - 1,
    }
    const target = targets[event.key]
    if (target !== undefined) {
      isFocusMovingRef.current = true
      setActive(toValidIndex(target))
      reveal(toValidIndex(target))
    } else if (event.key === 'ArrowRight') moveFocusInRow(row, 1)
    else if (event.key === 'ArrowLeft') moveFocusInRow(row, -1)
    else if (event.key === 'Enter' && isTargetRow) open(active)
    else if (event.key === ' ' && isTargetRow) toggle?.(active)
    else return
    event.preventDefault()
  }
  return { active, setActive, body, onKeyDown }
}

interface VirtualRowsProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly toKey: (item: Item) => string
  /** Estimated row height in px. */
  readonly getHeight: (item: Item) => number
  /** Distance of the rows in px. With a distance, each row has its own border. */
  readonly gap?: number
  readonly overscan?: number
  /** Called when the last item is rendered, to load more items. */
  readonly onEnd?: () => void
  readonly children: (item: Item, place: RowPosition) => ReactNode
}

/** Virtual list of rows with variable height. The page scrolls. */
export function VirtualRows<Item>(props: VirtualRowsProps<Item>) {
  const { label, items, toKey, getHeight, gap = 0, overscan = 4, onEnd, children } = props
  const containerRef = useRef<HTMLUListElement>(null)
  const focusedIndex = useRef(-1)
  const scrollPosition = useScrollPosition(containerRef)
  const virtualizer = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: items.length,
    getItemKey: useCallback(
      (index: number) => {
        const item = items[index]
        return item === undefined ? index : toKey(item)
      },
      [items, toKey],
    ),
    estimateSize: (index) => {
      const item = items[index]
      return item === undefined ? 0 : getHeight(item)
    },
    getScrollElement: () => scrollPosition.scroller,
    scrollMargin: scrollPosition.top,
    gap,
    overscan,
    useFlushSync: false,
    rangeExtractor: withFocusedRow(focusedIndex),
  })
  const virtualItems = virtualizer.getVirtualItems()
  const isLastItemRendered = virtualItems.at(-1)?.index === items.length - 1
  useEffect(() => {
    if (isLastItemRendered) onEnd?.()
  }, [isLastItemRendered, onEnd])
  const recordFocus = (target: Element): void => {
    focusedIndex.current = Number(target.closest('[data-index]')?.getAttribute('data-index') ?? -1)
  }
  return (
    <ul
      ref={containerRef}
      aria-label={label}
      className={joinClassNames('relative box-content', gap === 0 && 'rounded-lg border bg-surface')}
      style={{ height: virtualizer.getTotalSize() }}
      onFocus={({ target }) => recordFocus(target)}
    >
      {virtualItems.map(({ index, start }) => {
        const item = items[index]
        const top = start - virtualizer.options.scrollMargin
        return item === undefined
          ? null
          : children(item, { index, count: items.length, top, measure: virtualizer.measureElement })
      })}
    </ul>
  )
}
