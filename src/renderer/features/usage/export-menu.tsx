import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { Bell, Database, Download, Ellipsis, Monitor, RefreshCw, Wallet, Waypoints } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureToast } from '../../i18n/failures'
import { invalidateDomains, useAction } from '../../ipc'
import { alertsPath, budgetsPath, relayPath, sourcesPath } from '../../paths'
import { type Action, Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Menu, type MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import { hasRequests, toScope } from './usage-query'
import type { Usage } from './use-usage'

const formats = ['csv', 'json'] as const

export function ExportMenu({ usage }: { readonly usage: Usage }) {
  const { t } = useTranslation('usage')
  const showFailureToast = useFailureToast()
  const { filter, step, scope, cannotAsk: blockedReason, query: usageQuery } = usage
  const exportUsageAction = useAction('usage.export', {
    onSuccess: ({ path }) => {
      if (path !== undefined) void toast(t('export.saved'), { description: path })
    },
    onError: showFailureToast({ title: t('export.failed') }),
  })
  const items = (['series', 'requests'] as const).map((content) =>
    formats.map((format): MenuItem => {
      const isMissing = content === 'requests' && !hasRequests(scope)
      return {
        label: t(`export.${format}`, { what: t(`export.${content}`) }),
        disabled: isMissing,
        hint: isMissing ? t('export.noRequests') : undefined,
        onSelect: () =>
          exportUsageAction.mutate({
            filter,
            what: content,
            step,
            format,
            ...(content === 'requests' && { onlyErrors: usageQuery.onlyErrors }),
          }),
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
  const navigate = useNavigate()
  const createNavigator = (path: string) => (): void => void navigate(path)
  return (
    <Menu
      align="end"
      trigger={<IconButton icon={Ellipsis} label={t('sources:more')} />}
      items={[
        { label: t('alerts:title'), icon: Bell, onSelect: createNavigator(alertsPath) },
        { label: t('budgets:title'), icon: Wallet, onSelect: createNavigator(budgetsPath) },
        { label: t('sources:title'), icon: Database, onSelect: createNavigator(sourcesPath) },
        { label: t('relay:title'), icon: Waypoints, onSelect: createNavigator(relayPath) },
      ]}
    />
  )
}
