import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../ui/icon-button'
import { useRefreshQuota } from './use-quota'

/** Asks every console at once for what is left. */
export function RefreshQuotaButton() {
  const { t } = useTranslation('quota')
  const refreshing = useRefreshQuota()
  return (
    <IconButton
      icon={RefreshCw}
      label={t('refresh')}
      busy={refreshing.isPending}
      onClick={() => refreshing.mutate({})}
    />
  )
}
