import { type RefObject, useLayoutEffect, useState } from 'react'

/** Where a part stands in what scrolls around it. */
export interface ScrollPlace {
  /** The nearest part around it that scrolls; itself when none does. */
  readonly scroller: HTMLElement | null
  /** From the beginning of what is scrolled to the part, in px. */
  readonly top: number
  /** The part's width in px; 0 while it is not known. */
  readonly width: number
}

function scrollerOf(element: HTMLElement): HTMLElement {
  for (let above = element.parentElement; above; above = above.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(above).overflowY)) return above
  }
  return element
}

function placeOf(element: HTMLElement): ScrollPlace {
  const scroller = scrollerOf(element)
  const top = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop
  return { scroller, top: Math.round(top), width: element.clientWidth }
}

const isSame = (a: ScrollPlace, b: ScrollPlace): boolean =>
  a.scroller === b.scroller && a.top === b.top && a.width === b.width

/** Follows where a part stands, also when something above it comes or goes. */
export function useScrollPlace(ref: RefObject<HTMLElement | null>): ScrollPlace {
  const [place, setPlace] = useState<ScrollPlace>({ scroller: null, top: 0, width: 0 })
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const look = (): void => {
      const next = placeOf(element)
      setPlace((before) => (isSame(before, next) ? before : next))
    }
    look()
    const watch = new ResizeObserver(look)
    watch.observe(element)
    // What stands above it moves it without changing its size, but changes the size of what holds both.
    if (element.parentElement) watch.observe(element.parentElement)
    return () => watch.disconnect()
  }, [ref])
  return place
}
