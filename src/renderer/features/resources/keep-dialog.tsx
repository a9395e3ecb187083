import type { KeptSecret } from '@shared/contract'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { ExplainedFailure } from '../failures/explained-failure'
import type { SecretButtonsProps } from './secret-buttons'
import { useRefreshKept } from './use-refresh-kept'

const longestName = 200

interface KeepDialogProps extends Omit<SecretButtonsProps, 'onKept'> {
  readonly onClose: () => void
  readonly onKept: (kept: KeptSecret) => void
}

function useKeeping({ secret, connectionId, keepAs, onKept }: KeepDialogProps) {
  const refreshKept = useRefreshKept()
  const [name, setName] = useState(keepAs.name)
  const { data: kept = [] } = useCall('resources.keptSecrets', { connectionId })
  const keeping = useAction('resources.keepSecret', {
    onSuccess: (one) => {
      refreshKept()
      onKept(one)
    },
  })
  const wanted = name.trim()
  const isTaken = kept.some((one) => one.name === wanted && one.kind === keepAs.kind)
  const keep = (): void => {
    if (wanted !== '' && !keeping.isPending) {
      keeping.mutate({ handle: secret.handle, connectionId, kind: keepAs.kind, name: wanted })
    }
  }
  return { name, setName, keep, keeping, isTaken, isFit: wanted !== '' }
}

/** Asks under which name a secret is kept in the keychain, and keeps it. */
export function KeepDialog(props: KeepDialogProps) {
  const { t } = useTranslation(['resources', 'common'])
  const formId = useId()
  const { name, setName, keep, keeping, isTaken, isFit } = useKeeping(props)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    event.stopPropagation()
    keep()
  }
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={(open) => {
        if (!open) props.onClose()
      }}
      title={t('resources:secret.keepTitle')}
      description={t('resources:secret.keepText')}
      footer={
        <>
          <Button onClick={props.onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={keeping.isPending} disabled={!isFit}>
            {t('resources:secret.keep')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} noValidate>
        <FieldGroup>
          <Field
            label={t('resources:secret.name')}
            required
            hint={isTaken ? t('resources:secret.taken') : t('resources:secret.nameHint')}
          >
            <TextInput
              mono
              autoFocus
              maxLength={longestName}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          </Field>
          {keeping.error ? <ExplainedFailure failure={keeping.error.failure} /> : null}
        </FieldGroup>
      </form>
    </Dialog>
  )
}
