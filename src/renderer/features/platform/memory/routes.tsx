import { Ellipsis, FileText, Lightbulb, MessagesSquare, RefreshCw } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, Route, Routes, useNavigate, useParams, useSearchParams } from 'react-router'
import { useCall } from '../../../ipc'
import { eventsPath, type MemoryTab, memoriesPath, memoryPath, memoryTabs } from '../../../paths'
import { ButtonLink } from '../../../ui/button'
import { IconButton } from '../../../ui/icon-button'
import { Menu } from '../../../ui/menu'
import { EmptyState, Page, PageHeader } from '../../../ui/page'
import { SkeletonRows } from '../../../ui/skeleton'
import { Tabs } from '../../../ui/tabs'
import { useActiveConnection } from '../../connections'
import {
  ActionDialog,
  CreateButton,
  CreateSheet,
  FieldsView,
  FieldValue,
  type Json,
  QueryFailure,
  type Resource,
  ResourceList,
  type ResourceSubject,
  readField,
  readName,
  ServiceGate,
  unwrapEnvelope,
  useCopyCall,
  useCopyWithToast,
  useResourceText,
} from '../resources'
import { ActorsTab } from './actors-tab'
import { buildDeletion, memories } from './memories'
import { namespaceNames, namespacePrefix, type OpenMemory, strategyIdentifier, useSeenSessions } from './names'
import { RecordsTab } from './records-tab'
import { SessionEvents } from './session-events'
import { SessionFields } from './tab-parts'

export function MemoryRoutes() {
  return (
    <Routes>
      <Route index element={<MemoriesPage />} />
      <Route path=":id" element={<MemoryPage />} />
      <Route path=":id/:tab" element={<MemoryPage />} />
    </Routes>
  )
}

function MemoriesPage() {
  const { t } = useTranslation('memory')
  const text = useResourceText()
  const activeConnection = useActiveConnection()
  const [leaving, setLeaving] = useState<ResourceSubject>()
  return (
    <Page width="wide">
      <PageHeader
        title={text(memories.texts.title)}
        state={[t('state'), activeConnection && t('from', { connection: activeConnection.name })]
          .filter(Boolean)
          .join(' · ')}
        actions={<CreateButton resource={memories} />}
      />
      <ServiceGate address={memories.address}>
        {(connection) => (
          <>
            <ResourceList
              resource={memories}
              connection={connection}
              emptyAction={<CreateButton resource={memories} />}
              onDo={(_, subject) => {
                setLeaving(subject)
                return true
              }}
            />
            <CreateSheet resource={memories} connection={connection} />
            {leaving ? (
              <ActionDialog
                resource={memories}
                connection={connection}
                subject={leaving}
                action={buildDeletion(leaving.row)}
                onClose={() => setLeaving(undefined)}
                onDone={() => setLeaving(undefined)}
              />
            ) : null}
          </>
        )}
      </ServiceGate>
    </Page>
  )
}

interface HeadProps extends OpenMemory {
  readonly memory: Json | undefined
  /** Selected tab. The page's refresh button is hidden on tabs that have their own. */
  readonly tab: MemoryTab
  readonly isRefreshing: boolean
  readonly onRefresh: () => void
  readonly onDelete: () => void
}

const findItemName = (memory: Json | undefined, memoryId: string): string =>
  (memory === undefined ? '' : readName(memory, memories)) || memoryId

function MemoryHeader({ connection, memoryId, memory, tab, isRefreshing, onRefresh, onDelete }: HeadProps) {
  const { t } = useTranslation(['memory', 'resources'])
  const text = useResourceText()
  const copy = useCopyWithToast()
  const codeItems = useCopyCall()
  const name = findItemName(memory, memoryId)
  const status = memory === undefined ? undefined : readField(memory, memories.status ?? [])
  const memoryQuery = { connectionId: connection.id, operation: 'memory.memories.get', path: { id: memoryId } }
  return (
    <PageHeader
      title={name}
      breadcrumb={[{ label: text(memories.texts.title), to: memoriesPath }]}
      badge={status === undefined ? null : <FieldValue value={status} format="status" />}
      actions={
        <>
          {tab === 'details' ? (
            <IconButton icon={RefreshCw} label={t('resources:refresh')} busy={isRefreshing} onClick={onRefresh} />
          ) : null}
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label={t('resources:menuOf', { name })} />}
            items={[
              { label: t('resources:copyId'), onSelect: () => copy(memoryId) },
              ...codeItems(memoryQuery),
              'separator',
              { label: t('memory:delete'), danger: true, disabled: memory === undefined, onSelect: onDelete },
            ]}
          />
        </>
      }
    />
  )
}

function Content({
  tab,
  memory,
  answered,
  ...open
}: OpenMemory & { readonly tab: MemoryTab; readonly memory: Json; readonly answered: Json }) {
  const { connection } = open
  const tabContents: Readonly<Record<MemoryTab, () => ReactNode>> = {
    sessions: () => <ActorsTab {...open} />,
    events: () => <EventsTab {...open} />,
    strategies: () => <StrategiesTab {...open} />,
    records: () => <RecordsTab {...open} />,
    details: () => (
      <FieldsView
        data={answered}
        secrets={[]}
        connectionId={connection.id}
        keepAs={{ kind: 'token', name: findItemName(memory, open.memoryId) }}
      />
    ),
  }
  return tabContents[tab]()
}

function OpenedMemory({ tab, connection, memoryId }: OpenMemory & { readonly tab: MemoryTab }) {
  const { t } = useTranslation('memory')
  const navigate = useNavigate()
  const [isLeaving, setIsLeaving] = useState(false)
  const query = useCall('resources.call', {
    connectionId: connection.id,
    operation: 'memory.memories.get',
    path: { id: memoryId },
  })
  const { data: answer, error, isFetching } = query
  const memory = answer && (unwrapEnvelope(answer.data) ?? {})
  return (
    <>
      <MemoryHeader
        {...{ connection, memoryId, memory, tab }}
        isRefreshing={isFetching}
        onRefresh={() => void query.refetch()}
        onDelete={() => setIsLeaving(true)}
      />
      <QueryFailure query={query} connection={connection} address={memories.address} />
      {memory === undefined ? (
        error ? null : (
          <SkeletonRows rows={4} />
        )
      ) : (
        <Tabs
          label={t('tabs.label')}
          value={tab}
          onValueChange={(nextTab) => void navigate(memoryPath(memoryId, nextTab), { replace: true })}
          tabs={memoryTabs.map((value) => ({
            value,
            label: t(`tabs.${value}`),
            content:
              value === tab ? (
                <Content {...{ tab, connection, memoryId, memory }} answered={answer?.data ?? {}} />
              ) : null,
          }))}
        />
      )}
      {isLeaving && memory !== undefined ? (
        <ActionDialog
          {...{ connection, resource: memories }}
          subject={{ row: memory, name: findItemName(memory, memoryId), id: memoryId, scope: {} }}
          action={buildDeletion(memory)}
          onClose={() => setIsLeaving(false)}
          onDone={() => void navigate(memoriesPath, { replace: true })}
        />
      ) : null}
    </>
  )
}

function MemoryPage() {
  const { id = '', tab } = useParams()
  const shownTab = memoryTabs.find((candidate) => candidate === tab)
  if (shownTab === undefined) return <Navigate to={memoryPath(id, 'sessions')} replace />
  return (
    <Page width="wide" key={id}>
      <ServiceGate address={memories.address}>
        {(connection) => <OpenedMemory tab={shownTab} connection={connection} memoryId={id} />}
      </ServiceGate>
    </Page>
  )
}

/** Events of a session. The session id comes from the page address, or the user selects it on this tab. */
function EventsTab({ connection, memoryId }: OpenMemory) {
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

const strategies: Resource = {
  id: 'memory-strategies',
  address: 'memoryApiUrl',
  icon: Lightbulb,
  at: '/memory/:id/strategies',
  texts: {
    title: (t) => t('memory:strategies.title'),
    name: (t) => t('memory:fields.name'),
    empty: (t) => t('memory:strategies.empty'),
    emptyText: (t) => t('memory:strategies.emptyText'),
  },
  list: { operation: 'memory.strategies.list', isUnpaged: true },
  identifier: strategyIdentifier,
  naming: ['name', 'strategyName', 'title', 'displayName'],
  columns: [
    {
      id: 'type',
      header: (t) => t('memory:fields.type'),
      names: ['type', 'strategyType', 'kind'],
      format: 'code',
      width: '160px',
    },
    {
      id: 'namespace',
      header: (t) => t('memory:fields.namespace'),
      names: namespaceNames,
      format: 'code',
      width: 'minmax(160px, 2fr)',
    },
    {
      id: 'id',
      header: (t) => t('memory:fields.id'),
      names: strategyIdentifier.names.slice(0, -1),
      format: 'code',
      width: 'minmax(120px, 1fr)',
      from: 760,
    },
  ],
  actions: [],
}

function StrategiesTab({ connection, memoryId }: OpenMemory) {
  const { t } = useTranslation('memory')
  const navigate = useNavigate()
  return (
    <ResourceList
      resource={strategies}
      connection={connection}
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
