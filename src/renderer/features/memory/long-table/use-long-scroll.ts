import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { type ScrollPlace, useScrollPlace } from '../../../ui/use-scroll-place'
import { headHeight } from '../../../ui/virtual-table-columns'
import { drawnHeight, isStuck, type Lengths, movedTo, type Spot, spotOf } from './long-scroll'

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

const drawnAt = ({ bar, row }: Spot, { view }: Lengths, { count, rowHeight }: Scrolled): Drawn => ({
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
  const spot = useRef<Spot>({ bar: 0, row: 0 })
  const [drawn, setDrawn] = useState<Drawn>({ from: 0, to: 0, shift: 0 })
  const draw = useCallback((next: Spot): void => {
    spot.current = next
    const now = drawnAt(next, latest.current.lengths, latest.current.scrolled)
    setDrawn((before) => (isSame(before, now) ? before : now))
  }, [])
  const put = useCallback(
    (row: number): void => {
      const next = spotOf(row, latest.current.lengths)
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
      if (Math.abs(spotOf(row, lengths).bar - bar) > 1) put(row)
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
export function useLongScroll(scrolled: Scrolled) {
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
