import type { UsageStep } from '@shared/contract'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useFormats } from '../../format'
import { Loaded } from '../../loaded'
import { requestsPath } from '../../paths'
import { ChartCard, ChartHead, ChartLegend } from '../../ui/chart-card'
import { Skeleton } from '../../ui/skeleton'
import { type Column, Table } from '../../ui/table'
import { ChartFigure } from './chart-picture'
import type { Point, UsageMeasure } from './points'
import { TimeChart } from './time-chart'
import { hasRequests, nextStep } from './usage-query'
import { useAxisTexts } from './use-span-words'
import type { Usage } from './use-usage'

interface UsageChartProps {
  readonly usage: Usage
  readonly measure: UsageMeasure
  readonly points: readonly Point[]
}

/** Text shown in place of a chart without data. */
export function EmptyChartNotice({
  isGood = false,
  children,
}: {
  readonly isGood?: boolean
  readonly children: ReactNode
}) {
  return (
    <p className="flex min-h-24 flex-1 items-center justify-center gap-1.5 text-muted">
      {isGood ? <CircleCheck size={15} strokeWidth={1.9} className="text-success" aria-hidden="true" /> : null}
      {children}
    </p>
  )
}

/** Card of a chart that is loaded. Shows a notice while there is no data. */
export function LoadedChartCard<T>({
  title,
  query,
  height = 256,
  notice,
  isEmpty,
  children,
}: {
  readonly title: string
  readonly query: Parameters<typeof Loaded<T>>[0]['query']
  /** Height of the chart in px, reserved while it loads. */
  readonly height?: number
  readonly notice: ReactNode
  readonly isEmpty: (data: T) => boolean
  readonly children: (data: T) => ReactNode
}) {
  return (
    <ChartCard label={title}>
      <Loaded query={query} skeleton={<Skeleton width="100%" height={height} />}>
        {(data) =>
          isEmpty(data) ? (
            <>
              <ChartHead title={title} />
              {notice}
            </>
          ) : (
            children(data)
          )
        }
      </Loaded>
    </ChartCard>
  )
}

/** Path of the requests of a bar. */
const toRequestsPath = ({ query }: Usage, { id }: UsageMeasure, { start, end }: Pick<Point, 'start' | 'end'>): string =>
  requestsPath({ ...query, since: start.toISOString(), until: end.toISOString(), onlyErrors: id === 'errors' })

export function UsageChart({ usage, measure, points }: UsageChartProps) {
  const { t } = useTranslation('usage')
  const navigate = useNavigate()
  const { step, query: usageQuery } = usage
  // Compare only if the previous period has data. There is none before the plan was bought.
  const isCompared = usageQuery.compare && points.some(({ previous }) => previous !== undefined)
  const chart = t(`charts.${measure.id}`)
  const hasNoErrors = measure.id === 'errors' && points.every(({ counts }) => !counts || counts.errors === 0)
  const series = measure.parts.map(({ id, colour }) => ({ name: t(`charts.parts.${id}`), colour }))
  return (
    <ChartCard label={chart}>
      <ChartFigure
        title={chart}
        legend={
          <ChartLegend
            items={[...(series.length === 1 ? [] : series), ...(isCompared ? [{ name: t('charts.previous') }] : [])]}
          />
        }
        series={series}
        isCalm={hasNoErrors}
        table={<MeasureTable {...{ measure, points, usage }} title={chart} />}
      >
        {hasNoErrors ? (
          <EmptyChartNotice isGood>{t('charts.noErrors')}</EmptyChartNotice>
        ) : (
          <TimeChart
            title={chart}
            {...{ measure, points, step, isCompared }}
            onOpen={
              // The console only has totals.
              hasRequests(usage.scope) ? (point) => void navigate(toRequestsPath(usage, measure, point)) : undefined
            }
          />
        )}
      </ChartFigure>
    </ChartCard>
  )
}

interface SeriesRow extends Pick<Point, 'start'> {
  readonly end?: Date
  /** Values in the order of the columns. Undefined if unknown. */
  readonly values: readonly (number | undefined)[]
}

/** Data of a chart as a table, newest first. `toLink`: path of the requests in a row. */
export function SeriesTable<Row extends SeriesRow>({
  title,
  step,
  columns,
  rows,
  format,
  unknown,
  toLink,
}: {
  readonly title: string
  readonly step: UsageStep
  readonly columns: readonly { readonly id: string; readonly name: string }[]
  readonly rows: readonly Row[]
  readonly format: (value: number) => string
  readonly unknown: string
  readonly toLink?: (row: Row) => string | undefined
}) {
  const { t } = useTranslation('usage')
  const texts = useAxisTexts()
  const formatTime = (row: Row) => {
    const text = texts.inFull(step, { start: row.start, end: row.end ?? nextStep(step, row.start) })
    const path = toLink?.(row)
    return path === undefined ? text : <Link to={path}>{text}</Link>
  }
  return (
    <Table
      caption={title}
      rows={rows.toReversed()}
      rowKey={({ start }) => start.getTime()}
      columns={[
        { id: 'when', header: t('charts.when'), cell: formatTime },
        ...columns.map(
          ({ id, name }, index): Column<Row> => ({
            id,
            header: name,
            align: 'right',
            width: `${Math.min(24, 70 / columns.length)}%`,
            cell: ({ values }) => {
              const value = values[index]
              return value === undefined ? <span className="text-faint">{unknown}</span> : format(value)
            },
          }),
        ),
      ]}
    />
  )
}

/** Table of a measure. Adds a total if there are several parts, and the previous period if it is compared. */
function MeasureTable({ usage, measure, points, title }: UsageChartProps & { readonly title: string }) {
  const { t } = useTranslation('usage')
  const { number } = useFormats()
  const { parts, total } = measure
  const columns = [
    ...parts.map(({ id, of }) => ({
      id,
      name: t(`charts.parts.${id}`),
      of: ({ counts }: Point) => counts && of(counts),
    })),
    ...(parts.length > 1
      ? [{ id: 'total', name: t('charts.total'), of: ({ counts }: Point) => counts && total(counts) }]
      : []),
    ...(usage.query.compare
      ? [{ id: 'previous', name: t('charts.previous'), of: ({ previous }: Point) => previous && total(previous) }]
      : []),
  ]
  return (
    <SeriesTable
      title={title}
      step={usage.step}
      columns={columns}
      rows={points
        .filter(({ state }) => state !== 'future')
        .map((point) => ({ ...point, values: columns.map(({ of }) => of(point)) }))}
      format={number}
      unknown={t('charts.unknown')}
      toLink={(point) =>
        hasRequests(usage.scope) && point.counts && total(point.counts) > 0
          ? toRequestsPath(usage, measure, point)
          : undefined
      }
    />
  )
}
