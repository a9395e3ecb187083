import type { SubscriptionKeyView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { ConfirmDialog } from '../../ui/dialog'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import { useToolNames } from '../plans/use-tool-names'
import type { KeyAddress } from './key-address'
import styles from './keys.module.css'

interface QuestionProps {
  readonly address: KeyAddress
  readonly of: SubscriptionKeyView
  readonly onClose: () => void
}

/** What stops on this computer when a key stops, by name; and what cannot be seen from here. */
function Breaks({ of, text }: { readonly of: SubscriptionKeyView; readonly text: string }) {
  const { t } = useTranslation('keys')
  const names = useToolNames(of.usedBy)
  return (
    <div className={styles.question}>
      <p>{text}</p>
      {names.length === 0 ? (
        <p>{t('breaksUnknown')}</p>
      ) : (
        <>
          <p>{t('breaks')}</p>
          <ul className={styles.breaks}>
            {names.map((name) => (
              <li key={name}>{name}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}

/** Asks before a key is disabled; that can be undone. */
export function DisableKeyQuestion({ address, of, onClose }: QuestionProps) {
  const { t } = useTranslation('keys')
  const { name } = of
  const setting = useAction('account.setKeyStatus', { invalidates: ['account'] })
  const enable = (): void => setting.mutate({ ...address, status: 'ACTIVE' })
  const disable = (): void =>
    setting.mutate(
      { ...address, status: 'DISABLED' },
      {
        onSuccess: () => {
          onClose()
          void toast(t('disabling.done', { name }), { action: { label: t('disabling.undo'), onClick: enable } })
        },
      },
    )
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('disabling.title', { name })}
      description={<Breaks of={of} text={t('disabling.text')} />}
      confirmLabel={t('disabling.confirm')}
      busy={setting.isPending}
      onConfirm={disable}
    >
      {setting.error ? <ExplainedFailure failure={setting.error.failure} /> : null}
    </ConfirmDialog>
  )
}

/** Asks before a key is deleted for good: what stops, and the key's name typed. */
export function DeleteKeyQuestion({ address, of, onClose }: QuestionProps) {
  const { t } = useTranslation('keys')
  const { name } = of
  const deleting = useAction('account.deleteKey', { invalidates: ['account', 'plans', 'tools'] })
  const done = (): void => {
    onClose()
    void toast(t('deleting.done', { name }))
  }
  return (
    <ConfirmDialog
      open
      danger
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={t('deleting.title', { name })}
      description={<Breaks of={of} text={t('deleting.text')} />}
      confirmLabel={t('deleting.confirm')}
      typeToConfirm={name}
      busy={deleting.isPending}
      onConfirm={() => deleting.mutate({ ...address }, { onSuccess: done })}
    >
      {deleting.error ? <ExplainedFailure failure={deleting.error.failure} /> : null}
    </ConfirmDialog>
  )
}
