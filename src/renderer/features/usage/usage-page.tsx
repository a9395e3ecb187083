import type { UsageSeries } from '@shared/contract'
import i18next from 'i18next'
import { Cable, ChartNoAxesColumn, FileText, Layers, List, type LucideIcon, Waypoints } from 'lucide-react'
import { useMemo } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { ExplainedFailure } from '../../failures'
import { formatCount, formatDate } from '../../format'
import { useCall } from '../../ipc'
import {
  connectionsPath,
  editConnectionPath,
  quotaPath,
  relayPath,
  requestsPath,
  sourcesPath,
  usagePath,
} from '../../paths'
import { RelativeTime } from '../../relative-time'
import { type Action, Button, ButtonLink, renderActions } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { joinClassNames } from '../../ui/cn'
import { EmptyState, Page, PageHeader } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { InlineDetails, Row, RowIcon, Rows } from '../../ui/rows'
import { CompactSwitch } from '../../ui/switch'
import { Tabs } from '../../ui/tabs'
import { ConsoleFailure } from '../connections/account'
import { SharesSection, UsageMetrics } from './figures'
import { createMachineAction, ExportMenu, FilterBar, RefreshButton, UsageMenu } from './filter-bar'
import { QuotaList, RefreshQuotaButton } from './quota'
import { FlowCard, LatencyCard, StackCard, YearCard } from './usage-cards'
import { FiguresSkeleton, UsageChart } from './usage-chart'
import {
  buildPoints,
  hasRequests,
  listPossibleSteps,
  listStackDimensions,
  noFilters,
  type Point,
  sumTokens,
  toScope,
  type UsageQuery,
} from './usage-query'
import {
  countLocalRequests,
  isFiltered,
  isPlanInScope,
  type Usage,
  useAlternativeSource,
  useSeries,
  useUsage,
} from './use-usage'

const t = i18next.getFixedT(null, 'usage')

/** Whether any source of usage has data or can be queried. If not, the page shows an empty state. */
function useHasSource(): boolean | undefined {
  const { data, isError } = useCall('usage.sources', {})
  if (isError) return true
  if (!data) return undefined
  return data.consoles.length > 0 || countLocalRequests(data) > 0
}

function SourceLine({ usage, series }: { readonly usage: Usage; readonly series: UsageSeries }) {
  const { scope, change } = usage
  return (
    <div className="-mt-1.5 -mb-1 flex min-h-control-sm items-center justify-between gap-3">
      <div className="text-muted text-sm">
        <InlineDetails
          items={[
            t('state.source', { source: t(`scopes.${scope}`) }),
            t(`scopeHints.${scope}`),
            <span key="at">
              {t('asOf')} <RelativeTime at={series.at} />
            </span>,
          ]}
        />
      </div>
      {isFiltered(usage) ? (
        <Button size="sm" variant="ghost" onClick={() => change(noFilters)}>
          {t('filters.clear')}
        </Button>
      ) : null}
    </div>
  )
}

/** Link to the other source (console or this computer) if it has counted more tokens. */
function BetterSourceHint({ usage, series }: { readonly usage: Usage; readonly series: UsageSeries }) {
  const otherSource = useAlternativeSource(usage)
  if (!otherSource || otherSource.tokens <= sumTokens(series.totals)) return null
  const scope = otherSource.scope === 'console' ? 'console' : 'machine'
  const show = (): void => usage.change(toScope(scope, otherSource.planId))
  return (
    <Callout
      tone="info"
      title={t(`other.${scope}`, { amount: formatCount(otherSource.tokens).short })}
      actions={[{ label: t(`other.show.${scope}`), onClick: show }]}
    />
  )
}

function RecordedSinceNotice({ usage, series }: { readonly usage: Usage; readonly series: UsageSeries }) {
  const { knownFrom } = series
  if (knownFrom === undefined || Date.parse(knownFrom) <= Date.parse(usage.filter.from)) return null
  const isConsole = usage.scope === 'console'
  return (
    <Callout tone="info" title={t(`knownSince.${isConsole ? 'bought' : 'title'}`, { when: formatDate(knownFrom) })}>
      {t(`knownSince.${isConsole ? 'boughtText' : 'text'}`)}
    </Callout>
  )
}

/** Split of the chart. The console only splits by model. */
const resolveStacking = ({ query: { stack }, scope }: Usage): UsageQuery['stack'] =>
  listStackDimensions(scope).includes(stack) ? stack : 'kind'

function ChartControls({ usage }: { readonly usage: Usage }) {
  const { span, step, query: usageQuery, change } = usage
  const possibleSteps = listPossibleSteps(span)
  const stackDimensions = listStackDimensions(usage.scope)
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
      {possibleSteps.length > 1 ? (
        <SegmentedControl
          label={t('charts.step')}
          value={step}
          onValueChange={(chosen) => change({ step: chosen })}
          segments={possibleSteps.map((value) => ({ value, label: t(`charts.steps.${value}`) }))}
        />
      ) : null}
      <SegmentedControl
        label={t('stacks.by')}
        value={resolveStacking(usage)}
        onValueChange={(stack) => change({ stack })}
        segments={stackDimensions.map((value) => ({
          value,
          label: t(value === 'kind' ? 'stacks.kind' : `shares.splits.${value}`),
        }))}
      />
      <span className="ml-auto inline-flex items-center gap-2 text-muted">
        <CompactSwitch
          checked={usageQuery.compare}
          onCheckedChange={(compare) => change({ compare })}
          label={t('charts.compare')}
        />
        <span aria-hidden="true">{t('charts.compare')}</span>
      </span>
    </div>
  )
}

function Charts({ usage, points }: { readonly usage: Usage; readonly points: readonly Point[] }) {
  const stackKind = resolveStacking(usage)
  return (
    <section className="flex flex-col gap-3">
      <h2 className="sr-only">{t('charts.title')}</h2>
      <ChartControls usage={usage} />
      {stackKind === 'kind' ? (
        <UsageChart usage={usage} measure="tokens" points={points} />
      ) : (
        <StackCard key={stackKind} {...{ usage, points }} by={stackKind} title={t('charts.tokens')} />
      )}
      <div className="grid grid-cols-2 gap-3">
        <UsageChart usage={usage} measure="requests" points={points} />
        <UsageChart usage={usage} measure="errors" points={points} />
      </div>
      {!hasRequests(usage.scope) ? null : (
        <div className="grid grid-cols-2 gap-3">
          <LatencyCard {...{ usage, points }} />
          <StackCard {...{ usage, points }} by="error" title={t('stacks.errors')} />
        </div>
      )}
    </section>
  )
}

function LoadedUsage(props: {
  readonly usage: Usage
  readonly series: UsageSeries
  /** Whether the displayed data was loaded for an earlier filter. */
  readonly isOld: boolean
}) {
  const { usage, series, isOld } = props
  const { span } = usage
  const points = useMemo(() => buildPoints(series, span), [series, span])
  return (
    <div
      className={joinClassNames('flex flex-col gap-4 transition-opacity duration-medium', isOld && 'opacity-55')}
      aria-busy={isOld || undefined}
    >
      <SourceLine usage={usage} series={series} />
      <BetterSourceHint usage={usage} series={series} />
      <RecordedSinceNotice usage={usage} series={series} />
      <UsageMetrics usage={usage} series={series} points={points} />
      {series.totals.requests === 0 ? (
        <NoDataNotice usage={usage} />
      ) : (
        <>
          <Charts usage={usage} points={points} />
          {hasRequests(usage.scope) ? <FlowCard usage={usage} /> : null}
          <SharesSection usage={usage} />
        </>
      )}
      <YearCard usage={usage} />
    </div>
  )
}

function UsageContent({ usage }: { readonly usage: Usage }) {
  const query = useSeries(usage)
  const { data, error, isPlaceholderData } = query
  if (usage.cannotAsk) return <NoConsole usage={usage} />
  return (
    <>
      <FiguresError usage={usage} query={query} />
      {data ? (
        <LoadedUsage usage={usage} series={data} isOld={isPlaceholderData} />
      ) : error ? null : (
        <FiguresSkeleton />
      )}
    </>
  )
}

function FiguresTab() {
  const usage = useUsage()
  const hasSource = useHasSource()
  if (hasSource === false) return <NoUsage />
  if (usage === undefined || hasSource === undefined) return <FiguresSkeleton />
  return (
    <>
      <FilterBar usage={usage} />
      <UsageContent usage={usage} />
    </>
  )
}

/** Converts the filter to local plan ids, to list requests recorded on this computer. */
function toRequestsQuery({ query: usageQuery, entries, connectionId }: Usage): Partial<UsageQuery> {
  const planId = isPlanInScope(usageQuery.planId, { scope: 'machine', connectionId }, entries)
  return { ...usageQuery, scope: 'machine', planId, connectionId: undefined, keyId: undefined, cycle: undefined }
}

function FiguresActions() {
  const usage = useUsage()
  const visibleUsage = useHasSource() ? usage : undefined
  return (
    <>
      {visibleUsage ? <RefreshButton /> : null}
      <UsageMenu />
      {visibleUsage ? (
        <>
          {/* The console has no single requests, so link to those recorded on this computer. */}
          <ButtonLink
            icon={List}
            to={requestsPath(hasRequests(visibleUsage.scope) ? visibleUsage.query : toRequestsQuery(visibleUsage))}
          >
            {t('requests.title')}
          </ButtonLink>
          <ExportMenu usage={visibleUsage} />
        </>
      ) : null}
    </>
  )
}

const tabs = [usagePath, quotaPath] as const

export function UsagePage() {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const tab = tabs.find((candidate) => candidate === pathname) ?? usagePath
  return (
    <Page width="wide">
      <PageHeader
        title={t('title')}
        state={t(tab === usagePath ? 'state.figures' : 'state.left')}
        actions={
          tab === usagePath ? (
            <FiguresActions />
          ) : (
            <>
              <RefreshQuotaButton />
              <UsageMenu />
            </>
          )
        }
      />
      <Tabs
        label={t('tabs.label')}
        value={tab}
        onValueChange={(path) => void navigate(path)}
        tabs={[
          { value: usagePath, label: t('tabs.figures'), content: <FiguresTab /> },
          { value: quotaPath, label: t('tabs.left'), content: <QuotaList /> },
        ]}
      />
    </Page>
  )
}

/** Notice that usage cannot be loaded because the console in the page address is missing or has no plan. */
function NoConsole({ usage }: { readonly usage: Usage }) {
  const { cannotAsk: blockedReason, console } = usage
  const hasNoConsole = blockedReason === 'noConsole'
  return (
    <EmptyState
      icon={hasNoConsole ? Cable : Layers}
      title={t(hasNoConsole ? 'console.none' : 'console.noPlan')}
      actions={[
        createMachineAction(usage, t('console.toMachine')),
        hasNoConsole && {
          label: t('console.setAddress'),
          to: console.kind === 'noConsole' ? editConnectionPath(console.connection.id, 'consoleUrl') : connectionsPath,
        },
      ]}
    >
      {t(hasNoConsole ? 'console.noneText' : 'console.noPlanText')}
    </EmptyState>
  )
}

/** Shows why usage could not be loaded. If the console failed, offers usage counted on this computer. */
function FiguresError({ usage, query }: { readonly usage: Usage; readonly query: ReturnType<typeof useSeries> }) {
  const { console, scope } = usage
  const { error, isFetching, refetch } = query
  if (!error) return null
  if (scope !== 'console' || console.kind !== 'there') {
    return <ExplainedFailure failure={error.failure} busy={isFetching} handlers={{ tryAgain: () => void refetch() }} />
  }
  return (
    <div className="flex flex-col items-start gap-3 *:first:self-stretch">
      <ConsoleFailure connection={console.connection} query={query} />
      {renderActions([createMachineAction(usage, t('console.toMachine'))], 'md')}
    </div>
  )
}

const sourceOptions = [
  { id: 'relay', icon: Waypoints, to: relayPath },
  { id: 'toolLogs', icon: FileText, to: sourcesPath },
  { id: 'console', icon: Cable, to: connectionsPath },
] as const satisfies readonly { readonly id: string; readonly icon: LucideIcon; readonly to: string }[]

function NoUsage() {
  return (
    <div className="flex flex-col gap-4">
      <EmptyState icon={ChartNoAxesColumn} title={t('empty.title')}>
        {t('empty.text')}
      </EmptyState>
      <Rows label={t('empty.list')}>
        {sourceOptions.map(({ id, icon, to }) => (
          <Row
            key={id}
            leading={<RowIcon icon={icon} />}
            title={t(`empty.${id}.title`)}
            description={<span className="whitespace-normal">{t(`empty.${id}.text`)}</span>}
            trailing={[{ label: t(`empty.${id}.action`), to }]}
          />
        ))}
      </Rows>
    </div>
  )
}

/** Explains why the source has no data in this period. */
function NoDataNotice({ usage }: { readonly usage: Usage }) {
  const { scope, query: usageQuery, change } = usage
  const sourceLinks: Partial<Record<typeof scope, Action>> = {
    relay: { label: t('quiet.toRelay'), to: relayPath },
    toolLog: { label: t('quiet.toLogs'), to: sourcesPath },
  }
  const emptyReasonKey = isFiltered(usage) ? 'filtered' : scope === 'machine' || scope === 'console' ? 'text' : scope
  return (
    <EmptyState
      icon={ChartNoAxesColumn}
      title={t('quiet.title')}
      actions={[
        isFiltered(usage) && { label: t('filters.clear'), onClick: () => change(noFilters) },
        usageQuery.span !== '30d' && {
          label: t('quiet.widen'),
          onClick: () => change({ span: '30d' }),
        },
        !isFiltered(usage) && sourceLinks[scope],
      ]}
    >
      {t(`quiet.${emptyReasonKey}`)}
    </EmptyState>
  )
}
