import type { UsageStep } from '@shared/contract'
import { type KeyboardEvent, lazy, type PointerEvent, type RefObject, Suspense, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { ChartCard, Swatch } from '../../ui/chart-card'
import { joinClassNames } from '../../ui/cn'
import { Skeleton } from '../../ui/skeleton'
import { useScrollPosition } from '../../ui/use-scroll-place'
import type { Point, UsageMeasure } from './points'
import { countLeadingUnknown, findBarIndex, findBarMiddle, findBarRange } from './points'
import { useAxisTexts } from './use-span-words'

const StackChart = lazy(async () => ({ default: (await import('./stack-chart')).StackChart }))

interface TimeChartProps {
  readonly title: string
  readonly measure: UsageMeasure
  readonly points: readonly Point[]
  readonly step: UsageStep
  readonly isCompared: boolean
  /** Opens the list of requests in a time step. Undefined if the source has no single requests. */
  readonly onOpen: ((point: Point) => void) | undefined
}

const height = 180

const keys: Readonly<Record<string, (index: number, lastIndex: number) => number>> = {
  ArrowRight: (index, lastIndex) => Math.min(lastIndex, index + 1),
  ArrowLeft: (index) => Math.max(0, index - 1),
  Home: () => 0,
  End: (_, lastIndex) => lastIndex,
}

/** Index of the active bar: the one under the pointer, or selected with the arrow keys. */
function useActive(points: readonly Point[], open: (point: Point) => void) {
  const [active, setActive] = useState<number>()
  const lastIndex = points.findLastIndex(({ state }) => state !== 'future')
  const handleKeyDown = (event: KeyboardEvent): void => {
    const getNextIndex = keys[event.key]
    if (getNextIndex) setActive(active === undefined ? lastIndex : getNextIndex(active, lastIndex))
    const activePoint = active === undefined ? undefined : points[active]
    if (event.key === 'Enter' && activePoint) open(activePoint)
    if (event.key === 'Escape') setActive(undefined)
    if (getNextIndex || event.key === 'Enter') event.preventDefault()
  }
  const activePoint = active === undefined ? undefined : points[active]
  return {
    active: activePoint ? active : undefined,
    shown: activePoint,
    setActive,
    press: handleKeyDown,
    last: lastIndex,
  }
}

const indexAtPointer = (event: PointerEvent<HTMLElement>): number =>
  event.clientX - event.currentTarget.getBoundingClientRect().left

function MeasureBars({ measure, points, step, isCompared }: Omit<TimeChartProps, 'title' | 'onOpen'>) {
  const { t } = useTranslation('usage')
  const { count } = useFormats()
  const texts = useAxisTexts()
  const { parts, total } = measure
  return (
    <StackChart
      kind="bars"
      parts={parts.map(({ id, colour }) => ({ id, colour, name: t(`charts.parts.${id}`) }))}
      rows={points.map(({ start, counts }) => ({
        start: start.getTime(),
        values: counts ? parts.map(({ of }) => of(counts)) : [],
      }))}
      previous={isCompared ? points.map(({ previous }) => previous && total(previous)) : undefined}
      unknown={{ count: countLeadingUnknown(points), label: t('charts.unknown') }}
      tick={(start) => texts.tick(step, new Date(start))}
      short={(value) => count(value).short}
      height={height}
    />
  )
}

/** Chart of usage over time. Hover or arrow keys show exact figures. A click or Enter opens the requests of a bar. */
export function TimeChart({ title, measure, points, step, isCompared, onOpen }: TimeChartProps) {
  const { t } = useTranslation('usage')
  const containerRef = useRef<HTMLDivElement>(null)
  const { width } = useScrollPosition(containerRef as RefObject<HTMLElement | null>)
  const openPoint = (point: Point): void => {
    if (point.state === 'known') onOpen?.(point)
  }
  const { active, shown: shownPoint, setActive, press, last } = useActive(points, openPoint)
  const text = useTipText({ measure, step, isCompared })
  const geometry = { width, count: points.length }
  return (
    <div
      ref={containerRef}
      className={joinClassNames(
        'relative min-w-0 rounded-sm tabular-nums data-opens:cursor-pointer [&_svg]:overflow-visible',
        '[&_.recharts-wrapper]:pointer-events-none',
      )}
      style={{ height }}
      data-opens={(onOpen && shownPoint?.state === 'known') || undefined}
      role="slider"
      tabIndex={0}
      aria-label={`${title}. ${t(onOpen ? 'charts.keys' : 'charts.keysOnly')}`}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, last)}
      aria-valuenow={active ?? Math.max(0, last)}
      aria-valuetext={text(shownPoint ?? points[last])}
      onKeyDown={press}
      onBlur={() => setActive(undefined)}
      onPointerMove={(event) => setActive(findBarIndex(indexAtPointer(event), geometry))}
      onPointerLeave={() => setActive(undefined)}
      onClick={() => {
        if (shownPoint) openPoint(shownPoint)
      }}
    >
      {width > 0 ? (
        <div aria-hidden="true">
          {active === undefined ? null : (
            <div className="absolute top-2 bottom-6 bg-hover" style={findBarRange(active, geometry)} />
          )}
          <Suspense fallback={<BarsSkeleton count={points.length > 20 ? 20 : points.length} />}>
            <MeasureBars {...{ measure, points, step, isCompared }} />
          </Suspense>
          {shownPoint && active !== undefined ? (
            <ChartTip
              {...{ measure, step, isCompared, width }}
              point={shownPoint}
              middle={findBarMiddle(active, geometry)}
              canOpen={onOpen !== undefined && shownPoint.state === 'known'}
            />
          ) : null}
        </div>
      ) : null}
    </div>
  )
}

interface HoveredPoint {
  readonly measure: UsageMeasure
  readonly step: UsageStep
  readonly isCompared: boolean
}

interface Line {
  readonly id: string
  readonly name: string
  readonly value: string
  readonly colour?: string
}

function useTooltipLines({ measure, isCompared }: Omit<HoveredPoint, 'step'>): (point: Point) => readonly Line[] {
  const { t } = useTranslation('usage')
  const { number } = useFormats()
  const { parts, total } = measure
  return ({ counts, previous, state }) => {
    const chartLines: readonly Line[] = counts
      ? [
          ...parts.map(({ id, colour, of }) => ({
            id,
            colour,
            name: t(`charts.parts.${id}`),
            value: number(of(counts)),
          })),
          ...(parts.length > 1 ? [{ id: 'total', name: t('charts.total'), value: number(total(counts)) }] : []),
        ]
      : [{ id: 'state', name: t(state === 'future' ? 'charts.notYet' : 'charts.unknown'), value: '' }]
    if (!isCompared || !previous) return chartLines
    return [
      ...chartLines,
      { id: 'previous', name: t('charts.previous'), value: number(total(previous)), colour: 'var(--chart-previous)' },
    ]
  }
}

/** Content of a bar's tooltip as one sentence, for screen readers. */
function useTipText({ measure, step, isCompared }: HoveredPoint): (point: Point | undefined) => string {
  const lines = useTooltipLines({ measure, isCompared })
  const texts = useAxisTexts()
  return (point) =>
    point === undefined
      ? ''
      : [texts.inFull(step, point), ...lines(point).map(({ name, value }) => `${name} ${value}`.trim())].join(', ')
}

interface TipProps extends HoveredPoint {
  readonly point: Point
  /** Center of the bar and width of the chart in px. */
  readonly middle: number
  readonly width: number
  readonly canOpen: boolean
}

function ChartTip({ measure, step, isCompared, point, middle, width, canOpen }: TipProps) {
  const { t } = useTranslation('usage')
  const lines = useTooltipLines({ measure, isCompared })
  const texts = useAxisTexts()
  const isTipOnRight = middle < width / 2
  return (
    <div
      className={joinClassNames(
        'pointer-events-none absolute top-1 z-3 min-w-42 whitespace-nowrap rounded-md border bg-raised',
        'px-2.5 pt-1.75 pb-2 text-sm leading-4.75 shadow-float',
      )}
      style={isTipOnRight ? { left: middle + 14 } : { right: width - middle + 14 }}
    >
      <p className="font-strong">{texts.inFull(step, point)}</p>
      {lines(point).map(({ id, name, value, colour }) => (
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

function BarsSkeleton({ count }: { readonly count: number }) {
  return (
    <div className="grid h-45 auto-cols-fr grid-flow-col items-end gap-[4%] pt-2 pr-2.5 pb-6 pl-14" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={`bar-${String(index)}`} width="100%" height={36 + ((index * 53) % 97)} />
      ))}
    </div>
  )
}

export function FiguresSkeleton() {
  const { t } = useTranslation('common')
  return (
    <div className="flex flex-col gap-4" role="status">
      <span className="sr-only">{t('loading')}</span>
      <div className="grid grid-cols-3 rounded-lg border bg-surface tabular-nums">
        {[0, 1, 2].map((index) => (
          <div key={index} className="min-w-0 px-4 py-3 not-first:border-l">
            <Skeleton width={110} />
            <span className="block py-2.5">
              <Skeleton width={90} height={22} />
            </span>
            <Skeleton width="70%" height={10} />
          </div>
        ))}
      </div>
      <ChartCard>
        <Skeleton width={140} />
        <BarsSkeleton count={14} />
      </ChartCard>
      <div className="grid grid-cols-2 gap-3">
        {[0, 1].map((index) => (
          <ChartCard key={index}>
            <Skeleton width={120} />
            <BarsSkeleton count={7} />
          </ChartCard>
        ))}
      </div>
    </div>
  )
}
