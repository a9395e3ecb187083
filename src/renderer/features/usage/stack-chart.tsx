import { useId } from 'react'
import {
  Bar,
  CartesianGrid,
  ComposedChart,
  Line,
  ReferenceArea,
  ResponsiveContainer,
  Tooltip,
  XAxis,
  YAxis,
} from 'recharts'

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
  readonly inFull: (start: number) => string
  readonly short: (value: number) => string
  readonly exact: (value: number) => string
}

const tickStyle = { fill: 'var(--text-faint)', fontSize: 11 }
const tooltipStyle = {
  border: '1px solid var(--border)',
  borderRadius: 6,
  background: 'var(--raised)',
  color: 'var(--text)',
  fontSize: 12,
}

/** Stacked bars or lines. Only this module imports the chart library, so that it loads on demand. */
export function StackChart({ kind, parts, rows, unknown, tick, inFull, short, exact }: StackChartProps) {
  const data = rows.map(({ start, values }) => ({
    start,
    ...Object.fromEntries(values.map((value, index) => [`part${index}`, value])),
  }))
  const pattern = useId()
  const [firstUnknown] = rows
  const lastUnknown = rows[unknown.count - 1]
  return (
    <ResponsiveContainer width="100%" height={230}>
      <ComposedChart data={data} margin={{ top: 8, right: 10, bottom: 0, left: 0 }} accessibilityLayer={false}>
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
              label={{ value: unknown.label, fill: 'var(--text-muted)', fontSize: 12 }}
            />
          </>
        ) : null}
        <YAxis
          width={56}
          tick={tickStyle}
          tickLine={false}
          axisLine={false}
          tickFormatter={short}
          allowDecimals={false}
        />
        <Tooltip
          cursor={{ fill: 'var(--hover)' }}
          contentStyle={tooltipStyle}
          isAnimationActive={false}
          labelFormatter={(start) => inFull(Number(start))}
          formatter={(value, name) => [exact(Number(value)), name]}
        />
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
      </ComposedChart>
    </ResponsiveContainer>
  )
}
