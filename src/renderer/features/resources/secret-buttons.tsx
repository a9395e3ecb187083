import type { HeldSecret, KeptSecret } from '@shared/contract'
import { Copy, KeyRound } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { useFailureWords } from '../../i18n/failures'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { toast } from '../../ui/toast'
import { KeepDialog } from './keep-dialog'
import styles from './resources.module.css'
import { useSavedSecrets } from './saved-secrets'

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
