import type { ConnectionView, PendingKeyView } from '@shared/contract'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import { entriesOf, fieldOf, inputOf } from './entries'
import { PasteSecret } from './paste-secret'
import { secretKind } from './secret-state'
import { forgetTests } from './tests'

interface SecretDialogProps {
  readonly connection: ConnectionView
  readonly onClose: () => void
}

/** Stores a new secret or token for a connection; all else of it stays. */
export function SecretDialog({ connection, onClose }: SecretDialogProps) {
  const { t } = useTranslation(['connections', 'common'])
  const [pending, setPending] = useState<PendingKeyView>()
  const { id, name } = connection
  const kind = secretKind(connection) ?? 'client-credentials'
  const isToken = kind === 'pasted'
  const saving = useAction('connections.save', {
    invalidates: ['connections'],
    onSuccess: () => {
      forgetTests(id)
      void toast(t(isToken ? 'secret.storedToken' : 'secret.stored', { name }))
      onClose()
    },
    onError: ({ failure }) => {
      if (fieldOf(failure.field) === 'secret') setPending(undefined)
    },
  })
  const store = (): void => saving.mutate(inputOf({ ...entriesOf(connection), pending }, id))
  const failure = saving.error?.failure
  const isOfSecret = fieldOf(failure?.field) === 'secret'
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t(isToken ? 'secret.dialogToken' : 'secret.dialogSecret', { name })}
      description={t('secret.dialogText')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button variant="primary" busy={saving.isPending} disabled={!pending} onClick={store}>
            {t('secret.store')}
          </Button>
        </>
      }
    >
      <PasteSecret
        kind={kind}
        pending={pending}
        failure={isOfSecret ? failure : undefined}
        onTaken={setPending}
        autoFocus
      />
      {failure && !isOfSecret ? <ExplainedFailure failure={failure} context={{ plan: name }} /> : null}
    </Dialog>
  )
}
