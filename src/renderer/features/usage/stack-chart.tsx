import { useId } from 'react'
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Label,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'
import { axisWidth, rightMarginPx, valueTicks } from './points'

export interface ChartPart {
  readonly id: string
  readonly name: string
  readonly colour: string
}

export interface ChartRow {
  readonly start: number
  /** Values in the order of the chart's parts. Undefined if unknown. */
  readonly values: readonly (number | undefined)[]
}

interface StackChartProps {
  readonly kind: 'bars' | 'lines'
  readonly parts: readonly ChartPart[]
  readonly rows: readonly ChartRow[]
  /** Number of time steps at the start of the chart for which usage is unknown, and a label for them. */
  readonly unknown: { readonly count: number; readonly label: string }
  readonly tick: (start: number) => string
  readonly short: (value: number) => string
  /** Values of the previous period, drawn as a dashed line. */
  readonly previous?: readonly (number | undefined)[] | undefined
  readonly height?: number
  /** Texts of the tooltip. Default: no tooltip. */
  readonly tooltip?: { readonly inFull: (start: number) => string; readonly exact: (value: number) => string }
}

const minLabelWidthPx = 72
const labelStyle = { fill: 'var(--text-muted)', fontSize: 12 }
const tickStyle = { fill: 'var(--text-faint)', fontSize: 11 }
const tooltipStyle = {
  border: '1px solid var(--border)',
  borderRadius: 6,
  background: 'var(--raised)',
  color: 'var(--text)',
  fontSize: 12,
}

/** Stacked bars or lines. Only this module imports the chart library, so that it loads on demand. */
export function StackChart(props: StackChartProps) {
  const { kind, parts, rows, unknown, tick, short, previous, height = 230, tooltip } = props
  const data = rows.map(({ start, values }, row) => ({
    start,
    previous: previous?.[row],
    ...Object.fromEntries(values.map((value, index) => [`part${index}`, value])),
  }))
  const heights = rows.map(({ values }) => {
    const known = values.map((value) => value ?? 0)
    return kind === 'bars' ? known.reduce((sum, value) => sum + value, 0) : Math.max(0, ...known)
  })
  const ticks = valueTicks(Math.max(1, ...heights, ...(previous ?? []).map((value) => value ?? 0)))
  const pattern = useId()
  const [firstUnknown] = rows
  const lastUnknown = rows[unknown.count - 1]
  return (
    <ResponsiveContainer width="100%" height={height}>
      <ComposedChart
        data={data}
        margin={{ top: 8, right: rightMarginPx, bottom: 0, left: 0 }}
        barCategoryGap={rows.length > 60 ? '12%' : '22%'}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis
          dataKey="start"
          tick={tickStyle}
          tickLine={false}
          axisLine={{ stroke: 'var(--border-strong)' }}
          tickFormatter={tick}
          interval="equidistantPreserveStart"
          minTickGap={24}
          height={24}
        />
        {firstUnknown && lastUnknown ? (
          <>
            <pattern id={pattern} width={10} height={10} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
              <rect width={5} height={10} fill="var(--well)" />
            </pattern>
            <ReferenceArea
              x1={firstUnknown.start}
              x2={lastUnknown.start}
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
                        {unknown.label}
                      </text>
                    )
                  }}
                />
              }
            />
          </>
        ) : null}
        <YAxis
          width={axisWidth}
          tick={tickStyle}
          tickLine={false}
          axisLine={false}
          tickFormatter={short}
          ticks={[...ticks]}
          domain={[0, ticks.at(-1) ?? 1]}
        />
        {tooltip ? (
          <Tooltip
            cursor={{ fill: 'var(--hover)' }}
            contentStyle={tooltipStyle}
            isAnimationActive={false}
            labelFormatter={(start) => tooltip.inFull(Number(start))}
            formatter={(value, name) => [tooltip.exact(Number(value)), name]}
          />
        ) : null}
        {parts.map(({ id, name, colour }, index) =>
          kind === 'bars' ? (
            <Bar
              key={id}
              dataKey={`part${index}`}
              name={name}
              stackId="bar"
              fill={colour}
              stroke="var(--surface)"
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
              dot={rows.filter(({ values }) => values.length > 0).length < 3}
              connectNulls
              isAnimationActive={false}
            />
          ),
        )}
        {previous ? (
          <Line
            dataKey="previous"
            type="linear"
            stroke="var(--chart-previous)"
            strokeWidth={1.5}
            strokeDasharray="4 3"
            dot={rows.length < 3}
            isAnimationActive={false}
          />
        ) : null}
      </ComposedChart>
    </ResponsiveContainer>
  )
}
