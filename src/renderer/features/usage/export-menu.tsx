import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Bell, Database, Download, Monitor, RefreshCw, Wallet, Waypoints } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { invalidateDomains } from '../../ipc'
import { alertsPath, budgetsPath, relayPath, sourcesPath } from '../../paths'
import { useExportAction } from '../../toast-actions'
import { type Action, Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Menu, MenuButton, type MenuItem } from '../../ui/menu'
import { hasRequests, toScope } from './usage-query'
import type { Usage } from './use-usage'

const formats = ['csv', 'json'] as const

export function ExportMenu({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const { filter, step, scope, cannotAsk: blockedReason, query: usageQuery } = usage
  const exportUsageAction = useExportAction('usage.export', () => t('export.saved'), t('export.failed'))
  const items = (['series', 'requests'] as const).map((content) =>
    formats.map((format): MenuItem => {
      const isMissing = content === 'requests' && !hasRequests(scope)
      return {
        label: t(`export.${format}`, { what: t(`export.${content}`) }),
        disabled: isMissing,
        hint: isMissing ? t('export.noRequests') : undefined,
        onSelect: () => {
          const onlyErrors = content === 'requests' ? usageQuery.onlyErrors : undefined
          exportUsageAction.mutate({ filter, what: content, step, format, onlyErrors })
        },
      }
    }),
  )
  return (
    <Menu
      align="end"
      trigger={
        <Button icon={Download} busy={exportUsageAction.isPending} disabled={blockedReason !== undefined}>
          {t('export.button')}
        </Button>
      }
      items={[...(items[0] ?? []), 'separator', ...(items[1] ?? [])]}
    />
  )
}

export function RefreshButton() {
  const { t } = useTranslation('usage')
  const queries = useQueryClient()
  const fetchingCount = useIsFetching({ predicate: ({ queryKey }) => String(queryKey[0]).startsWith('usage.') })
  return (
    <IconButton
      icon={RefreshCw}
      label={t('refresh')}
      busy={fetchingCount > 0}
      onClick={() => invalidateDomains(queries, ['usage'])}
    />
  )
}

/** Button that shows the usage counted on this computer instead of the console's. */
export const createMachineAction = (usage: Usage, label: string): Action => ({
  label,
  icon: Monitor,
  onClick: () => usage.change(toScope('machine', undefined)),
})

export function UsageMenu() {
  const { t } = useTranslation(['sources', 'alerts', 'budgets', 'relay'])
  return (
    <MenuButton
      label={t('sources:more')}
      items={[
        { label: t('alerts:title'), icon: Bell, to: alertsPath },
        { label: t('budgets:title'), icon: Wallet, to: budgetsPath },
        { label: t('sources:title'), icon: Database, to: sourcesPath },
        { label: t('relay:title'), icon: Waypoints, to: relayPath },
      ]}
    />
  )
}
