import type { ConnectionView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { ConfirmDialog } from '../../ui/dialog'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import { useOperationWords } from '../operations/use-operation-words'
import { shownAddresses } from './address-groups'
import styles from './connections.module.css'
import { useDrafts } from './drafts'
import { secretKind } from './secret-state'
import { forgetTests } from './tests'

/** What goes when a connection goes, each thing by name. */
function useLosses(connection: ConnectionView): readonly string[] {
  const { t } = useTranslation('connections')
  const words = useOperationWords()
  const { data: operations = [] } = useCall('operations.list', {})
  const { secret, tokenSource, isActive } = connection
  const count = shownAddresses.filter((key) => connection.addresses[key]).length
  const kind = secretKind(connection) === 'pasted' ? 'token' : 'secret'
  const running = operations.filter((one) => one.connectionId === connection.id && one.state === 'running')
  return [
    count === 0 ? t('remove.noAddresses') : t('remove.addresses', { count }),
    ...(tokenSource ? [t('remove.signIn')] : []),
    ...(secret === 'keychain' ? [t(`remove.${kind}`)] : secret === 'session' ? [t(`remove.${kind}Session`)] : []),
    ...(isActive ? [t('remove.active')] : []),
    ...running.map((one) => t('remove.operation', { what: words(one) })),
  ]
}

interface RemoveDialogProps {
  readonly connection: ConnectionView
  readonly onClose: () => void
  readonly onRemoved?: (() => void) | undefined
}

/** Asks before a connection is removed, and names what goes with it; wants the name typed for the one in use. */
export function RemoveDialog({ connection, onClose, onRemoved }: RemoveDialogProps) {
  const { t } = useTranslation('connections')
  const losses = useLosses(connection)
  const { id, name, isActive } = connection
  const remove = useAction('connections.remove', {
    invalidates: ['connections', 'operations'],
    onSuccess: () => {
      forgetTests(id)
      useDrafts.getState().keep(id, undefined)
      void toast(t('remove.done', { name }))
      onClose()
      onRemoved?.()
    },
  })
  return (
    <ConfirmDialog
      open
      danger
      onOpenChange={(open) => open || onClose()}
      title={t('remove.title', { name })}
      description={
        <div className={styles.question}>
          <p>{t('remove.text')}</p>
          <ul className={styles.losses}>
            {losses.map((loss) => (
              <li key={loss}>{loss}</li>
            ))}
          </ul>
          <p>{t('remove.stays')}</p>
        </div>
      }
      confirmLabel={t('remove.confirm')}
      {...(isActive ? { typeToConfirm: name } : {})}
      busy={remove.isPending}
      onConfirm={() => remove.mutate({ id })}
    >
      {remove.error ? <ExplainedFailure failure={remove.error.failure} /> : null}
    </ConfirmDialog>
  )
}
