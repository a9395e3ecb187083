import type { UsageStep } from '@shared/contract'
import i18next from 'i18next'
import { CircleCheck } from 'lucide-react'
import { type KeyboardEvent, lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { formatCount, formatNumber } from '../../format'
import { Loaded } from '../../loaded'
import { requestsPath } from '../../paths'
import { axisWidth, ChartCard, ChartHead, ChartLegend, Swatch } from '../../ui/chart-card'
import { joinClassNames } from '../../ui/cn'
import { Skeleton } from '../../ui/skeleton'
import { type Column, Table } from '../../ui/table'
import { useScrollPosition } from '../../ui/use-scroll-place'
import { ChartFigure } from './chart-picture'
import type { ChartPart, ChartPoint } from './stack-chart'
import {
  getTotal,
  hasRequests,
  nextStep,
  type Point,
  rightMarginPx,
  sumValues,
  type UsageMeasure,
  usageMeasures,
} from './usage-query'
import { formatStep, formatTick, type Usage } from './use-usage'

const t = i18next.getFixedT(null, ['usage', 'common'])

/** Text shown in place of a chart without data. */
export function EmptyChartNotice(props: { readonly isGood?: boolean; readonly children: ReactNode }) {
  const { isGood = false, children } = props
  return (
    <p className="flex min-h-24 flex-1 items-center justify-center gap-1.5 text-muted">
      {isGood ? <CircleCheck size={15} strokeWidth={1.9} className="text-success" aria-hidden="true" /> : null}
      {children}
    </p>
  )
}

/** Card of a chart that is loaded. Shows a notice while there is no data. */
export function LoadedChartCard<T>(props: {
  readonly title: string
  readonly query: Parameters<typeof Loaded<T>>[0]['query']
  /** Height of the chart in px, reserved while it loads. */
  readonly height?: number
  readonly notice: ReactNode
  readonly isEmpty: (data: T) => boolean
  readonly children: (data: T) => ReactNode
}) {
  const { title, query, height = 256, notice, isEmpty, children } = props
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
  const navigate = useNavigate()
  const { title, kind = 'bars', parts, points, step, exact } = chart
  const columns = listSeriesColumns(kind, parts).filter(({ id }) => isCompared || id !== 'previous')
  return (
    <ChartFigure
      title={title}
      legend={
        <ChartLegend
          items={[
            ...(hasLegend ? parts : []),
            ...(points.some(({ previous }) => previous !== undefined) ? [{ name: t('charts.previous') }] : []),
          ]}
        />
      }
      series={parts}
      isCalm={notice !== undefined}
      table={
        <SeriesTable
          title={title}
          step={step}
          columns={columns}
          rows={points
            .filter(({ state, values }) => state === 'unknown' || values.length > 0)
            .map((point) => ({
              ...point,
              values: columns.map(({ getValue }) => getValue(point)),
              isUsed: sumValues(point.values) > 0,
            }))}
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
export function UsageChart(props: {
  readonly usage: Usage
  readonly measure: UsageMeasure
  readonly points: readonly Point[]
}) {
  const {
    usage: { step, query, scope },
    measure,
    points,
  } = props
  const title = t(`charts.${measure}`)
  const parts = usageMeasures[measure]
  const hasNoErrors = measure === 'errors' && points.every(({ counts }) => !counts || counts.errors === 0)
  return (
    <ChartCard label={title}>
      <SeriesChart
        {...{ title, step }}
        parts={parts.map(({ id }) => ({ id, colour: `var(--color-chart-${id})`, name: t(`charts.parts.${id}`) }))}
        points={points.map(({ counts, previous, ...point }) => ({
          ...point,
          values: counts ? parts.map(({ field }) => counts[field]) : [],
          // There is no usage in the previous period before the plan was bought.
          previous: query.compare && previous ? getTotal(measure, previous) : undefined,
        }))}
        isCompared={query.compare}
        hasLegend={parts.length > 1}
        short={(value) => formatCount(value).short}
        exact={formatNumber}
        notice={hasNoErrors ? <EmptyChartNotice isGood>{t('charts.noErrors')}</EmptyChartNotice> : undefined}
        toPath={
          // The console only has totals.
          hasRequests(scope)
            ? ({ start, end }) =>
                requestsPath({
                  ...query,
                  since: start.toISOString(),
                  until: end.toISOString(),
                  onlyErrors: measure === 'errors',
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
export function SeriesTable<Row extends SeriesRow>(props: {
  readonly title: string
  readonly step: UsageStep
  readonly columns: readonly { readonly id: string; readonly name: string }[]
  readonly rows: readonly Row[]
  readonly format: (value: number) => string
  readonly unknown: string
  readonly toLink?: (row: Row) => string | undefined
}) {
  const { title, step, columns, rows, format, unknown, toLink } = props
  const formatTime = (row: Row) => {
    const text = formatStep(step, { start: row.start, end: row.end ?? nextStep(step, row.start) })
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

const StackChart = lazy(async () => ({ default: (await import('./stack-chart')).StackChart }))

interface TimeChartProps {
  readonly title: string
  /** Stacked bars, or a line for each part. */
  readonly kind?: 'bars' | 'lines'
  readonly parts: readonly ChartPart[]
  readonly points: readonly ChartPoint[]
  readonly step: UsageStep
  readonly short: (value: number) => string
  readonly exact: (value: number) => string
  readonly height?: number
  /** Opens the list of requests in a time step. Undefined if the source has no single requests. */
  readonly onOpen?: ((point: ChartPoint) => void) | undefined
}

const keys: Readonly<Record<string, (index: number, lastIndex: number) => number>> = {
  ArrowRight: (index, lastIndex) => Math.min(lastIndex, index + 1),
  ArrowLeft: (index) => Math.max(0, index - 1),
  Home: () => 0,
  End: (_, lastIndex) => lastIndex,
}

/** Index of the active bar: the one under the pointer, or selected with the arrow keys. */
function useActive(points: readonly ChartPoint[], open: (point: ChartPoint) => void) {
  const [index, setActive] = useState<number>()
  const last = Math.max(
    0,
    points.findLastIndex(({ state }) => state !== 'future'),
  )
  const shownPoint = index === undefined ? undefined : points[index]
  const press = (event: KeyboardEvent): void => {
    const getNextIndex = keys[event.key]
    if (getNextIndex) setActive(index === undefined ? last : getNextIndex(index, last))
    if (event.key === 'Enter' && shownPoint) open(shownPoint)
    if (event.key === 'Escape') setActive(undefined)
    if (getNextIndex || event.key === 'Enter') event.preventDefault()
  }
  return { active: shownPoint && index, shownPoint, setActive, press, last }
}

/** Chart of usage over time. Hover or arrow keys show exact figures. A click or Enter opens the requests of a bar. */
function TimeChart(props: TimeChartProps) {
  const { title, kind = 'bars', parts, points, step, short, exact, height = 180, onOpen } = props
  const containerRef = useRef<HTMLDivElement>(null)
  const { width } = useScrollPosition(containerRef)
  const openPoint = (point: ChartPoint): void => {
    if (point.state === 'known') onOpen?.(point)
  }
  const { active, shownPoint, setActive, press, last } = useActive(points, openPoint)
  const columns = listSeriesColumns(kind, parts)
  const listLines = (point: ChartPoint): readonly TipLine[] => {
    const isKnown = point.state === 'known'
    const lines = columns
      .filter(({ id }) => (id === 'previous' ? point.previous !== undefined : isKnown))
      .map(({ getValue, ...column }) => {
        const value = getValue(point)
        return { ...column, value: value === undefined && kind === 'lines' ? '–' : exact(value ?? 0) }
      })
    const stateName = t(point.state === 'future' ? 'charts.notYet' : 'charts.unknown')
    return isKnown ? lines : [{ id: 'state', name: stateName, value: '' }, ...lines]
  }
  /** Content of a bar's tooltip as one sentence, for screen readers. */
  const describePoint = (point: ChartPoint): string =>
    [formatStep(step, point), ...listLines(point).map(({ name, value }) => `${name} ${value}`.trim())].join(', ')
  const describedPoint = shownPoint ?? points[last]
  // Width of a bar in px, including its gap.
  const barWidth = Math.max(0, width - axisWidth - rightMarginPx) / Math.max(1, points.length)
  const barLeft = axisWidth + (active ?? 0) * barWidth
  const canOpen = onOpen !== undefined && shownPoint?.state === 'known'
  return (
    <div
      ref={containerRef}
      className={joinClassNames(
        'relative min-w-0 rounded-sm tabular-nums data-opens:cursor-pointer [&_svg]:overflow-visible',
        '[&_.recharts-wrapper]:pointer-events-none',
      )}
      style={{ height }}
      data-opens={canOpen || undefined}
      role="slider"
      tabIndex={0}
      aria-label={`${title}. ${t(onOpen ? 'charts.keys' : 'charts.keysOnly')}`}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={active ?? last}
      aria-valuetext={describedPoint ? describePoint(describedPoint) : ''}
      onKeyDown={press}
      onBlur={() => setActive(undefined)}
      onPointerMove={({ clientX, currentTarget }) => {
        const index = Math.floor((clientX - currentTarget.getBoundingClientRect().left - axisWidth) / barWidth)
        setActive(points[index] && index)
      }}
      onPointerLeave={() => setActive(undefined)}
      onClick={() => {
        if (shownPoint) openPoint(shownPoint)
      }}
    >
      {width > 0 ? (
        <div aria-hidden="true">
          {active === undefined ? null : (
            <div className="absolute top-2 bottom-6 bg-hover" style={{ left: barLeft, width: barWidth }} />
          )}
          <Suspense fallback={<Skeleton height={height} />}>
            <StackChart
              {...{ kind, parts, points, short, height }}
              unknownLabel={t('charts.unknown')}
              tick={(start) => formatTick(step, start)}
            />
          </Suspense>
          {shownPoint && active !== undefined ? (
            <ChartTip
              title={formatStep(step, shownPoint)}
              lines={listLines(shownPoint)}
              middle={barLeft + barWidth / 2}
              {...{ width, canOpen }}
            />
          ) : null}
        </div>
      ) : null}
    </div>
  )
}

interface TipLine {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly colour?: string
}

/** Values of a point by name: of the parts, of their total in stacked bars, and of the previous period. */
function listSeriesColumns(kind: TimeChartProps['kind'], parts: TimeChartProps['parts']) {
  const getSum = ({ values }: ChartPoint) => (values.length > 0 ? sumValues(values) : undefined)
  const getPrevious = ({ previous }: ChartPoint) => previous
  return [
    ...parts.map((part, index) => ({ ...part, getValue: ({ values }: ChartPoint) => values[index] })),
    ...(kind === 'bars' && parts.length > 1 ? [{ id: 'total', name: t('charts.total'), getValue: getSum }] : []),
    { id: 'previous', name: t('charts.previous'), colour: 'var(--color-chart-previous)', getValue: getPrevious },
  ]
}

function ChartTip(props: {
  readonly title: string
  readonly lines: readonly TipLine[]
  /** Center of the bar and width of the chart in px. */
  readonly middle: number
  readonly width: number
  readonly canOpen: boolean
}) {
  const { title, lines, middle, width, canOpen } = props
  const isTipOnRight = middle < width / 2
  return (
    <div
      className={joinClassNames(
        'pointer-events-none absolute top-1 z-3 min-w-42 whitespace-nowrap rounded-md border bg-raised',
        'px-2.5 pt-1.75 pb-2 text-sm leading-4.75 shadow-float',
      )}
      style={isTipOnRight ? { left: middle + 14 } : { right: width - middle + 14 }}
    >
      <p className="font-strong">{title}</p>
      {lines.map(({ id, name, value, colour }) => (
        <p key={id} className="flex items-center gap-1.75">
          <Swatch style={{ background: colour ?? 'transparent' }} />
          <span className="flex-1 pr-3 text-muted">{name}</span>
          <b>{value}</b>
        </p>
      ))}
      {canOpen ? <p className="mt-0.75 text-faint text-xs">{t('charts.press')}</p> : null}
    </div>
  )
}

/** Placeholder of the page's figures and charts. */
export function FiguresSkeleton() {
  return (
    <div className="flex flex-col gap-4" role="status">
      <span className="sr-only">{t('common:loading')}</span>
      {[122, 276, 216].map((height) => (
        <Skeleton key={height} height={height} />
      ))}
    </div>
  )
}
