import type { BranchStep, PlaygroundMessage } from '@shared/contract'
import { Copy, Pencil } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { RowButton } from '../../ui/row-button'
import { AttachmentList } from './attachment-list'
import { BranchSwitcher } from './branch-switcher'
import { EditMessage } from './edit-message'
import styles from './log.module.css'
import type { LogActions } from './use-log-actions'
import { useChatView } from './view-store'

interface UserMessageProps {
  readonly message: PlaygroundMessage
  readonly step: BranchStep
  readonly actions: LogActions
}

/** What a person asked, with what was attached; edited in place, which begins a branch. */
export function UserMessage({ message, step, actions }: UserMessageProps) {
  const { t } = useTranslation('playground')
  const isEdited = useChatView(({ editing }) => editing === message.id)
  if (isEdited) {
    return (
      <EditMessage
        message={message}
        onCancel={() => actions.beginEdit(undefined)}
        onSend={(text) => actions.edit(message.id, { text, attachments: message.attachments })}
      />
    )
  }
  return (
    <article className={styles.user} aria-label={t('chat.you')}>
      <div className={styles.bubble}>
        {message.attachments.length > 0 ? <AttachmentList ids={message.attachments} /> : null}
        {message.text === '' ? null : <p className={styles.userText}>{message.text}</p>}
      </div>
      <div className={styles.userTools}>
        <BranchSwitcher step={step} onChoose={actions.choose} />
        <span className={styles.quiet}>
          <RowButton icon={Pencil} label={t('chat.edit')} tabIndex={0} onPress={() => actions.beginEdit(message.id)} />
          <RowButton icon={Copy} label={t('chat.copy')} tabIndex={0} onPress={() => actions.copy(message.text)} />
        </span>
      </div>
    </article>
  )
}
