import type { ResourcePage } from '@shared/contract'
import type { TFunction } from 'i18next'
import { ArrowDownToLine, ArrowUpToLine, MessagesSquare, Plus, SearchX, Sparkles } from 'lucide-react'
import { type RefObject, useCallback, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useSearchParams } from 'react-router'
import { type Formats, useFormats } from '../../format'
import { call, useCall } from '../../ipc'
import { generatePath, isCurrentRoute } from '../../paths'
import { Button, ButtonLink } from '../../ui/button'
import { cn } from '../../ui/cn'
import { TextInput } from '../../ui/field'
import { EmptyState } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { Hint } from '../../ui/text'
import type { Json, ResourceCall } from '../resources'
import { CallSheet, FieldsSheet, QueryFailure, ResourceFailure, readField, toText } from '../resources'
import { type LongColumn, LongTable, type LongTableHandle } from './long-table'
import { type OpenMemory, roleNames, type SessionKey, timeNames } from './names'
import { RowPages, useRowPages } from './row-pages'
import { contentCell, FindBar, foundIn } from './tab-parts'

interface SessionProps extends OpenMemory {
  readonly session: SessionKey
}

interface ShownProps extends SessionProps {
  readonly pages: RowPages
  readonly newest: 'start' | 'end' | undefined
  readonly find: string
  readonly onOpen: (row: Json) => void
}

function Shown({ connection, pages, newest, find, onOpen }: ShownProps) {
  const { t } = useTranslation('memory')
  const formats = useFormats()
  const handle = useRef<LongTableHandle>(null)
  const [top, setTop] = useState(0)
  useRowPages(pages)
  const columns = useMemo(() => eventColumns(t, formats, onOpen), [t, formats, onOpen])
  const { failure } = pages
  return (
    <>
      <Timeline {...{ pages, columns, find, handle, onOpen }} onRest={setTop} />
      {failure ? (
        <ResourceFailure
          failure={failure.failure}
          connection={connection}
          address="memoryApiUrl"
          onRetry={() => pages.retry()}
        />
      ) : null}
      {find === '' ? (
        <TimelineFoot {...{ pages, newest, top }} onJump={(index) => handle.current?.jump(index)} />
      ) : null}
    </>
  )
}

function Appending({ connection, memoryId, session, onClose }: SessionProps & { readonly onClose: () => void }) {
  return (
    <CallSheet
      connection={connection}
      address="memoryApiUrl"
      asked={appendCall}
      target={{ path: { id: memoryId, ...session }, query: {} }}
      onClose={onClose}
    />
  )
}

/** The events of one session as a timeline: any number of them, loaded as they come onto the screen. */
export function SessionEvents({ connection, memoryId, session }: SessionProps) {
  const { t } = useTranslation('memory')
  const formats = useFormats()
  const [find, setFind] = useState('')
  const [opened, setOpened] = useState<Json>()
  const [isAppending, setIsAppending] = useState(false)
  const { asked, first, pages, newest } = useEvents({ connection, memoryId }, session)
  const { error, isFetching } = first
  const append = (
    <Button icon={Plus} variant="primary" onClick={() => setIsAppending(true)}>
      {t('append.title')}
    </Button>
  )
  return (
    <>
      <FindBar
        find={find}
        onFind={setFind}
        label={t('events.find')}
        said={find !== '' && pages ? <FoundCount pages={pages} find={find} /> : null}
        isRefreshing={isFetching}
        onRefresh={() => void first.refetch()}
        code={asked}
      >
        <ButtonLink icon={Sparkles} to={generatePath(memoryId, session)}>
          {t('generate.title')}
        </ButtonLink>
        {append}
      </FindBar>
      <QueryFailure query={first} connection={connection} address="memoryApiUrl" />
      {!pages ? (
        error ? null : (
          <SkeletonRows rows={6} />
        )
      ) : pages.count === 0 ? (
        <EmptyState icon={MessagesSquare} title={t('events.empty')}>
          {t('events.emptyText')}
        </EmptyState>
      ) : (
        <div className="flex flex-col gap-3">
          <Shown {...{ connection, memoryId, session, pages, newest, find }} onOpen={setOpened} />
        </div>
      )}
      {opened !== undefined ? (
        <FieldsSheet
          subject={{ row: opened, name: timeOf(opened, formats) || t('events.one'), id: undefined, scope: {} }}
          connectionId={connection.id}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
      {isAppending ? <Appending {...{ connection, memoryId, session }} onClose={() => setIsAppending(false)} /> : null}
    </>
  )
}

function FoundCount({ pages, find }: { readonly pages: RowPages; readonly find: string }) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  useRowPages(pages)
  const held = pages.held()
  return t('events.found', {
    shown: number(foundIn(held, find).length),
    loaded: number(held.length),
    total: number(pages.count),
  })
}

/** What is asked for to append an event to a session. The names of the body's fields are ours (decisions 5): other ones are added as JSON. */
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

/** How many events are asked for at a time; a server that gives fewer is followed by its own size. */
const askedSize = 100

/** How many rows the server's pages have: a first page that is shorter than asked for, and may not be the last, shows its size. */
export function sizeOfPages({
  rows,
  totalItems,
  totalPages,
}: Pick<ResourcePage, 'rows' | 'totalItems' | 'totalPages'>): number {
  const isTold = totalItems !== undefined || totalPages !== undefined
  const mayBeMore = !isTold || (totalItems ?? 0) > rows.length || (totalPages ?? 0) > 1
  return mayBeMore && rows.length > 0 && rows.length < askedSize ? rows.length : askedSize
}

/** Which end of the list the newest event is at; nothing when the rows do not say. */
export function newestEnd(rows: ResourcePage['rows']): 'start' | 'end' | undefined {
  const times = rows
    .map((row) => readField(row, timeNames))
    .map((time) => (typeof time === 'string' ? Date.parse(time) : typeof time === 'number' ? time : Number.NaN))
    .filter((time) => !Number.isNaN(time))
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined || first === last) return undefined
  return first > last ? 'start' : 'end'
}

const countOf = ({ totalItems, rows }: ResourcePage): number | undefined =>
  totalItems === undefined ? undefined : Math.max(totalItems, rows.length)

/** A session's events, page by page as they are looked at. */
function useEvents({ connection, memoryId }: OpenMemory, { actorId, sessionId }: SessionKey) {
  const connectionId = connection.id
  const path = useMemo(() => ({ id: memoryId, actorId, sessionId }), [memoryId, actorId, sessionId])
  const asked = useMemo(
    () => ({ connectionId, operation: 'memory.events.list', path, size: askedSize }),
    [connectionId, path],
  )
  const first = useCall('resources.page', asked, { refetchOnWindowFocus: false })
  const { data } = first
  const pages = useMemo(() => {
    if (!data) return undefined
    const size = sizeOfPages(data)
    return new RowPages({
      size,
      count: countOf(data),
      first: data.rows,
      load: async (page) => {
        const loaded = await call('resources.page', { ...asked, size, page: data.firstPage + page })
        return { rows: loaded.rows, total: loaded.totalItems }
      },
    })
  }, [data, asked])
  const newest = useMemo(() => newestEnd(data?.rows ?? []), [data])
  return { asked, first, pages, newest }
}

/** Colours of who spoke, by the words that are usual; others have none. */
const hues: Readonly<Record<string, string | undefined>> = {
  user: 'bg-series-1',
  human: 'bg-series-1',
  assistant: 'bg-series-3',
  agent: 'bg-series-3',
  ai: 'bg-series-3',
  tool: 'bg-series-2',
  system: 'bg-series-4',
}

/** When an event was, as the window writes it; as it came when it is no moment. */
function timeOf(row: Json, { dateTime }: Pick<Formats, 'dateTime'>): string {
  const value = readField(row, timeNames)
  if (typeof value === 'number' || (typeof value === 'string' && !Number.isNaN(Date.parse(value)))) {
    const date = new Date(value)
    return Number.isNaN(date.getTime()) ? toText(value) : dateTime(date.toISOString())
  }
  return toText(value)
}

function Role({ row }: { readonly row: Json }) {
  const role = toText(readField(row, roleNames))
  return (
    <span className="inline-flex min-w-0 items-center gap-1.75 text-sm">
      <span
        className={cn('size-2 flex-none rounded-full', hues[role.toLowerCase()] ?? 'bg-border-strong')}
        aria-hidden="true"
      />
      <span className="truncate">{role === '' ? '–' : role}</span>
    </span>
  )
}

/** The columns of a timeline: when, who, what. */
const eventColumns = (t: TFunction<'memory'>, formats: Formats, onOpen: (row: Json) => void): readonly LongColumn[] => [
  {
    id: 'time',
    header: t('fields.time'),
    width: '208px',
    cell: (row) => <span className="whitespace-nowrap text-muted text-sm">{timeOf(row, formats)}</span>,
  },
  { id: 'role', header: t('fields.role'), width: '110px', cell: (row) => <Role row={row} /> },
  {
    id: 'content',
    header: t('fields.content'),
    width: 'minmax(200px, 1fr)',
    cell: contentCell(onOpen),
  },
]

interface FootProps {
  readonly pages: RowPages
  /** Which end the newest is at; nothing when it is not known. */
  readonly newest: 'start' | 'end' | undefined
  /** The first row on the screen. */
  readonly top: number
  readonly onJump: (index: number) => void
}

function PageField({ pages, top, onJump }: Omit<FootProps, 'newest'>) {
  const { t } = useTranslation('memory')
  const [typed, setTyped] = useState<string>()
  const { size, count } = pages
  const last = Math.max(1, Math.ceil(count / size))
  const go = (): void => {
    const page = Number(typed)
    if (typed !== undefined && Number.isInteger(page) && page >= 1) onJump((Math.min(page, last) - 1) * size)
    setTyped(undefined)
  }
  return (
    <form
      className="inline-flex"
      onSubmit={(event) => {
        event.preventDefault()
        go()
      }}
    >
      <TextInput
        className="w-18"
        inputMode="numeric"
        aria-label={t('events.pageLabel')}
        value={typed ?? String(Math.floor(top / size) + 1)}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={() => setTyped(undefined)}
      />
    </form>
  )
}

/** Beneath a timeline, always in sight: where one is among all events, and the ways to its ends and to any page. */
function TimelineFoot({ pages, newest, top, onJump }: FootProps) {
  const { t } = useTranslation('memory')
  const { number } = useFormats()
  const { size, count, isCounted } = pages
  const [first, last] =
    newest === undefined
      ? (['first', 'last'] as const)
      : newest === 'start'
        ? (['newest', 'oldest'] as const)
        : (['oldest', 'newest'] as const)
  const total = isCounted ? number(count) : t('events.atLeast', { count: number(Math.max(0, count - 1)) })
  return (
    <div className="sticky bottom-0 z-3 flex flex-wrap items-center gap-2 rounded-lg border bg-raised py-2 pr-2 pl-4">
      <Hint as="span" className="flex-1 tabular-nums" role="status">
        {t('events.place', { at: number(Math.min(count, top + 1)), total })}
      </Hint>
      <Hint as="span" className="ml-0.5">
        {t('events.page')}
      </Hint>
      <PageField {...{ pages, top, onJump }} />
      <Hint as="span" className="tabular-nums">
        {t('events.ofPages', { count: number(Math.max(1, Math.ceil(count / size))) })}
      </Hint>
      <Button size="sm" icon={ArrowUpToLine} onClick={() => onJump(0)}>
        {t(`events.to.${first}`)}
      </Button>
      <Button size="sm" icon={ArrowDownToLine} onClick={() => onJump(Math.max(0, count - 1))}>
        {t(`events.to.${last}`)}
      </Button>
    </div>
  )
}

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
function FoundEvents({ pages, columns, find, onOpen }: TimelineProps) {
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
function Timeline(props: TimelineProps) {
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
      if (!isCurrentRoute(pathname)) return
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
  if (find !== '') return <FoundEvents {...props} />
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
