import type { ConnectionView, ResourceAnswer, ResourcePage } from '@shared/contract'
import { SearchX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/empty-state'
import type { MenuItem } from '../../ui/menu'
import { SkeletonRows } from '../../ui/skeleton'
import toolbar from '../../ui/toolbar.module.css'
import { ActionDialog } from './action-dialog'
import { useCopyCall } from './copy-call'
import { FieldsSheet } from './fields-sheet'
import type { ListPlace } from './list-address'
import { ListPager } from './list-pager'
import { ListToolbar } from './list-toolbar'
import { lastPageOf } from './paging'
import type { Resource, ResourceAction, Scope, Subject } from './resource'
import { ResourceFailure } from './resource-failure'
import { ResourceTable } from './resource-table'
import { searchedRows } from './search-rows'
import { shownCall, useList, useListPlace } from './use-list'
import { useRowMenu } from './use-row-menu'
import { useText } from './use-text'

export interface ResourceListProps {
  readonly resource: Resource
  readonly connection: ConnectionView
  /** Of what it is part of. */
  readonly scope?: Scope
  /** More buttons, before refresh. */
  readonly tools?: ReactNode
  /** The first step of an empty list. */
  readonly emptyAction?: ReactNode
  readonly moreItems?: (subject: Subject) => readonly MenuItem[]
  /** Takes over an action: true when it did. */
  readonly onDo?: (action: ResourceAction, subject: Subject) => boolean
  readonly onDone?: (action: ResourceAction, answer: ResourceAnswer, subject: Subject) => void
  readonly renderAnswer?: (answer: ResourceAnswer, name: string) => ReactNode
}

interface NoRowsProps {
  readonly resource: Resource
  readonly answer: ResourcePage
  readonly place: ListPlace & { readonly size: number }
  readonly onChange: (change: Partial<ListPlace>) => void
  readonly emptyAction: ReactNode
}

function NoRows({ resource, answer, place, onChange, emptyAction }: NoRowsProps) {
  const { t } = useTranslation('resources')
  const text = useText()
  const { words, icon } = resource
  if (place.find !== '' && answer.rows.length > 0) {
    return (
      <EmptyState
        icon={SearchX}
        title={t('none.found', { text: place.find })}
        actions={<Button onClick={() => onChange({ find: '' })}>{t('none.showPage')}</Button>}
      >
        {t('none.foundText')}
      </EmptyState>
    )
  }
  if (place.filter !== '') {
    return (
      <EmptyState
        icon={SearchX}
        title={t('none.filtered', { text: place.filter })}
        actions={<Button onClick={() => onChange({ filter: '' })}>{t('clearFilter')}</Button>}
      />
    )
  }
  if (answer.page > answer.firstPage) {
    const last = lastPageOf(answer, place.size)
    const isKnown = last !== undefined && last < answer.page
    const to = isKnown && last > answer.firstPage ? last : undefined
    return (
      <EmptyState
        icon={SearchX}
        title={t('none.onPage')}
        actions={
          <Button onClick={() => onChange({ page: to })}>{t(to === undefined ? 'none.toFirst' : 'none.toLast')}</Button>
        }
      >
        {t('none.onPageText')}
      </EmptyState>
    )
  }
  return (
    <EmptyState icon={icon} title={text(words.empty)} actions={emptyAction}>
      {text(words.emptyText)}
    </EmptyState>
  )
}

/** What is open over the list: the fields of a row, or something that is done with it. */
type Over =
  | { readonly kind: 'fields'; readonly subject: Subject }
  | { readonly kind: 'action'; readonly action: ResourceAction; readonly subject: Subject }

function Overlay({
  over,
  props,
  answer,
  onClose,
}: {
  readonly over: Over
  readonly props: ResourceListProps
  readonly answer: ResourcePage | undefined
  readonly onClose: () => void
}) {
  const { resource, connection, onDone, renderAnswer } = props
  const { subject } = over
  if (over.kind === 'fields') {
    const at = answer?.rows.indexOf(subject.row) ?? -1
    const secrets = (answer?.secrets ?? []).flatMap((secret) => {
      const [first, ...rest] = secret.at.split('/').slice(1)
      return first === String(at) ? [{ ...secret, at: `/${rest.join('/')}` }] : []
    })
    return <FieldsSheet {...{ subject, secrets, onClose }} connectionId={connection.id} />
  }
  return (
    <ActionDialog
      {...{ resource, connection, subject, onClose }}
      action={over.action}
      onDone={(came) => onDone?.(over.action, came, subject)}
      renderAnswer={renderAnswer}
    />
  )
}

const noScope: Scope = {}

function useOver(props: ResourceListProps) {
  const { resource, connection, onDo, moreItems } = props
  const [over, setOver] = useState<Over>()
  const show = (subject: Subject): void => setOver({ kind: 'fields', subject })
  const menuOf = useRowMenu({
    connection,
    resource,
    more: moreItems,
    onShow: show,
    onDo: (action, subject) => {
      if (!onDo?.(action, subject)) setOver({ kind: 'action', action, subject })
    },
  })
  return { over, show, menuOf, close: () => setOver(undefined) }
}

/** A list of the platform by its declaration: toolbar, the rows of one page, pager; loading, empty and failed. */
export function ResourceList(props: ResourceListProps) {
  const { resource, connection, scope = noScope, tools, emptyAction } = props
  const { place, change } = useListPlace(resource)
  const { over, show, menuOf, close } = useOver(props)
  const codeItems = useCopyCall()
  const asked = { connectionId: connection.id, resource, scope, place }
  const list = useList(asked)
  const { data, error, isFetching } = list
  const refetch = (): void => void list.refetch()
  const rows = searchedRows(data?.rows ?? [], place.find)
  return (
    <div className={toolbar.list}>
      <ListToolbar
        {...{ resource, place }}
        onChange={change}
        isRefreshing={isFetching}
        onRefresh={refetch}
        codeItems={codeItems(shownCall(asked, data?.page))}
        shown={rows.length}
        count={data?.rows.length ?? 0}
      >
        {tools}
      </ListToolbar>
      {error ? (
        <ResourceFailure
          {...{ connection }}
          failure={error.failure}
          address={resource.address}
          onRetry={refetch}
          busy={isFetching}
        />
      ) : null}
      {!data ? (
        error ? null : (
          <SkeletonRows rows={6} />
        )
      ) : rows.length === 0 ? (
        <NoRows {...{ resource, place, emptyAction }} answer={data} onChange={change} />
      ) : (
        <ResourceTable {...{ resource, scope, rows, menuOf }} onShow={show} />
      )}
      {data && !resource.list.isUnpaged && data.rows.length > 0 ? (
        <ListPager answer={data} size={place.size} onChange={change} />
      ) : null}
      {over ? <Overlay {...{ over, props }} answer={data} onClose={close} /> : null}
    </div>
  )
}
