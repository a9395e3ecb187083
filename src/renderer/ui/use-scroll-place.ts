import { type RefObject, useLayoutEffect, useState } from 'react'

export interface ScrollPlace {
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

function measurePlace(element: HTMLElement): ScrollPlace {
  const scroller = findScroller(element)
  const top = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
  return { scroller, top: Math.round(top), width: element.clientWidth }
}

const isSame = (a: ScrollPlace, b: ScrollPlace): boolean =>
  a.scroller === b.scroller && a.top === b.top && a.width === b.width

/** Tracks the position, including changes caused by content above. */
export function useScrollPlace(ref: RefObject<HTMLElement | null>): ScrollPlace {
  const [place, setPlace] = useState<ScrollPlace>({ scroller: null, top: 0, width: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const look = (): void => {
      const nextPlace = measurePlace(element)
      setPlace((previousPlace) => (isSame(previousPlace, nextPlace) ? previousPlace : nextPlace))
    }
    look()
    const watch = new ResizeObserver(look)
    watch.observe(element)
    // Content above moves the element without resizing it, but resizes their common parent.
    if (element.parentElement) watch.observe(element.parentElement)
    return () => watch.disconnect()
  }, [ref])
  return place
}
