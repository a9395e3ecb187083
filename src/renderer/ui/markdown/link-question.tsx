import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { useAction } from '../../ipc'
import { Button } from '../button'
import { Dialog } from '../dialog'
import { toast } from '../toast'
import { AskToOpen } from './link'
import styles from './markdown.module.css'

/** Shows the whole address, the computer it goes to first, before anything is opened. */
function Question({ address, onDone }: { readonly address: URL; readonly onDone: () => void }) {
  const { t } = useTranslation('markdown')
  const opening = useAction('app.openLink', {
    onSuccess: onDone,
    onError: () => void toast(t('notOpened'), { tone: 'danger' }),
  })
  const isMail = address.protocol === 'mailto:'
  return (
    <Dialog
      open
      size="sm"
      title={isMail ? t('writeMail') : t('openLink')}
      description={isMail ? t('mailFromModel') : t('linkFromModel', { host: address.host })}
      onOpenChange={onDone}
      footer={
        <>
          <Button onClick={onDone}>{t('cancel', { ns: 'common' })}</Button>
          <Button variant="primary" busy={opening.isPending} onClick={() => opening.mutate({ url: address.href })}>
            {isMail ? t('write') : t('open')}
          </Button>
        </>
      }
    >
      <div className={styles.address}>
        <span dir="ltr">{address.href}</span>
        <CopyText text={address.href} label={t('copyAddress')} />
      </div>
    </Dialog>
  )
}

/** Holds the question of the links inside; they may come and go while it stands. */
export function LinkQuestion({ children }: { readonly children: ReactNode }) {
  const [address, setAddress] = useState<URL>()
  return (
    <AskToOpen value={setAddress}>
      {children}
      {address ? <Question address={address} onDone={() => setAddress(undefined)} /> : null}
    </AskToOpen>
  )
}
