import type { UsageStep } from '@shared/contract'
import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate } from 'react-router'
import { useFormats } from '../../format'
import { requestsPath } from '../../paths'
import { ChartCard, ChartLegend } from '../../ui/chart-card'
import { type Column, Table } from '../../ui/table'
import { ChartFigure } from './chart-picture'
import type { Point, UsageMeasure } from './points'
import { TimeChart } from './time-chart'
import { hasRequests } from './usage-query'
import { useAxisTexts } from './use-span-words'
import type { Usage } from './use-usage'

interface UsageChartProps {
  readonly usage: Usage
  readonly measure: UsageMeasure
  readonly points: readonly Point[]
}

function Legend({ measure, isCompared }: { readonly measure: UsageMeasure; readonly isCompared: boolean }) {
  const { t } = useTranslation('usage')
  const { parts } = measure
  return (
    <ChartLegend
      items={[
        ...(parts.length === 1 ? [] : parts.map(({ id, colour }) => ({ name: t(`charts.parts.${id}`), colour }))),
        ...(isCompared ? [{ name: t('charts.previous') }] : []),
      ]}
    />
  )
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

/** Returns a function that opens the requests of a bar. Undefined for the console, which only has totals. */
function useOpenPoint(usage: Usage, { id }: UsageMeasure): ((point: Point) => void) | undefined {
  const navigate = useNavigate()
  if (!hasRequests(usage.scope)) return undefined
  return ({ start, end }) =>
    void navigate(
      requestsPath({
        ...usage.query,
        since: start.toISOString(),
        until: end.toISOString(),
        onlyErrors: id === 'errors',
      }),
    )
}

export function UsageChart({ usage, measure, points }: UsageChartProps) {
  const { t } = useTranslation('usage')
  const openRequests = useOpenPoint(usage, measure)
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
        legend={<Legend {...{ measure, isCompared }} />}
        series={series}
        isCalm={hasNoErrors}
        table={<ChartTable {...{ measure, points, step, usage }} caption={chart} />}
      >
        {hasNoErrors ? (
          <EmptyChartNotice isGood>{t('charts.noErrors')}</EmptyChartNotice>
        ) : (
          <TimeChart title={chart} {...{ measure, points, step, isCompared }} onOpen={openRequests} />
        )}
      </ChartFigure>
    </ChartCard>
  )
}

interface ChartTableProps {
  readonly caption: string
  readonly usage: Usage
  readonly measure: UsageMeasure
  readonly points: readonly Point[]
  readonly step: UsageStep
}

/** Cell with a time step. Links to its requests if the source has single requests. */
function TimeCell({
  row,
  usage,
  measure,
  step,
}: { row: ChartRow } & Pick<ChartTableProps, 'usage' | 'measure' | 'step'>) {
  const texts = useAxisTexts()
  const { start, end, counts } = row.point
  const text = texts.inFull(step, row.point)
  if (!hasRequests(usage.scope) || !counts || measure.total(counts) === 0) return text
  const periodQuery = { since: start.toISOString(), until: end.toISOString(), onlyErrors: measure.id === 'errors' }
  return <Link to={requestsPath({ ...usage.query, ...periodQuery })}>{text}</Link>
}

function ChartTable({ caption, usage, measure, points, step }: ChartTableProps) {
  const { t } = useTranslation('usage')
  const { number } = useFormats()
  const isCompared = usage.query.compare
  const headers = (column: TableColumn): string =>
    column === 'total' || column === 'previous' ? t(`charts.${column}`) : t(`charts.parts.${column}`)
  const tableColumns = chartColumns(measure, isCompared)
  const columns: readonly Column<ChartRow>[] = [
    {
      id: 'when',
      header: t('charts.when'),
      cell: (row) => <TimeCell row={row} usage={usage} measure={measure} step={step} />,
    },
    ...tableColumns.map(
      (column, index): Column<ChartRow> => ({
        id: column,
        header: headers(column),
        align: 'right',
        width: `${Math.min(24, 70 / tableColumns.length)}%`,
        cell: ({ values }) => {
          const value = values[index]
          return value === undefined ? <span className="text-faint">{t('charts.unknown')}</span> : number(value)
        },
      }),
    ),
  ]
  return (
    <Table
      caption={caption}
      columns={columns}
      rows={chartRows(measure, points, isCompared).toReversed()}
      rowKey={({ key }) => key}
    />
  )
}

/** A row of the chart's table: values of one time step. Undefined if unknown. */
interface ChartRow {
  readonly key: number
  readonly point: Point
  readonly values: readonly (number | undefined)[]
}

type TableColumn = UsageMeasure['parts'][number]['id'] | 'total' | 'previous'

/** Columns of the chart's table. Adds a total if there are several parts, and the previous period if it is compared. */
function chartColumns({ parts }: UsageMeasure, isCompared: boolean): readonly TableColumn[] {
  return [
    ...parts.map(({ id }) => id),
    ...(parts.length > 1 ? (['total'] as const) : []),
    ...(isCompared ? (['previous'] as const) : []),
  ]
}

/** Rows of the chart, without future steps. */
function chartRows(measure: UsageMeasure, points: readonly Point[], isCompared: boolean): readonly ChartRow[] {
  const { parts, total } = measure
  return points
    .filter(({ state }) => state !== 'future')
    .map((point) => {
      const { counts, previous, start } = point
      const values = [
        ...parts.map(({ of }) => counts && of(counts)),
        ...(parts.length > 1 ? [counts && total(counts)] : []),
        ...(isCompared ? [previous && total(previous)] : []),
      ]
      return { key: start.getTime(), point, values }
    })
}
