import type { UsageSplit, UsageStacks } from '@shared/contract'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { ChartCard, ChartHead, ChartLegend } from '../../ui/chart-card'
import { Skeleton } from '../../ui/skeleton'
import { type Column, Table } from '../../ui/table'
import { useModelColour } from '../connections/account'
import { ChartFigure } from './chart-picture'
import { listStarts, sumTokens } from './points'
import { useShareNames } from './shares'
import type { ChartPart, ChartRow } from './stack-chart'
import { EmptyChartNotice } from './usage-chart'
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
  const columns: readonly Column<ChartRow>[] = [
    { id: 'when', header: t('charts.when'), cell: ({ start }) => formatFullPeriod(start) },
    ...parts.map(
      ({ id, name }, index): Column<ChartRow> => ({
        id,
        header: name,
        align: 'right',
        cell: ({ values }) => {
          const value = values[index]
          return value === undefined ? '–' : exact(value)
        },
      }),
    ),
  ]
  return (
    <ChartFigure
      title={title}
      legend={<ChartLegend items={parts} />}
      series={parts}
      table={<Table caption={title} columns={columns} rows={rows.toReversed()} rowKey={({ start }) => start} />}
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
    <ChartCard label={title}>
      <Loaded query={query} skeleton={<Skeleton width="100%" height={256} />}>
        {({ parts, buckets }) =>
          parts.length === 0 ? (
            <>
              <ChartHead title={title} />
              <EmptyChartNotice isGood>{t(by === 'error' ? 'charts.noErrors' : 'stacks.none')}</EmptyChartNotice>
            </>
          ) : (
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
          )
        }
      </Loaded>
    </ChartCard>
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
    <ChartCard label={title}>
      <Loaded query={query} skeleton={<Skeleton width="100%" height={256} />}>
        {({ buckets }) =>
          buckets.length === 0 ? (
            <>
              <ChartHead title={title} />
              <EmptyChartNotice>{t('latency.none')}</EmptyChartNotice>
            </>
          ) : (
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
          )
        }
      </Loaded>
    </ChartCard>
  )
}
