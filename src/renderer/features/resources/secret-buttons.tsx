import type { HeldSecret, KeptSecret } from '@shared/contract'
import { Copy, KeyRound } from 'lucide-react'
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { useAction, useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './resources.module.css'
import { useSavedSecrets } from './saved-secrets'
import { useRefreshKept } from './use-refresh-kept'

/** Says how long a secret that was copied stays on the clipboard, or why it was not copied. */
export function useSayCopied() {
  const { t } = useTranslation('resources')
  const { duration } = useFormats()
  const words = useFailureWords()
  return {
    onSuccess: ({ clearsAfterMs }: { readonly clearsAfterMs: number }) =>
      void toast(t('secret.copied'), { description: t('secret.copiedHint', { time: duration(clearsAfterMs) }) }),
    onError: ({ failure }: { readonly failure: Parameters<typeof words>[0] }) =>
      void toast(words(failure).title, { tone: 'danger', description: words(failure).remedy }),
  }
}

export interface SecretButtonsProps {
  readonly secret: HeldSecret
  readonly connectionId: string
  /** What it is kept as, unless another name is typed. */
  readonly keepAs: Pick<KeptSecret, 'kind' | 'name'>
  /** More that can be done with it. */
  readonly children?: ReactNode
  /** Takes the place of the toast. */
  readonly onKept?: (kept: KeptSecret) => void
}

/** What can be done with a secret that main holds: copy it for a moment, or keep it in the keychain. It is never shown. */
export function SecretButtons({ secret, connectionId, keepAs, children, onKept }: SecretButtonsProps) {
  const { t } = useTranslation('resources')
  const [isKeeping, setIsKeeping] = useState(false)
  const mark = useSavedSecrets((store) => store.mark)
  const said = useSayCopied()
  const copying = useAction('resources.copySecret', {
    ...said,
    onSuccess: (copied) => {
      mark(secret.handle)
      said.onSuccess(copied)
    },
  })
  return (
    <span className={styles.secretButtons}>
      <Button size="sm" icon={Copy} busy={copying.isPending} onClick={() => copying.mutate({ handle: secret.handle })}>
        {t('secret.copy')}
      </Button>
      <Button size="sm" icon={KeyRound} onClick={() => setIsKeeping(true)}>
        {t('secret.keep')}
      </Button>
      {children}
      {isKeeping ? (
        <KeepDialog
          {...{ secret, connectionId, keepAs }}
          onClose={() => setIsKeeping(false)}
          onKept={(kept) => {
            setIsKeeping(false)
            mark(secret.handle)
            if (onKept) onKept(kept)
            else void toast(t('secret.kept', { name: kept.name }), { description: t('secret.keptHint') })
          }}
        />
      ) : null}
    </span>
  )
}

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
function KeepDialog(props: KeepDialogProps) {
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
