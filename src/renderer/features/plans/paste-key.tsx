import type { PendingKeyView } from '@shared/contract'
import { ClipboardPaste, KeyRound, ShieldCheck } from 'lucide-react'
import { type ClipboardEvent, type KeyboardEvent, useId } from 'react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Kbd } from '../../ui/kbd'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './paste-key.module.css'

interface PasteKeyProps {
  readonly pending: PendingKeyView | undefined
  readonly onTaken: (pending: PendingKeyView) => void
  /** So that a remedy can lead here. */
  readonly buttonId?: string
  /** Where taking a key is the one thing to do. */
  readonly autoFocus?: boolean
}

/** Takes a key from the clipboard through main: by the button, or by the paste keys while it has the focus. The window sees the masked form only. */
export function PasteKey({ pending, onTaken, buttonId, autoFocus = false }: PasteKeyProps) {
  const { t } = useTranslation('plans')
  const id = useId()
  const taking = useAction('plans.takeKeyFromClipboard', { onSuccess: onTaken })
  const take = (): void => {
    if (!taking.isPending) taking.mutate({})
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 'v' || !(event.ctrlKey || event.metaKey) || event.altKey) return
    event.preventDefault()
    take()
  }
  // A menu's "Paste" arrives as an event that holds the text: it is dropped unread.
  const paste = (event: ClipboardEvent): void => {
    event.preventDefault()
    take()
  }
  return (
    <div className={styles.group}>
      <p id={`${id}-label`} className={styles.label}>
        {t('paste.label')}
      </p>
      <div className={pending ? styles.held : styles.box}>
        <KeyRound size={16} strokeWidth={1.8} className={styles.icon} aria-hidden="true" />
        <div className={styles.words}>
          {pending ? <code className={styles.masked}>{pending.masked}</code> : null}
          <p id={`${id}-how`} className={styles.how}>
            {pending ? <ShieldCheck size={13} aria-hidden="true" /> : null}
            {t(pending ? 'paste.held' : 'paste.how')}
          </p>
        </div>
        <div className={styles.act}>
          {pending ? null : (
            <span className={styles.keys}>
              {t('paste.keys')} <Kbd keys={['Mod', 'V']} />
            </span>
          )}
          <Button
            id={buttonId}
            autoFocus={autoFocus}
            size={pending ? 'sm' : 'md'}
            icon={ClipboardPaste}
            busy={taking.isPending}
            onClick={take}
            onKeyDown={press}
            onPaste={paste}
            aria-describedby={`${id}-how`}
          >
            {t(pending ? 'paste.replace' : 'paste.button')}
          </Button>
        </div>
      </div>
      <span className="sr-only" role="status">
        {pending ? t('paste.taken', { masked: pending.masked }) : ''}
      </span>
      {taking.error ? (
        <ExplainedFailure failure={taking.error.failure} tone="warning" handlers={{ pasteKey: take }} />
      ) : null}
    </div>
  )
}
