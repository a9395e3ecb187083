import type { SubscriptionKeyView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import type { KeyAddress } from './key-address'
import { NameDialog } from './name-dialog'

/** Renames a key. */
export function RenameKeyDialog({
  address,
  keys,
  onClose,
}: {
  readonly address: KeyAddress
  /** All keys of the plan, the one to be renamed among them. */
  readonly keys: readonly SubscriptionKeyView[]
  readonly onClose: () => void
}) {
  const { t } = useTranslation('keys')
  const renaming = useAction('account.renameKey', { invalidates: ['account', 'plans'] })
  const first = keys.find(({ keyId }) => keyId === address.keyId)?.name ?? ''
  return (
    <NameDialog
      title={t('renaming.title', { name: first })}
      first={first}
      taken={keys.flatMap(({ keyId, name }) => (keyId === address.keyId ? [] : [name]))}
      confirm={t('renaming.confirm')}
      busy={renaming.isPending}
      failure={renaming.error?.failure}
      onName={(name) => renaming.mutate({ ...address, name }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
