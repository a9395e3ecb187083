import {
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { Checkbox } from '../../ui/checkbox'
import { Skeleton } from '../../ui/skeleton'
import { type ScrollPlace, useScrollPlace } from '../../ui/use-scroll-place'
import {
  columnsFor,
  gridTemplate,
  headHeight,
  rowKeys,
  useActiveRow,
  type VirtualColumn,
  VirtualTableHead,
  VirtualTableRow,
  virtualFrame,
} from '../../ui/virtual-table'
import type { Json } from '../resources'

export type LongColumn = VirtualColumn<Json>

/** Which rows of a long list are ticked, by their places. */
export interface PlaceSelection {
  readonly has: (index: number) => boolean
  /** `isRange`: with all between this one and the one ticked before. */
  readonly onTick: (index: number, isRange: boolean) => void
  readonly all: boolean | 'indeterminate'
  readonly onAll: (isTicked: boolean) => void
  readonly allLabel: string
  readonly labelOf: (row: Json, index: number) => string
}

/** What can be told a long list from outside. */
export interface LongTableHandle {
  /** Puts a row at the top of the screen. */
  readonly jump: (index: number) => void
}

interface LongTableProps {
  /** What it holds, for a screen reader. */
  readonly label: string
  readonly columns: readonly LongColumn[]
  readonly count: number
  /** The row at a place; nothing while it is on its way. */
  readonly rowAt: (index: number) => Json | undefined
  /** In px, the same for all. */
  readonly rowHeight: number
  /** Told which rows are drawn, the last excluded. */
  readonly onRange?: ((from: number, to: number) => void) | undefined
  /** Told the first row on the screen, once one rests there. */
  readonly onRest?: ((first: number) => void) | undefined
  readonly onOpen?: ((row: Json) => void) | undefined
  readonly selection?: PlaceSelection | undefined
  /** Where it begins. */
  readonly start?: number | undefined
  readonly handle?: Ref<LongTableHandle> | undefined
}

/** A row that is on its way stands as this; no server sends it. */
const waiting: Json = { '\u0000': null }

/** Columns whose cells show a shape while their row is on its way. */
function useColumns(columns: readonly LongColumn[], width: number): readonly LongColumn[] {
  return useMemo(
    () =>
      columnsFor(columns, width).map((column) => ({
        ...column,
        cell: (row: Json, tabIndex: number) =>
          row === waiting ? <Skeleton width="60%" height={10} /> : column.cell(row, tabIndex),
      })),
    [columns, width],
  )
}

const placesOf = (from: number, to: number, active: number): readonly number[] => {
  const drawn = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at)
  // The row with the focus stays, wherever one scrolls to.
  return active < from ? [active, ...drawn] : active >= to ? [...drawn, active] : drawn
}

/** A table of any number of rows of one height, known by their places: the rows on the screen are drawn and asked for, and the page around it scrolls. */
export function LongTable(props: LongTableProps) {
  const { label, columns, count, rowAt, rowHeight, selection, start, handle, onOpen, onRange, onRest } = props
  const frame = useRef<HTMLTableElement>(null)
  const { drawn, height, width, view, jump, reveal, isReady } = useLongScroll({ frame, count, rowHeight, onRest })
  const { active, setActive, move, body } = useActiveRow(count, reveal)
  const { from, to, shift } = drawn
  const shown = useColumns(columns, width)
  const template = gridTemplate(shown, selection !== undefined)
  useImperativeHandle(handle, () => ({ jump }), [jump])
  useEffect(() => {
    if (to > from) onRange?.(from, to)
  }, [from, to, onRange])
  const isBegun = useRef(false)
  useEffect(() => {
    if (!isReady || isBegun.current) return
    isBegun.current = true
    if (start !== undefined && start > 0) jump(start)
  }, [isReady, start, jump])
  const isRange = useRef(false)
  const latest = useRef({ selection })
  latest.current = { selection }
  const tick = useCallback((index: number) => latest.current.selection?.onTick(index, isRange.current), [])
  const open = (index: number): void => {
    const row = rowAt(index)
    if (row !== undefined) onOpen?.(row)
  }
  const pageSize = Math.max(1, Math.floor(view / rowHeight) - 1)
  const keys = { count, active, pageSize, move, open, toggle: selection && tick }
  const noteShift = ({ shiftKey }: { readonly shiftKey: boolean }): void => {
    isRange.current = shiftKey
  }
  return (
    <table ref={frame} aria-label={label} aria-rowcount={count + 1} className={virtualFrame}>
      <VirtualTableHead
        {...{ columns: shown, template }}
        tickAll={
          selection && <Checkbox checked={selection.all} onCheckedChange={selection.onAll} label={selection.allLabel} />
        }
      />
      <tbody
        ref={body}
        className="relative block overflow-clip"
        style={{ height }}
        onKeyDown={rowKeys(keys)}
        onKeyDownCapture={noteShift}
        onClickCapture={noteShift}
        onMouseDown={(event) => {
          // A range of rows is meant, not one of text.
          if (event.shiftKey && selection) event.preventDefault()
        }}
        onDoubleClick={({ target }) => {
          if (!(target instanceof Element) || target.closest('button')) return
          const row = target.closest('[data-index]')
          if (row) open(Number(row.getAttribute('data-index')))
        }}
      >
        {placesOf(from, to, count > 0 ? active : from).map((index) => {
          const row = rowAt(index)
          return (
            <VirtualTableRow
              key={index}
              row={row ?? waiting}
              index={index}
              columns={shown}
              template={template}
              top={index * rowHeight + shift}
              height={rowHeight}
              isActive={index === active}
              hasTicks={selection !== undefined}
              tickLabel={row === undefined ? undefined : selection?.labelOf(row, index)}
              isTicked={selection?.has(index) ?? false}
              onTick={tick}
              onFocus={setActive}
            />
          )
        })}
      </tbody>
    </table>
  )
}

/** How long one rests from scrolling before the bar is put where the rows are, in ms. */
const restMs = 140
const overscan = 6

/** What a long list draws: the rows from `from` up to `to`, the first of all at `shift` px. */
interface Drawn {
  readonly from: number
  readonly to: number
  readonly shift: number
}

interface Scrolled {
  readonly frame: RefObject<HTMLElement | null>
  readonly count: number
  readonly rowHeight: number
  /** Told the first row on the screen, once one rests there. */
  readonly onRest?: ((first: number) => void) | undefined
}

const drawnAt = ({ bar, row }: ScrollOffset, { view }: Lengths, { count, rowHeight }: Scrolled): Drawn => ({
  from: Math.max(0, Math.floor(row / rowHeight) - overscan),
  to: Math.min(count, Math.ceil((row + view) / rowHeight) + overscan),
  shift: bar - row,
})

const isSame = (a: Drawn, b: Drawn): boolean => a.from === b.from && a.to === b.to && a.shift === b.shift

/** How much of what is scrolled is seen, without the table's head, in px. */
function useView(scroller: HTMLElement | null): number {
  const [height, setHeight] = useState(0)
  useLayoutEffect(() => {
    if (!scroller) return
    const look = (): void => setHeight(scroller.clientHeight)
    look()
    const watch = new ResizeObserver(look)
    watch.observe(scroller)
    return () => watch.disconnect()
  }, [scroller])
  return Math.max(0, height - headHeight)
}

/** Where the list stands, what is drawn of it, and how to put it somewhere else. */
function useSpot(scrolled: Scrolled, lengths: Lengths, { scroller, top }: ScrollPlace) {
  const latest = useRef({ scrolled, lengths })
  latest.current = { scrolled, lengths }
  const spot = useRef<ScrollOffset>({ bar: 0, row: 0 })
  const [drawn, setDrawn] = useState<Drawn>({ from: 0, to: 0, shift: 0 })
  const draw = useCallback((next: ScrollOffset): void => {
    spot.current = next
    const now = drawnAt(next, latest.current.lengths, latest.current.scrolled)
    setDrawn((before) => (isSame(before, now) ? before : now))
  }, [])
  const put = useCallback(
    (row: number): void => {
      const next = findScrollOffset(row, latest.current.lengths)
      draw(next)
      if (scroller && (scroller.scrollTop > top || next.bar > 0)) scroller.scrollTop = top + next.bar
    },
    [draw, scroller, top],
  )
  useLayoutEffect(() => {
    if (scroller) draw(movedTo(scroller.scrollTop - top, spot.current, lengths))
  }, [scroller, top, lengths, draw])
  return { latest, spot, drawn, draw, put }
}

/** Keeps the rows in step with the scroll bar, and the bar with the rows once one rests. */
function useFollowing({ latest, spot, draw, put }: ReturnType<typeof useSpot>, { scroller, top }: ScrollPlace): void {
  useEffect(() => {
    if (!scroller) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const rest = (): void => {
      const { row, bar } = spot.current
      const { scrolled, lengths } = latest.current
      if (Math.abs(findScrollOffset(row, lengths).bar - bar) > 1) put(row)
      scrolled.onRest?.(Math.floor(row / scrolled.rowHeight))
    }
    const follow = (): void => {
      const next = movedTo(scroller.scrollTop - top, spot.current, latest.current.lengths)
      draw(next)
      if (isStuck(next, latest.current.lengths)) put(next.row)
      clearTimeout(timer)
      timer = setTimeout(rest, restMs)
    }
    scroller.addEventListener('scroll', follow, { passive: true })
    return () => {
      clearTimeout(timer)
      scroller.removeEventListener('scroll', follow)
    }
  }, [scroller, top, latest, spot, draw, put])
}

/** Follows the scrolling of the page around a long list: by row heights alone, whatever their number. */
function useLongScroll(scrolled: Scrolled) {
  const { frame, count, rowHeight } = scrolled
  const place = useScrollPlace(frame)
  const view = useView(place.scroller)
  const lengths = useMemo((): Lengths => ({ full: count * rowHeight, view }), [count, rowHeight, view])
  const at = useSpot(scrolled, lengths, place)
  useFollowing(at, place)
  const { drawn, put, spot } = at
  /** Puts a row at the top of the screen. */
  const jump = useCallback((index: number) => put(index * rowHeight), [put, rowHeight])
  /** Scrolls as little as is needed to have a row on the screen. */
  const reveal = useCallback(
    (index: number): void => {
      const { row } = spot.current
      if (index * rowHeight < row) put(index * rowHeight)
      else if ((index + 1) * rowHeight > row + view) put((index + 1) * rowHeight - view)
    },
    [put, spot, rowHeight, view],
  )
  return { drawn, height: drawnHeight(lengths), width: place.width, view, jump, reveal, isReady: view > 0 }
}

/** Lengths of a list and of the window it is seen through, in px. */
interface Lengths {
  /** Of all rows. */
  readonly full: number
  /** Of what is seen at a time. */
  readonly view: number
}

/** Where the scroll bar stands, and which px of all rows is at the top then. They differ where not all rows can be drawn at their own height. */
interface ScrollOffset {
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
export function findScrollOffset(row: number, lengths: Lengths): ScrollOffset {
  const wanted = between(row, 0, furthestRow(lengths))
  if (lengths.full <= mostDrawn) return { bar: wanted, row: wanted }
  return { bar: Math.round((wanted / furthestRow(lengths)) * furthestBar(lengths)), row: wanted }
}

/** The spot after the scroll bar moved: a little is the same little in rows, far is a share of all of them. */
export function movedTo(bar: number, before: ScrollOffset, lengths: Lengths): ScrollOffset {
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
export const isStuck = ({ bar, row }: ScrollOffset, lengths: Lengths): boolean =>
  (bar <= 0 && row > 0) || (bar >= furthestBar(lengths) && row < furthestRow(lengths))
