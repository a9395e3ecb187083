import { ChartColumn, Gauge, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import { figuresPath, leftPath, requestsPath } from '../usage/paths'
import type { Command } from './command'

/** What is left, what failed, and the usage of each plan. */
export function useUsageCommands(): readonly Command[] {
  const { t } = useTranslation('palette')
  const navigate = useNavigate()
  const { data: plans = [] } = useCall('plans.list', {})
  const go = (path: string) => (): void => void navigate(path)
  const group = 'usage'
  return [
    { id: 'usage-left', group, label: t('usage.left'), icon: Gauge, run: go(leftPath) },
    {
      id: 'usage-errors',
      group,
      label: t('usage.errors'),
      icon: TriangleAlert,
      run: go(requestsPath({ scope: 'machine', onlyErrors: true })),
    },
    ...plans.map(
      ({ id, name: plan }): Command => ({
        id: `usage-${id}`,
        group,
        label: t('usage.ofPlan', { plan }),
        icon: ChartColumn,
        run: go(figuresPath({ scope: 'machine', planId: id })),
      }),
    ),
  ]
}
