import type { UsageSplit, UsageStacks } from '@shared/contract'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { ChartLegend } from '../../ui/chart-card'
import { Skeleton } from '../../ui/skeleton'
import { useModelColour } from '../connections/account'
import { ChartFigure } from './chart-picture'
import { listStarts, sumTokens } from './points'
import { useShareNames } from './shares'
import type { ChartPart, ChartRow } from './stack-chart'
import { EmptyChartNotice, LoadedChartCard, SeriesTable } from './usage-chart'
import { getStepStart, nextStep } from './usage-query'
import { useAxisTexts } from './use-span-words'
import type { Usage } from './use-usage'

const StackChart = lazy(async () => ({ default: (await import('./stack-chart')).StackChart }))

interface ChartFrameProps {
  readonly usage: Usage
  /** Number of time steps at the start of the chart for which usage is unknown. */
  readonly unknown: number
  readonly title: string
  readonly kind: 'bars' | 'lines'
  readonly parts: readonly ChartPart[]
  readonly rows: readonly ChartRow[]
  readonly short: (value: number) => string
  readonly exact: (value: number) => string
}

function ChartFrame({ usage, unknown, title, kind, parts, rows, short, exact }: ChartFrameProps) {
  const { t } = useTranslation('usage')
  const texts = useAxisTexts()
  const { step, span } = usage
  const valuesByTime = new Map(rows.map((row) => [getStepStart(step, new Date(row.start)).getTime(), row.values]))
  // Include all steps of the period, so that charts below each other have the same time axis.
  const completeRows = listStarts(step, span).map((start) => ({
    start: start.getTime(),
    values: valuesByTime.get(start.getTime()) ?? [],
  }))
  const formatFullPeriod = (start: number): string =>
    texts.inFull(step, { start: new Date(start), end: nextStep(step, new Date(start)) })
  return (
    <ChartFigure
      title={title}
      legend={<ChartLegend items={parts} />}
      series={parts}
      table={
        <SeriesTable
          {...{ title, step }}
          columns={parts}
          rows={rows.map((row) => ({ ...row, start: new Date(row.start) }))}
          format={exact}
          unknown="–"
        />
      }
      label={`${title}: ${parts.map(({ name }) => name).join(', ')}`}
    >
      <Suspense fallback={<Skeleton width="100%" height={230} />}>
        <StackChart
          {...{ kind, parts, short }}
          tooltip={{ inFull: formatFullPeriod, exact }}
          rows={completeRows}
          unknown={{ count: unknown, label: t('charts.unknown') }}
          tick={(start) => texts.tick(step, new Date(start))}
        />
      </Suspense>
    </ChartFigure>
  )
}

const seriesColour = (index: number): string => `var(--series-${(index % 6) + 1})`

/** Chart parts with names and colors. All smaller parts are combined in one gray part. */
function useChartParts(by: UsageSplit): (parts: UsageStacks['parts']) => readonly ChartPart[] {
  const { t } = useTranslation('usage')
  const getName = useShareNames()
  const getColour = useModelColour()
  return (parts) =>
    parts.map(({ id, name, isRest }, index) => ({
      id: isRest ? 'rest' : `of ${id}`,
      name: isRest ? t('stacks.rest') : getName(by, { id, ...(name !== undefined && { name }) }),
      colour: isRest ? 'var(--chart-previous)' : by === 'model' ? getColour(id) : seriesColour(index),
    }))
}

interface StackCardProps {
  readonly usage: Usage
  /** Number of time steps at the start of the chart for which usage is unknown. */
  readonly unknown: number
  readonly title: string
  readonly by: UsageSplit
}

export function StackCard({ usage, unknown, title, by }: StackCardProps) {
  const { t } = useTranslation('usage')
  const { count, number } = useFormats()
  const listParts = useChartParts(by)
  const { filter, step } = usage
  const query = useCall('usage.stacks', { filter, step, by }, { placeholderData: (previous) => previous })
  return (
    <LoadedChartCard
      {...{ title, query }}
      notice={<EmptyChartNotice isGood>{t(by === 'error' ? 'charts.noErrors' : 'stacks.none')}</EmptyChartNotice>}
      isEmpty={({ parts }) => parts.length === 0}
    >
      {({ parts, buckets }) => (
        <ChartFrame
          {...{ usage, unknown, title }}
          kind="bars"
          parts={listParts(parts)}
          rows={buckets.map(({ start, counts }) => ({
            start: Date.parse(start),
            values: counts.map((bucketCounts) => (by === 'error' ? bucketCounts.errors : sumTokens(bucketCounts))),
          }))}
          short={(value) => count(value).short}
          exact={number}
        />
      )}
    </LoadedChartCard>
  )
}

export function LatencyCard({ usage, unknown }: Pick<StackCardProps, 'usage' | 'unknown'>) {
  const { t } = useTranslation('usage')
  const { duration } = useFormats()
  const { filter, step } = usage
  const title = t('latency.title')
  const query = useCall('usage.latency', { filter, step }, { placeholderData: (previous) => previous })
  const parts = [
    { id: 'p50', name: t('latency.p50'), colour: 'var(--series-1)' },
    { id: 'p95', name: t('latency.p95'), colour: 'var(--series-2)' },
    { id: 'first', name: t('latency.firstByte'), colour: 'var(--series-3)' },
  ]
  return (
    <LoadedChartCard
      {...{ title, query }}
      notice={<EmptyChartNotice>{t('latency.none')}</EmptyChartNotice>}
      isEmpty={({ buckets }) => buckets.length === 0}
    >
      {({ buckets }) => (
        <ChartFrame
          {...{ usage, unknown, title }}
          kind="lines"
          parts={parts}
          rows={buckets.map(({ start, p50Ms, p95Ms, firstByteMs }) => ({
            start: Date.parse(start),
            values: [p50Ms, p95Ms, firstByteMs],
          }))}
          short={duration}
          exact={duration}
        />
      )}
    </LoadedChartCard>
  )
}
