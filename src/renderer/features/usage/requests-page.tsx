import type { MethodOutput, UsageRequest } from '@shared/contract'
import { useInfiniteQuery } from '@tanstack/react-query'
import i18next from 'i18next'
import { ListX } from 'lucide-react'
import {
  dateFormat,
  dayParts,
  formatCount,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatTime,
  getLocale,
} from '../../format'
import { type CallError, call } from '../../ipc'
import { Loaded } from '../../loaded'
import { figuresPath } from '../../paths'
import { StatusDot } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Swatch } from '../../ui/chart-card'
import { EmptyState, Page, PageHeader, Toolbar } from '../../ui/page'
import { SkeletonRows } from '../../ui/skeleton'
import { CompactSwitch } from '../../ui/switch'
import { type VirtualColumn, VirtualTable } from '../../ui/virtual-table'
import { useModelColour } from '../connections/account'
import { createMachineAction, ExportMenu, FilterBar, RefreshButton } from './filter-bar'
import { hasRequests, noFilters, sumValues } from './usage-query'
import { formatSpan, isFiltered, type Usage, useUsage } from './use-usage'

const t = i18next.getFixedT(null, 'usage')

/** Number of requests per page. */
const pageSize = 200
const rowHeight = 36

/** Loads requests page by page, newest first. */
function useRequests({ filter, query: { onlyErrors } }: Usage) {
  return useInfiniteQuery<
    MethodOutput<'usage.requests'>,
    CallError,
    readonly UsageRequest[],
    readonly unknown[],
    string | undefined
  >({
    queryKey: ['usage.requests', { filter, onlyErrors }, 'pages'],
    queryFn: ({ pageParam }) => call('usage.requests', { filter, onlyErrors, limit: pageSize, next: pageParam }),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next,
    select: ({ pages }) => pages.flatMap(({ requests }) => requests),
  })
}

function NoRequests({ usage }: { readonly usage: Usage }) {
  const { query: usageQuery, change } = usage
  const textKey = usageQuery.onlyErrors ? 'noErrors' : 'none'
  return (
    <EmptyState
      icon={ListX}
      title={t(`requests.${textKey}`)}
      actions={[
        usageQuery.onlyErrors
          ? { label: t('requests.showAll'), onClick: () => change({ onlyErrors: false }) }
          : usageQuery.since === undefined
            ? { label: t('requests.backToFigures'), to: figuresPath({ ...usageQuery, onlyErrors: false }) }
            : { label: t('requests.all'), onClick: () => change({ since: undefined, until: undefined }) },
      ]}
    >
      {t(textKey === 'none' && !isFiltered(usage) ? 'quiet.text' : `requests.${textKey}Text`)}
    </EmptyState>
  )
}

function List({ usage }: { readonly usage: Usage }) {
  const query = useRequests(usage)
  const columns = useRequestColumns()
  const { query: usageQuery, change } = usage
  const shownCount = query.data?.length ?? 0
  return (
    <div className="flex flex-col gap-3">
      <FilterBar usage={usage} />
      <Toolbar>
        <CompactSwitch
          checked={usageQuery.onlyErrors}
          onCheckedChange={(onlyErrors) => change({ onlyErrors })}
          label={t('requests.onlyErrors')}
        />
        <span aria-hidden="true">{t('requests.onlyErrors')}</span>
        {usageQuery.since === undefined ? null : (
          <Button size="sm" variant="ghost" onClick={() => change({ since: undefined, until: undefined })}>
            {t('requests.all')}
          </Button>
        )}
        {isFiltered(usage) ? (
          <Button size="sm" variant="ghost" onClick={() => change(noFilters)}>
            {t('filters.clear')}
          </Button>
        ) : null}
        <span className="ml-auto text-muted text-sm tabular-nums" role="status">
          {shownCount > 0
            ? t('requests.shown', {
                count: shownCount,
                amount: `${formatNumber(shownCount)}${query.hasNextPage ? '+' : ''}`,
              })
            : ''}
        </span>
      </Toolbar>
      <Loaded query={query} rows={8}>
        {(requests) =>
          requests.length === 0 ? (
            <NoRequests usage={usage} />
          ) : (
            <VirtualTable
              label={t('requests.list')}
              columns={columns}
              rows={requests}
              rowKey={({ id }) => id}
              rowHeight={rowHeight}
            />
          )
        }
      </Loaded>
      {query.hasNextPage ? (
        <Button className="self-center" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('requests.older')}
        </Button>
      ) : null}
    </div>
  )
}

export function RequestsPage() {
  const usage = useUsage({ single: true })
  const figuresPathBack = figuresPath({ ...usage?.query, since: undefined, until: undefined, onlyErrors: false })
  return (
    <Page width="wide">
      <PageHeader
        title={t('requests.title')}
        breadcrumb={[{ label: t('title'), to: figuresPathBack }]}
        state={usage ? formatSpan({ from: new Date(usage.filter.from), to: new Date(usage.filter.to) }) : null}
        actions={
          usage && hasRequests(usage.scope) ? (
            <>
              <RefreshButton />
              <ExportMenu usage={usage} />
            </>
          ) : null
        }
      />
      {usage === undefined ? (
        <SkeletonRows rows={8} />
      ) : !hasRequests(usage.scope) ? (
        <EmptyState
          icon={ListX}
          title={t('requests.console')}
          actions={[createMachineAction(usage, t('requests.toMachine'))]}
        >
          {t('requests.consoleText')}
        </EmptyState>
      ) : (
        <List usage={usage} />
      )}
    </Page>
  )
}

/** Columns of the request table. Less important columns are hidden in a narrow window. */
function useRequestColumns(): readonly VirtualColumn<UsageRequest>[] {
  const getColour = useModelColour()
  const formatKnown = (ms: number | undefined) => (ms === undefined ? undefined : formatDuration(ms))
  const text = (getText: (request: UsageRequest) => string | undefined) => (request: UsageRequest) => (
    <TextCell text={getText(request)} />
  )
  const columns = [
    { id: 'at', width: '128px', cell: (request) => <TimeCell request={request} /> },
    { id: 'status', width: 'minmax(170px, 1.4fr)', cell: (request) => <StatusCell request={request} /> },
    {
      id: 'model',
      width: 'minmax(112px, 1.3fr)',
      cell: ({ modelCode }) => (
        <span className="flex min-w-0 items-center gap-1.75" title={modelCode}>
          <Swatch style={{ background: getColour(modelCode) }} />
          <span className="truncate">{modelCode}</span>
        </span>
      ),
    },
    { id: 'tool', width: 'minmax(100px, 1fr)', cell: text(({ toolName, toolId }) => toolName ?? toolId) },
    { id: 'key', width: 'minmax(92px, 1fr)', from: 860, cell: text(({ keyName }) => keyName) },
    { id: 'project', width: 'minmax(84px, 1fr)', from: 1075, cell: text(({ projectName }) => projectName) },
    { id: 'plan', width: 'minmax(84px, 1fr)', from: 1260, cell: text(({ planName }) => planName) },
    { id: 'source', width: '88px', from: 1172, cell: text(({ source }) => t(`requests.sources.${source}`)) },
    { id: 'tokens', width: '84px', align: 'right', cell: (request) => <TokensCell request={request} /> },
    {
      id: 'detail',
      width: '132px',
      align: 'right',
      from: 988,
      cell: (request) => <PartsCell request={request} />,
    },
    {
      id: 'firstByte',
      width: '76px',
      align: 'right',
      from: 770,
      cell: text(({ firstByteMs }) => formatKnown(firstByteMs)),
    },
    { id: 'duration', width: '90px', align: 'right', cell: text(({ durationMs }) => formatKnown(durationMs)) },
  ] as const satisfies readonly Omit<VirtualColumn<UsageRequest>, 'header'>[]
  return columns.map((column) => ({ ...column, header: t(`requests.columns.${column.id}`) }))
}

interface CellProps {
  readonly request: UsageRequest
}

const emptyCellDash = '—'

function TimeCell({ request: { at } }: CellProps) {
  const day = dateFormat(dayParts[getLocale()]).format(new Date(at))
  return (
    <time dateTime={at} title={formatDateTime(at)} className="block truncate">
      <span className="text-muted text-sm">{day}</span> {formatTime(at)}
    </time>
  )
}

function StatusCell({ request: { status, error } }: CellProps) {
  const statusLabel = error ? t(`errorKinds.${error}`) : status === undefined ? t('requests.ended') : t('requests.ok')
  const isClientDisconnect = error === 'aborted' || error === 'cut'
  const tone = error === undefined ? 'success' : isClientDisconnect ? 'warning' : 'danger'
  const label = status === undefined ? statusLabel : `${status} · ${statusLabel}`
  return (
    <span className="flex min-w-0" title={label}>
      <StatusDot tone={tone} label={label} />
    </span>
  )
}

/** Cell with token counts. Estimated counts are marked. */
function TokensCell({ request }: CellProps) {
  const total = sumKnown([request.inputTokens, request.outputTokens, cacheTokens(request)])
  if (total === undefined) return <span className="text-faint">{emptyCellDash}</span>
  if (!request.isEstimated) return formatNumber(total)
  return (
    <span className="block truncate" title={t('requests.countedHere')}>
      ≈ {formatNumber(total)}
    </span>
  )
}

/** Token counts of a request: short ones for display, exact ones for the tooltip and screen readers. */
function PartsCell({ request }: CellProps) {
  const parts = [request.inputTokens, request.outputTokens, cacheTokens(request)]
  if (parts.every((tokenCount) => tokenCount === undefined)) return <span className="text-faint">{emptyCellDash}</span>
  const formatParts = (figure: (tokenCount: number) => string): string =>
    parts.map((tokenCount) => (tokenCount === undefined ? emptyCellDash : figure(tokenCount))).join(' / ')
  const exactText = formatParts(formatNumber)
  return (
    <span className="block truncate text-muted text-sm" title={exactText}>
      <span aria-hidden="true">{formatParts((tokenCount) => formatCount(tokenCount).short)}</span>
      <span className="sr-only">{exactText}</span>
    </span>
  )
}

function TextCell({ text }: { readonly text: string | undefined }) {
  if (text === undefined) return <span className="text-faint">{emptyCellDash}</span>
  return (
    <span className="block truncate" title={text}>
      {text}
    </span>
  )
}

/** Sum of the values that are known. Undefined if none is. */
const sumKnown = (parts: readonly (number | undefined)[]): number | undefined =>
  parts.every((part) => part === undefined) ? undefined : sumValues(parts)

/** Cache tokens read and written. */
const cacheTokens = ({ cacheReadTokens, cacheWriteTokens }: UsageRequest): number | undefined =>
  sumKnown([cacheReadTokens, cacheWriteTokens])
