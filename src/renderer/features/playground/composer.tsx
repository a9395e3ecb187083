import clsx from 'clsx'
import { ArrowUp, BookText, Paperclip, Square } from 'lucide-react'
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Kbd } from '../../ui/kbd'
import { AttachmentList } from './attachment-list'
import styles from './composer.module.css'
import { changeDraft, draftKey, useDraft } from './drafts'
import { isSendable } from './parameters'
import { PromptPicker } from './prompt-picker'
import { useAttaching } from './use-attaching'
import type { Chat } from './use-chat'
import { useChatView } from './view-store'

interface ComposerProps {
  readonly conversationId: string | undefined
  readonly chat: Chat
  /** Up in an empty field. */
  readonly onEditLast: () => void
}

/** The field has the focus when a conversation opens, and again once a message is no longer edited. */
function useFocus(field: RefObject<HTMLTextAreaElement | null>): void {
  const editing = useChatView((view) => view.editing)
  useEffect(() => {
    if (editing === undefined) field.current?.focus({ preventScroll: true })
  }, [editing, field])
}

/** Escape stops the answer that comes, wherever the focus is on the page; not while something is open over it. */
function useEscape(isActive: boolean, stop: () => void): void {
  const latest = useRef(stop)
  latest.current = stop
  useEffect(() => {
    if (!isActive) return
    const press = (event: globalThis.KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented) return
      if (!document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]'))
        latest.current()
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [isActive])
}

interface Hint {
  readonly keys: readonly string[]
  readonly words: string
}

function Hints({ isComing, canEdit }: { readonly isComing: boolean; readonly canEdit: boolean }) {
  const { t } = useTranslation('playground')
  const line = { keys: ['Shift', 'Enter'], words: t('composer.hintLine') }
  const editLast = { keys: ['↑'], words: t('composer.hintEdit') }
  const hints: readonly Hint[] = isComing
    ? [{ keys: ['Esc'], words: t('composer.hintStop') }]
    : [{ keys: ['Enter'], words: t('composer.hint') }, canEdit ? editLast : line]
  return (
    <p className={styles.hints}>
      {hints.map(({ keys, words }) => (
        <span key={words}>
          <Kbd keys={keys} /> {words}
        </span>
      ))}
    </p>
  )
}

function useFiles(take: (files: readonly File[]) => Promise<void>) {
  const [isOver, setOver] = useState(false)
  const hasFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')
  return {
    isOver,
    onPaste: (event: ClipboardEvent): void => {
      const files = [...event.clipboardData.files]
      if (files.length === 0) return
      event.preventDefault()
      void take(files)
    },
    onDragOver: (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent): void => {
      setOver(false)
      if (!hasFiles(event)) return
      event.preventDefault()
      void take([...event.dataTransfer.files])
    },
  }
}

function Attach({ onFiles }: { readonly onFiles: (files: readonly File[]) => void }) {
  const { t } = useTranslation('playground')
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={t('composer.attach')}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          target.value = ''
        }}
      />
      <IconButton icon={Paperclip} label={t('composer.attach')} onClick={() => input.current?.click()} />
    </>
  )
}

/** Why nothing can be sent, in words; nothing when it can. */
function useObstacle({ setup }: Chat): string | undefined {
  const { t } = useTranslation('playground')
  if (!setup.target) return t('composer.chooseModel')
  return isSendable(setup.parameters) ? undefined : t('composer.fixParameters')
}

/** Where the next message is written. What is typed survives anything. */
export function Composer({ conversationId, chat, onEditLast }: ComposerProps) {
  const { t } = useTranslation('playground')
  const key = draftKey(conversationId)
  const draft = useDraft(key)
  const field = useRef<HTMLTextAreaElement>(null)
  const [isPicking, setPicking] = useState(false)
  const { take, remove, reading } = useAttaching(key, draft.attachments.length)
  const { isOver, ...files } = useFiles(take)
  const obstacle = useObstacle(chat)
  const isComing = chat.activeRun !== undefined
  const isEmpty = draft.text.trim() === '' && draft.attachments.length === 0
  const canSend = !isEmpty && !isComing && !chat.isBusy && obstacle === undefined && reading === undefined
  const toldObstacle = isEmpty ? undefined : obstacle
  const note = reading === undefined ? toldObstacle : t('composer.attaching', { name: reading })
  useFocus(field)
  useEscape(isComing, chat.stop)
  const write = (text: string): void => changeDraft(key, ({ attachments }) => ({ text, attachments }))
  const press = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault()
      if (canSend) chat.send(draft)
    } else if (event.key === 'ArrowUp' && draft.text === '' && chat.branch.length > 0) {
      event.preventDefault()
      onEditLast()
    }
  }
  const modelCode = chat.setup.target?.modelCode
  return (
    <div className={styles.foot}>
      <div className={clsx(styles.box, isOver && styles.over)} role="presentation" {...files}>
        {draft.attachments.length > 0 ? <AttachmentList ids={draft.attachments} onRemove={remove} /> : null}
        <textarea
          ref={field}
          className={styles.field}
          rows={1}
          aria-label={t('composer.label')}
          placeholder={modelCode ? t('composer.placeholder', { model: modelCode }) : t('composer.placeholderNone')}
          value={draft.text}
          onChange={(event) => write(event.target.value)}
          onKeyDown={press}
        />
        <div className={styles.bar}>
          <Attach onFiles={(chosen) => void take(chosen)} />
          <IconButton icon={BookText} label={t('composer.prompts')} onClick={() => setPicking(true)} />
          <p className={styles.note} role="status">
            {note}
          </p>
          {note === undefined ? (
            <Hints isComing={isComing} canEdit={draft.text === '' && chat.branch.length > 0} />
          ) : null}
          {isComing ? (
            <Button icon={Square} onClick={chat.stop}>
              {t('composer.stop')}
            </Button>
          ) : (
            <Button
              variant="primary"
              icon={ArrowUp}
              busy={chat.isBusy}
              disabled={!canSend && !chat.isBusy}
              onClick={() => chat.send(draft)}
            >
              {t('composer.send')}
            </Button>
          )}
        </div>
        {isOver ? <p className={styles.drop}>{t('composer.drop')}</p> : null}
      </div>
      {isPicking ? (
        <PromptPicker
          onClose={() => setPicking(false)}
          onPick={({ text, system, target, parameters }) => {
            write(draft.text === '' ? text : `${draft.text}\n${text}`)
            if (conversationId !== undefined) return
            const answering = target ?? chat.setup.target
            chat.changeSetup({ system, parameters, ...(answering && { target: answering }) })
          }}
        />
      ) : null}
    </div>
  )
}
