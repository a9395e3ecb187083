import { Ellipsis, RefreshCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useNavigate, useParams } from 'react-router'
import { useCall } from '../../ipc'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Page, PageHeader } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { Tabs } from '../../ui/tabs'
import { ActionDialog } from '../resources/action-dialog'
import { useCopyCall } from '../resources/copy-call'
import { FieldValue } from '../resources/field-value'
import { FieldsView } from '../resources/fields-view'
import { fieldOf, insideOf, nameOf } from '../resources/lookup'
import type { Json } from '../resources/resource'
import { ResourceFailure } from '../resources/resource-failure'
import { ServiceGate } from '../resources/service-gate'
import { useCopyAloud } from '../resources/use-row-menu'
import { useText } from '../resources/use-text'
import { ActorsTab } from './actors/actors-tab'
import { EventsTab } from './events/events-tab'
import { deletionOf, memories } from './memories'
import type { OpenMemory } from './open-memory'
import { type MemoryTab, memoriesPath, memoryPath, tabs } from './paths'
import { RecordsTab } from './records/records-tab'
import { StrategiesTab } from './strategies-tab'

interface HeadProps extends OpenMemory {
  readonly memory: Json | undefined
  /** The other tabs have their own way to ask again. */
  readonly tab: MemoryTab
  readonly isRefreshing: boolean
  readonly onRefresh: () => void
  readonly onDelete: () => void
}

const nameIn = (memory: Json | undefined, memoryId: string): string =>
  (memory === undefined ? '' : nameOf(memory, memories)) || memoryId

function Head({ connection, memoryId, memory, tab, isRefreshing, onRefresh, onDelete }: HeadProps) {
  const { t } = useTranslation(['memory', 'resources'])
  const text = useText()
  const copy = useCopyAloud()
  const codeItems = useCopyCall()
  const name = nameIn(memory, memoryId)
  const status = memory === undefined ? undefined : fieldOf(memory, memories.status ?? [])
  const asked = { connectionId: connection.id, operation: 'memory.memories.get', path: { id: memoryId } }
  return (
    <PageHeader
      title={name}
      breadcrumb={[{ label: text(memories.words.title), to: memoriesPath }]}
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
              ...codeItems(asked),
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
  const faces: Readonly<Record<MemoryTab, () => ReactNode>> = {
    sessions: () => <ActorsTab {...open} />,
    events: () => <EventsTab {...open} />,
    strategies: () => <StrategiesTab {...open} />,
    records: () => <RecordsTab {...open} />,
    details: () => (
      <FieldsView
        data={answered}
        secrets={[]}
        connectionId={connection.id}
        keepAs={{ kind: 'token', name: nameIn(memory, open.memoryId) }}
      />
    ),
  }
  return faces[tab]()
}

function Opened({ tab, connection, memoryId }: OpenMemory & { readonly tab: MemoryTab }) {
  const { t } = useTranslation('memory')
  const navigate = useNavigate()
  const [isLeaving, setIsLeaving] = useState(false)
  const query = useCall('resources.call', {
    connectionId: connection.id,
    operation: 'memory.memories.get',
    path: { id: memoryId },
  })
  const { data: answer, error, isFetching } = query
  const memory = answer && (insideOf(answer.data) ?? {})
  return (
    <>
      <Head
        {...{ connection, memoryId, memory, tab }}
        isRefreshing={isFetching}
        onRefresh={() => void query.refetch()}
        onDelete={() => setIsLeaving(true)}
      />
      {error ? (
        <ResourceFailure
          failure={error.failure}
          connection={connection}
          address={memories.address}
          onRetry={() => void query.refetch()}
          busy={isFetching}
        />
      ) : null}
      {memory === undefined ? (
        error ? null : (
          <SkeletonRows rows={4} />
        )
      ) : (
        <Tabs
          label={t('tabs.label')}
          value={tab}
          onValueChange={(to) => void navigate(memoryPath(memoryId, to), { replace: true })}
          tabs={tabs.map((value) => ({
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
          subject={{ row: memory, name: nameIn(memory, memoryId), id: memoryId, scope: {} }}
          action={deletionOf(memory)}
          onClose={() => setIsLeaving(false)}
          onDone={() => void navigate(memoriesPath, { replace: true })}
        />
      ) : null}
    </>
  )
}

/** One memory, with what it holds in tabs. */
export function MemoryPage() {
  const { id = '', tab } = useParams()
  const shown = tabs.find((one) => one === tab)
  if (shown === undefined) return <Navigate to={memoryPath(id, 'sessions')} replace />
  return (
    <Page width="wide" key={id}>
      <ServiceGate address={memories.address}>
        {(connection) => <Opened tab={shown} connection={connection} memoryId={id} />}
      </ServiceGate>
    </Page>
  )
}
