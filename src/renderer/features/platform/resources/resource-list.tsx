import type { ResourcePage } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { ArrowRight, Copy, Ellipsis, SearchX } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { RowButton } from '../../../ui/button'
import { type MenuItem, useSharedMenu } from '../../../ui/menu'
import { EmptyState } from '../../../ui/page'
import { type VirtualColumn, VirtualTable } from '../../../ui/virtual-table'
import { type ActionDialogs, findActionDialog } from './call-dialogs'
import { FieldsSheet, FieldValue } from './fields-view'
import { findPagePath, toSubject, toTargetParameters } from './form-values'
import {
  findLastPage,
  ListPager,
  type ListPosition,
  ListToolbar,
  useCopyCall,
  useCopyWithToast,
  useList,
  useListPosition,
} from './list-controls'
import { findField, isObject, isPrimitive, normalizeName, parseTime, readField, searchedRows } from './lookup'
import {
  type Json,
  type Resource,
  type ResourceAction,
  type ResourceColumn,
  type ResourceSubject,
  type Scope,
  useResourceText,
} from './resource'
import { LoadedResource, useService } from './service-gate'

export interface ResourceListProps {
  readonly resource: Resource
  /** Path parameters of the parent resource. */
  readonly scope?: Scope
  /** Additional buttons before refresh. */
  readonly tools?: ReactNode
  /** Button or text that helps to create the first resource. Shown while the list is empty. */
  readonly emptyAction?: ReactNode
  readonly moreItems?: (subject: ResourceSubject) => readonly MenuItem[]
  readonly dialogs?: ActionDialogs
}

function NoRows(props: {
  readonly resource: Resource
  readonly answer: ResourcePage
  readonly place: ListPosition & { readonly size: number }
  readonly onChange: (change: Partial<ListPosition>) => void
  readonly emptyAction: ReactNode
}) {
  const { resource, answer, place, onChange, emptyAction } = props
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const { texts, icon } = resource
  /** Empty state with a button that shows other rows. */
  const offerChange = (title: string, label: string, change: Partial<ListPosition>, explanation?: string) => (
    <EmptyState icon={SearchX} title={title} actions={[{ label, onClick: () => onChange(change) }]}>
      {explanation}
    </EmptyState>
  )
  if (place.find !== '' && answer.rows.length > 0)
    return offerChange(t('none.found', { text: place.find }), t('none.showPage'), { find: '' }, t('none.foundText'))
  if (place.filter !== '')
    return offerChange(t('none.filtered', { text: place.filter }), t('clearFilter'), { filter: '' })
  if (answer.page > answer.firstPage) {
    const lastPage = findLastPage(answer, place.size)
    const isKnown = lastPage !== undefined && lastPage < answer.page
    const targetPage = isKnown && lastPage > answer.firstPage ? lastPage : undefined
    const label = t(targetPage === undefined ? 'none.toFirst' : 'none.toLast')
    return offerChange(t('none.onPage'), label, { page: targetPage }, t('none.onPageText'))
  }
  return (
    <EmptyState icon={icon} title={text(texts.empty)} actions={emptyAction}>
      {text(texts.emptyText)}
    </EmptyState>
  )
}

/** Masked secrets of a row, with JSON pointers into it. */
function listRowSecrets({ rows, secrets }: ResourcePage, row: Json) {
  const rowIndex = String(rows.indexOf(row))
  return secrets.flatMap((secret) => {
    const [firstSegment, ...rest] = secret.at.split('/').slice(1)
    return firstSegment === rowIndex ? [{ ...secret, at: `/${rest.join('/')}` }] : []
  })
}

/** Declarative list with toolbar, pager, and loading, empty and failed states. */
export function ResourceList(props: ResourceListProps) {
  const { resource, scope = {}, tools, emptyAction, moreItems, dialogs } = props
  const { place, change } = useListPosition(resource.at)
  // Without an action, the dialog shows all fields of the row.
  const [openedDialog, setOpenedDialog] = useState<{ subject: ResourceSubject; action?: ResourceAction }>()
  const navigate = useNavigate()
  const onOpen = (subject: ResourceSubject): void => {
    const path = findPagePath(resource, subject)
    if (path === undefined) setOpenedDialog({ subject })
    else void navigate(path)
  }
  const onClose = () => setOpenedDialog(undefined)
  const { list, shownCall } = useList(resource, scope, place)
  const { data } = list
  const rows = sortNewestFirst(searchedRows(data?.rows ?? [], place.find), resource.list.newestBy)
  const action = openedDialog?.action
  const subject = openedDialog && {
    ...openedDialog.subject,
    secrets: data ? listRowSecrets(data, openedDialog.subject.row) : [],
  }
  const Dialog = findActionDialog(action, dialogs)
  return (
    <div className="flex flex-col gap-3">
      <ListToolbar
        filter={resource.list.filter}
        place={place}
        onChange={change}
        query={list}
        call={shownCall}
        shown={rows.length}
        count={data?.rows.length ?? 0}
      >
        {tools}
      </ListToolbar>
      <LoadedResource query={list}>
        {(answer) =>
          rows.length === 0 ? (
            <NoRows {...{ resource, place, emptyAction, answer }} onChange={change} />
          ) : (
            <ResourceTable
              {...{ resource, scope, rows, moreItems, onOpen }}
              onAction={(action, subject) => setOpenedDialog({ action, subject })}
            />
          )
        }
      </LoadedResource>
      {data && !resource.list.isUnpaged && data.rows.length > 0 ? (
        <ListPager answer={data} size={place.size} onChange={change} />
      ) : null}
      {subject && action ? <Dialog {...{ resource, action, subject, onClose }} onDone={() => undefined} /> : null}
      {subject && !action ? <FieldsSheet {...{ subject, onClose }} /> : null}
    </div>
  )
}

/** Sorts rows by the first of these fields. Rows without a time come last. */
export function sortNewestFirst(rows: readonly Json[], names: readonly string[] = []): readonly Json[] {
  const toTime = (row: Json): number => parseTime(readField(row, names)) ?? 0
  return rows.toSorted((a, b) => toTime(b) - toTime(a))
}

/** A row with its index as the key, because rows may lack an identifier. */
interface IndexedRow {
  readonly key: string
  readonly subject: ResourceSubject
}

const nameText =
  'block max-w-full truncate rounded-xs text-left font-strong text-text hover:text-accent-text hover:underline'

/** Table of resources. Columns: name, declared columns and a menu of actions. */
function ResourceTable(props: {
  readonly resource: Resource
  readonly scope: Scope
  readonly rows: readonly Json[]
  /** Opens the detail page of a row, or a dialog with its fields. */
  readonly onOpen: (subject: ResourceSubject) => void
  readonly onAction: (action: ResourceAction, subject: ResourceSubject) => void
  /** Additional menu items, shown before the actions of the resource's declaration. */
  readonly moreItems: ResourceListProps['moreItems']
}) {
  const { resource, scope, rows, onOpen, onAction, moreItems } = props
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const connectionId = useService().connection.id
  const copy = useCopyWithToast()
  const codeItems = useCopyCall()
  const { open, menu } = useSharedMenu()
  const listItems = (subject: ResourceSubject): readonly MenuItem[] => {
    const { id, name } = subject
    const { get, actions } = resource
    const hasPage = get !== undefined && id !== undefined
    return [
      { label: t(hasPage ? 'open' : 'showFields'), icon: ArrowRight, onSelect: () => onOpen(subject) },
      ...(id === undefined ? [] : [{ label: t('copyId'), icon: Copy, onSelect: () => copy(id) }]),
      ...(hasPage
        ? codeItems({ connectionId, operation: get.operation, path: toTargetParameters(resource, subject).path })
        : []),
      ...(moreItems?.(subject) ?? []),
      ...(actions.length > 0 ? (['separator'] as const) : []),
      ...actions.map((action) => ({
        label: text(action.label, name),
        icon: action.icon,
        danger: action.isDanger,
        disabled: id === undefined,
        onSelect: () => onAction(action, subject),
      })),
    ]
  }
  const columns: readonly VirtualColumn<IndexedRow>[] = [
    {
      id: 'name',
      header: text(resource.texts.name),
      width: 'minmax(160px, 1.6fr)',
      cell: ({ subject }, tabIndex) => {
        const name = subject.name === '' ? t('unnamed') : subject.name
        const path = findPagePath(resource, subject)
        const nameProps = { className: nameText, tabIndex, title: name, children: name }
        return path === undefined ? (
          <button type="button" onClick={() => onOpen(subject)} {...nameProps} />
        ) : (
          <Link to={path} {...nameProps} />
        )
      },
    },
    ...chooseColumns(resource, rows).map(
      ({ header, names, format, width = 'minmax(90px, 1fr)', from }): VirtualColumn<IndexedRow> => ({
        id: `value-${names[0]}`,
        header: text(header),
        width,
        align: format === 'number' || format === 'bytes' ? 'right' : 'left',
        ...(from !== undefined && { from }),
        cell: ({ subject }) => (
          <span className="block truncate">
            <FieldValue value={readField(subject.row, names)} {...(format && { format })} />
          </span>
        ),
      }),
    ),
    {
      id: 'menu',
      header: t('actions'),
      headerHidden: true,
      width: '44px',
      align: 'right',
      cell: ({ subject }, tabIndex) => (
        <RowButton
          icon={Ellipsis}
          hasMenu
          tabIndex={tabIndex}
          label={t('menuOf', { name: subject.name })}
          onPress={(button) => open(button, listItems(subject))}
        />
      ),
    },
  ]
  return (
    <>
      <VirtualTable
        label={text(resource.texts.title)}
        columns={columns}
        rows={rows.map((row, index) => ({ key: String(index), subject: toSubject(resource, row, scope) }))}
        rowKey={({ key }) => key}
        rowHeight={40}
        onOpen={({ subject }) => onOpen(subject)}
      />
      {menu}
    </>
  )
}

/** Maximum number of columns for undeclared fields. Added if fewer than `minColumns` declared columns have values. */
const maxColumns = 4
const minColumns = 2

/** Column of an undeclared field, formatted by the field's first value. */
function createFoundColumn(name: string, rows: readonly Json[]): ResourceColumn {
  const sample = rows.map((row) => readField(row, [name])).find((value) => value !== undefined)
  const isDate = typeof sample === 'string' && /^\d{4}-\d\d-\d\dT/.test(sample)
  const format = isDate ? 'date' : typeof sample === 'number' ? 'number' : 'text'
  return { header: () => withVisibleControls(name), names: [name], format }
}

/** Columns of the table: declared ones that have values. If too few have, uses the first fields of the rows instead. */
function chooseColumns(resource: Resource, rows: readonly Json[]): readonly ResourceColumn[] {
  if (rows.length === 0) return resource.columns
  const nonEmptyColumns = resource.columns.filter(({ names }) =>
    rows.some((row) => readField(row, names) !== undefined),
  )
  if (nonEmptyColumns.length >= Math.min(minColumns, resource.columns.length)) return nonEmptyColumns
  const nameFields = rows.flatMap((row) => findField(row, resource.naming)?.[0] ?? [])
  const knownNames = new Set([...nameFields, ...nonEmptyColumns.flatMap(({ names }) => names)].map(normalizeName))
  const allNames = rows.flatMap((row) =>
    isObject(row) ? Object.keys(row).filter((name) => isPrimitive(row[name])) : [],
  )
  const unknownNames = [...new Set(allNames)].filter((name) => !knownNames.has(normalizeName(name)))
  return [...nonEmptyColumns, ...unknownNames.slice(0, maxColumns).map((name) => createFoundColumn(name, rows))]
}
