import type { ResourcePage } from '@shared/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import i18next from 'i18next'
import { ArrowDownToLine, ArrowUpToLine, MessagesSquare, Plus, Sparkles, Users } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { formatDateTime, formatNumber } from '../../../format'
import { type CallError, call } from '../../../ipc'
import { eventsPath, generatePath, memoryPath } from '../../../paths'
import { PlatformTime } from '../../../relative-time'
import { Button, ButtonLink, renderActions } from '../../../ui/button'
import { joinClassNames } from '../../../ui/cn'
import { Form, TextInput } from '../../../ui/field'
import { IconButton } from '../../../ui/icon-button'
import { EmptyState, Section } from '../../../ui/page'
import { InlineDetails, Row, Rows } from '../../../ui/rows'
import { Hint } from '../../../ui/text'
import { type VirtualColumn, VirtualTable } from '../../../ui/virtual-table'
import { useAddressQuery } from '../../../window-state'
import {
  CallSheet,
  FieldsSheet,
  FieldsView,
  findIdentifier,
  findLastPage,
  type Json,
  ListPager,
  ListToolbar,
  LoadedResource,
  parseTime,
  type Resource,
  type ResourceCall,
  readField,
  rowMatcher,
  searchedRows,
  toText,
  useList,
  useListPosition,
  useService,
} from '../resources'
import { countFields } from './memories'
import {
  contentCell,
  type KeyedRow,
  maxRows,
  NoRows,
  type OpenMemory,
  roleNames,
  SessionFields,
  type SessionKey,
  timeNames,
  useSeenSessions,
} from './tab-parts'

const t = i18next.getFixedT(null, 'memory')

const actorIdNames = ['actorId', 'id', 'uuid', 'userId', 'name']

export function ActorsTab({ memoryId }: OpenMemory) {
  const [query, changeQuery] = useAddressQuery()
  const { place, change } = useListPosition(actors.at)
  const [seenSessions] = useSeenSessions(memoryId)
  const { list, shownCall } = useList(actors, { id: memoryId }, place)
  const { data } = list
  const rows = searchedRows(data?.rows ?? [], place.find)
  const [firstRow] = rows
  const chosenActorId =
    query.get('actor') ?? (firstRow === undefined ? undefined : findIdentifier(firstRow, actorIdNames))
  const chooseActor = (actorId: string): void => changeQuery({ actor: actorId })
  const row = data?.rows.find((candidate) => findIdentifier(candidate, actorIdNames) === chosenActorId)
  return (
    <div className="flex flex-col gap-3">
      <ListToolbar
        place={place}
        onChange={change}
        query={list}
        call={shownCall}
        shown={rows.length}
        count={data?.rows.length ?? 0}
      />
      <LoadedResource query={list}>
        {(data) => {
          const actorRows = new Map<string, Json | undefined>(
            rows.flatMap((row) => {
              const actorId = findIdentifier(row, actorIdNames)
              return actorId === undefined ? [] : [[actorId, row] as const]
            }),
          )
          for (const { actorId } of place.find === '' ? seenSessions : []) {
            if (!actorRows.has(actorId)) actorRows.set(actorId, undefined)
          }
          return (
            <div className="grid grid-cols-[minmax(240px,2fr)_minmax(0,3fr)] items-start gap-6">
              <div className="flex min-w-0 flex-col gap-3">
                {actorRows.size === 0 ? (
                  <NoRows list="actors" icon={Users} find={place.find} />
                ) : (
                  <ul className="flex flex-col rounded-lg border bg-surface p-1" aria-label={t('actors.title')}>
                    {[...actorRows].map(([actorId, row]) => (
                      <li key={actorId}>
                        <button
                          type="button"
                          className={joinClassNames(
                            'flex w-full flex-col gap-px rounded-md px-2.5 py-1.75 text-left text-muted text-sm',
                            actorId === chosenActorId ? 'bg-accent-soft' : 'hover:bg-hover',
                          )}
                          aria-current={actorId === chosenActorId ? 'true' : undefined}
                          onClick={() => chooseActor(actorId)}
                        >
                          <span className="truncate font-strong text-md text-text" title={actorId}>
                            {actorId}
                          </span>
                          <RowDetails row={row} typedText={t('actors.typed')} />
                        </button>
                      </li>
                    ))}
                  </ul>
                )}
                {data.rows.length > 0 || data.page > data.firstPage ? (
                  <ListPager answer={data} size={place.size} onChange={change} />
                ) : null}
              </div>
              <SessionsPanel {...{ memoryId, row }} actorId={chosenActorId} onActor={chooseActor} />
            </div>
          )
        }}
      </LoadedResource>
    </div>
  )
}

/** Counts of an actor or a session, and its last time, as far as the platform returned them. */
function RowDetails({ row, typedText }: { readonly row: Json | undefined; readonly typedText: string }) {
  if (row === undefined) return <InlineDetails items={[typedText]} />
  const [sessions, events] = (['sessions', 'events'] as const).map((id) => readField(row, countFields[id]))
  const listedSessions = readField(row, sessionListFields)
  const sessionCount = typeof sessions === 'number' ? sessions : Array.isArray(listedSessions) && listedSessions.length
  const time = parseTime(readField(row, lastNames))
  return (
    <InlineDetails
      items={[
        sessionCount !== false && t('count.sessions', { count: sessionCount }),
        typeof events === 'number' && t('count.events', { count: events }),
        time !== undefined && <PlatformTime key="last" at={new Date(time).toISOString()} />,
      ]}
    />
  )
}

function SessionsPanel(
  props: OpenMemory & {
    readonly actorId: string | undefined
    readonly row: Json | undefined
    readonly onActor: (actorId: string) => void
  },
) {
  const { memoryId, actorId, row, onActor } = props
  const navigate = useNavigate()
  const [seenSessions, noteSessions] = useSeenSessions(memoryId)
  const actorSessions = actorId === undefined ? [] : listSessions(actorId, row, seenSessions)
  return (
    <div className="flex min-w-0 flex-col gap-6">
      <Section
        title={actorId === undefined ? t('sessions.title') : t('sessions.of', { actor: actorId })}
        description={t('sessions.hint')}
      >
        {actorSessions.length > 0 ? (
          <Rows label={t('sessions.title')}>
            {actorSessions.map((session) => {
              const { sessionId } = session
              return (
                <Row
                  key={sessionId}
                  title={sessionId}
                  to={eventsPath(memoryId, session)}
                  description={<RowDetails row={session.row} typedText={t('sessions.typed')} />}
                  trailing={
                    <IconButton
                      icon={Sparkles}
                      label={t('generate.from', { session: sessionId })}
                      onClick={() => void navigate(generatePath(memoryId, session))}
                    />
                  }
                />
              )
            })}
          </Rows>
        ) : actorId === undefined ? null : (
          <EmptyState icon={MessagesSquare} title={t('sessions.empty')}>
            {t('sessions.emptyText')}
          </EmptyState>
        )}
        <SessionFields
          key={actorId ?? ''}
          actor={actorId ?? ''}
          session=""
          sessions={actorSessions.map(({ sessionId }) => sessionId)}
          actors={[]}
          confirm={t('sessions.open')}
          onChoose={(session) => {
            noteSessions([session])
            onActor(session.actorId)
            void navigate(eventsPath(memoryId, session))
          }}
        />
      </Section>
      {row !== undefined && actorId !== undefined ? (
        <FieldsView data={row} keepAs={{ kind: 'token', name: actorId }} />
      ) : null}
    </div>
  )
}

/** Actors of a memory (spec, "Memory"). */
const actors: Resource = {
  address: 'memoryApiUrl',
  icon: Users,
  at: '/memory/:id/sessions',
  texts: 'memory:actors.',
  list: { operation: 'memory.actors.list' },
  identifier: { names: actorIdNames, param: 'actorId' },
  naming: actorIdNames,
  columns: [],
  actions: [],
}

/** A session of an actor. `row`: the session as the platform returned it, undefined if the user typed its id. */
interface SessionView extends SessionKey {
  readonly row?: Json
}

/** Field names that may contain the last time. */
const lastNames = ['lastEventAt', 'lastActiveAt', 'lastSeenAt', 'updatedAt', 'createdAt']

/** Fields of an actor's row that may list sessions. The spec defines no operation that lists them (decision 5). */
const sessionListFields = ['sessions', 'sessionIds', 'sessionList', 'threads', 'threadIds', 'conversations']

const sessionIdNames = ['sessionId', 'id', 'uuid', 'threadId', 'conversationId', 'name']

/** Sessions of an actor: those in the actor's row, those that the user typed, and those seen earlier. */
function listSessions(
  actorId: string,
  row: Json | undefined,
  seenSessions: readonly SessionKey[],
): readonly SessionView[] {
  const listedSessions = readField(row, sessionListFields)
  const returnedSessions = (Array.isArray(listedSessions) ? listedSessions : []).flatMap((session): SessionView[] => {
    const sessionId = findIdentifier(session, sessionIdNames)
    return sessionId === undefined ? [] : [{ actorId, sessionId, row: session }]
  })
  const listedIds = new Set(returnedSessions.map(({ sessionId }) => sessionId))
  const ownSessions = seenSessions.filter((session) => session.actorId === actorId && !listedIds.has(session.sessionId))
  return [...returnedSessions, ...ownSessions]
}

/** Events of a session. The session id comes from the page address, or the user selects it on this tab. */
export function EventsTab({ memoryId }: OpenMemory) {
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const actorId = query.get('actor') ?? ''
  const sessionId = query.get('session') ?? ''
  const [seenSessions, noteSessions] = useSeenSessions(memoryId)
  useEffect(() => {
    if (actorId !== '' && sessionId !== '') noteSessions([{ actorId, sessionId }])
  }, [actorId, sessionId, noteSessions])
  const isChosen = actorId !== '' && sessionId !== ''
  return (
    <div className="flex flex-col gap-3">
      <SessionFields
        key={`fields ${actorId} ${sessionId}`}
        actor={actorId}
        session={sessionId}
        actors={[...new Set(seenSessions.map((session) => session.actorId))]}
        sessions={seenSessions.map((session) => session.sessionId)}
        confirm={t('events.show')}
        onChoose={(session) => void navigate(eventsPath(memoryId, session))}
      />
      {isChosen ? (
        <SessionEvents key={`events ${actorId} ${sessionId}`} memoryId={memoryId} session={{ actorId, sessionId }} />
      ) : (
        <EmptyState
          icon={MessagesSquare}
          title={t('events.choose')}
          actions={<ButtonLink to={memoryPath(memoryId, 'sessions')}>{t('events.toSessions')}</ButtonLink>}
        >
          {t('events.chooseText')}
        </EmptyState>
      )}
    </div>
  )
}

/** Events per request. If the server returns smaller pages, their size is used. */
const pageSize = 100

/** Next page number. Undefined at the end of the list or at `maxRows`. */
function nextPage(lastPage: ResourcePage, pages: readonly ResourcePage[]): number | undefined {
  const { page, rows } = lastPage
  const size = pages[0]?.rows.length ?? 0
  const lastPageNumber = findLastPage(lastPage, size)
  const isLast = lastPageNumber === undefined ? rows.length < size : page >= lastPageNumber
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
function SessionEvents({ memoryId, session }: OpenMemory & { readonly session: SessionKey }) {
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
  const columns: readonly VirtualColumn<KeyedRow>[] = [
    {
      id: 'time',
      header: t('fields.time'),
      width: '208px',
      cell: ({ row }) => <span className="whitespace-nowrap text-muted text-sm">{formatRowTime(row)}</span>,
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
  ]
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
          subject={{ row: openedEvent, name: formatRowTime(openedEvent) || t('events.one') }}
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
  title: 'memory:append.title',
  text: 'memory:append.text',
  confirm: 'memory:append.confirm',
  done: 'memory:append.done',
  fields: [
    {
      id: 'role',
      kind: 'text',
      isCode: true,
      label: 'memory:fields.role',
      help: 'memory:append.roleHelp',
      initial: 'user',
    },
    {
      id: 'content',
      kind: 'area',
      label: 'memory:fields.content',
      help: 'memory:append.contentHelp',
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
function formatRowTime(row: Json): string {
  const value = readField(row, timeNames)
  const time = parseTime(value)
  return time === undefined ? toText(value) : formatDateTime(new Date(time).toISOString())
}

/** Shows which events are loaded, with buttons for the first and last page and a field for any other page. */
function PageBar(props: {
  readonly first: ResourcePage
  readonly count: number
  readonly onPage: (page: number) => void
}) {
  const { count, onPage } = props
  const { rows, page, firstPage, totalItems, totalPages } = props.first
  const [typed, setTyped] = useState<string>()
  const isPageCountKnown = totalItems !== undefined && totalPages !== undefined && totalPages > 0
  const size = isPageCountKnown ? Math.ceil(totalItems / totalPages) : page === firstPage ? rows.length : pageSize
  const lastPage = findLastPage(props.first, size)
  const startIndex = (page - firstPage) * size
  const [start, end] = listEnds(rows)
  const shownRange = { from: formatNumber(startIndex + 1), to: formatNumber(startIndex + count) }
  const goToPage = (targetPage: number): void =>
    onPage(Math.max(firstPage, Math.min(targetPage, lastPage ?? targetPage)))
  return (
    <div className="sticky bottom-0 z-3 flex flex-wrap items-center gap-2 rounded-lg border bg-raised py-2 pr-2 pl-4">
      <Hint as="span" className="flex-1 tabular-nums" role="status">
        {totalItems === undefined
          ? t('events.range', shownRange)
          : t('events.rangeOf', { ...shownRange, total: formatNumber(totalItems) })}
        {count >= maxRows ? ` · ${t('events.full')}` : null}
      </Hint>
      <Hint as="span">{t('events.page')}</Hint>
      <Form
        className="inline-flex"
        onSubmit={() => {
          if (typed !== undefined && /^\d{1,9}$/.test(typed)) goToPage(firstPage + Number(typed) - 1)
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
      </Form>
      {lastPage === undefined ? null : (
        <Hint as="span" className="tabular-nums">
          {t('events.ofPages', { count: formatNumber(lastPage - firstPage + 1) })}
        </Hint>
      )}
      <Button size="sm" icon={ArrowUpToLine} onClick={() => goToPage(firstPage)}>
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
