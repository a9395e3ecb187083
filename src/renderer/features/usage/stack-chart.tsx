import { useId } from 'react'
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Label,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  XAxis,
  YAxis,
} from 'recharts'
import { timeAxis, valueAxis } from '../../ui/chart-card'
import { countLeadingUnknown, type Point, rightMarginPx, sumValues, valueTicks } from './usage-query'

export interface ChartPart {
  readonly id: string
  readonly name: string
  readonly colour: string
}

export interface ChartPoint extends Pick<Point, 'start' | 'end' | 'state'> {
  /** Values in the order of the chart's parts. Undefined or missing if unknown. */
  readonly values: readonly (number | undefined)[]
  /** Total of the same step in the previous period, drawn as a dashed line. */
  readonly previous?: number | undefined
}

const minLabelWidthPx = 72
const labelStyle = { fill: 'var(--color-muted)', fontSize: 12 }

/** Stacked bars or lines. Only this module imports the chart library, so that it loads on demand. */
export function StackChart(props: {
  readonly kind: 'bars' | 'lines'
  readonly parts: readonly ChartPart[]
  readonly points: readonly ChartPoint[]
  /** Label of the time steps at the start for which usage is unknown. */
  readonly unknownLabel: string
  readonly tick: (start: Date) => string
  readonly short: (value: number) => string
  readonly height: number
}) {
  const { kind, parts, points, unknownLabel, tick, short, height } = props
  const data = points.map(({ start, values, previous }) => ({
    start: start.getTime(),
    previous,
    ...Object.fromEntries(values.map((value, index) => [`part${index}`, value])),
  }))
  const heights = points.flatMap(({ values, previous = 0 }) => [
    previous,
    kind === 'bars' ? sumValues(values) : Math.max(0, ...values.map((value) => value ?? 0)),
  ])
  const ticks = valueTicks(Math.max(1, ...heights))
  const pattern = useId()
  const [firstUnknown] = points
  const lastUnknown = points[countLeadingUnknown(points) - 1]
  return (
    <ResponsiveContainer width="100%" height={height}>
      <ComposedChart
        data={data}
        margin={{ top: 8, right: rightMarginPx, bottom: 0, left: 0 }}
        barCategoryGap={points.length > 60 ? '12%' : '22%'}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--color-border)" />
        <XAxis
          dataKey="start"
          {...timeAxis}
          tickFormatter={(start: number) => tick(new Date(start))}
          interval="equidistantPreserveStart"
          minTickGap={24}
        />
        {firstUnknown && lastUnknown ? (
          <>
            <pattern id={pattern} width={10} height={10} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width={5} height={10} fill="var(--color-well)" />
            </pattern>
            <ReferenceArea
              x1={firstUnknown.start.getTime()}
              x2={lastUnknown.start.getTime()}
              fill={`url(#${pattern})`}
              fillOpacity={1}
              ifOverflow="hidden"
              label={
                <Label
                  content={({ viewBox }) => {
                    if (!viewBox || !('width' in viewBox) || viewBox.width < minLabelWidthPx) return null
                    const { x, y, width, height } = viewBox
                    return (
                      <text x={x + width / 2} y={y + height / 2} textAnchor="middle" {...labelStyle}>
                        {unknownLabel}
                      </text>
                    )
                  }}
                />
              }
            />
          </>
        ) : null}
        <YAxis {...valueAxis} tickFormatter={short} ticks={[...ticks]} domain={[0, ticks.at(-1) ?? 1]} />
        {parts.map(({ id, name, colour }, index) =>
          kind === 'bars' ? (
            <Bar
              key={id}
              dataKey={`part${index}`}
              name={name}
              stackId="bar"
              fill={colour}
              stroke="var(--color-surface)"
              strokeWidth={parts.length > 1 ? 1 : 0}
              maxBarSize={44}
              radius={index === parts.length - 1 ? [2, 2, 0, 0] : 0}
              isAnimationActive={false}
            />
          ) : (
            <Line
              key={id}
              dataKey={`part${index}`}
              name={name}
              type="linear"
              stroke={colour}
              strokeWidth={2}
              dot={points.filter(({ values }) => values.length > 0).length < 3}
              connectNulls
              isAnimationActive={false}
            />
          ),
        )}
        {points.some(({ previous }) => previous !== undefined) ? (
          <Line
            dataKey="previous"
            type="linear"
            stroke="var(--color-chart-previous)"
            strokeWidth={1.5}
            strokeDasharray="4 3"
            dot={points.length < 3}
            isAnimationActive={false}
          />
        ) : null}
      </ComposedChart>
    </ResponsiveContainer>
  )
}
