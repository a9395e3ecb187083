import type { UsageFilter } from '@shared/contract'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useCall } from '../../ipc'
import { useNow } from '../../relative-time'
import { Sparkline } from '../../ui/sparkline'
import { tokensOf } from './points'
import { firstWanted, spanOf } from './usage-query'

const staleMs = 5 * 60_000

/** The last seven days, as the page of usage has them. */
function useLastDays(): Pick<UsageFilter, 'from' | 'to'> {
  const today = useNow().toDateString()
  return useMemo(() => {
    const { from, to } = spanOf(firstWanted, [], new Date(today))
    return { from: from.toISOString(), to: to.toISOString() }
  }, [today])
}

/** The tokens of a plan in the last seven days, as a small line; nothing while there are none. */
export function PlanTrend({ of }: { readonly of: Pick<UsageFilter, 'scope' | 'planId' | 'connectionId'> }) {
  const { t } = useTranslation('usage')
  const { count } = useFormats()
  const filter = { ...of, ...useLastDays() }
  const { data } = useCall('usage.series', { filter, step: 'day', compare: false }, { staleTime: staleMs })
  const tokens = data ? tokensOf(data.totals) : 0
  if (!data || tokens === 0) return null
  return <Sparkline values={data.buckets.map(tokensOf)} label={t('trend.tokens', { amount: count(tokens).short })} />
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
