import { MessagesSquare } from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate, useSearchParams } from 'react-router'
import { ButtonLink } from '../../../ui/button'
import { EmptyState } from '../../../ui/empty-state'
import toolbar from '../../../ui/toolbar.module.css'
import type { SessionKey } from '../names'
import type { OpenMemory } from '../open-memory'
import { eventsPath, memoryPath } from '../paths'
import { useSeen } from '../seen-store'
import { SessionFields } from '../session-fields'
import { SessionEvents } from './session-events'

const none: readonly SessionKey[] = []

/** The events of a session, which the address names or one chooses here. */
export function EventsTab({ connection, memoryId }: OpenMemory) {
  const { t } = useTranslation('memory')
  const navigate = useNavigate()
  const [query] = useSearchParams()
  const actorId = query.get('actor') ?? ''
  const sessionId = query.get('session') ?? ''
  const seen = useSeen(({ sessions }) => sessions[memoryId] ?? none)
  const noteSession = useSeen((store) => store.noteSession)
  useEffect(() => {
    if (actorId !== '' && sessionId !== '') noteSession(memoryId, { actorId, sessionId })
  }, [memoryId, actorId, sessionId, noteSession])
  const isChosen = actorId !== '' && sessionId !== ''
  return (
    <div className={toolbar.list}>
      <SessionFields
        key={`fields ${actorId} ${sessionId}`}
        actor={actorId}
        session={sessionId}
        actors={[...new Set(seen.map((one) => one.actorId))]}
        sessions={seen.map((one) => one.sessionId)}
        confirm={t('events.show')}
        onChoose={(session) => void navigate(eventsPath(memoryId, session))}
      />
      {isChosen ? (
        <SessionEvents
          key={`events ${actorId} ${sessionId}`}
          connection={connection}
          memoryId={memoryId}
          session={{ actorId, sessionId }}
        />
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
