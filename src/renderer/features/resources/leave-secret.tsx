import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../ui/dialog'

/** Asks before a secret that is told once is left behind. */
export function LeaveSecret({ onStay, onLeave }: { readonly onStay: () => void; readonly onLeave: () => void }) {
  const { t } = useTranslation('resources')
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open) onStay()
      }}
      title={t('secret.leaveTitle')}
      description={t('secret.leaveText')}
      confirmLabel={t('secret.leave')}
      danger
      onConfirm={onLeave}
    />
  )
}
