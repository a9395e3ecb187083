import type { MethodInput, ResourceAnswer, ResourcePage } from '@shared/contract'
import {
  ChevronFirst,
  ChevronLast,
  ChevronLeft,
  ChevronRight,
  ListFilter,
  RefreshCw,
  SquareTerminal,
} from 'lucide-react'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { useCopyText } from '../../../copy-text'
import { useFormats } from '../../../format'
import { useFailureToast } from '../../../i18n/failures'
import { call, useCall } from '../../../ipc'
import { isCurrentRoute } from '../../../paths'
import { IconButton } from '../../../ui/icon-button'
import { MenuButton, type MenuItem } from '../../../ui/menu'
import { Toolbar } from '../../../ui/page'
import { SearchField } from '../../../ui/search-field'
import { Select } from '../../../ui/select'
import { toast } from '../../../ui/toast'
import { useAddressQuery, useWindowState } from '../../../window-state'
import { changeVisibleMs, isChanging, listRows, readField, toText } from './lookup'
import { type Resource, type Scope, useResourceText } from './resource'
import { useService } from './service-gate'

/** Debounce of the server filter in ms. */
const debounceMs = 350

/** Button with a menu that copies a call as code. */
export function CopyCallMenu({ call }: { readonly call: CopiedCall }) {
  const { t } = useTranslation('resources')
  return <MenuButton icon={SquareTerminal} label={t('code.title')} items={useCopyCall()(call)} />
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
  const { t } = useTranslation('resources')
  const translate = useResourceText()
  const { filter, place, onChange, query, call, shown, count, findLabel, children } = props
  const filterText = useDebouncedText(place.filter, (nextFilter) => onChange({ filter: nextFilter }), debounceMs)
  // Keep the text in local state, because the URL updates with a delay.
  const findText = useDebouncedText(place.find, (find) => onChange({ find }), 0)
  return (
    <Toolbar>
      {filter ? (
        <SearchField icon={ListFilter} label={translate(filter.label)} clearLabel={t('clearFilter')} {...filterText} />
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
  const { t } = useTranslation('resources')
  const { number } = useFormats()
  const { rows, page, firstPage, totalItems } = answer
  const pagesBefore = page - firstPage
  const lastPage = findLastPage(answer, size)
  const rowsBefore = pagesBefore * size
  const range = t('pager.range', {
    from: number(rows.length === 0 ? 0 : rowsBefore + 1),
    to: number(rows.length === 0 ? 0 : rowsBefore + rows.length),
  })
  const texts = [
    totalItems === undefined ? range : t('pager.rangeOf', { range, total: number(totalItems) }),
    lastPage === undefined
      ? t('pager.page', { page: pagesBefore + 1 })
      : t('pager.pageOf', { page: pagesBefore + 1, count: number(lastPage - firstPage + 1) }),
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
export interface ListPosition {
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
  const getPollInterval = (rows: ResourcePage['rows'] = []): number | false =>
    rows.some((row) => isChanging(toText(readField(row, resource.status ?? [])))) && changeVisibleMs
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

/** Returns a function that copies a text and shows a toast. */
export function useCopyWithToast(): (text: string) => void {
  const copyText = useCopyText()
  return (text) => copyText(text, { description: text })
}

export type CopiedCall = Omit<MethodInput<'resources.code'>, 'language'>

const languages = ['curl', 'companion'] as const

/** Menu items that copy a call as code, with a variable in place of the token. */
export function useCopyCall(): (callArguments: CopiedCall) => readonly MenuItem[] {
  const { t } = useTranslation('resources')
  const showFailureToast = useFailureToast()
  const copy = async (callArguments: CopiedCall, language: (typeof languages)[number]): Promise<void> => {
    try {
      const { code } = await call('resources.code', { ...callArguments, language })
      await call('app.copyText', { text: code })
      void toast(t(`code.copied.${language}`), { description: t(`code.hint.${language}`) })
    } catch (error) {
      showFailureToast()(error)
    }
  }
  return (callArguments) =>
    languages.map((language) => ({
      label: t(`code.${language}`),
      icon: SquareTerminal,
      onSelect: () => void copy(callArguments, language),
    }))
}
