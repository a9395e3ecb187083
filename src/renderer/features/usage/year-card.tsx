import type { UsageFilter } from '@shared/contract'
import { CalendarDays } from 'lucide-react'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { ChartFigure } from './chart-picture'
import { buildPoints, type Point, sumTokens } from './points'
import { EmptyChartNotice, LoadedChartCard, SeriesTable } from './usage-chart'
import { getStepStart, nextStep, type Span } from './usage-query'
import { useAxisTexts } from './use-span-words'
import { type Usage, useToday } from './use-usage'

/** Period of the last year: starts on the Monday of that week, and ends today. */
function yearBefore(today: Date): Span {
  const fromDate = new Date(today.getFullYear() - 1, today.getMonth(), today.getDate() + 1)
  return { from: getStepStart('week', fromDate), to: nextStep('day', getStepStart('day', today)) }
}

const [cell, gap, left, top] = [12, 3, 34, 18]
const cellPitch = cell + gap
const heatmapColours = ['var(--hover)', ...[30, 52, 76, 100].map((share) => computeShade(share))]

function computeShade(share: number): string {
  return `color-mix(in srgb, var(--series-1) ${share}%, var(--surface))`
}

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
  const { t } = useTranslation('usage')
  const { number, locale } = useFormats()
  const texts = useAxisTexts()
  const [active, setActive] = useState<number>()
  const lastIndex = points.length - 1
  const getLevel = useMemo(() => createLevelScale(points.map(getAmount)), [points])
  const month = new Intl.DateTimeFormat(locale, { month: 'short' })
  const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
  const describePoint = (point: Point | undefined): string => {
    if (!point) return ''
    const day = texts.inFull('day', point)
    return point.counts ? t('year.tip', { day, amount: number(getAmount(point)) }) : t('year.unknown', { day })
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
        <g fontSize={10} fill="var(--text-faint)">
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
            stroke={active === index ? 'var(--text)' : point.counts ? 'none' : 'var(--border)'}
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
  const { t } = useTranslation('usage')
  const { number } = useFormats()
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
              format={number}
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
