import type { AccountPlanView, SubscriptionKeyView } from '@shared/contract'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { toast } from '../../ui/toast'
import styles from './keys.module.css'
import { NameDialog } from './name-dialog'

/** Adds a key: which one of how many it will be, where it will be kept, and its name. However often it is pressed, it is added once. */
export function AddKeyDialog({
  connectionId,
  plan,
  keys,
  onClose,
}: {
  readonly connectionId: string
  readonly plan: AccountPlanView
  readonly keys: readonly SubscriptionKeyView[]
  readonly onClose: () => void
}) {
  const { t } = useTranslation('keys')
  const isLocked = useRef(false)
  const adding = useAction('account.addKey', { invalidates: ['account', 'plans'] })
  const add = (name: string): void => {
    if (isLocked.current) return
    isLocked.current = true
    adding.mutate(
      { connectionId, planId: plan.planId, name },
      {
        onSuccess: () => {
          onClose()
          void toast(t('adding.added', { name }), { description: t('adding.addedHint') })
        },
        onError: () => {
          isLocked.current = false
        },
      },
    )
  }
  return (
    <NameDialog
      title={t('adding.title', { plan: plan.name })}
      first=""
      taken={keys.map(({ name }) => name)}
      confirm={t('adding.confirm')}
      busy={adding.isPending}
      failure={adding.error?.failure}
      onName={add}
      onClose={onClose}
    >
      <p className={styles.quiet}>
        {t('adding.cap', { next: keys.length + 1, max: plan.maxKeys })} {t('adding.where')}
      </p>
    </NameDialog>
  )
}
