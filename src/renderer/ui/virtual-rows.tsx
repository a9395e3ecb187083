import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useCallback, useRef } from 'react'
import type { RowPlace } from './rows'
import { useScrollPlace } from './use-scroll-place'

interface VirtualRowsProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** How high its row is likely to be, in px. */
  readonly heightOf: (item: Item) => number
  readonly children: (item: Item, place: RowPlace) => ReactNode
}

/** A framed list of `Row`s of any height, of which only those near the screen are drawn; the page around it scrolls. */
export function VirtualRows<Item>({ label, items, keyOf, heightOf, children }: VirtualRowsProps<Item>) {
  const frame = useRef<HTMLUListElement>(null)
  const focused = useRef(-1)
  const place = useScrollPlace(frame)
  const virtualizer = useVirtualizer<HTMLElement, HTMLLIElement>({
    count: items.length,
    getItemKey: useCallback(
      (index: number) => {
        const item = items[index]
        return item === undefined ? index : keyOf(item)
      },
      [items, keyOf],
    ),
    estimateSize: (index) => {
      const item = items[index]
      return item === undefined ? 0 : heightOf(item)
    },
    getScrollElement: () => place.scroller,
    scrollMargin: place.top,
    overscan: 4,
    useFlushSync: false,
    // The row with the focus stays, wherever one scrolls to.
    rangeExtractor: (range) =>
      [...new Set([...defaultRangeExtractor(range), focused.current])]
        .filter((index) => index >= 0 && index < range.count)
        .sort((a, b) => a - b),
  })
  const noteFocus = (target: Element): void => {
    const index = Number(target.closest('[data-index]')?.getAttribute('data-index') ?? -1)
    focused.current = index
  }
  return (
    <ul
      ref={frame}
      aria-label={label}
      className="relative box-content rounded-lg border bg-surface"
      style={{ height: virtualizer.getTotalSize() }}
      onFocus={({ target }) => noteFocus(target)}
    >
      {virtualizer.getVirtualItems().map(({ index, start }) => {
        const item = items[index]
        const top = start - virtualizer.options.scrollMargin
        return item === undefined
          ? null
          : children(item, { index, count: items.length, top, measure: virtualizer.measureElement })
      })}
    </ul>
  )
}
