import type { CapturedSecret, ResourceAnswer } from '@shared/contract'
import { Copy, Ellipsis, RefreshCw } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../../ipc'
import { Button } from '../../../ui/button'
import { IconButton } from '../../../ui/icon-button'
import { Menu } from '../../../ui/menu'
import { type Crumb, Page, PageHeader } from '../../../ui/page'
import { Tabs } from '../../../ui/tabs'
import { useActiveConnection } from '../../connections'
import { type ActionDialogs, CreateButton, CreateSheet, findActionDialog } from './call-dialogs'
import { FieldsView, FieldValue } from './fields-view'
import { toTargetParameters, useRefreshResources } from './form-values'
import { changeVisibleMs, isChanging, readField, readName, toText, unwrapEnvelope } from './lookup'
import {
  type Json,
  type Resource,
  type ResourceAction,
  type ResourceSubject,
  type ResourceText,
  type Scope,
  useResourceText,
} from './resource'
import { ResourceList, type ResourceListProps } from './resource-list'
import { LoadedResource, ServiceGate, useService } from './service-gate'
import { useCopyCall, useCopyWithToast } from './use-row-menu'

interface ResourceDetailProps {
  readonly section: Section
  readonly resource: Resource
  readonly id: string
  /** Additional content above the fields. */
  readonly children?: (resource: ShownResource) => ReactNode
  /** Content in place of the fields. `startAction` opens the dialog of an action. */
  readonly content?: (resource: ShownResource, startAction: (action: ResourceAction) => void) => ReactNode
  /** Whether the page has its own refresh button. Default: true. */
  readonly canRefresh?: boolean
  /** Additional buttons, shown before those of the resource's declaration. */
  readonly tools?: (resource: ShownResource) => ReactNode
  /** Additional buttons next to a secret. */
  readonly secretActions?: (secret: CapturedSecret) => ReactNode
  readonly dialogs?: ActionDialogs
}

export interface ShownResource {
  readonly subject: ResourceSubject
  readonly answer: ResourceAnswer
}

const noScope: Scope = {}

const readStatus = ({ status = [] }: Resource, row: Json | undefined): Json | undefined => readField(row, status)

/** Loads a resource. Polls while its status is changing. */
function useResourceDetails({ resource, id }: ResourceDetailProps) {
  const connectionId = useService().connection.id
  const { path } = toTargetParameters(resource, { id, scope: noScope })
  const request = { connectionId, operation: resource.get?.operation ?? '', path: { ...path } }
  const query = useCall('resources.call', request, {
    enabled: resource.get !== undefined,
    refetchInterval: ({ state: { data } }) =>
      isChanging(toText(readStatus(resource, unwrapEnvelope(data?.data)))) && changeVisibleMs,
  })
  const subjectData = query.data && (unwrapEnvelope(query.data.data) ?? {})
  const subject: ResourceSubject = {
    row: subjectData ?? {},
    name: subjectData === undefined ? id : readName(subjectData, resource) || id,
    id,
    scope: noScope,
    secrets: query.data?.secrets ?? [],
  }
  return { request, query, subject }
}

function useCrumbs({ section, resource }: ResourceDetailProps): readonly Crumb[] {
  const text = useResourceText()
  const [firstTab] = section.tabs
  const ownCrumb = { label: text(resource.texts.title), to: resource.at }
  return firstTab && firstTab.to !== resource.at
    ? [{ label: text(section.title), to: firstTab.to }, ownCrumb]
    : [ownCrumb]
}

function ResourceDetails(props: ResourceDetailProps) {
  const { resource, id, children, content, tools, dialogs, canRefresh = true } = props
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const navigate = useNavigate()
  const copy = useCopyWithToast()
  const codeItems = useCopyCall()
  const refresh = useRefreshResources()
  const crumbs = useCrumbs(props)
  const [startedAction, setStartedAction] = useState<ResourceAction>()
  const { request, query, subject } = useResourceDetails(props)
  const { name, row } = subject
  const status = readStatus(resource, row)
  const actions = query.data !== undefined && !query.error ? resource.actions : []
  const menuActions = actions.filter(({ isMain }) => !isMain)
  const Dialog = findActionDialog(startedAction, dialogs)
  const kind =
    resource.actions.find(({ secretKind }) => secretKind)?.secretKind ?? resource.create?.secretKind ?? 'token'
  return (
    <>
      <PageHeader
        title={name}
        breadcrumb={crumbs}
        badge={status === undefined ? null : <FieldValue value={status} format="status" />}
        actions={
          <>
            {query.data && tools ? tools({ subject, answer: query.data }) : null}
            {actions
              .filter(({ isMain }) => isMain)
              .map((action) => (
                <Button key={action.id} icon={action.icon} onClick={() => setStartedAction(action)}>
                  {text(action.label, name)}
                </Button>
              ))}
            {canRefresh ? (
              <IconButton icon={RefreshCw} label={t('refresh')} busy={query.isFetching} onClick={() => refresh()} />
            ) : null}
            <Menu
              align="end"
              trigger={<IconButton icon={Ellipsis} label={t('menuOf', { name })} />}
              items={[
                { label: t('copyId'), icon: Copy, onSelect: () => copy(id) },
                ...codeItems(request),
                ...(menuActions.length > 0 ? (['separator'] as const) : []),
                ...menuActions.map((action) => ({
                  label: text(action.label, name),
                  icon: action.icon,
                  danger: action.isDanger,
                  onSelect: () => setStartedAction(action),
                })),
              ]}
            />
          </>
        }
      />
      <LoadedResource query={query}>
        {(answer) => {
          const shownResource = { subject, answer }
          if (content) return content(shownResource, setStartedAction)
          return (
            <>
              {children?.(shownResource)}
              <FieldsView
                data={answer.data}
                secrets={answer.secrets}
                keepAs={{ kind, name }}
                secretActions={props.secretActions}
              />
            </>
          )
        }}
      </LoadedResource>
      {startedAction ? (
        <Dialog
          {...{ resource, subject }}
          action={startedAction}
          onClose={() => setStartedAction(undefined)}
          onDone={() => {
            if (startedAction.removes) void navigate(resource.at, { replace: true })
          }}
        />
      ) : null}
    </>
  )
}

export function ResourceDetailPage(props: ResourceDetailProps) {
  return (
    <Page width="wide" key={props.id}>
      <ServiceGate address={props.resource.address}>
        <ResourceDetails {...props} />
      </ServiceGate>
    </Page>
  )
}

export interface Section {
  readonly title: ResourceText
  /** Text of one line that describes the page. */
  readonly state: ResourceText
  readonly label: ResourceText
  readonly tabs: readonly { readonly to: string; readonly label: ResourceText }[]
}

export const buildTab = ({ at, texts }: Resource): Section['tabs'][number] => ({ to: at, label: texts.title })

interface SectionPageProps {
  readonly section: Section
  readonly tab: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function SectionPage({ section, tab, actions, children }: SectionPageProps) {
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const navigate = useNavigate()
  const connection = useActiveConnection()
  const name = text(section.title)
  return (
    <Page width="wide">
      <PageHeader
        title={name}
        state={[text(section.state), connection && t('from', { connection: connection.name })]
          .filter(Boolean)
          .join(' · ')}
        actions={actions}
      />
      {section.tabs.length === 1 ? (
        children
      ) : (
        <Tabs
          label={text(section.label)}
          value={tab}
          onValueChange={(path) => void navigate(path, { replace: true })}
          tabs={section.tabs.map(({ to, label }) => ({
            value: to,
            label: text(label),
            content: to === tab ? children : null,
          }))}
        />
      )}
    </Page>
  )
}

type ListOptions = Omit<ResourceListProps, 'resource' | 'scope' | 'emptyAction'>

interface ListPageProps extends ListOptions {
  readonly section: Section
  readonly resource: Resource
  readonly below?: ReactNode
  /** Renders the response to a create call instead of the default view. */
  readonly renderCreated?: (answer: ResourceAnswer, name: string) => ReactNode
  readonly above?: ReactNode
}

export function ResourceListPage({ section, resource, renderCreated, above, below, ...around }: ListPageProps) {
  return (
    <SectionPage section={section} tab={resource.at} actions={<CreateButton resource={resource} />}>
      <ServiceGate address={resource.address}>
        <Fragment key={resource.id}>
          {above}
          <ResourceList {...{ resource, ...around }} emptyAction={<CreateButton resource={resource} />} />
          {below}
          <CreateSheet resource={resource} renderAnswer={renderCreated} />
        </Fragment>
      </ServiceGate>
    </SectionPage>
  )
}
