import { MessagesSquare, Sparkles, Users } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { eventsPath, generatePath } from '../../../paths'
import { PlatformTime } from '../../../relative-time'
import { joinClassNames } from '../../../ui/cn'
import { IconButton } from '../../../ui/icon-button'
import { EmptyState, Section } from '../../../ui/page'
import { InlineDetails, Row, Rows } from '../../../ui/rows'
import { useAddressQuery } from '../../../window-state'
import type { Json, Resource } from '../resources'
import {
  FieldsView,
  findIdentifier,
  ListPager,
  ListToolbar,
  LoadedResource,
  listTexts,
  parseTime,
  readField,
  searchedRows,
  useList,
  useListPosition,
} from '../resources'
import { countFields, type OpenMemory, type SessionKey, useSeenSessions } from './names'
import { NoRows, SessionFields } from './tab-parts'

const actorIdNames = ['actorId', 'id', 'uuid', 'userId', 'name']

export function ActorsTab({ memoryId }: OpenMemory) {
  const [query, changeQuery] = useAddressQuery()
  const { t } = useTranslation('memory')
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
                          <ActorDetails row={row} />
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

function ActorDetails({ row }: { readonly row: Json | undefined }) {
  const { t } = useTranslation('memory')
  if (row === undefined) return <InlineDetails items={[t('actors.typed')]} />
  const { sessions, events, last } = readDetails(row)
  const listedSessions = readField(row, sessionListFields)
  const sessionCount = sessions ?? (Array.isArray(listedSessions) ? listedSessions.length : undefined)
  return (
    <InlineDetails
      items={[
        sessionCount !== undefined && t('count.sessions', { count: sessionCount }),
        events !== undefined && t('count.events', { count: events }),
        last && <PlatformTime key="last" at={last} />,
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
  const { t } = useTranslation('memory')
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
              const { events, last } = readDetails(session.row)
              return (
                <Row
                  key={sessionId}
                  title={sessionId}
                  to={eventsPath(memoryId, session)}
                  description={
                    <InlineDetails
                      items={[
                        events !== undefined && t('count.events', { count: events }),
                        last && <PlatformTime key="last" at={last} />,
                        session.row === undefined && t('sessions.typed'),
                      ]}
                    />
                  }
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
  texts: listTexts('memory:actors.'),
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

/** Counts of an actor or a session, and its last time. Fields that the platform did not return are undefined. */
function readDetails(row: Json | undefined) {
  const readCount = (id: 'sessions' | 'events'): number | undefined => {
    const value = readField(row, countFields[id])
    return typeof value === 'number' ? value : undefined
  }
  const time = parseTime(readField(row, lastNames))
  return {
    sessions: readCount('sessions'),
    events: readCount('events'),
    last: time === undefined ? undefined : new Date(time).toISOString(),
  }
}

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
