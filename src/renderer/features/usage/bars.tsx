import { Bar, CartesianGrid, ComposedChart, Line, XAxis, YAxis } from 'recharts'
import type { Point, UsageMeasure } from './points'
import { axisWidth, getLabelledIndexes, rightMarginPx, valueTicks } from './points'

interface BarsProps {
  readonly measure: UsageMeasure
  readonly points: readonly Point[]
  readonly isCompared: boolean
  readonly width: number
  readonly height: number
  readonly formatTick: (date: Date) => string
  readonly short: (value: number) => string
}

const tick = { fill: 'var(--text-faint)', fontSize: 11 }
const labelWidth = 62

/** Converts a point to a data row of the chart library, with a value per part and one for the previous period. */
function toRow(
  { parts, total }: UsageMeasure,
  { counts, previous }: Point,
  index: number,
): Record<string, number | undefined> {
  const row: Record<string, number | undefined> = { index, previous: previous && total(previous) }
  for (const { id, of } of parts) row[id] = counts && of(counts)
  return row
}

/**
 * Stacked bars, and a dashed line for the previous period. Only this module imports the chart library, so that it
 * loads on demand.
 */
export function Bars({ measure, points, isCompared, width, height, formatTick, short }: BarsProps) {
  const data = points.map((point, index) => toRow(measure, point, index))
  const { parts, total } = measure
  const values = points.flatMap(({ counts, previous }) => [counts, isCompared ? previous : undefined])
  const ticks = valueTicks(Math.max(1, ...values.map((counts) => (counts ? total(counts) : 0))))
  return (
    <ComposedChart
      data={data}
      width={width}
      height={height}
      margin={{ top: 8, right: rightMarginPx, bottom: 0, left: 0 }}
      barCategoryGap={points.length > 60 ? '12%' : '22%'}
      accessibilityLayer={false}
    >
      <CartesianGrid vertical={false} stroke="var(--border)" />
      <XAxis
        dataKey="index"
        tick={tick}
        tickLine={false}
        axisLine={{ stroke: 'var(--border-strong)' }}
        interval={0}
        ticks={[...getLabelledIndexes({ width, count: points.length }, labelWidth)]}
        tickFormatter={(index: number) => {
          const focusedPoint = points[index]
          return focusedPoint ? formatTick(focusedPoint.start) : ''
        }}
        height={24}
      />
      <YAxis
        width={axisWidth}
        tick={tick}
        tickLine={false}
        axisLine={false}
        ticks={[...ticks]}
        domain={[0, ticks.at(-1) ?? 1]}
        tickFormatter={short}
      />
      {parts.map(({ id, colour }, index) => (
        <Bar
          key={id}
          dataKey={id}
          stackId="bar"
          fill={colour}
          stroke="var(--surface)"
          strokeWidth={parts.length > 1 ? 1 : 0}
          maxBarSize={44}
          radius={index === parts.length - 1 ? [2, 2, 0, 0] : 0}
          isAnimationActive={false}
        />
      ))}
      {isCompared ? (
        <Line
          dataKey="previous"
          type="linear"
          stroke="var(--chart-previous)"
          strokeWidth={1.5}
          strokeDasharray="4 3"
          dot={points.length < 3}
          isAnimationActive={false}
        />
      ) : null}
    </ComposedChart>
  )
}
