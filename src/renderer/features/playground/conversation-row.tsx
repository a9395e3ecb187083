import type { ConversationSummary } from '@shared/contract'
import clsx from 'clsx'
import { Ellipsis, Pin } from 'lucide-react'
import { type KeyboardEvent, memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useAction } from '../../ipc'
import { RelativeTime } from '../../relative-time'
import { RowButton } from '../../ui/row-button'
import styles from './conversations.module.css'
import { chatPath, messagePath } from './paths'
import { useToldFailure } from './use-conversation-menu'

function Snippet({ found }: { readonly found: NonNullable<ConversationSummary['found']> }) {
  const { snippet, matchStart, matchEnd } = found
  return (
    <span className={styles.snippet}>
      {snippet.slice(0, matchStart)}
      <mark className={styles.match}>{snippet.slice(matchStart, matchEnd)}</mark>
      {snippet.slice(matchEnd)}
    </span>
  )
}

function Rename({ of, onDone }: { readonly of: ConversationSummary; readonly onDone: () => void }) {
  const { t } = useTranslation('playground')
  const [title, setTitle] = useState(of.title)
  const renaming = useAction('playground.rename', { invalidates: ['playground'], onError: useToldFailure() })
  const keep = (): void => {
    const next = title.trim()
    if (next !== '' && next !== of.title) renaming.mutate({ id: of.id, title: next })
    onDone()
  }
  const press = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') keep()
    else if (event.key === 'Escape') onDone()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <input
      className={styles.rename}
      aria-label={t('list.name')}
      maxLength={200}
      value={title}
      ref={(element) => {
        if (element && document.activeElement !== element) element.select()
      }}
      onChange={(event) => setTitle(event.target.value)}
      onKeyDown={press}
      onBlur={keep}
    />
  )
}

interface ConversationRowProps {
  readonly of: ConversationSummary
  readonly isOpen: boolean
  readonly isRenamed: boolean
  readonly onRenamed: () => void
  readonly onRename: (id: string) => void
  readonly onMenu: (anchor: HTMLElement, of: ConversationSummary) => void
}

/** One conversation: its name, when and by which model it was answered last, and what a search found in it. */
export const ConversationRow = memo((props: ConversationRowProps) => {
  const { t } = useTranslation('playground')
  const { of, isOpen, isRenamed, onRenamed, onRename, onMenu } = props
  if (isRenamed) return <Rename of={of} onDone={onRenamed} />
  return (
    <div className={clsx(styles.row, isOpen && styles.open)}>
      <Link
        to={of.found?.messageId === undefined ? chatPath(of.id) : messagePath(of.id, of.found.messageId)}
        className={styles.link}
        aria-current={isOpen ? 'page' : undefined}
        onDoubleClick={() => onRename(of.id)}
        onKeyDown={(event) => {
          if (event.key === 'F2') onRename(of.id)
        }}
      >
        <span className={styles.title} title={of.title}>
          {of.isPinned ? <Pin size={12} strokeWidth={2} aria-label={t('list.pinned')} /> : null}
          <span>{of.title}</span>
        </span>
        {of.found ? (
          <Snippet found={of.found} />
        ) : (
          <span className={styles.meta}>
            <RelativeTime at={of.updatedAt} />
            {of.modelCode === undefined ? null : <span> · {of.modelCode}</span>}
          </span>
        )}
      </Link>
      <span className={styles.menu}>
        <RowButton
          icon={Ellipsis}
          label={t('list.more', { title: of.title })}
          tabIndex={0}
          hasMenu
          onPress={(anchor) => onMenu(anchor, of)}
        />
      </span>
    </div>
  )
})
