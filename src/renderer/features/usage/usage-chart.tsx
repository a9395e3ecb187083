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
import { type Point, sumValues, type UsageMeasure } from './points'
import type { ChartPoint } from './stack-chart'
import { TimeChart, type TimeChartProps } from './time-chart'
import { hasRequests, nextStep } from './usage-query'
import { type Usage, useAxisTexts } from './use-usage'

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

/** Chart of usage over time, with its legend, and with the same data as a table. */
export function SeriesChart({
  isCompared = false,
  hasLegend = true,
  notice,
  toPath,
  ...chart
}: Omit<TimeChartProps, 'onOpen'> & {
  /** Whether the table has a column with the previous period. */
  readonly isCompared?: boolean
  readonly hasLegend?: boolean
  /** Text shown in place of a chart without data. */
  readonly notice?: ReactNode
  /** Path of the requests in a time step. Undefined if the source has no single requests. */
  readonly toPath?: ((point: ChartPoint) => string) | undefined
}) {
  const { t } = useTranslation('usage')
  const navigate = useNavigate()
  const { title, kind = 'bars', parts, points, step, exact } = chart
  const hasTotal = kind === 'bars' && parts.length > 1
  const previous = { id: 'previous', name: t('charts.previous') }
  const listValues = ({ values, previous }: ChartPoint) => [
    ...parts.map((_, index) => values[index]),
    ...(hasTotal ? [values.length > 0 ? sumValues(values) : undefined] : []),
    ...(isCompared ? [previous] : []),
  ]
  return (
    <ChartFigure
      title={title}
      legend={
        <ChartLegend
          items={[
            ...(hasLegend ? parts : []),
            ...(points.some((point) => point.previous !== undefined) ? [{ name: previous.name }] : []),
          ]}
        />
      }
      series={parts}
      isCalm={notice !== undefined}
      table={
        <SeriesTable
          title={title}
          step={step}
          columns={[
            ...parts,
            ...(hasTotal ? [{ id: 'total', name: t('charts.total') }] : []),
            ...(isCompared ? [previous] : []),
          ]}
          rows={points
            .filter(({ state, values }) => state === 'unknown' || values.length > 0)
            .map((point) => ({ ...point, values: listValues(point), isUsed: sumValues(point.values) > 0 }))}
          format={exact}
          unknown={kind === 'lines' ? '–' : t('charts.unknown')}
          toLink={(point) => (point.isUsed ? toPath?.(point) : undefined)}
        />
      }
    >
      {notice ?? <TimeChart {...chart} onOpen={toPath && ((point) => void navigate(toPath(point)))} />}
    </ChartFigure>
  )
}

/** Chart of a measure. */
export function UsageChart({
  usage: { step, query, scope },
  measure: { id, parts, total },
  points,
}: {
  readonly usage: Usage
  readonly measure: UsageMeasure
  readonly points: readonly Point[]
}) {
  const { t } = useTranslation('usage')
  const { count, number } = useFormats()
  const title = t(`charts.${id}`)
  const hasNoErrors = id === 'errors' && points.every(({ counts }) => !counts || counts.errors === 0)
  return (
    <ChartCard label={title}>
      <SeriesChart
        {...{ title, step }}
        parts={parts.map((part) => ({ id: part.id, colour: part.colour, name: t(`charts.parts.${part.id}`) }))}
        points={points.map(({ counts, previous, ...point }) => ({
          ...point,
          values: counts ? parts.map(({ of }) => of(counts)) : [],
          // There is no usage in the previous period before the plan was bought.
          previous: query.compare && previous ? total(previous) : undefined,
        }))}
        isCompared={query.compare}
        hasLegend={parts.length > 1}
        short={(value) => count(value).short}
        exact={number}
        notice={hasNoErrors ? <EmptyChartNotice isGood>{t('charts.noErrors')}</EmptyChartNotice> : undefined}
        toPath={
          // The console only has totals.
          hasRequests(scope)
            ? ({ start, end }) =>
                requestsPath({
                  ...query,
                  since: start.toISOString(),
                  until: end.toISOString(),
                  onlyErrors: id === 'errors',
                })
            : undefined
        }
      />
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
