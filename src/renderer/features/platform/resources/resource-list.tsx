import type { MethodInput, ResourceAnswer, ResourcePage } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import i18next from 'i18next'
import {
  ArrowRight,
  ChevronFirst,
  ChevronLast,
  ChevronLeft,
  ChevronRight,
  Copy,
  ListFilter,
  RefreshCw,
  SearchX,
  SquareTerminal,
} from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import { copyText } from '../../../copy-text'
import { formatNumber } from '../../../format'
import { showFailureToast } from '../../../i18n/failures'
import { call, useCall } from '../../../ipc'
import { isCurrentRoute } from '../../../paths'
import { RowButton } from '../../../ui/button'
import { IconButton } from '../../../ui/icon-button'
import { MenuButton, type MenuItem } from '../../../ui/menu'
import { EmptyState, Toolbar } from '../../../ui/page'
import { SearchField } from '../../../ui/search-field'
import { Select } from '../../../ui/select'
import { actionsColumn } from '../../../ui/table'
import { toast } from '../../../ui/toast'
import { type VirtualColumn, VirtualTable } from '../../../ui/virtual-table'
import { useAddressQuery, useWindowState } from '../../../window-state'
import { ActionDialog } from './call-sheet'
import { FieldsSheet, FieldValue } from './fields-view'
import {
  changeVisibleMs,
  findField,
  findPagePath,
  getFieldLabel,
  isChanging,
  isObject,
  isPrimitive,
  listRows,
  normalizeName,
  parseTime,
  readField,
  searchedRows,
  toSubject,
  toTargetParameters,
} from './lookup'
import {
  type Json,
  type Resource,
  type ResourceAction,
  type ResourceColumn,
  type ResourceSubject,
  resourceText,
  type Scope,
} from './resource'
import { LoadedResource, useService } from './service-gate'

const t = i18next.getFixedT(null, 'resources')

export interface ResourceListProps {
  readonly resource: Resource
  /** Path parameters of the parent resource. */
  readonly scope?: Scope
  /** Additional buttons before refresh. */
  readonly tools?: ReactNode
  /** Button or text that helps to create the first resource. Shown while the list is empty. */
  readonly emptyAction?: ReactNode
  readonly moreItems?: (subject: ResourceSubject) => readonly MenuItem[]
}

function NoRows(props: {
  readonly resource: Resource
  readonly answer: ResourcePage
  readonly place: ListPosition & { readonly size: number }
  readonly onChange: (change: Partial<ListPosition>) => void
  readonly emptyAction: ReactNode
}) {
  const { resource, answer, place, onChange, emptyAction } = props
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
    <EmptyState icon={icon} title={resourceText(`${texts}empty`)} actions={emptyAction}>
      {resourceText(`${texts}emptyText`)}
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

/**
 * Declarative list with toolbar, table, pager, and loading, empty and failed states. Columns of the table: name,
 * declared columns and a menu of actions.
 */
export function ResourceList(props: ResourceListProps) {
  const { resource, scope = {}, tools, emptyAction, moreItems } = props
  const navigate = useNavigate()
  const { place, change } = useListPosition(resource.at)
  // Without an action, the dialog shows all fields of the row.
  const [openedDialog, setOpenedDialog] = useState<{ subject: ResourceSubject; action?: ResourceAction }>()
  const { list, shownCall } = useList(resource, scope, place)
  const { data } = list
  const rows = sortNewestFirst(searchedRows(data?.rows ?? [], place.find), resource.list.newestBy)
  const onOpen = (subject: ResourceSubject): void => {
    const path = findPagePath(resource, subject)
    if (path === undefined) setOpenedDialog({ subject })
    else void navigate(path)
  }
  const onClose = () => setOpenedDialog(undefined)
  const action = openedDialog?.action
  const subject = openedDialog && {
    ...openedDialog.subject,
    secrets: data ? listRowSecrets(data, openedDialog.subject.row) : [],
  }
  const listItems = (subject: ResourceSubject): readonly MenuItem[] => {
    const { id, name } = subject
    const { get, actions } = resource
    const hasPage = get !== undefined && id !== undefined
    return [
      { label: t(hasPage ? 'open' : 'showFields'), icon: ArrowRight, onSelect: () => onOpen(subject) },
      ...(id === undefined
        ? []
        : [{ label: t('copyId'), icon: Copy, onSelect: () => copyText(id, { description: id }) }]),
      ...(hasPage
        ? listCopyItems({
            connectionId: shownCall.connectionId,
            operation: get.operation,
            path: toTargetParameters(resource, subject).path,
          })
        : []),
      ...(moreItems?.(subject) ?? []),
      ...(actions.length > 0 ? (['separator'] as const) : []),
      ...actions.map((action) => ({
        label: resourceText(action.label, name),
        icon: action.icon,
        danger: action.isDanger,
        disabled: id === undefined,
        onSelect: () => setOpenedDialog({ action, subject }),
      })),
    ]
  }
  const columns: readonly VirtualColumn<IndexedRow>[] = [
    {
      id: 'name',
      header: resourceText(resource.nameHeader ?? 'common:labels.name'),
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
        header: header ? resourceText(header) : getFieldLabel(names[0] ?? ''),
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
      ...actionsColumn(t('actions'), '44px'),
      cell: ({ subject }, tabIndex, openMenu) => (
        <RowButton
          hasMenu
          tabIndex={tabIndex}
          label={t('menuOf', { name: subject.name })}
          onPress={(button) => openMenu(button, listItems(subject))}
        />
      ),
    },
  ]
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
            <VirtualTable
              label={resourceText(`${resource.texts}title`)}
              columns={columns}
              rows={rows.map((row, index) => ({ key: String(index), subject: toSubject(resource, row, scope) }))}
              rowKey={({ key }) => key}
              rowHeight={40}
              onOpen={({ subject }) => onOpen(subject)}
            />
          )
        }
      </LoadedResource>
      {data && !resource.list.isUnpaged && data.rows.length > 0 ? (
        <ListPager answer={data} size={place.size} onChange={change} />
      ) : null}
      {subject && action ? <ActionDialog {...{ resource, action, subject, onClose }} /> : null}
      {subject && !action ? <FieldsSheet {...{ subject, onClose }} /> : null}
    </div>
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

/** Debounce of the server filter in ms. */
const debounceMs = 350

/** Button with a menu that copies a call as code. */
export function CopyCallMenu({ call }: { readonly call: CopiedCall }) {
  return <MenuButton icon={SquareTerminal} label={t('code.title')} items={listCopyItems(call)} />
}

/** Toolbar of a list: server-side filter, search within the page, refresh, and a menu to copy the list's API call. */
export function ListToolbar(props: {
  /** Declaration of the filter that the server applies. Undefined if the list has none. */
  readonly filter?: Resource['list']['filter']
  readonly place: ListPosition
  readonly onChange: (change: Partial<ListPosition>) => void
  readonly query: { readonly isFetching: boolean; readonly refetch: () => unknown }
  /** Call that loads the list, for copying. */
  readonly call: CopiedCall
  readonly shown: number
  readonly count: number
  readonly findLabel?: string | undefined
  readonly children?: ReactNode
}) {
  const { filter, place, onChange, query, call, shown, count, findLabel, children } = props
  const filterText = useDebouncedText(place.filter, (nextFilter) => onChange({ filter: nextFilter }), debounceMs)
  // Keep the text in local state, because the URL updates with a delay.
  const findText = useDebouncedText(place.find, (find) => onChange({ find }), 0)
  return (
    <Toolbar>
      {filter ? (
        <SearchField
          icon={ListFilter}
          label={resourceText(filter.label)}
          clearLabel={t('clearFilter')}
          {...filterText}
        />
      ) : null}
      <SearchField label={findLabel ?? t('find')} found={{ shown, count }} hasFindKey {...findText} />
      <span className="flex-1" />
      {children}
      <CopyCallMenu call={call} />
      <IconButton icon={RefreshCw} label={t('refresh')} busy={query.isFetching} onClick={() => void query.refetch()} />
    </Toolbar>
  )
}

/**
 * Text of a search field that reports changes with a delay. Replaced when `value` changes, unless the field itself
 * has reported that value.
 */
function useDebouncedText(value: string, onReport: (text: string) => void, delayMs: number) {
  const [text, setText] = useState(value)
  const latestOnReport = useRef(onReport)
  latestOnReport.current = onReport
  // Values that were reported to the owner but have not come back as `value` yet, newest first.
  const reportedTexts = useRef([value])
  useEffect(() => {
    const reportedIndex = reportedTexts.current.indexOf(value)
    reportedTexts.current = reportedIndex < 0 ? [value] : reportedTexts.current.slice(reportedIndex)
    if (reportedIndex < 0) setText(value)
  }, [value])
  const reportText = useCallback((nextText: string): void => {
    const trimmedText = nextText.trim()
    if (trimmedText === reportedTexts.current.at(-1)) return
    reportedTexts.current.push(trimmedText)
    latestOnReport.current(trimmedText)
  }, [])
  useEffect(() => {
    const timer = setTimeout(() => reportText(text), delayMs)
    return () => clearTimeout(timer)
  }, [text, reportText, delayMs])
  return { value: text, onChange: setText, onSubmit: reportText }
}

/** Row range, page navigation and page size. */
export function ListPager(props: {
  readonly answer: ResourcePage
  readonly size: number
  readonly onChange: (change: Partial<ListPosition>) => void
}) {
  const { answer, size, onChange } = props
  const { rows, page, firstPage, totalItems } = answer
  const pagesBefore = page - firstPage
  const lastPage = findLastPage(answer, size)
  const rowsBefore = pagesBefore * size
  const range = t('pager.range', {
    from: formatNumber(rows.length === 0 ? 0 : rowsBefore + 1),
    to: formatNumber(rows.length === 0 ? 0 : rowsBefore + rows.length),
  })
  const texts = [
    totalItems === undefined ? range : t('pager.rangeOf', { range, total: formatNumber(totalItems) }),
    lastPage === undefined
      ? t('pager.page', { page: pagesBefore + 1 })
      : t('pager.pageOf', { page: pagesBefore + 1, count: formatNumber(lastPage - firstPage + 1) }),
  ]
  const hasPrevious = pagesBefore > 0
  // Without a total, a full page means that another page follows.
  const hasNext = lastPage === undefined ? rows.length >= size : page < lastPage
  return (
    <nav className="flex flex-wrap items-center gap-x-4 gap-y-2" aria-label={t('pager.title')}>
      <span className="flex-1 text-muted text-sm tabular-nums" role="status">
        {texts.join(' · ')}
      </span>
      <Select
        aria-label={t('pager.size')}
        className="w-auto"
        value={String(size)}
        onValueChange={(value) => onChange({ size: findPageSize(value) })}
        options={pageSizes.map((pageSize) => ({
          value: String(pageSize),
          label: t('pager.sizeOption', { count: pageSize }),
        }))}
      />
      <span className="inline-flex gap-0.5">
        {(
          [
            ['first', ChevronFirst, hasPrevious, firstPage],
            ['previous', ChevronLeft, hasPrevious, page - 1],
            ['next', ChevronRight, hasNext, page + 1],
            ['last', ChevronLast, hasNext, lastPage],
          ] as const
        ).map(([id, icon, isEnabled, targetPage]) =>
          targetPage === undefined ? null : (
            <IconButton
              key={id}
              icon={icon}
              label={t(`pager.${id}`)}
              disabled={!isEnabled}
              onClick={() => onChange({ page: targetPage === firstPage ? undefined : targetPage })}
            />
          ),
        )}
      </span>
    </nav>
  )
}

/** Last page in the service's own numbering. Undefined without a total. */
export function findLastPage({ totalItems, totalPages, firstPage }: ResourcePage, size: number): number | undefined {
  const count = totalPages ?? (totalItems === undefined ? undefined : Math.ceil(totalItems / size))
  return count === undefined ? undefined : firstPage + Math.max(1, count) - 1
}

const pageSizes = [10, 20, 50, 100] as const
type PageSize = (typeof pageSizes)[number]

/** Position in a list, as in the page address. `page` is numbered as in the service's API. Default: the first page. */
interface ListPosition {
  readonly page: number | undefined
  readonly size: PageSize | undefined
  /** Text of the filter that the server applies. */
  readonly filter: string
  /** Text by which the rows of the current page are filtered. */
  readonly find: string
}

const findPageSize = (text: string | null) => pageSizes.find((pageSize) => String(pageSize) === text)

const defaultSize: PageSize = 20

/**
 * Page, filter and search text of a list from the page address. Without a size in it, uses the last page size that the
 * user selected for the list with this unique name.
 */
export function useListPosition(list: string) {
  const [query, changeQuery] = useAddressQuery()
  const { pathname } = useLocation()
  const [remembered, remember] = useWindowState<PageSize>(`resources.pageSize.${list}`, defaultSize)
  const page = query.get('page') ?? ''
  const place = {
    // Ignore an invalid number.
    page: /^\d{1,9}$/.test(page) ? Number(page) : undefined,
    size: findPageSize(query.get('size')) ?? remembered,
    filter: query.get('filter') ?? '',
    find: query.get('find') ?? '',
  }
  const change = (changes: Partial<ListPosition>): void => {
    // Ignore the delayed change of a search field if the user has left the page.
    if (!isCurrentRoute(pathname)) return
    const { size } = changes
    if (size !== undefined) remember(() => size)
    const entries = Object.entries(changes).map(([name, value]) => [name, value?.toString()])
    // A new filter or page size resets the page number.
    changeQuery({
      ...(('filter' in changes || 'size' in changes) && { page: undefined }),
      ...Object.fromEntries(entries),
    })
  }
  return { place, change }
}

const toResourcePage = ({ data, secrets }: ResourceAnswer): ResourcePage => {
  const rows = [...listRows(data)]
  return { rows, page: 1, firstPage: 1, totalItems: rows.length, totalPages: 1, secrets }
}

/**
 * Loads one page of a list. Polls while the status of a row is changing. The previous page stays visible while
 * another one loads. `shownCall` is the call of the visible page, for copying.
 */
export function useList(
  resource: Resource,
  scope: Scope,
  { page, size, filter: filterText }: Pick<ListPosition, 'page' | 'filter'> & { readonly size: number },
) {
  const { operation, filter, isUnpaged = false } = resource.list
  const connectionId = useService().connection.id
  const call = { connectionId, operation, path: scope, ...(filter && { query: { [filter.param]: filterText } }) }
  const getPollInterval = (rows: ResourcePage['rows'] = []): number | false => rows.some(isChanging) && changeVisibleMs
  const pagedQuery = useCall(
    'resources.page',
    { ...call, size, ...(page !== undefined && { page }) },
    {
      enabled: !isUnpaged,
      placeholderData: (previousData) => previousData,
      refetchInterval: ({ state: { data } }) => getPollInterval(data?.rows),
    },
  )
  const fullList = useCall<'resources.call', ResourcePage>('resources.call', call, {
    enabled: isUnpaged,
    select: toResourcePage,
    refetchInterval: ({ state: { data } }) => getPollInterval(data && toResourcePage(data).rows),
  })
  const list = isUnpaged ? fullList : pagedQuery
  const shownPage = isUnpaged ? undefined : pagedQuery.data?.page
  const shownCall = shownPage === undefined ? call : { ...call, query: { ...call.query, page: shownPage, size } }
  return { list, shownCall }
}

type CopiedCall = Omit<MethodInput<'resources.code'>, 'language'>

const languages = ['curl', 'companion'] as const

async function copyCode(callArguments: CopiedCall, language: (typeof languages)[number]): Promise<void> {
  try {
    const { code } = await call('resources.code', { ...callArguments, language })
    await call('app.copyText', { text: code })
    void toast(t(`code.copied.${language}`), { description: t(`code.hint.${language}`) })
  } catch (error) {
    showFailureToast()(error)
  }
}

/** Menu items that copy a call as code, with a variable in place of the token. */
export const listCopyItems = (callArguments: CopiedCall): readonly MenuItem[] =>
  languages.map((language) => ({
    label: t(`code.${language}`),
    icon: SquareTerminal,
    onSelect: () => void copyCode(callArguments, language),
  }))
