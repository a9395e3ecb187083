import type { UsageFilter } from '@shared/contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { useNow } from '../../relative-time'
import { tokensOf } from './points'
import { firstWanted, spanOf } from './usage-query'

/** How long figures of a week are as good as new, in ms. */
export const staleMs = 5 * 60_000

/** The last seven days, as the page of usage has them. */
export function useLastDays(): Pick<UsageFilter, 'from' | 'to'> {
  const today = useNow().toDateString()
  return useMemo(() => {
    const { from, to } = spanOf(firstWanted, [], new Date(today))
    return { from: from.toISOString(), to: to.toISOString() }
  }, [today])
}

/** The tokens of a plan in the last seven days, as a small line over their sum; nothing while there are none. */
export function PlanTrend({ of }: { readonly of: Pick<UsageFilter, 'scope' | 'planId' | 'connectionId'> }) {
  const { t } = useTranslation('usage')
  const { count } = useFormats()
  const filter = { ...of, ...useLastDays() }
  const { data } = useCall('usage.series', { filter, step: 'day', compare: false }, { staleTime: staleMs })
  const tokens = data ? tokensOf(data.totals) : 0
  if (!data || tokens === 0) return null
  const amount = count(tokens).short
  return (
    <span className="flex flex-col items-end gap-0.5">
      <Sparkline values={data.buckets.map(tokensOf)} label={t('trend.tokens', { amount })} />
      <span className="whitespace-nowrap text-muted text-xs" aria-hidden="true">
        {t('trend.week', { amount })}
      </span>
    </span>
  )
}

/** The requests of a tool through the relay in the last seven days, as a small line; nothing while there are none. */
export function ToolTrend({ toolId }: { readonly toolId: string }) {
  const { t } = useTranslation('usage')
  const { number } = useFormats()
  const filter: UsageFilter = { scope: 'relay', toolId, ...useLastDays() }
  const { data } = useCall('usage.series', { filter, step: 'day', compare: false }, { staleTime: staleMs })
  if (!data || data.totals.requests === 0) return null
  const label = t('trend.requests', { amount: number(data.totals.requests) })
  return <Sparkline values={data.buckets.map(({ requests }) => requests)} label={label} />
}

const [width, height] = [72, 18]

/** Values over time as a small line; what it says in words is its name. */
function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  const most = Math.max(...values, 1)
  const at = (index: number): number => (values.length < 2 ? width : (index * width) / (values.length - 1))
  const points = values.map((value, index) => `${at(index)},${height - 1 - (value / most) * (height - 2)}`)
  return (
    <svg
      strokeWidth={1.5}
      strokeLinejoin="round"
      role="img"
      aria-label={label}
      width={width}
      height={height}
      className="flex-none overflow-visible fill-none stroke-series-1"
    >
      <title>{label}</title>
      <polygon
        points={`0,${height} ${points.join(' ')} ${width},${height}`}
        className="fill-series-1 stroke-none opacity-14"
      />
      <polyline points={points.join(' ')} />
    </svg>
  )
}
