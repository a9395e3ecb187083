import { MessagesSquare, Sparkles } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { RelativeTime } from '../../../relative-time'
import { EmptyState } from '../../../ui/empty-state'
import { IconButton } from '../../../ui/icon-button'
import { Section } from '../../../ui/page'
import { Facts, Row, Rows } from '../../../ui/rows'
import { FieldsView } from '../../resources/fields-view'
import type { Json } from '../../resources/resource'
import type { SessionKey } from '../names'
import type { OpenMemory } from '../open-memory'
import { eventsPath, generatePath } from '../paths'
import { useSeen } from '../seen-store'
import { SessionFields } from '../session-fields'
import { type SessionView, sessionsOf } from './actors'

interface SessionsPanelProps extends OpenMemory {
  readonly actorId: string | undefined
  /** What the list told of the actor. */
  readonly row: Json | undefined
  readonly onActor: (actorId: string) => void
}

const none: readonly SessionKey[] = []

function SessionRow({ session, memoryId }: { readonly session: SessionView; readonly memoryId: string }) {
  const { t } = useTranslation('memory')
  const navigate = useNavigate()
  const { sessionId, events, last, row } = session
  return (
    <Row
      title={sessionId}
      to={eventsPath(memoryId, session)}
      description={
        <Facts
          items={[
            events !== undefined && t('count.events', { count: events }),
            last && <RelativeTime key="last" at={last} />,
            row === undefined && events === undefined && t('sessions.typed'),
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
}

/** The sessions of an actor as far as they are known, a way to any other, and all that the platform told of the actor. */
export function SessionsPanel({ connection, memoryId, actorId, row, onActor }: SessionsPanelProps) {
  const { t } = useTranslation('memory')
  const navigate = useNavigate()
  const seen = useSeen(({ sessions }) => sessions[memoryId] ?? none)
  const noteSession = useSeen((store) => store.noteSession)
  const noteActor = useSeen((store) => store.noteActor)
  const known = actorId === undefined ? [] : sessionsOf(actorId, row, seen)
  return (
    <div>
      <Section
        title={actorId === undefined ? t('sessions.title') : t('sessions.of', { actor: actorId })}
        description={t('sessions.hint')}
      >
        {known.length > 0 ? (
          <Rows label={t('sessions.title')}>
            {known.map((session) => (
              <SessionRow key={session.sessionId} session={session} memoryId={memoryId} />
            ))}
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
          sessions={known.map(({ sessionId }) => sessionId)}
          actors={[]}
          confirm={t('sessions.open')}
          onChoose={(session) => {
            noteActor(memoryId, session.actorId)
            noteSession(memoryId, session)
            onActor(session.actorId)
            void navigate(eventsPath(memoryId, session))
          }}
        />
      </Section>
      {row !== undefined && actorId !== undefined ? (
        <FieldsView data={row} secrets={[]} connectionId={connection.id} keepAs={{ kind: 'token', name: actorId }} />
      ) : null}
    </div>
  )
}
