import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import { Ellipsis, RefreshCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useNavigate, useParams } from 'react-router'
import { useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Menu } from '../../ui/menu'
import { Page, PageHeader } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { Tabs } from '../../ui/tabs'
import { useCopyCall } from '../resources/copy-call'
import { FieldValue } from '../resources/field-value'
import { fieldOf, insideOf, nameOf, textOf } from '../resources/lookup'
import type { ResourceAction, Subject } from '../resources/resource'
import { ResourceFailure } from '../resources/resource-failure'
import { ServiceGate } from '../resources/service-gate'
import { useCopyAloud } from '../resources/use-row-menu'
import { useRefreshResources } from '../resources/use-run'
import { useText } from '../resources/use-text'
import { EndpointsTab } from './endpoints-tab'
import { LogsTab } from './logs/logs-tab'
import { MetricsTab } from './metrics/metrics-tab'
import { names } from './names'
import type { OpenRuntime } from './open-runtime'
import { OverviewTab } from './overview-tab'
import { type RuntimeTab, runtimePath, runtimesPath, tabs } from './paths'
import { RuntimeDialog } from './runtime-dialog'
import { runtimes } from './runtimes'
import { VersionsTab } from './versions-tab'

/** How soon a runtime that is changing is asked for again, in ms. */
const changingMs = 2000

const statusOf = (answer: ResourceAnswer | undefined): string => textOf(fieldOf(insideOf(answer?.data), names.status))

/** Asks for a runtime, again and again while it says that it is on its way to another state. */
function useRuntime(connection: ConnectionView, runtimeId: string) {
  const asked = { connectionId: connection.id, operation: 'runtime.agentRuntimes.get', path: { id: runtimeId } }
  const query = useCall('resources.call', asked, {
    refetchInterval: ({ state: { data } }) => (/ing$/i.test(statusOf(data)) ? changingMs : false),
  })
  const row = query.data && (insideOf(query.data.data) ?? {})
  const name = (row === undefined ? '' : nameOf(row, runtimes)) || runtimeId
  const subject: Subject = { row: row ?? {}, name, id: runtimeId, scope: {} }
  return { asked, query, subject }
}

interface HeadProps {
  readonly runtime: ReturnType<typeof useRuntime>
  readonly onDo: (action: ResourceAction) => void
}

function Head({ runtime, onDo }: HeadProps) {
  const { t } = useTranslation('resources')
  const text = useText()
  const copy = useCopyAloud()
  const codeItems = useCopyCall()
  const refresh = useRefreshResources()
  const { asked, query, subject } = runtime
  const { name, id = '' } = subject
  const status = statusOf(query.data)
  const actions = query.data ? runtimes.actions : []
  return (
    <PageHeader
      title={name}
      breadcrumb={[{ label: text(runtimes.words.title), to: runtimesPath }]}
      badge={status === '' ? null : <FieldValue value={status} format="status" />}
      actions={
        <>
          {actions
            .filter(({ isMain }) => isMain)
            .map((action) => (
              <Button key={action.id} icon={action.icon} onClick={() => onDo(action)}>
                {text(action.label, name)}
              </Button>
            ))}
          <IconButton icon={RefreshCw} label={t('refresh')} busy={query.isFetching} onClick={() => refresh()} />
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label={t('menuOf', { name })} />}
            items={[
              { label: t('copyId'), onSelect: () => copy(id) },
              ...codeItems(asked),
              ...(actions.length > 0 ? (['separator'] as const) : []),
              ...actions
                .filter(({ isMain }) => !isMain)
                .map((action) => ({
                  label: text(action.label, name),
                  icon: action.icon,
                  danger: action.isDanger,
                  onSelect: () => onDo(action),
                })),
            ]}
          />
        </>
      }
    />
  )
}

interface FaceProps extends OpenRuntime {
  readonly answer: ResourceAnswer
  readonly onDo: (action: ResourceAction) => void
}

const faces: Readonly<Record<RuntimeTab, (props: FaceProps) => ReactNode>> = {
  overview: OverviewTab,
  versions: VersionsTab,
  endpoints: EndpointsTab,
  logs: LogsTab,
  metrics: MetricsTab,
}

function Opened({ tab, connection, runtimeId }: { readonly tab: RuntimeTab } & Omit<OpenRuntime, 'subject'>) {
  const { t } = useTranslation('runtimes')
  const navigate = useNavigate()
  const [action, setAction] = useState<ResourceAction>()
  const runtime = useRuntime(connection, runtimeId)
  const { query, subject } = runtime
  const { data: answer, error, isFetching } = query
  const Face = faces[tab]
  return (
    <>
      <Head runtime={runtime} onDo={setAction} />
      {error ? (
        <ResourceFailure
          {...{ connection }}
          failure={error.failure}
          address={runtimes.address}
          onRetry={() => void query.refetch()}
          busy={isFetching}
        />
      ) : null}
      {answer ? (
        <Tabs
          label={t('tabs.label')}
          value={tab}
          onValueChange={(to) => void navigate(runtimePath(runtimeId, to), { replace: true })}
          tabs={tabs.map((value) => ({
            value,
            label: t(`tabs.${value}`),
            content: value === tab ? <Face {...{ connection, runtimeId, subject, answer }} onDo={setAction} /> : null,
          }))}
        />
      ) : error ? null : (
        <SkeletonRows rows={4} />
      )}
      {action ? (
        <RuntimeDialog
          {...{ connection, action, subject }}
          onClose={() => setAction(undefined)}
          onGone={() => void navigate(runtimesPath, { replace: true })}
        />
      ) : null}
    </>
  )
}

/** One runtime, with what is part of it in tabs. */
export function RuntimePage() {
  const { id = '', tab = 'overview' } = useParams()
  const shown = tabs.find((one) => one === tab)
  if (shown === undefined) return <Navigate to={runtimePath(id)} replace />
  return (
    <Page width="wide" key={id}>
      <ServiceGate address={runtimes.address}>
        {(connection) => <Opened tab={shown} connection={connection} runtimeId={id} />}
      </ServiceGate>
    </Page>
  )
}
