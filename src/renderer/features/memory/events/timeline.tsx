import { SearchX } from 'lucide-react'
import { type RefObject, useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useSearchParams } from 'react-router'
import { isStillAt } from '../../../still-at'
import { EmptyState } from '../../../ui/empty-state'
import type { Json } from '../../resources/resource'
import { foundIn } from '../find-rows'
import { type LongColumn, LongTable, type LongTableHandle } from '../long-table/long-table'
import type { RowPages } from '../long-table/row-pages'
import { useRowPages } from '../long-table/use-row-pages'

const rowHeight = 36

interface TimelineProps {
  readonly pages: RowPages
  readonly columns: readonly LongColumn[]
  readonly find: string
  readonly handle: RefObject<LongTableHandle | null>
  readonly onRest: (first: number) => void
  readonly onOpen: (row: Json) => void
}

/** The rows that were found among those that are loaded. */
function Found({ pages, columns, find, onOpen }: TimelineProps) {
  const { t } = useTranslation('memory')
  useRowPages(pages)
  const places = foundIn(pages.held(), find)
  const rowAt = (index: number): Json | undefined => {
    const place = places[index]
    return place === undefined ? undefined : pages.rowAt(place)
  }
  if (places.length === 0) {
    return (
      <EmptyState icon={SearchX} title={t('events.noneFound', { text: find })}>
        {t('events.noneFoundText')}
      </EmptyState>
    )
  }
  return <LongTable label={t('events.title')} {...{ columns, rowAt, rowHeight, onOpen }} count={places.length} />
}

/** The page of the address, counted from 1, as the place of its first row. */
function useStart({ size }: RowPages): number {
  const [query] = useSearchParams()
  const page = query.get('page')
  return page !== null && /^\d{1,9}$/.test(page) ? Math.max(0, Number(page) - 1) * size : 0
}

/** The rows of a session's events, at the place that the address says. */
export function Timeline(props: TimelineProps) {
  const { pages, columns, find, handle, onRest, onOpen } = props
  const { t } = useTranslation('memory')
  const [, setQuery] = useSearchParams()
  const { pathname } = useLocation()
  const start = useStart(pages)
  useRowPages(pages)
  const { size } = pages
  const rowAt = useCallback((index: number) => pages.rowAt(index), [pages])
  const want = useCallback((from: number, to: number) => pages.want(from, to), [pages])
  const rest = useCallback(
    (first: number): void => {
      if (!isStillAt(pathname)) return
      onRest(first)
      const page = Math.floor(first / size) + 1
      setQuery(
        (before) => {
          const next = new URLSearchParams(before)
          if (page === 1) next.delete('page')
          else next.set('page', String(page))
          return next
        },
        { replace: true },
      )
    },
    [onRest, pathname, setQuery, size],
  )
  if (find !== '') return <Found {...props} />
  return (
    <LongTable
      label={t('events.title')}
      {...{ columns, rowAt, rowHeight, start, handle, onOpen }}
      count={pages.count}
      onRange={want}
      onRest={rest}
    />
  )
}
