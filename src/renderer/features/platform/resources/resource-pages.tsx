import type { CapturedSecret, ConnectionView, ResourceAnswer } from '@shared/contract'
import { Copy, Ellipsis, RefreshCw } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../../ipc'
import { Button } from '../../../ui/button'
import { IconButton } from '../../../ui/icon-button'
import { Menu } from '../../../ui/menu'
import { type Crumb, Page, PageHeader } from '../../../ui/page'
import { SkeletonRows } from '../../../ui/skeleton'
import { Tabs } from '../../../ui/tabs'
import { useActiveConnection } from '../../connections'
import { ActionDialog, CreateButton, CreateSheet } from './call-dialogs'
import { FieldsView, FieldValue } from './fields-view'
import { listPath, toTargetParameters } from './form-values'
import { readField, readName, unwrapEnvelope } from './lookup'
import {
  type Resource,
  type ResourceAction,
  type ResourceSubject,
  type ResourceText,
  type Scope,
  useResourceText,
} from './resource'
import { ResourceList, type ResourceListProps } from './resource-list'
import { QueryFailure, ServiceGate } from './service-gate'
import { useCopyCall, useCopyWithToast } from './use-row-menu'

interface ResourceDetailProps {
  readonly section: Section
  readonly resource: Resource
  readonly id: string
  readonly scope?: Scope
  /** Additional content above the fields. */
  readonly children?: (resource: ShownResource) => ReactNode
  /** Additional buttons, shown before those of the resource's declaration. */
  readonly tools?: (resource: ShownResource) => ReactNode
  /** Additional buttons next to a secret. */
  readonly secretActions?: (secret: CapturedSecret, connection: ConnectionView) => ReactNode
  /**
   * Called when the user selects an action. Returns true if the caller handles it, so that the default does not run.
   */
  readonly onDo?: (action: ResourceAction, resource: ShownResource) => boolean
  readonly onDone?: (action: ResourceAction, answer: ResourceAnswer) => void
  readonly renderAnswer?: (answer: ResourceAnswer, name: string) => ReactNode
}

export interface ShownResource {
  readonly connection: ConnectionView
  readonly subject: ResourceSubject
  readonly answer: ResourceAnswer
}

const noScope: Scope = {}

function useResourceDetails({ resource, id, scope = noScope }: ResourceDetailProps, connection: ConnectionView) {
  const { path } = toTargetParameters(resource, { id, scope })
  const request = { connectionId: connection.id, operation: resource.get?.operation ?? '', path: { ...path } }
  const query = useCall('resources.call', request, { enabled: resource.get !== undefined })
  const subjectData = unwrapEnvelope(query.data?.data)
  const subject: ResourceSubject = {
    row: subjectData ?? {},
    name: subjectData === undefined ? id : readName(subjectData, resource) || id,
    id,
    scope,
    secretsAt: query.data?.secrets.map(({ at }) => at) ?? [],
  }
  return { asked: request, query, subject }
}

interface HeadProps {
  readonly props: ResourceDetailProps
  readonly thing: ReturnType<typeof useResourceDetails>
  readonly tools: ReactNode
  readonly onDo: (action: ResourceAction) => void
}

function useCrumbs({ section, resource, scope = noScope }: ResourceDetailProps): readonly Crumb[] {
  const text = useResourceText()
  const [firstTab] = section.tabs
  const ownPath = listPath(resource, scope)
  const ownCrumb = { label: text(resource.texts.title), to: ownPath }
  return firstTab && firstTab.to !== ownPath ? [{ label: text(section.title), to: firstTab.to }, ownCrumb] : [ownCrumb]
}

function ResourceHeader({ props, thing, tools, onDo }: HeadProps) {
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const copy = useCopyWithToast()
  const codeItems = useCopyCall()
  const crumbs = useCrumbs(props)
  const { resource, id } = props
  const { asked, query, subject } = thing
  const { name, row } = subject
  const status = resource.status && readField(row, resource.status)
  const isLoaded = query.data !== undefined && !query.error
  const actions = isLoaded ? resource.actions : []
  const menuActions = actions.filter(({ isMain }) => !isMain)
  return (
    <PageHeader
      title={name}
      breadcrumb={crumbs}
      badge={status === undefined ? null : <FieldValue value={status} format="status" />}
      actions={
        <>
          {tools}
          {actions
            .filter(({ isMain }) => isMain)
            .map((action) => (
              <Button key={action.id} icon={action.icon} onClick={() => onDo(action)}>
                {text(action.label, name)}
              </Button>
            ))}
          <IconButton
            icon={RefreshCw}
            label={t('refresh')}
            busy={query.isFetching}
            onClick={() => void query.refetch()}
          />
          <Menu
            align="end"
            trigger={<IconButton icon={Ellipsis} label={t('menuOf', { name })} />}
            items={[
              { label: t('copyId'), icon: Copy, onSelect: () => copy(id) },
              ...codeItems(asked),
              ...(menuActions.length > 0 ? (['separator'] as const) : []),
              ...menuActions.map((action) => ({
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

function ResourceDetails({
  props,
  connection,
}: {
  readonly props: ResourceDetailProps
  readonly connection: ConnectionView
}) {
  const { resource, scope = noScope, children, tools } = props
  const navigate = useNavigate()
  const [action, setAction] = useState<ResourceAction>()
  const details = useResourceDetails(props, connection)
  const { query, subject } = details
  const { data: answer, error } = query
  const shownResource = answer && { connection, subject, answer }
  const startAction = (chosen: ResourceAction): void => {
    if (!shownResource || !props.onDo?.(chosen, shownResource)) setAction(chosen)
  }
  const kind =
    resource.actions.find(({ secretKind }) => secretKind)?.secretKind ?? resource.create?.secretKind ?? 'token'
  return (
    <>
      <ResourceHeader
        props={props}
        thing={details}
        tools={shownResource ? tools?.(shownResource) : null}
        onDo={startAction}
      />
      <QueryFailure query={query} connection={connection} address={resource.address} />
      {!shownResource ? (
        error ? null : (
          <SkeletonRows rows={4} />
        )
      ) : (
        <>
          {children?.(shownResource)}
          <FieldsView
            data={shownResource.answer.data ?? {}}
            secrets={shownResource.answer.secrets}
            connectionId={connection.id}
            keepAs={{ kind, name: subject.name }}
            secretActions={(secret) => props.secretActions?.(secret, connection)}
          />
        </>
      )}
      {action ? (
        <ActionDialog
          {...{ connection, resource, action, subject }}
          renderAnswer={props.renderAnswer}
          onClose={() => setAction(undefined)}
          onDone={(receivedAnswer) => {
            props.onDone?.(action, receivedAnswer)
            if (action.removes) void navigate(listPath(resource, scope), { replace: true })
          }}
        />
      ) : null}
    </>
  )
}

export function ResourceDetailPage(props: ResourceDetailProps) {
  const { resource, id } = props
  return (
    <Page width="wide" key={id}>
      <ServiceGate address={resource.address}>
        {(connection) => <ResourceDetails {...{ props, connection }} />}
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
  const connection: ConnectionView | undefined = useActiveConnection()
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
    </Page>
  )
}

type ListOptions = Omit<ResourceListProps, 'resource' | 'connection' | 'scope' | 'emptyAction'>

interface ListPageProps extends ListOptions {
  readonly section: Section
  readonly resource: Resource
  readonly below?: (connection: ConnectionView) => ReactNode
  /** Renders the response to a create call instead of the default view. */
  readonly renderCreated?: (answer: ResourceAnswer, name: string) => ReactNode
  readonly above?: (connection: ConnectionView) => ReactNode
}

export function ResourceListPage({ section, resource, renderCreated, above, below, ...around }: ListPageProps) {
  return (
    <SectionPage section={section} tab={resource.at} actions={<CreateButton resource={resource} />}>
      <ServiceGate address={resource.address}>
        {(connection) => (
          <Fragment key={resource.id}>
            {above?.(connection)}
            <ResourceList {...{ resource, connection, ...around }} emptyAction={<CreateButton resource={resource} />} />
            {below?.(connection)}
            <CreateSheet {...{ resource, connection }} renderAnswer={renderCreated} />
          </Fragment>
        )}
      </ServiceGate>
    </SectionPage>
  )
}
