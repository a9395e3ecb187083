import { Area, CartesianGrid, ComposedChart, Line, ReferenceLine, ResponsiveContainer, XAxis, YAxis } from 'recharts'
import { timeAxis, valueAxis } from '../../../ui/chart-card'
import type { BurnDown } from './burn-down'

const label = { fill: 'var(--color-muted)', fontSize: 11 }

/** Evenly spaced ticks including both ends. */
const listTicks = (from: number, to: number, parts: number): number[] =>
  Array.from({ length: parts + 1 }, (_, index) => from + ((to - from) * index) / parts)

/** Remaining quota, even pace and forecast range. Only this module imports the chart library, to load it late. */
export function BurnDownChart(props: {
  readonly of: BurnDown
  readonly colour: string
  readonly day: (timeMs: number) => string
  readonly short: (value: number) => string
  readonly texts: { readonly currentTime: string; readonly cycleEnd: string; readonly runsOut: string }
}) {
  const { of, colour, day, short, texts } = props
  const { quota, from, to, nowMs, points, runsOutAt } = of
  const data = points.map(({ at, left, likely, range }) => ({ at, left, likely, range: range && [...range] }))
  return (
    <ResponsiveContainer width="100%" height={280}>
      <ComposedChart data={data} margin={{ top: 22, right: 44, bottom: 0, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--color-border)" />
        <XAxis
          dataKey="at"
          type="number"
          domain={[from, to]}
          ticks={listTicks(from, to, 6)}
          {...timeAxis}
          tickFormatter={day}
        />
        <YAxis
          {...valueAxis}
          domain={[0, quota]}
          tickFormatter={short}
          ticks={[...new Set(listTicks(0, quota, 5).map(Math.round))]}
        />
        <ReferenceLine
          segment={[
            { x: from, y: quota },
            { x: to, y: 0 },
          ]}
          stroke="var(--color-chart-previous)"
          strokeDasharray="4 3"
          ifOverflow="extendDomain"
        />
        <Area
          dataKey="range"
          type="linear"
          stroke="none"
          fill={colour}
          fillOpacity={0.22}
          connectNulls
          isAnimationActive={false}
        />
        <Line
          dataKey="likely"
          type="linear"
          stroke={colour}
          strokeWidth={1.75}
          strokeDasharray="3 3"
          dot={false}
          connectNulls
          isAnimationActive={false}
        />
        <Line dataKey="left" type="linear" stroke={colour} strokeWidth={2.25} dot={false} isAnimationActive={false} />
        <ReferenceLine
          x={nowMs}
          stroke="var(--color-border-strong)"
          label={{ value: texts.currentTime, position: 'top', ...label }}
        />
        <ReferenceLine
          x={to}
          stroke="var(--color-border-strong)"
          label={{ value: texts.cycleEnd, position: 'top', ...label }}
        />
        {runsOutAt === undefined ? null : (
          <ReferenceLine
            x={runsOutAt}
            stroke="var(--color-warning)"
            strokeDasharray="2 3"
            label={{
              value: texts.runsOut,
              position: 'insideTopRight',
              offset: 8,
              ...label,
              fill: 'var(--color-warning)',
            }}
          />
        )}
      </ComposedChart>
    </ResponsiveContainer>
  )
}
