import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import { Ellipsis, GitCompareArrows, RefreshCw } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Navigate, useNavigate, useParams, useSearchParams } from 'react-router'
import { CopyText } from '../../../copy-text'
import { useCall } from '../../../ipc'
import { type RuntimeTab, runtimePath, runtimesPath, runtimeTabs } from '../../../paths'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { Code } from '../../../ui/code'
import { Sheet } from '../../../ui/dialog'
import { IconButton } from '../../../ui/icon-button'
import { Menu, type MenuItem } from '../../../ui/menu'
import { Card, Page, PageHeader, Section } from '../../../ui/page'
import { ControlRow } from '../../../ui/rows'
import { Select } from '../../../ui/select'
import { SkeletonRows } from '../../../ui/skeleton'
import { Tabs } from '../../../ui/tabs'
import { TextDiff } from '../../playground/compare'
import {
  ActionDialog,
  AnswerView,
  CallSheet,
  ConfirmCall,
  changeVisibleMs,
  FieldsView,
  FieldValue,
  isChanging,
  isPrimitive,
  type Json,
  listRows,
  QueryFailure,
  type ResourceAction,
  ResourceList,
  type ResourceSubject,
  readField,
  readName,
  ServiceGate,
  toTargetParameters,
  toText,
  unwrapEnvelope,
  useCopyCall,
  useCopyWithToast,
  useRefreshResources,
  useResourceText,
} from '../resources'
import { EndpointsTab, useVersionRollback } from './endpoints-tab'
import { LogsTab } from './logs-tab'
import { MetricsTab } from './metrics-tab'
import {
  addFlavorOptions,
  changeFields,
  flavorChoices,
  names,
  type OpenRuntime,
  resetServiceAccount,
  versions as resource,
  runtimes,
  updateRuntime,
  useVersions,
  type Version,
  versionText,
} from './runtimes'

interface OverviewProps extends OpenRuntime {
  readonly answer: ResourceAnswer
  readonly onDo: (action: ResourceAction) => void
}

function ClientId({ row }: { readonly row: Json }) {
  const { t } = useTranslation(['runtimes', 'common'])
  const clientId = readField(row, names.clientId)
  if (!isPrimitive(clientId)) return t('runtimes:account.noId')
  return (
    <span className="inline-flex max-w-full items-center gap-1">
      <Code quiet>{String(clientId)}</Code>
      <CopyText text={String(clientId)} label={t('common:copyNamed', { what: t('runtimes:account.id') })} />
    </span>
  )
}

function OverviewTab({ connection, subject, answer, onDo }: OverviewProps) {
  const { t } = useTranslation('runtimes')
  return (
    <>
      <Section title={t('account.title')} description={t('account.text')}>
        <Card flush>
          <ControlRow
            label={t('account.id')}
            hint={<ClientId row={subject.row} />}
            control={
              <Button icon={resetServiceAccount.icon} onClick={() => onDo(resetServiceAccount)}>
                {t('reset.label')}
              </Button>
            }
          />
        </Card>
      </Section>
      <FieldsView
        data={answer.data ?? {}}
        secrets={answer.secrets}
        connectionId={connection.id}
        keepAs={{ kind: 'serviceAccount', name: subject.name }}
      />
    </>
  )
}

/** The two versions to compare, from the page address. Default: the two newest. */
function useComparedVersions(versions: readonly Version[]) {
  const [query, setQuery] = useSearchParams()
  const findVersion = (number: string | null): Version | undefined =>
    versions.find((version) => version.number === number)
  const versionAfter = findVersion(query.get('after')) ?? versions[0]
  const versionBefore =
    findVersion(query.get('before')) ??
    (versionAfter && versions[versions.indexOf(versionAfter) + 1]) ??
    versions.at(-1)
  const chooseVersions = (change: { readonly before?: string; readonly after?: string }): void =>
    setQuery(
      (current) => {
        const nextQuery = new URLSearchParams(current)
        for (const [side, number] of Object.entries(change)) nextQuery.set(side, number)
        return nextQuery
      },
      { replace: true },
    )
  return { before: versionBefore, after: versionAfter, choose: chooseVersions }
}

function Compare({
  all,
  compared,
}: {
  readonly all: readonly Version[]
  readonly compared: ReturnType<typeof useComparedVersions>
}) {
  const { t } = useTranslation('runtimes')
  const { before: versionBefore, after: versionAfter, choose } = compared
  const texts = useMemo(
    () => [versionBefore, versionAfter].map((version) => (version ? versionText(version) : '')),
    [versionBefore, versionAfter],
  )
  if (!versionBefore || !versionAfter) return null
  const options = all.map(({ number }) => ({ value: number, label: t('versions.number', { number }) }))
  const formatVersion = ({ number }: Version): string => t('versions.number', { number })
  return (
    <Section
      title={t('versions.compare')}
      description={all.length < 2 ? t('versions.onlyOne') : t('versions.compareText')}
      actions={
        all.length < 2 ? null : (
          <div className="flex items-center gap-2 [&>button]:w-33 [&>span]:text-faint">
            <Select
              aria-label={t('versions.before')}
              value={versionBefore.number}
              onValueChange={(number) => choose({ before: number })}
              options={options}
            />
            <span aria-hidden="true">→</span>
            <Select
              aria-label={t('versions.after')}
              value={versionAfter.number}
              onValueChange={(number) => choose({ after: number })}
              options={options}
            />
          </div>
        )
      }
    >
      {all.length < 2 ? null : (
        <div className="max-h-115 overflow-auto">
          <TextDiff
            before={texts[0] ?? ''}
            after={texts[1] ?? ''}
            names={[formatVersion(versionBefore), formatVersion(versionAfter)]}
          />
        </div>
      )}
    </Section>
  )
}

function useCompareItems(versions: readonly Version[], choose: ReturnType<typeof useComparedVersions>['choose']) {
  const { t } = useTranslation('runtimes')
  return ({ id }: ResourceSubject): readonly MenuItem[] => {
    const versionIndex = versions.findIndex(({ number }) => number === id)
    const [newest] = versions
    const olderVersion = versions[versionIndex + 1]
    if (id === undefined || versionIndex < 0 || !newest) return []
    return [
      {
        label: t('versions.withBefore'),
        icon: GitCompareArrows,
        disabled: olderVersion === undefined,
        onSelect: () => choose({ before: olderVersion?.number ?? id, after: id }),
      },
      {
        label: t('versions.withNewest'),
        icon: GitCompareArrows,
        disabled: versionIndex === 0,
        onSelect: () => choose({ before: id, after: newest.number }),
      },
    ]
  }
}

function VersionsTab(open: OpenRuntime) {
  const { connection, runtimeId } = open
  const query = useVersions(connection, runtimeId)
  const versionSelection = useComparedVersions(query.all)
  const compareItems = useCompareItems(query.all, versionSelection.choose)
  const rollback = useVersionRollback(open, query.all)
  const listMenuItems = (subject: ResourceSubject): readonly MenuItem[] => {
    const items = rollback.items(subject)
    return [...compareItems(subject), ...(items.length > 0 ? (['separator', ...items] as const) : [])]
  }
  return (
    <>
      <QueryFailure query={query} connection={connection} address={resource.address} />
      <Compare all={query.all} compared={versionSelection} />
      <ResourceList
        {...{ resource, connection, moreItems: listMenuItems }}
        scope={useMemo(() => ({ id: runtimeId }), [runtimeId])}
      />
      {rollback.dialog}
    </>
  )
}

const readStatus = (answer: ResourceAnswer | undefined): string =>
  toText(readField(unwrapEnvelope(answer?.data), names.status))

/** Loads a runtime. Polls while the runtime's state is changing. */
function useRuntime(connection: ConnectionView, runtimeId: string) {
  const request = { connectionId: connection.id, operation: 'runtime.agentRuntimes.get', path: { id: runtimeId } }
  const query = useCall('resources.call', request, {
    refetchInterval: ({ state: { data } }) => (isChanging(readStatus(data)) ? changeVisibleMs : false),
  })
  const row = query.data && (unwrapEnvelope(query.data.data) ?? {})
  const name = (row === undefined ? '' : readName(row, runtimes)) || runtimeId
  const subject: ResourceSubject = { row: row ?? {}, name, id: runtimeId, scope: {} }
  return { asked: request, query, subject }
}

interface HeadProps {
  readonly runtime: ReturnType<typeof useRuntime>
  readonly onDo: (action: ResourceAction) => void
}

function RuntimeHeader({ runtime, onDo }: HeadProps) {
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const copy = useCopyWithToast()
  const codeItems = useCopyCall()
  const refresh = useRefreshResources()
  const { asked, query, subject } = runtime
  const { name, id = '' } = subject
  const status = readStatus(query.data)
  const actions = query.data ? runtimes.actions : []
  return (
    <PageHeader
      title={name}
      breadcrumb={[{ label: text(runtimes.texts.title), to: runtimesPath }]}
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

interface RuntimeTabProps extends OpenRuntime {
  readonly answer: ResourceAnswer
  readonly onDo: (action: ResourceAction) => void
}

const tabContents: Readonly<Record<RuntimeTab, (props: RuntimeTabProps) => ReactNode>> = {
  overview: OverviewTab,
  versions: VersionsTab,
  endpoints: EndpointsTab,
  logs: LogsTab,
  metrics: MetricsTab,
}

function OpenedRuntime({ tab, connection, runtimeId }: { readonly tab: RuntimeTab } & Omit<OpenRuntime, 'subject'>) {
  const { t } = useTranslation('runtimes')
  const navigate = useNavigate()
  const [action, setAction] = useState<ResourceAction>()
  const runtime = useRuntime(connection, runtimeId)
  const { query, subject } = runtime
  const { data: answer, error } = query
  const TabContent = tabContents[tab]
  return (
    <>
      <RuntimeHeader runtime={runtime} onDo={setAction} />
      <QueryFailure query={query} connection={connection} address={runtimes.address} />
      {answer ? (
        <Tabs
          label={t('tabs.label')}
          value={tab}
          onValueChange={(nextTab) => void navigate(runtimePath(runtimeId, nextTab), { replace: true })}
          tabs={runtimeTabs.map((value) => ({
            value,
            label: t(`tabs.${value}`),
            content:
              value === tab ? <TabContent {...{ connection, runtimeId, subject, answer }} onDo={setAction} /> : null,
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

export function RuntimePage() {
  const { id = '', tab = 'overview' } = useParams()
  const shownTab = runtimeTabs.find((candidate) => candidate === tab)
  if (shownTab === undefined) return <Navigate to={runtimePath(id)} replace />
  return (
    <Page width="wide" key={id}>
      <ServiceGate address={runtimes.address}>
        {(connection) => <OpenedRuntime tab={shownTab} connection={connection} runtimeId={id} />}
      </ServiceGate>
    </Page>
  )
}

export interface RuntimeAction {
  readonly action: ResourceAction
  readonly subject: ResourceSubject
}

interface DialogProps extends RuntimeAction {
  readonly connection: ConnectionView
  readonly onClose: () => void
  /** Called when the runtime was deleted. */
  readonly onGone: () => void
}

/** Form that updates a runtime. Its fields are computed once, so that a refetch does not reset them. */
function UpdateSheet({ connection, subject, onClose }: DialogProps) {
  const [fields] = useState(() => changeFields(subject.row))
  const choices = useFlavors(connection, true)
  return (
    <CallSheet
      connection={connection}
      address={runtimes.address}
      asked={{ ...updateRuntime, fields: addFlavorOptions(fields, choices) }}
      subject={subject}
      target={toTargetParameters(runtimes, subject)}
      onClose={onClose}
    />
  )
}

function NewSecret({
  connection,
  subject,
  answer,
  onClose,
}: Pick<DialogProps, 'connection' | 'subject' | 'onClose'> & { readonly answer: ResourceAnswer }) {
  const { t } = useTranslation(['runtimes', 'common'])
  const text = useResourceText()
  return (
    <Sheet
      onClose={onClose}
      title={text(resetServiceAccount.done, subject.name)}
      description={t('runtimes:reset.toldOnce')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('common:close')}
        </Button>
      }
    >
      {answer.secrets.length === 0 ? <Callout tone="info" title={t('runtimes:reset.noSecret')} /> : null}
      <AnswerView
        answer={answer}
        connectionId={connection.id}
        keepAs={{ kind: 'serviceAccount', name: subject.name }}
      />
    </Sheet>
  )
}

function ResetDialog(props: DialogProps) {
  const { connection, subject, onClose } = props
  const [answer, setAnswer] = useState<ResourceAnswer>()
  if (answer) return <NewSecret {...{ connection, subject, answer, onClose }} />
  return <ConfirmCall {...props} resource={runtimes} onDone={setAnswer} />
}

const dialogs: Readonly<Record<string, (props: DialogProps) => ReactNode>> = {
  [updateRuntime.id]: UpdateSheet,
  [resetServiceAccount.id]: ResetDialog,
}

export function RuntimeDialog(props: DialogProps) {
  const OwnServerDialog = dialogs[props.action.id]
  if (OwnServerDialog) return <OwnServerDialog {...props} />
  const { connection, action, subject, onClose, onGone: stopFollowing } = props
  return <ActionDialog {...{ connection, action, subject, onClose }} resource={runtimes} onDone={stopFollowing} />
}

/** Flavors (sizes) of a runtime as options of a form field. Empty until loaded. Requested only if `isWanted`. */
export function useFlavors(connection: ConnectionView | undefined, isWanted: boolean) {
  const { data } = useCall(
    'resources.call',
    { connectionId: connection?.id ?? '', operation: 'runtime.flavors.list' },
    { enabled: isWanted && connection !== undefined },
  )
  return useMemo(() => flavorChoices(listRows(data?.data)), [data])
}
