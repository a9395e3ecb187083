import { useCallback, useEffect, useRef, useState } from 'react'

/** Maximum distance in px from the end at which the content still scrolls with new text. */
const endDistancePx = 24

/**
 * Keeps an element scrolled to the end while its content grows, unless the user has scrolled up. `isStreaming`: starts
 * when it becomes true. Spread `scrollerProps` on the scrolling element, which contains only the `content` element.
 */
export function useStickToEnd<Scroller extends HTMLElement>(isStreaming: boolean) {
  const scroller = useRef<Scroller>(null)
  const content = useRef<HTMLDivElement>(null)
  const sticks = useRef(false)
  const [isAtEnd, setIsAtEnd] = useState(true)
  const scrollToEnd = useCallback((): void => {
    sticks.current = true
    if (scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [])
  useEffect(() => {
    if (isStreaming) sticks.current = true
  }, [isStreaming])
  useEffect(() => {
    if (!content.current) return
    // An observer avoids a second layout.
    const resizeObserver = new ResizeObserver(() => {
      if (sticks.current) scrollToEnd()
    })
    resizeObserver.observe(content.current)
    return () => resizeObserver.disconnect()
  }, [scrollToEnd])
  const onScroll = (): void => {
    if (!scroller.current) return
    const { scrollHeight, scrollTop, clientHeight } = scroller.current
    sticks.current = scrollHeight - scrollTop - clientHeight <= endDistancePx
    setIsAtEnd(sticks.current)
  }
  return { scrollerProps: { ref: scroller, onScroll }, content, isAtEnd, scrollToEnd }
}
