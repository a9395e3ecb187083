import type { UsageSplit, UsageStacks, UsageStep } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { useModelColour } from '../connections/account'
import { type Point, sumTokens } from './points'
import { useShareNames } from './shares'
import type { ChartPart, ChartPoint } from './stack-chart'
import { EmptyChartNotice, LoadedChartCard, SeriesChart } from './usage-chart'
import { getStepStart } from './usage-query'
import type { Usage } from './use-usage'

/** Height of the charts in px. */
const height = 230

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

interface CardProps {
  readonly usage: Usage
  /** Time steps of the period, as in the chart above. */
  readonly points: readonly Point[]
}

/** Points with the values of the buckets that start at the same time. */
function addValues<Bucket extends { readonly start: string }>(
  points: readonly Point[],
  step: UsageStep,
  buckets: readonly Bucket[],
  listValues: (bucket: Bucket) => ChartPoint['values'],
): readonly ChartPoint[] {
  const bucketsByTime = new Map(buckets.map((bucket) => [getStepStart(step, new Date(bucket.start)).getTime(), bucket]))
  return points.map(({ start, end, state }) => {
    const bucket = bucketsByTime.get(start.getTime())
    return { start, end, state, values: bucket ? listValues(bucket) : [] }
  })
}

export function StackCard({
  usage,
  points,
  title,
  by,
}: CardProps & { readonly title: string; readonly by: UsageSplit }) {
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
        <SeriesChart
          {...{ title, step, height }}
          parts={listParts(parts)}
          points={addValues(points, step, buckets, ({ counts }) =>
            counts.map((bucketCounts) => (by === 'error' ? bucketCounts.errors : sumTokens(bucketCounts))),
          )}
          short={(value) => count(value).short}
          exact={number}
        />
      )}
    </LoadedChartCard>
  )
}

export function LatencyCard({ usage: { filter, step }, points }: CardProps) {
  const { t } = useTranslation('usage')
  const { duration } = useFormats()
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
        <SeriesChart
          {...{ title, step, height, parts }}
          kind="lines"
          points={addValues(points, step, buckets, ({ p50Ms, p95Ms, firstByteMs }) => [p50Ms, p95Ms, firstByteMs])}
          short={duration}
          exact={duration}
        />
      )}
    </LoadedChartCard>
  )
}
