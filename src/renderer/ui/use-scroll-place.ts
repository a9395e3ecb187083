import { type RefObject, useLayoutEffect, useState } from 'react'

export interface ScrollPosition {
  /** Nearest scrolling ancestor, or the element itself if there is none. */
  readonly scroller: HTMLElement | null
  /** Offset from the start of the scrolled content, in px. */
  readonly top: number
  /** Width in px, 0 while unknown. */
  readonly width: number
}

function findScroller(element: HTMLElement): HTMLElement {
  for (let ancestor = element.parentElement; ancestor; ancestor = ancestor.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(ancestor).overflowY)) return ancestor
  }
  return element
}

function measurePosition(element: HTMLElement): ScrollPosition {
  const scroller = findScroller(element)
  const top = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
  return { scroller, top: Math.round(top), width: element.clientWidth }
}

const isSamePosition = (a: ScrollPosition, b: ScrollPosition): boolean =>
  a.scroller === b.scroller && a.top === b.top && a.width === b.width

/** Tracks the position, including changes caused by content above. */
export function useScrollPosition(ref: RefObject<HTMLElement | null>): ScrollPosition {
  const [place, setPlace] = useState<ScrollPosition>({ scroller: null, top: 0, width: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const updatePosition = (): void => {
      const nextPlace = measurePosition(element)
      setPlace((previousPlace) => (isSamePosition(previousPlace, nextPlace) ? previousPlace : nextPlace))
    }
    updatePosition()
    const resizeObserver = new ResizeObserver(updatePosition)
    resizeObserver.observe(element)
    // Content above moves the element without resizing it, but resizes their common parent.
    if (element.parentElement) resizeObserver.observe(element.parentElement)
    return () => resizeObserver.disconnect()
  }, [ref])
  return place
}
