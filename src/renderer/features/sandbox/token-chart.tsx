import type { SandboxRequestView } from '@shared/contract'
import i18next from 'i18next'
import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { formatCount, formatNumber, formatTime } from '../../format'
import { valueAxis } from '../../ui/chart-card'

const t = i18next.getFixedT(null, 'sandbox')

function ChartTooltip(props: {
  readonly active?: boolean
  readonly payload?: readonly { readonly payload?: SandboxRequestView }[]
}) {
  const { active = false, payload } = props
  const bar = payload?.[0]?.payload
  if (!active || !bar || bar.n < 0) return null
  return (
    <div className="rounded-md border bg-raised px-2.5 py-1.5 text-sm tabular-nums shadow-float">
      <p className="text-muted">{t('chart.request', { n: bar.n, time: formatTime(bar.at) })}</p>
      {(['input', 'output'] as const).map((part) => (
        <p key={part}>
          <span
            className="mr-1.5 inline-block size-2 rounded-[2px]"
            style={{ background: `var(--color-chart-${part})` }}
          />
          {t(`chart.${part}`)} <b>{formatNumber(bar[`${part}Tokens`] ?? 0)}</b>
        </p>
      ))}
    </div>
  )
}

/** Minimum number of bars for which the chart has space. Fewer bars have the same width and are aligned to the left. */
const minSlots = 12

export function TokenChart({ bars }: { readonly bars: readonly SandboxRequestView[] }) {
  const emptySlots = Array.from({ length: Math.max(0, minSlots - bars.length) }, (_, index) => ({ n: -1 - index }))
  return (
    <ResponsiveContainer width="100%" height={120}>
      <BarChart
        data={[...bars, ...emptySlots]}
        margin={{ top: 6, right: 0, bottom: 0, left: 0 }}
        accessibilityLayer={false}
      >
        <CartesianGrid vertical={false} stroke="var(--color-border)" />
        <XAxis dataKey="n" hide />
        <YAxis
          {...valueAxis}
          width={40}
          tickCount={3}
          allowDecimals={false}
          tickFormatter={(value: number) => formatCount(value).short}
        />
        <Tooltip cursor={{ fill: 'var(--color-hover)' }} isAnimationActive={false} content={<ChartTooltip />} />
        <Bar
          dataKey="inputTokens"
          stackId="tokens"
          fill="var(--color-chart-input)"
          maxBarSize={22}
          isAnimationActive={false}
        />
        <Bar
          dataKey="outputTokens"
          stackId="tokens"
          fill="var(--color-chart-output)"
          maxBarSize={22}
          radius={[2, 2, 0, 0]}
          isAnimationActive={false}
        />
      </BarChart>
    </ResponsiveContainer>
  )
}
