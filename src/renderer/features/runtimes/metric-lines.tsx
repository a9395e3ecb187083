import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import type { Formats } from '../../format'
import { axisWidth, rightGap, valueTicks } from '../usage'
import type { MetricPoint } from './metrics-tab'

interface MetricLinesProps {
  readonly points: readonly MetricPoint[]
  readonly colour: string
  readonly formats: Formats
  /** A value with its unit. */
  readonly figure: (value: number) => string
  /** As the platform tells it; only a short one fits beside a tick. */
  readonly unit: string | undefined
}

interface TipProps extends Pick<MetricLinesProps, 'formats' | 'figure'> {
  readonly active?: boolean
  readonly payload?: readonly { readonly payload?: MetricPoint }[]
}

function Tip({ active = false, payload, formats, figure }: TipProps) {
  const point = payload?.[0]?.payload
  if (!active || !point) return null
  return (
    <div className="whitespace-nowrap rounded-md border bg-raised px-2.25 py-1.25 text-sm leading-4.75 shadow-float">
      {formats.time(new Date(point.at).toISOString())} <b>{figure(point.value)}</b>
    </div>
  )
}

const tick = { fill: 'var(--text-faint)', fontSize: 11 }

export function MetricLines({ points, colour, formats, figure, unit }: MetricLinesProps) {
  const ticks = valueTicks(Math.max(...points.map(({ value }) => value)))
  return (
    <ResponsiveContainer width="100%" height="100%">
      <LineChart
        data={[...points]}
        margin={{ top: 8, right: rightGap + 18, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--border)" />
        <XAxis
          dataKey="at"
          type="number"
          domain={['dataMin', 'dataMax']}
          tick={tick}
          tickLine={false}
          axisLine={{ stroke: 'var(--border-strong)' }}
          tickFormatter={(at: number) => formats.time(new Date(at).toISOString()).slice(0, 5)}
          minTickGap={48}
          height={24}
        />
        <YAxis
          width={axisWidth}
          tick={tick}
          tickLine={false}
          axisLine={false}
          ticks={[...ticks]}
          domain={[0, ticks.at(-1) ?? 1]}
          tickFormatter={(value: number) => `${formats.count(value).short}${unit === '%' ? unit : ''}`}
        />
        <Tooltip
          cursor={{ stroke: 'var(--border-strong)' }}
          isAnimationActive={false}
          content={<Tip formats={formats} figure={figure} />}
        />
        <Line
          dataKey="value"
          type="linear"
          stroke={colour}
          strokeWidth={1.75}
          dot={points.length < 3}
          isAnimationActive={false}
        />
      </LineChart>
    </ResponsiveContainer>
  )
}
