import { FileText, Lightbulb, MessagesSquare } from 'lucide-react'
import { type ReactNode, useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, Route, Routes, useNavigate, useParams, useSearchParams } from 'react-router'
import { eventsPath, type MemoryTab, memoryPath, memoryTabs } from '../../../paths'
import { ButtonLink } from '../../../ui/button'
import { EmptyState } from '../../../ui/page'
import { Tabs } from '../../../ui/tabs'
import {
  ActionDialog,
  type ActionDialogProps,
  buildTab,
  FieldsView,
  listTexts,
  type Resource,
  ResourceDetailPage,
  ResourceList,
  ResourceListPage,
  type Section,
  type ShownResource,
} from '../resources'
import { ActorsTab } from './actors-tab'
import { buildDeletion, memories } from './memories'
import { namespaceNames, namespacePrefix, type OpenMemory, strategyIdNames, useSeenSessions } from './names'
import { RecordsTab } from './records-tab'
import { SessionEvents } from './session-events'
import { SessionFields } from './tab-parts'

export function MemoryRoutes() {
  return (
    <Routes>
      <Route index element={<ResourceListPage section={memorySection} resource={memories} dialogs={memoryDialogs} />} />
      <Route path=":id" element={<MemoryPage />} />
      <Route path=":id/:tab" element={<MemoryPage />} />
    </Routes>
  )
}

/** The confirmation counts what will be lost. */
const memoryDialogs = {
  delete: (props: ActionDialogProps) => <ActionDialog {...props} action={buildDeletion(props.subject.row)} />,
}

const memorySection: Section = {
  title: memories.texts.title,
  state: (t) => t('memory:state'),
  label: memories.texts.title,
  tabs: [buildTab(memories)],
}

const tabContents: Readonly<Record<MemoryTab, (props: OpenMemory & ShownResource) => ReactNode>> = {
  sessions: ActorsTab,
  events: EventsTab,
  strategies: StrategiesTab,
  records: RecordsTab,
  details: ({ answer, subject }) => <FieldsView data={answer.data} keepAs={{ kind: 'token', name: subject.name }} />,
}

function MemoryPage() {
  const { t } = useTranslation('memory')
  const navigate = useNavigate()
  const { id = '', tab } = useParams()
  const shownTab = memoryTabs.find((candidate) => candidate === tab)
  if (shownTab === undefined) return <Navigate to={memoryPath(id, 'sessions')} replace />
  const TabContent = tabContents[shownTab]
  return (
    <ResourceDetailPage
      section={memorySection}
      resource={memories}
      dialogs={memoryDialogs}
      // The other tabs have their own refresh button.
      canRefresh={shownTab === 'details'}
      content={(memory) => (
        <Tabs
          label={t('tabs.label')}
          value={shownTab}
          onValueChange={(nextTab) => void navigate(memoryPath(id, nextTab), { replace: true })}
          tabs={memoryTabs.map((value) => ({
            value,
            label: t(`tabs.${value}`),
            content: value === shownTab ? <TabContent {...memory} memoryId={id} /> : null,
          }))}
        />
      )}
    />
  )
}

/** Events of a session. The session id comes from the page address, or the user selects it on this tab. */
function EventsTab({ memoryId }: OpenMemory) {
  const { t } = useTranslation('memory')
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

const strategies: Resource = {
  address: 'memoryApiUrl',
  icon: Lightbulb,
  at: '/memory/:id/strategies',
  texts: listTexts('memory:strategies.'),
  list: { operation: 'memory.strategies.list', isUnpaged: true },
  identifier: { names: strategyIdNames, param: 'longTermMemoryStrategyId' },
  naming: ['name', 'strategyName', 'title', 'displayName'],
  columns: [
    {
      header: (t) => t('memory:fields.type'),
      names: ['type', 'strategyType', 'kind'],
      format: 'code',
      width: '160px',
    },
    {
      header: (t) => t('memory:fields.namespace'),
      names: namespaceNames,
      format: 'code',
      width: 'minmax(160px, 2fr)',
    },
    {
      header: (t) => t('memory:fields.id'),
      names: strategyIdNames.slice(0, -1),
      format: 'code',
      width: 'minmax(120px, 1fr)',
      from: 760,
    },
  ],
  actions: [],
}

function StrategiesTab({ memoryId }: OpenMemory) {
  const { t } = useTranslation('memory')
  const navigate = useNavigate()
  return (
    <ResourceList
      resource={strategies}
      scope={{ id: memoryId }}
      moreItems={({ row }) => {
        const namespace = namespacePrefix(row)
        return namespace === undefined
          ? []
          : [
              {
                label: t('strategies.records'),
                icon: FileText,
                onSelect: () => void navigate(memoryPath(memoryId, 'records', { namespace })),
              },
            ]
      }}
    />
  )
}
