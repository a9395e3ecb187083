import type { ResourcePage } from '@shared/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import { ArrowDownToLine, ArrowUpToLine, MessagesSquare, Plus, Sparkles } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Formats, useFormats } from '../../../format'
import { type CallError, call } from '../../../ipc'
import { generatePath } from '../../../paths'
import { Button, renderActions } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { TextInput } from '../../../ui/field'
import { Hint } from '../../../ui/text'
import { VirtualTable } from '../../../ui/virtual-table'
import type { Json, ResourceCall } from '../resources'
import {
  CallSheet,
  FieldsSheet,
  ListToolbar,
  LoadedResource,
  parseTime,
  readField,
  rowMatcher,
  toText,
  useListPosition,
  useService,
} from '../resources'
import { type KeyedRow, type OpenMemory, roleNames, type SessionKey, timeNames } from './names'
import { contentCell, maxRows, NoRows } from './tab-parts'

/** Events per request. If the server returns smaller pages, their size is used. */
const pageSize = 100

/** Next page number. Undefined at the end of the list or at `maxRows`. */
function nextPage(lastPage: ResourcePage, pages: readonly ResourcePage[]): number | undefined {
  const { page, firstPage, rows, totalItems, totalPages } = lastPage
  const size = pages[0]?.rows.length ?? 0
  const pageNumber = page - firstPage + 1
  const isLast =
    totalPages !== undefined
      ? pageNumber >= totalPages
      : totalItems !== undefined
        ? pageNumber * size >= totalItems
        : rows.length < size
  return isLast || rows.length === 0 || pages.length * size >= maxRows ? undefined : page + 1
}

/** Names of the first and the last page, by the times of the rows if they differ. */
function listEnds(rows: ResourcePage['rows']) {
  const timesMs = rows.flatMap((row) => parseTime(readField(row, timeNames)) ?? [])
  const differenceMs = (timesMs[0] ?? 0) - (timesMs.at(-1) ?? 0)
  if (differenceMs === 0) return ['first', 'last'] as const
  return differenceMs > 0 ? (['newest', 'oldest'] as const) : (['oldest', 'newest'] as const)
}

/** List of a session's events. Starts at the page number in the page address and loads more while scrolling. */
export function SessionEvents({ memoryId, session }: OpenMemory & { readonly session: SessionKey }) {
  const { t } = useTranslation('memory')
  const formats = useFormats()
  const { place, change } = useListPosition('memory-events')
  const [openedEvent, setOpenedEvent] = useState<Json>()
  const [isAppending, setIsAppending] = useState(false)
  const path = { id: memoryId, actorId: session.actorId, sessionId: session.sessionId }
  const eventsQuery = { connectionId: useService().connection.id, operation: 'memory.events.list', path }
  const query = useInfiniteQuery({
    queryKey: ['resources.page', eventsQuery, { start: place.page }],
    initialPageParam: place.page,
    queryFn: ({ pageParam: page }) =>
      call('resources.page', { ...eventsQuery, size: pageSize, ...(page !== undefined && { page }) }),
    getNextPageParam: nextPage,
    refetchOnWindowFocus: false,
    throwOnError: (_: CallError) => false,
  })
  const pages = query.data?.pages
  const events = useMemo(
    () => (pages ?? []).flatMap(({ rows }) => rows).map((row, index): KeyedRow => ({ key: String(index), row })),
    [pages],
  )
  const columns = useMemo(
    () => [
      {
        id: 'time',
        header: t('fields.time'),
        width: '208px',
        cell: ({ row }) => <span className="whitespace-nowrap text-muted text-sm">{formatTime(row, formats)}</span>,
      },
      {
        id: 'role',
        header: t('fields.role'),
        width: '110px',
        cell: ({ row }) => {
          const role = toText(readField(row, roleNames))
          return (
            <span className="inline-flex min-w-0 items-center gap-1.75 text-sm">
              <span
                className={joinClassNames(
                  'size-2 flex-none rounded-full',
                  hues[role.toLowerCase()] ?? 'bg-border-strong',
                )}
                aria-hidden="true"
              />
              <span className="truncate">{role === '' ? '–' : role}</span>
            </span>
          )
        },
      },
      { id: 'content', header: t('fields.content'), width: 'minmax(200px, 1fr)', cell: contentCell(setOpenedEvent) },
    ],
    [t, formats],
  )
  const matches = rowMatcher(place.find)
  const matchingEvents = events.filter(({ row }) => matches(row))
  const [firstLoadedPage] = pages ?? []
  return (
    <>
      <ListToolbar
        place={place}
        onChange={change}
        findLabel={t('events.find')}
        query={{ isFetching: query.isFetching && !query.isFetchingNextPage, refetch: query.refetch }}
        call={{ ...eventsQuery, query: { page: firstLoadedPage?.page ?? 1, size: pageSize } }}
        shown={matchingEvents.length}
        count={events.length}
      >
        {renderActions(
          [
            { label: t('generate.title'), icon: Sparkles, to: generatePath(memoryId, session) },
            { label: t('append.title'), icon: Plus, variant: 'primary', onClick: () => setIsAppending(true) },
          ],
          'md',
        )}
      </ListToolbar>
      <LoadedResource query={query}>
        {() =>
          matchingEvents.length > 0 ? (
            <VirtualTable
              label={t('events.title')}
              columns={columns}
              rows={matchingEvents}
              rowKey={({ key }) => key}
              rowHeight={36}
              onOpen={({ row }) => setOpenedEvent(row)}
              onEnd={place.find === '' && query.hasNextPage && !query.isFetching ? query.fetchNextPage : undefined}
            />
          ) : (
            <NoRows list="events" icon={MessagesSquare} find={place.find} />
          )
        }
      </LoadedResource>
      {firstLoadedPage !== undefined &&
      place.find === '' &&
      (events.length > 0 || firstLoadedPage.page > firstLoadedPage.firstPage) ? (
        <PageBar first={firstLoadedPage} count={events.length} onPage={(page) => change({ page })} />
      ) : null}
      {openedEvent !== undefined ? (
        <FieldsSheet
          subject={{ row: openedEvent, name: formatTime(openedEvent, formats) || t('events.one') }}
          onClose={() => setOpenedEvent(undefined)}
        />
      ) : null}
      {isAppending ? (
        <CallSheet resourceCall={appendCall} target={{ path, query: {} }} onClose={() => setIsAppending(false)} />
      ) : null}
    </>
  )
}

/** Appends an event. The spec does not define its fields (decision 5), so the user can add fields as JSON. */
const appendCall: ResourceCall = {
  operation: 'memory.events.create',
  title: (t) => t('memory:append.title'),
  text: (t) => t('memory:append.text'),
  confirm: (t) => t('memory:append.confirm'),
  done: (t) => t('memory:append.done'),
  fields: [
    {
      id: 'role',
      kind: 'text',
      isCode: true,
      label: (t) => t('memory:fields.role'),
      help: (t) => t('memory:append.roleHelp'),
      initial: 'user',
    },
    {
      id: 'content',
      kind: 'area',
      label: (t) => t('memory:fields.content'),
      help: (t) => t('memory:append.contentHelp'),
    },
  ],
  takesJson: true,
}

/** Colors by author, for the common names. */
const hues: Readonly<Record<string, string | undefined>> = {
  user: 'bg-series-1',
  human: 'bg-series-1',
  assistant: 'bg-series-3',
  agent: 'bg-series-3',
  ai: 'bg-series-3',
  tool: 'bg-series-2',
  system: 'bg-series-4',
}

/** Formats the time of a row. Returns a value that is no time unchanged. */
function formatTime(row: Json, { dateTime }: Pick<Formats, 'dateTime'>): string {
  const value = readField(row, timeNames)
  const time = parseTime(value)
  return time === undefined ? toText(value) : dateTime(new Date(time).toISOString())
}

/** Shows which events are loaded, with buttons for the first and last page and a field for any other page. */
function PageBar(props: {
  readonly first: ResourcePage
  readonly count: number
  readonly onPage: (page: number) => void
}) {
  const { count, onPage } = props
  const { rows, page, firstPage, totalItems, totalPages } = props.first
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  const [typed, setTyped] = useState<string>()
  const isPageCountKnown = totalItems !== undefined && totalPages !== undefined && totalPages > 0
  const size = isPageCountKnown ? Math.ceil(totalItems / totalPages) : page === firstPage ? rows.length : pageSize
  const lastPage = totalPages ?? (totalItems === undefined ? undefined : Math.ceil(totalItems / size))
  const startIndex = (page - firstPage) * size
  const [start, end] = listEnds(rows)
  const shownRange = { from: number(startIndex + 1), to: number(startIndex + count) }
  const goToPage = (targetPage: number): void =>
    onPage(firstPage + Math.max(1, Math.min(targetPage, lastPage ?? targetPage)) - 1)
  return (
    <div className="sticky bottom-0 z-3 flex flex-wrap items-center gap-2 rounded-lg border bg-raised py-2 pr-2 pl-4">
      <Hint as="span" className="flex-1 tabular-nums" role="status">
        {totalItems === undefined
          ? t('events.range', shownRange)
          : t('events.rangeOf', { ...shownRange, total: number(totalItems) })}
        {count >= maxRows ? ` · ${t('events.full')}` : null}
      </Hint>
      <Hint as="span">{t('events.page')}</Hint>
      <form
        className="inline-flex"
        onSubmit={(event) => {
          event.preventDefault()
          if (typed !== undefined && /^\d{1,9}$/.test(typed)) goToPage(Number(typed))
          setTyped(undefined)
        }}
      >
        <TextInput
          className="w-18"
          inputMode="numeric"
          aria-label={t('events.pageLabel')}
          value={typed ?? String(page - firstPage + 1)}
          onChange={({ target }) => setTyped(target.value)}
          onBlur={() => setTyped(undefined)}
        />
      </form>
      {lastPage === undefined ? null : (
        <Hint as="span" className="tabular-nums">
          {t('events.ofPages', { count: number(lastPage) })}
        </Hint>
      )}
      <Button size="sm" icon={ArrowUpToLine} onClick={() => goToPage(1)}>
        {t(`events.to.${start}`)}
      </Button>
      {lastPage === undefined ? null : (
        <Button size="sm" icon={ArrowDownToLine} onClick={() => goToPage(lastPage)}>
          {t(`events.to.${end}`)}
        </Button>
      )}
    </div>
  )
}
