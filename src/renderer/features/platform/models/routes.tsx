import type { CapturedSecret, MethodInput, RegisterEntry, ResourceAnswer } from '@shared/contract'
import i18next from 'i18next'
import { CircleCheck, Copy, MessageSquareText, Zap } from 'lucide-react'
import { useEffect } from 'react'
import { Link, Navigate, Route, Routes, useNavigate } from 'react-router'
import { copyText } from '../../../copy-text'
import { useCall } from '../../../ipc'
import { Loaded } from '../../../loaded'
import { chatPath, planPath } from '../../../paths'
import { useToastAction } from '../../../toast-actions'
import { StatusDot } from '../../../ui/badge'
import { Button, renderActions } from '../../../ui/button'
import { Section as PageSection } from '../../../ui/page'
import { ProgressBar } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { type VirtualColumn, VirtualTable } from '../../../ui/virtual-table'
import { OperationRow, useActiveConnection } from '../../connections'
import { changeSetup } from '../../playground'
import {
  buildTab,
  CapturedSecrets,
  FieldsView,
  type Json,
  ResourceDetailPage,
  ResourceFailure,
  ResourceListPage,
  SavedSecretList,
  type Section,
  useRefreshResources,
  useService,
} from '../resources'
import { apiKeys, models, readModelCode } from './models'

const t = i18next.getFixedT(null, ['models', 'register', 'operations'])

export function ModelsRoutes() {
  return (
    <Routes>
      <Route index element={<Navigate to={models.at} replace />} />
      <Route path="list" element={<ModelsPage />} />
      <Route path="list/:id" element={<ModelPage />} />
      <Route path="keys" element={<KeysPage />} />
      <Route
        path="keys/:id"
        element={
          <ResourceDetailPage
            section={modelSection}
            resource={apiKeys}
            content={({ subject: { name }, answer: { data, secrets } }) => (
              <FieldsView
                {...{ data, secrets }}
                keepAs={{ kind: 'platformApiKey', name }}
                secretActions={renderSecretActions}
              />
            )}
          />
        }
      />
      <Route path="*" element={<Navigate to={models.at} replace />} />
    </Routes>
  )
}

/** Returns a function for the menu items of a model. None for a model without a code. */
function useModelItems() {
  const openPlayground = useOpenPlayground(useActiveConnection()?.id ?? '')
  return (row: Json) => {
    const code = readModelCode(row)
    if (code === '') return []
    return [
      { label: t('models.copyCode'), icon: Copy, onSelect: () => copyText(code, { description: code }) },
      { label: t('models.playground'), icon: MessageSquareText, onSelect: () => openPlayground(code) },
    ]
  }
}

function ModelsPage() {
  const listItems = useModelItems()
  return <ResourceListPage section={modelSection} resource={models} moreItems={({ row }) => listItems(row)} />
}

function ModelPage() {
  const listItems = useModelItems()
  return (
    <ResourceDetailPage
      section={modelSection}
      resource={models}
      tools={({ subject: { row } }) =>
        renderActions(
          listItems(row).map(({ onSelect, ...item }, index) => ({
            ...item,
            variant: index === 1 ? ('primary' as const) : ('secondary' as const),
            onClick: onSelect,
          })),
          'md',
        )
      }
    />
  )
}

const renderSecretActions = ({ handle }: CapturedSecret) => <UseForInference of={{ handle }} />

/** Starts a chat with platform inference, with the connection's token or, without one, its saved API key. */
function useOpenPlayground(connectionId: string): (modelCode: string) => void {
  const navigate = useNavigate()
  const { data } = useCall('playground.connections', {}, { enabled: connectionId !== '' })
  const selectedConnection = data?.find((connection) => connection.connectionId === connectionId)
  const credential =
    selectedConnection && !selectedConnection.hasIam && selectedConnection.kept !== undefined ? 'apiKey' : 'iam'
  return (modelCode) => {
    const target = { kind: 'platform', connectionId, credential, modelCode } as const
    changeSetup(undefined, { system: '', parameters: {}, target })
    void navigate(chatPath())
  }
}

function KeysPage() {
  return (
    <ResourceListPage
      section={modelSection}
      resource={apiKeys}
      renderCreated={(answer, name) => <CreatedKeyResult {...{ answer, name }} />}
      above={<KeyOperations />}
      below={
        <>
          <SavedSecretList
            secretKind="platformApiKey"
            description={t('models:keys.keptText')}
            renderAction={({ id }) => <UseForInference of={{ keptId: id }} />}
          />
          <SubscriptionKeys />
        </>
      }
    />
  )
}

/** Keys of subscription plans, managed on the plan pages. The spec lists them as API keys of type "Plan: <name>". */
export function SubscriptionKeys() {
  const { data = [] } = useCall('register.list', {})
  const { connection } = useService()
  const keys = data.filter(({ origin, status }) => origin?.connectionId === connection.id && status !== 'gone')
  const columns: readonly VirtualColumn<RegisterEntry>[] = [
    {
      id: 'name',
      header: t('models:fields.name'),
      width: 'minmax(140px, 1.2fr)',
      cell: ({ keyName, planId }) => (
        <Link to={`${planPath(planId)}?tab=keys`} className="font-medium text-text">
          {keyName}
        </Link>
      ),
    },
    {
      id: 'type',
      header: t('models:fields.keyType'),
      width: 'minmax(140px, 1.4fr)',
      cell: ({ planName: plan }) => t('models:keys.planType', { plan }),
    },
    {
      id: 'status',
      header: t('models:fields.status'),
      width: '130px',
      cell: ({ status }) => (
        <StatusDot tone={status === 'ACTIVE' ? 'success' : 'neutral'} label={t(`register:statuses.${status}`)} />
      ),
    },
    {
      id: 'key',
      header: t('register:sheet.fields.key'),
      width: '130px',
      from: 560,
      cell: ({ masked }) => (masked === undefined ? '' : <code>{masked}</code>),
    },
  ]
  if (keys.length === 0) return null
  return (
    <PageSection title={t('models:keys.subscription')} description={t('models:keys.subscriptionText')}>
      <VirtualTable
        label={t('models:keys.subscription')}
        columns={columns}
        rows={keys}
        rowKey={({ planId, keyId }) => `${planId} ${keyId}`}
        rowHeight={40}
      />
    </PageSection>
  )
}

function KeyOperations() {
  const refresh = useRefreshResources()
  const { data = [] } = useCall('operations.list', {})
  const { connection } = useService()
  const ownOperations = data.filter((operation) => operation.connectionId === connection.id)
  const endedCount = ownOperations.filter(({ state }) => state !== 'running').length
  useEffect(() => {
    if (endedCount > 0) refresh('lists')
  }, [endedCount, refresh])
  if (ownOperations.length === 0) return null
  return (
    <ul className="rounded-lg border bg-surface" aria-label={t('operations:list')}>
      {ownOperations.map((operation) => (
        <OperationRow key={operation.id} operation={operation} />
      ))}
    </ul>
  )
}

function RouteDetails({ name }: { readonly name: string }) {
  const connectionId = useService().connection.id
  const key = useCall('resources.call', { connectionId, operation: 'aip.apiKeys.get', path: { name } })
  return (
    <div className="flex flex-col gap-4">
      <p className="flex items-center gap-2 font-strong [&>svg]:text-success" role="status">
        <CircleCheck size={16} strokeWidth={1.9} />
        {t('keys.ready', { name })}
      </p>
      <Loaded query={key} rows={1}>
        {({ secrets }) => (
          <CapturedSecrets
            secrets={secrets}
            keepAs={{ kind: 'platformApiKey', name }}
            actions={renderSecretActions}
            noSecret={t('keys.noSecret')}
          />
        )}
      </Loaded>
    </div>
  )
}

function CreatedKeyResult({ name, answer }: { readonly name: string; readonly answer: ResourceAnswer }) {
  const { data = [] } = useCall('operations.list', {})
  const operation = data.find(({ id }) => id === answer.operationId)
  // If the user has dismissed the operation, this app no longer knows its result, and the key counts as not ready.
  const state = operation?.state ?? (answer.operationId === undefined ? 'succeeded' : 'running')
  if (state === 'succeeded') return <RouteDetails name={name} />
  if (state === 'failed' && operation?.failure) return <ResourceFailure failure={operation.failure} />
  return (
    <div className="flex flex-col gap-4">
      <p role="status">{t('keys.making', { name })}</p>
      <ProgressBar label={t('keys.making', { name })} />
      <p className="text-muted">{t('keys.makingHint')}</p>
    </div>
  )
}

function UseForInference({ of }: Pick<MethodInput<'resources.useForInference'>, 'of'>) {
  const connectionId = useService().connection.id
  const useForInference = useToastAction('resources.useForInference', {
    invalidates: ['playground'],
    onSuccess: () => void toast(t('keys.inUse'), { description: t('keys.inUseHint') }),
  })
  return (
    <Button
      size="sm"
      icon={Zap}
      busy={useForInference.isPending}
      onClick={() => useForInference.mutate({ connectionId, of })}
    >
      {t('keys.use')}
    </Button>
  )
}

const modelSection: Section = { name: 'models', tabs: [buildTab(models), buildTab(apiKeys)] }
