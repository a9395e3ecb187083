import type { AlertSettings } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { callKey, useAction, useCall } from '../../ipc'
import { toast } from '../../ui/toast'

/** What is alerted, with what was just chosen shown at once; and how it is changed. */
export function useAlertSettings() {
  const { t } = useTranslation('settings')
  const queries = useQueryClient()
  const query = useCall('alerts.settings', {})
  const options = {
    onSuccess: (view: AlertSettings) => void queries.setQueryData(callKey('alerts.settings', {}), view),
    onError: () => void toast(t('notSaved'), { tone: 'danger' }),
  }
  const saving = useAction('alerts.setSettings', options)
  const { mutate: snooze } = useAction('alerts.snooze', options)
  const { mutate: wake } = useAction('alerts.wake', options)
  const shown = (kept: AlertSettings): AlertSettings => (saving.isPending ? { ...kept, ...saving.variables } : kept)
  const change = (kept: AlertSettings, part: Partial<AlertSettings>): void => {
    const { snoozed, ...rest } = { ...kept, ...part }
    saving.mutate(rest)
  }
  return { query, shown, change, snooze, wake }
}
