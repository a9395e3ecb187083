import type { UsageFilter, UsageFlow, UsageSplit, UsageStacks, UsageStep } from '@shared/contract'
import i18next from 'i18next'
import { CalendarDays, Waypoints } from 'lucide-react'
import { type KeyboardEvent, lazy, Suspense, useMemo, useRef, useState } from 'react'
import { dateFormat, formatCount, formatDuration, formatNumber } from '../../format'
import { useCall } from '../../ipc'
import { Skeleton } from '../../ui/skeleton'
import { type Column, Table } from '../../ui/table'
import { useScrollPosition } from '../../ui/use-scroll-place'
import { useModelColour } from '../connections/account'
import { ChartFigure } from './chart-picture'
import { getShareName } from './figures'
import type { FlowLink, FlowNode } from './flow-chart'
import type { ChartPart, ChartPoint } from './stack-chart'
import { EmptyChartNotice, LoadedChartCard, SeriesChart, SeriesTable } from './usage-chart'
import { buildPoints, getStepStart, nextStep, type Point, type Span, sumTokens } from './usage-query'
import { formatStep, type Usage, useToday } from './use-usage'

const t = i18next.getFixedT(null, 'usage')

/** Height of the time charts in px. */
const chartHeight = 230

const seriesColour = (index: number): string => `var(--color-series-${(index % 6) + 1})`

/** Chart parts with names and colors. All smaller parts are combined in one gray part. */
function useChartParts(by: UsageSplit): (parts: UsageStacks['parts']) => readonly ChartPart[] {
  const getColour = useModelColour()
  return (parts) =>
    parts.map(({ id, name, isRest }, index) => ({
      id: isRest ? 'rest' : `of ${id}`,
      name: isRest ? t('stacks.rest') : getShareName(by, { id, name }),
      colour: isRest ? 'var(--color-chart-previous)' : by === 'model' ? getColour(id) : seriesColour(index),
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
          {...{ title, step }}
          height={chartHeight}
          parts={listParts(parts)}
          points={addValues(points, step, buckets, ({ counts }) =>
            counts.map((bucketCounts) => (by === 'error' ? bucketCounts.errors : sumTokens(bucketCounts))),
          )}
          short={(value) => formatCount(value).short}
          exact={formatNumber}
        />
      )}
    </LoadedChartCard>
  )
}

export function LatencyCard({ usage: { filter, step }, points }: CardProps) {
  const title = t('latency.title')
  const query = useCall('usage.latency', { filter, step }, { placeholderData: (previous) => previous })
  const parts = [
    { id: 'p50', name: t('latency.p50'), colour: 'var(--color-series-1)' },
    { id: 'p95', name: t('latency.p95'), colour: 'var(--color-series-2)' },
    { id: 'first', name: t('latency.firstByte'), colour: 'var(--color-series-3)' },
  ]
  return (
    <LoadedChartCard
      {...{ title, query }}
      notice={<EmptyChartNotice>{t('latency.none')}</EmptyChartNotice>}
      isEmpty={({ buckets }) => buckets.length === 0}
    >
      {({ buckets }) => (
        <SeriesChart
          {...{ title, step, parts }}
          height={chartHeight}
          kind="lines"
          points={addValues(points, step, buckets, ({ p50Ms, p95Ms, firstByteMs }) => [p50Ms, p95Ms, firstByteMs])}
          short={formatDuration}
          exact={formatDuration}
        />
      )}
    </LoadedChartCard>
  )
}

const FlowChart = lazy(async () => ({ default: (await import('./flow-chart')).FlowChart }))

const levels = ['plan', 'model', 'tool'] as const

/** Name and color of the plan, model or tool of a flow, by its position in the column. "Others" for an undefined one. */
function useFlowParts() {
  const getModelColour = useModelColour()
  return (flow: UsageFlow, level: (typeof levels)[number], position: number) => {
    const share = flow[level]
    if (share === undefined) return { name: t('flows.rest'), colour: 'var(--color-chart-previous)' }
    const colour = level === 'model' ? getModelColour(share.id) : seriesColour(position)
    return { name: getShareName(level, share), colour }
  }
}

/** Builds the nodes and links of the flow chart. Flows of the same plan, model or tool share a node. */
function buildFlowGraph(flows: readonly UsageFlow[], toPart: ReturnType<typeof useFlowParts>) {
  const nodes: FlowNode[] = []
  const nodeIndexes = new Map<string, number>()
  const links = new Map<string, FlowLink>()
  for (const flow of flows) {
    const path = levels.map((level, column) => {
      const key = `${column} ${flow[level]?.id ?? '\n'}`
      const existingIndex = nodeIndexes.get(key)
      if (existingIndex !== undefined) return existingIndex
      const position = nodes.filter((node) => node.column === column).length
      nodeIndexes.set(key, nodes.length)
      nodes.push({ ...toPart(flow, level, position), column })
      return nodes.length - 1
    })
    for (const [index, target] of path.slice(1).entries()) {
      const source = path[index] ?? 0
      const valueBefore = links.get(`${source} ${target}`)?.value ?? 0
      links.set(`${source} ${target}`, { source, target, value: valueBefore + flow.tokens })
    }
  }
  return { nodes, links: [...links.values()] }
}

function Flows({ flows, title }: { readonly flows: readonly UsageFlow[]; readonly title: string }) {
  const containerRef = useRef<HTMLDivElement>(null)
  const { width } = useScrollPosition(containerRef)
  const { nodes, links } = buildFlowGraph(flows, useFlowParts())
  const maxNodes = Math.max(...levels.map((_, column) => nodes.filter((node) => node.column === column).length))
  const height = Math.max(180, maxNodes * 40)
  return (
    <div ref={containerRef} className="min-w-0" style={{ height }} role="img" aria-label={title}>
      {width > 0 ? (
        <Suspense fallback={<Skeleton width="100%" height={height} />}>
          <FlowChart
            {...{ nodes, links, width, height }}
            formatTip={(name, value) => `${name}: ${formatNumber(value)} ${t('flows.tokens')}`}
          />
        </Suspense>
      ) : null}
    </div>
  )
}

export function FlowCard({ usage }: { readonly usage: Usage }) {
  const toPart = useFlowParts()
  const title = t('flows.title')
  const query = useCall('usage.flows', { filter: usage.filter }, { placeholderData: (previous) => previous })
  const columns: readonly Column<UsageFlow>[] = [
    ...levels.map(
      (level): Column<UsageFlow> => ({
        id: level,
        header: t(`shares.splits.${level}`),
        cell: (flow) => toPart(flow, level, 0).name,
      }),
    ),
    { id: 'tokens', header: t('flows.tokens'), align: 'right', cell: ({ tokens }) => formatNumber(tokens) },
    { id: 'requests', header: t('flows.requests'), align: 'right', cell: ({ requests }) => formatNumber(requests) },
  ]
  return (
    <LoadedChartCard
      {...{ title, query }}
      notice={<EmptyChartNotice>{t('flows.none')}</EmptyChartNotice>}
      isEmpty={(flows) => flows.length === 0}
    >
      {(flows) => (
        <ChartFigure
          title={title}
          icon={Waypoints}
          table={
            <Table
              caption={title}
              columns={columns}
              rows={flows}
              rowKey={(flow) => levels.map((level) => flow[level]?.id ?? '\n').join(' ')}
            />
          }
        >
          <Flows flows={flows} title={title} />
        </ChartFigure>
      )}
    </LoadedChartCard>
  )
}

/** Period of the last year: starts on the Monday of that week, and ends today. */
function yearBefore(today: Date): Span {
  const fromDate = new Date(today.getFullYear() - 1, today.getMonth(), today.getDate() + 1)
  return { from: getStepStart('week', fromDate), to: nextStep('day', today) }
}

const [cell, gap, left, top] = [12, 3, 34, 18]
const cellPitch = cell + gap
const heatmapColours = [
  'var(--color-hover)',
  ...[30, 52, 76, 100].map((share) => `color-mix(in srgb, var(--color-series-1) ${share}%, var(--color-surface))`),
]

/** Color level of a day: 0 for no usage, then quartiles of the days with usage. */
function createLevelScale(values: readonly number[]): (value: number) => number {
  const usedValues = values.filter((value) => value > 0).sort((a, b) => a - b)
  const limits = [0.25, 0.5, 0.75].map((share) => usedValues[Math.floor(usedValues.length * share)] ?? 0)
  return (value) => (value <= 0 ? 0 : 1 + limits.filter((limit) => value > limit).length)
}

const getAmount = ({ counts }: Point): number => (counts ? sumTokens(counts) : 0)

function listMonths(points: readonly Point[], getName: (date: Date) => string): readonly { x: number; name: string }[] {
  return points.flatMap(({ start }, index) => {
    const week = Math.floor(index / 7)
    return start.getDate() === 1 && week < Math.floor(points.length / 7) - 1
      ? [{ x: left + (index % 7 === 0 ? week : week + 1) * cellPitch, name: getName(start) }]
      : []
  })
}

/** Calendar of a year, with one cell per day and one column per week. Hover or arrow keys show exact figures. */
function YearMap({ points, title }: { readonly points: readonly Point[]; readonly title: string }) {
  const [active, setActive] = useState<number>()
  const lastIndex = points.length - 1
  const getLevel = useMemo(() => createLevelScale(points.map(getAmount)), [points])
  const month = dateFormat({ month: 'short' })
  const weekday = dateFormat({ weekday: 'short' })
  const describePoint = (point: Point | undefined): string => {
    if (!point) return ''
    const day = formatStep('day', point)
    return point.counts ? t('year.tip', { day, amount: formatNumber(getAmount(point)) }) : t('year.unknown', { day })
  }
  const handleKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -7, ArrowRight: 7, ArrowUp: -1, ArrowDown: 1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    setActive(Math.min(lastIndex, Math.max(0, (active ?? lastIndex) + (active === undefined ? 0 : step))))
  }
  const weeks = Math.ceil(points.length / 7)
  const [width, height] = [left + weeks * cellPitch, top + 7 * cellPitch]
  return (
    <div
      className="flex flex-col gap-1 overflow-x-auto rounded-sm p-0.5"
      role="slider"
      tabIndex={0}
      aria-label={`${title}. ${t('charts.keysDays')}`}
      aria-valuemin={0}
      aria-valuemax={lastIndex}
      aria-valuenow={active ?? lastIndex}
      aria-valuetext={describePoint(points[active ?? lastIndex])}
      onKeyDown={handleKeyDown}
      onBlur={() => setActive(undefined)}
      onPointerLeave={() => setActive(undefined)}
    >
      <svg data-chart width="100%" viewBox={`0 0 ${width} ${height}`} style={{ minWidth: 640 }} aria-hidden="true">
        <g fontSize={10} fill="var(--color-faint)">
          {listMonths(points, (date) => month.format(date)).map(({ x, name }) => (
            <text key={x} x={x} y={11}>
              {name}
            </text>
          ))}
          {[0, 2, 4].map((row) => (
            <text key={row} x={left - 6} y={top + row * cellPitch + 10} textAnchor="end">
              {points[row] ? weekday.format(points[row].start) : ''}
            </text>
          ))}
        </g>
        {points.map((point, index) => (
          <rect
            key={point.start.getTime()}
            x={left + Math.floor(index / 7) * cellPitch}
            y={top + (index % 7) * cellPitch}
            width={cell}
            height={cell}
            rx={2.5}
            fill={point.counts ? heatmapColours[getLevel(getAmount(point))] : 'none'}
            stroke={active === index ? 'var(--color-text)' : point.counts ? 'none' : 'var(--color-border)'}
            onPointerEnter={() => setActive(index)}
          />
        ))}
      </svg>
      <div className="flex min-h-5 items-center justify-between text-muted text-sm" aria-hidden="true">
        <span>{active === undefined ? '' : describePoint(points[active])}</span>
        <span className="inline-flex items-center gap-1">
          {t('year.less')}
          {heatmapColours.map((colour) => (
            <span key={colour} className="size-2.5 rounded-[2px]" style={{ background: colour }} />
          ))}
          {t('year.more')}
        </span>
      </div>
    </div>
  )
}

/** Card with the usage of the last twelve months, whatever period is selected. */
export function YearCard({ usage }: { readonly usage: Usage }) {
  const todayRange = useToday(usage.filter)
  const span = useMemo(() => yearBefore(todayRange), [todayRange])
  const title = t('year.title')
  const filter: UsageFilter = { ...usage.filter, from: span.from.toISOString(), to: span.to.toISOString() }
  const seriesQuery = { filter, step: 'day', compare: false } as const
  const query = useCall('usage.series', seriesQuery, { placeholderData: (previous) => previous })
  const points = useMemo(() => (query.data ? buildPoints(query.data, span) : []), [query.data, span])
  return (
    <LoadedChartCard
      {...{ title, query }}
      height={160}
      notice={<EmptyChartNotice>{t('year.none')}</EmptyChartNotice>}
      isEmpty={({ totals }) => totals.requests === 0}
    >
      {() => (
        <ChartFigure
          title={title}
          icon={CalendarDays}
          table={
            <SeriesTable
              title={title}
              step="day"
              columns={[
                { id: 'tokens', name: t('shares.tokens') },
                { id: 'requests', name: t('shares.requests') },
              ]}
              rows={points
                .filter(({ counts }) => counts && counts.requests > 0)
                .map((point) => ({ ...point, values: [getAmount(point), point.counts?.requests] }))}
              format={formatNumber}
              unknown="–"
            />
          }
        >
          <YearMap points={points} title={title} />
        </ChartFigure>
      )}
    </LoadedChartCard>
  )
}
