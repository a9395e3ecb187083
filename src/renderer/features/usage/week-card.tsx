import type { UsageFilter, UsageSeries } from '@shared/contract'
import { type UseQueryOptions, type UseQueryResult, useQueries } from '@tanstack/react-query'
import i18next from 'i18next'
import { useRef } from 'react'
import { dateFormat, formatCount, formatNumber } from '../../format'
import { type CallError, call, callKey, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { usagePath } from '../../paths'
import { ChartCard, ChartHead, ChartLegend } from '../../ui/chart-card'
import { MoreLink } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import { useScrollPosition } from '../../ui/use-scroll-place'
import { ChartFigure } from './chart-picture'
import { SeriesTable } from './usage-chart'
import { defaultUsageQuery, getStepStart, listStarts, nextStep, resolveSpan, sumTokens, sumValues } from './usage-query'
import { formatStep, useToday } from './use-usage'

const t = i18next.getFixedT(null, 'usage')

/** Time in ms for which the usage of a week is cached. */
const staleMs = 5 * 60_000

/** Period of the last seven days, by the clock of the usage source. */
function useLastDays(source: Parameters<typeof useToday>[0]): Pick<UsageFilter, 'from' | 'to'> {
  const { from, to } = resolveSpan(defaultUsageQuery, [], useToday(source))
  return { from: from.toISOString(), to: to.toISOString() }
}

/** Sparkline of the last seven days with their token total. Renders nothing without usage. */
export function PlanTrend({ of }: { readonly of: Pick<UsageFilter, 'scope' | 'planId' | 'connectionId'> }) {
  const filter = { ...of, ...useLastDays(of) }
  const { data } = useCall('usage.series', { filter, step: 'day', compare: false }, { staleTime: staleMs })
  const tokens = data ? sumTokens(data.totals) : 0
  if (!data || tokens === 0) return null
  const amount = formatCount(tokens).short
  return (
    <span className="flex flex-col items-end gap-0.5">
      <Sparkline values={data.buckets.map(sumTokens)} label={t('trend.tokens', { amount })} />
      <span className="whitespace-nowrap text-muted text-xs" aria-hidden="true">
        {t('trend.week', { amount })}
      </span>
    </span>
  )
}

/** Small chart of a tool's relay requests in the last seven days. Renders nothing if there are none. */
export function ToolUsageTrend({ toolId }: { readonly toolId: string }) {
  const filter: UsageFilter = { scope: 'relay', toolId, ...useLastDays({}) }
  const { data } = useCall('usage.series', { filter, step: 'day', compare: false }, { staleTime: staleMs })
  if (!data || data.totals.requests === 0) return null
  const label = t('trend.requests', { amount: formatNumber(data.totals.requests) })
  return <Sparkline values={data.buckets.map(({ requests }) => requests)} label={label} />
}

const [trendWidth, trendHeight] = [72, 18]

function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const maxValue = Math.max(...values, 1)
  const getTrendX = (index: number): number =>
    values.length < 2 ? trendWidth : (index * trendWidth) / (values.length - 1)
  const points = values.map(
    (value, index) => `${getTrendX(index)},${trendHeight - 1 - (value / maxValue) * (trendHeight - 2)}`,
  )
  return (
    <svg
      strokeWidth={1.5}
      strokeLinejoin="round"
      role="img"
      aria-label={label}
      width={trendWidth}
      height={trendHeight}
      className="flex-none overflow-visible fill-none stroke-series-1"
    >
      <title>{label}</title>
      <polygon
        points={`0,${trendHeight} ${points.join(' ')} ${trendWidth},${trendHeight}`}
        className="fill-series-1 stroke-none opacity-14"
      />
      <polyline points={points.join(' ')} />
    </svg>
  )
}

export interface WeekPlan {
  readonly id: string
  readonly name: string
  readonly of: Pick<UsageFilter, 'scope' | 'planId' | 'connectionId'>
}

interface Day {
  readonly start: Date
  /** Values in the order of the chart's parts. Undefined if unknown. */
  readonly values: readonly (number | undefined)[]
}

/** Combines the usage of several plans. Ready when all requests have ended and at least one succeeded. */
function combine(results: readonly UseQueryResult<UsageSeries, CallError>[]) {
  const isPending = results.some((result) => result.isPending)
  const isKnown = !isPending && results.some(({ data }) => data !== undefined)
  return {
    data: isKnown ? results.map(({ data }) => data) : undefined,
    error: isPending ? null : (results.find(({ error }) => error !== null)?.error ?? null),
    isFetching: results.some((result) => result.isFetching),
    refetch: () => {
      for (const result of results) if (result.error) void result.refetch()
    },
  }
}

function buildParts(plans: readonly WeekPlan[], series: readonly (UsageSeries | undefined)[]) {
  return plans.flatMap(({ id, name }, index) => {
    const buckets = series[index]?.buckets ?? []
    /** Tokens by start of the day in ms. A day with unknown usage is missing. */
    const days = new Map(
      buckets.map((bucket) => [getStepStart('day', new Date(bucket.start)).getTime(), sumTokens(bucket)]),
    )
    return sumValues(days.values()) === 0 ? [] : [{ id, name, colour: `var(--color-series-${(index % 6) + 1})`, days }]
  })
}

const [height, top, bottom, widest] = [112, 18, 20, 56]
/** Height in px of the title and the gap below it. Reserved while loading, to avoid layout shifts. */
const headHeight = 30

function WeekBars({ parts, days }: { readonly parts: ReturnType<typeof buildParts>; readonly days: readonly Day[] }) {
  const containerRef = useRef<HTMLDivElement>(null)
  const { width } = useScrollPosition(containerRef)
  const weekday = dateFormat({ weekday: 'short' })
  const maxValue = Math.max(1, ...days.map(({ values }) => sumValues(values)))
  const dayWidth = width / days.length
  const barThickness = Math.min(widest, dayWidth * 0.6)
  const getBarHeight = (value: number): number => (value / maxValue) * (height - top - bottom)
  return (
    <div ref={containerRef} className="min-w-0" style={{ height }}>
      <svg data-chart width={width} height={height} aria-hidden="true" className="tabular-nums">
        {days.map(({ start, values }, index) => {
          const dayMiddle = (index + 0.5) * dayWidth
          const sum = sumValues(values)
          const lines = parts.map(({ name }, partIndex) => `${name}: ${formatNumber(values[partIndex] ?? 0)}`)
          return (
            <g key={start.getTime()} fontSize={11} textAnchor="middle">
              <title>{[formatStep('day', { start, end: nextStep('day', start) }), ...lines].join('\n')}</title>
              <rect x={index * dayWidth} width={dayWidth} height={height} fill="transparent" />
              {parts.map(({ id, colour }, partIndex) => {
                const y = height - bottom - getBarHeight(sumValues(values.slice(0, partIndex + 1)))
                return (
                  <rect
                    key={id}
                    x={dayMiddle - barThickness / 2}
                    y={y}
                    width={barThickness}
                    height={getBarHeight(values[partIndex] ?? 0)}
                    fill={colour}
                  />
                )
              })}
              {sum === 0 ? null : (
                <text x={dayMiddle} y={height - bottom - getBarHeight(sum) - 5} fill="var(--color-muted)">
                  {formatCount(sum).short}
                </text>
              )}
              <text x={dayMiddle} y={height - 5} fill="var(--color-faint)">
                {weekday.format(start)}
              </text>
            </g>
          )
        })}
        <rect y={height - bottom} width={width} height={1} fill="var(--color-border-strong)" />
      </svg>
    </div>
  )
}

const WeekSkeleton = () => <Skeleton width="100%" height={height + headHeight} />

/** Placeholder while the plans load. */
export const WeekCardPlaceholder = () => (
  <ChartCard>
    <WeekSkeleton />
  </ChartCard>
)

/** Tokens of several plans by day. Each plan's usage comes from only one source, so nothing is counted twice. */
export function WeekCard({ plans, count }: { readonly plans: readonly WeekPlan[]; readonly count: number }) {
  // All console plans belong to the same connection, so they have the same server clock.
  const span = useLastDays(plans.find(({ of }) => of.scope === 'console')?.of ?? {})
  const query = useQueries({
    queries: plans.map(({ of }): UseQueryOptions<UsageSeries, CallError> => {
      const seriesQuery = { filter: { ...of, ...span }, step: 'day', compare: false } as const
      return {
        queryKey: callKey('usage.series', seriesQuery),
        queryFn: () => call('usage.series', seriesQuery),
        staleTime: staleMs,
      }
    }),
    combine,
  })
  const title = plans.length < count ? t('week.some', { shown: plans.length, count }) : t('week.title')
  const dayStarts = listStarts('day', { from: new Date(span.from), to: new Date(span.to) })
  return (
    <ChartCard label={title}>
      <Loaded query={query} skeleton={<WeekSkeleton />}>
        {(series) => {
          const parts = buildParts(plans, series)
          const days = dayStarts.map((start) => ({
            start,
            values: parts.map((part) => part.days.get(start.getTime())),
          }))
          const allUsageLink = <MoreLink to={usagePath}>{t('week.all')}</MoreLink>
          return parts.length > 0 ? (
            <ChartFigure
              title={title}
              legend={<ChartLegend items={parts} />}
              series={parts}
              actions={<span className="ml-1.5 inline-flex">{allUsageLink}</span>}
              table={
                <SeriesTable
                  title={title}
                  step="day"
                  columns={[...parts, { id: 'total', name: t('charts.total') }]}
                  rows={days.map(({ start, values }) => ({ start, values: [...values, sumValues(values)] }))}
                  format={formatNumber}
                  unknown={t('charts.unknown')}
                />
              }
              label={t('trend.tokens', { amount: formatNumber(sumValues(days.flatMap(({ values }) => values))) })}
            >
              <WeekBars {...{ parts, days }} />
            </ChartFigure>
          ) : (
            <>
              <ChartHead title={title}>{allUsageLink}</ChartHead>
              <p className="flex items-center justify-center text-muted" style={{ height }}>
                {t('week.none')}
              </p>
            </>
          )
        }}
      </Loaded>
    </ChartCard>
  )
}
