import type { ResourceAnswer } from '@shared/contract'
import i18next from 'i18next'
import { Copy, RefreshCw } from 'lucide-react'
import { Fragment, type ReactNode, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { copyText } from '../../../copy-text'
import { useCall } from '../../../ipc'
import { renderActions } from '../../../ui/button'
import { IconButton } from '../../../ui/icon-button'
import { MenuButton } from '../../../ui/menu'
import { Page, PageHeader } from '../../../ui/page'
import { Tabs } from '../../../ui/tabs'
import { useActiveConnection } from '../../connections'
import { ActionDialog, CreateButton, CreateSheet } from './call-sheet'
import { FieldsView, FieldValue } from './fields-view'
import { changeVisibleMs, isChanging, readName, readStatus, toTargetParameters, unwrapEnvelope } from './lookup'
import { type Resource, type ResourceAction, type ResourceSubject, type ResourceText, resourceText } from './resource'
import { listCopyItems, ResourceList, type ResourceListProps } from './resource-list'
import { LoadedResource, ServiceGate, useRefreshResources, useService } from './service-gate'

const t = i18next.getFixedT(null, 'resources')

interface ResourceDetailProps {
  readonly section: Section
  readonly resource: Resource
  /** Content in place of the fields. `startAction` opens the dialog of an action. */
  readonly content?: (resource: ShownResource, startAction: (action: ResourceAction) => void) => ReactNode
  /** Whether the page has its own refresh button. Default: true. */
  readonly canRefresh?: boolean
  /** Additional buttons, shown before those of the resource's declaration. */
  readonly tools?: (resource: ShownResource) => ReactNode
}

export interface ShownResource {
  readonly subject: ResourceSubject
  readonly answer: ResourceAnswer
}

function ResourceDetails(props: ResourceDetailProps & { readonly id: string }) {
  const { section, resource, id, content, tools, canRefresh = true } = props
  const navigate = useNavigate()
  const refresh = useRefreshResources()
  const [startedAction, setStartedAction] = useState<ResourceAction>()
  const request = {
    connectionId: useService().connection.id,
    operation: resource.get?.operation ?? '',
    path: toTargetParameters(resource, { id, scope: {} }).path,
  }
  const query = useCall('resources.call', request, {
    refetchInterval: ({ state: { data } }) => isChanging(unwrapEnvelope(data?.data)) && changeVisibleMs,
  })
  const row = unwrapEnvelope(query.data?.data) ?? {}
  const name = readName(row, resource) || id
  const subject: ResourceSubject = { row, name, id, scope: {}, secrets: query.data?.secrets ?? [] }
  const status = readStatus(row)
  const actions = (query.data !== undefined && !query.error ? resource.actions : []).map((action) => ({
    label: resourceText(action.label, name),
    icon: action.icon,
    danger: action.isDanger,
    isMain: action.isMain,
    onSelect: () => setStartedAction(action),
  }))
  const menuActions = actions.filter(({ isMain }) => !isMain)
  const [firstTab] = section.tabs
  const kind =
    resource.actions.find(({ secretKind }) => secretKind)?.secretKind ?? resource.create?.secretKind ?? 'token'
  return (
    <>
      <PageHeader
        title={name}
        breadcrumb={[
          ...(firstTab && firstTab.to !== resource.at
            ? [{ label: resourceText(`${section.name}:title`), to: firstTab.to }]
            : []),
          { label: resourceText(`${resource.texts}title`), to: resource.at },
        ]}
        badge={status === undefined ? null : <FieldValue value={status} format="status" />}
        actions={
          <>
            {query.data && tools ? tools({ subject, answer: query.data }) : null}
            {renderActions(
              actions.map(({ label, icon, isMain, onSelect }) => isMain && { label, icon, onClick: onSelect }),
              'md',
            )}
            {canRefresh ? (
              <IconButton icon={RefreshCw} label={t('refresh')} busy={query.isFetching} onClick={() => refresh()} />
            ) : null}
            <MenuButton
              label={t('menuOf', { name })}
              items={[
                { label: t('copyId'), icon: Copy, onSelect: () => copyText(id, { description: id }) },
                ...listCopyItems(request),
                ...(menuActions.length > 0 ? (['separator', ...menuActions] as const) : []),
              ]}
            />
          </>
        }
      />
      <LoadedResource query={query}>
        {(answer) =>
          content ? (
            content({ subject, answer }, setStartedAction)
          ) : (
            <FieldsView data={answer.data} secrets={answer.secrets} keepAs={{ kind, name }} />
          )
        }
      </LoadedResource>
      {startedAction ? (
        <ActionDialog
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

/** Page of the resource whose id is in the page address. */
export function ResourceDetailPage(props: ResourceDetailProps) {
  const { id = '' } = useParams()
  const { resource } = props
  return (
    <Page width="wide" key={`${resource.at} ${id}`}>
      <ServiceGate address={resource.address}>
        <ResourceDetails {...props} id={id} />
      </ServiceGate>
    </Page>
  )
}

export interface Section {
  /** Namespace of the texts. */
  readonly name: 'identities' | 'memory' | 'models' | 'registry' | 'runtimes'
  readonly tabs: readonly { readonly to: string; readonly label: ResourceText }[]
}

export const buildTab = ({ at, texts }: Resource): Section['tabs'][number] => ({ to: at, label: `${texts}title` })

export function SectionPage(props: {
  readonly section: Section
  readonly tab: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}) {
  const { section, tab, actions, children } = props
  const navigate = useNavigate()
  const connection = useActiveConnection()
  return (
    <Page width="wide">
      <PageHeader
        title={resourceText(`${section.name}:title`)}
        state={[resourceText(`${section.name}:state`), connection && t('from', { connection: connection.name })]
          .filter(Boolean)
          .join(' · ')}
        actions={actions}
      />
      {section.tabs.length === 1 ? (
        children
      ) : (
        <Tabs
          label={resourceText(`${section.name}:tabs.label`)}
          value={tab}
          onValueChange={(path) => void navigate(path, { replace: true })}
          tabs={section.tabs.map(({ to, label }) => ({
            value: to,
            label: resourceText(label),
            content: to === tab ? children : null,
          }))}
        />
      )}
    </Page>
  )
}

export function ResourceListPage(
  props: Omit<ResourceListProps, 'scope' | 'emptyAction'> & {
    readonly section: Section
    readonly below?: ReactNode
    /** Renders the response to a create call instead of the default view. */
    readonly renderCreated?: (answer: ResourceAnswer, name: string) => ReactNode
    readonly above?: ReactNode
  },
) {
  const { section, resource, renderCreated, above, below, ...around } = props
  return (
    <SectionPage section={section} tab={resource.at} actions={<CreateButton resource={resource} />}>
      <ServiceGate address={resource.address}>
        <Fragment key={resource.at}>
          {above}
          <ResourceList {...{ resource, ...around }} emptyAction={<CreateButton resource={resource} />} />
          {below}
          <CreateSheet resource={resource} renderAnswer={renderCreated} />
        </Fragment>
      </ServiceGate>
    </SectionPage>
  )
}
