import { minuteMs } from '@shared/durations'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Callout } from '../../ui/callout'

export function ReplacedNotice() {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  return (
    <Callout tone="info" title={t('replaced')}>
      {t('replacedText')}
    </Callout>
  )
}

/** Notice on Home about a new version, or about one that was installed while the app runs. */
export function UpdateNotice() {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  const { data: view } = useCall('updates.get', {}, { refetchInterval: minuteMs })
  if (view?.isReplaced) return <ReplacedNotice />
  if (view?.state.kind !== 'available' && view?.state.kind !== 'ready') return null
  const { kind, release } = view.state
  return (
    <Callout
      tone="info"
      title={t(kind, { version: release.version })}
      actions={[{ label: t('show'), to: '/settings' }]}
    />
  )
}
