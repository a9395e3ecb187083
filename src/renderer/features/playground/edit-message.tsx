import type { PlaygroundMessage } from '@shared/contract'
import { type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { AttachmentList } from './attachment-list'
import styles from './log.module.css'

interface EditMessageProps {
  readonly message: PlaygroundMessage
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
}

/** A message that is written anew; what was there stays as a branch of its own. */
export function EditMessage({ message, onSend, onCancel }: EditMessageProps) {
  const { t } = useTranslation(['playground', 'common'])
  const [text, setText] = useState(message.text)
  const isEmpty = text.trim() === '' && message.attachments.length === 0
  const send = (): void => {
    if (!isEmpty) onSend(text)
  }
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onCancel()
    else if (event.key === 'Enter' && !event.shiftKey) send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className={styles.edit}>
      {message.attachments.length > 0 ? <AttachmentList ids={message.attachments} /> : null}
      <textarea
        className={styles.editText}
        aria-label={t('chat.editing')}
        value={text}
        // The person pressed "edit": writing is what comes next.
        ref={(element) => {
          if (element && document.activeElement !== element) element.focus({ preventScroll: true })
        }}
        onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={press}
      />
      <div className={styles.editFoot}>
        <p>{t('chat.editHint')}</p>
        <Button size="sm" variant="ghost" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        <Button size="sm" variant="primary" disabled={isEmpty} onClick={send}>
          {t('chat.sendEdited')}
        </Button>
      </div>
    </div>
  )
}
