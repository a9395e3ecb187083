import type { BranchStep, ConversationView, PlaygroundDraft, PlaygroundMessage } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { ArrowDown, Copy, GitBranchPlus, Pencil, Trash2 } from 'lucide-react'
import {
  type KeyboardEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { Button, RowButton } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { ConfirmDialog } from '../../ui/dialog'
import { ErrorBoundary } from '../../ui/error-boundary'
import { useSharedMenu } from '../../ui/menu'
import { Skeleton } from '../../ui/skeleton'
import { Hint } from '../../ui/text'
import { AnswerMessage, ToolResults } from './answer-message'
import { RunInspector } from './inspector'
import { AttachmentList, MessageTools } from './message-parts'
import { isRunActive, useRunHead, useRunsStore } from './runs-store'
import {
  type Chat,
  type LogActions,
  type OpenedInspector,
  useChatView,
  useLogActions,
  useMessageBody,
} from './use-chat'

/** Estimated heights in px of messages that were never rendered. */
const defaultRowHeights = { user: 76, assistant: 300 } as const
/** Maximum distance in px from the end at which the list still scrolls with new text. */
const endDistancePx = 48

type Log = Virtualizer<HTMLDivElement, HTMLDivElement>

function useMessageLog(conversation: ConversationView, scroller: RefObject<HTMLDivElement | null>): Log {
  const { branch } = conversation
  return useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: branch.length,
    getScrollElement: () => scroller.current,
    // Memoize this function, because a new one would reset all measured heights.
    getItemKey: useCallback((index: number) => branch[index]?.id ?? index, [branch]),
    estimateSize: (index) => defaultRowHeights[branch[index]?.role ?? 'user'],
    initialOffset: Number.MAX_SAFE_INTEGER,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: endDistancePx,
    paddingStart: 20,
    paddingEnd: 24,
    overscan: 3,
    useFlushSync: false,
  })
}

/**
 * Scrolls initially to the requested message, or to the end if its index is negative. Returns whether the end of the
 * list is visible.
 */
function useScrollEnd(log: Log, requestedIndex: number, scroller: RefObject<HTMLDivElement | null>): boolean {
  const [isAtEnd, setAtEnd] = useState(true)
  useLayoutEffect(() => {
    if (requestedIndex < 0) log.scrollToEnd()
    else log.scrollToIndex(requestedIndex, { align: 'center' })
  }, [log, requestedIndex])
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let wasAtEnd = true
    const updateIsAtEnd = (): void => {
      wasAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= endDistancePx
      setAtEnd(wasAtEnd)
    }
    // Keeps the list scrolled to the end when the message field or the window changes its size.
    const resizeObserver = new ResizeObserver(() => {
      if (wasAtEnd) log.scrollToEnd()
    })
    resizeObserver.observe(element)
    element.addEventListener('scroll', updateIsAtEnd, { passive: true })
    return () => {
      resizeObserver.disconnect()
      element.removeEventListener('scroll', updateIsAtEnd)
    }
  }, [log, scroller])
  return isAtEnd
}

/** Virtualized list of the visible branch. Stays scrolled to the end while an answer streams. */
export function MessageLog(props: {
  readonly conversation: ConversationView
  readonly chat: Chat
  /** Id of a message to scroll to initially, instead of the end. */
  readonly targetMessageId: string | undefined
  readonly onChooseModel: () => void
}) {
  const { conversation, chat, targetMessageId, onChooseModel } = props
  const { t } = useTranslation('playground')
  const scroller = useRef<HTMLDivElement>(null)
  const log = useMessageLog(conversation, scroller)
  const { branch } = conversation
  const requestedIndex = branch.findIndex(({ id }) => id === targetMessageId)
  const isAtEnd = useScrollEnd(log, requestedIndex, scroller)
  const { open, menu } = useSharedMenu()
  const [inspected, setInspected] = useState<OpenedInspector>()
  const [removed, setRemoved] = useState<string>()
  const actions = useLogActions({ chat, open, inspect: setInspected, onChooseModel, onRemove: setRemoved })
  useLayoutEffect(() => {
    // Scroll to the end when the user sends a message, even if they had scrolled up.
    if (chat.activeRun !== undefined) log.scrollToEnd()
  }, [log, chat.activeRun])
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={scroller}
        className={joinClassNames(
          'min-h-0 flex-1 overflow-auto outline-none',
          '[overflow-anchor:none] [scrollbar-gutter:stable_both-edges]',
        )}
        role="log"
        aria-live="off"
        aria-label={t('chat.log')}
        tabIndex={-1}
      >
        <div className="relative w-full" style={{ height: log.getTotalSize() }}>
          {log.getVirtualItems().map(({ key, index, start }) => {
            const step = branch[index]
            if (!step) return null
            return (
              <div
                key={key}
                ref={log.measureElement}
                data-index={index}
                className="absolute top-0 left-0 w-full"
                style={{ transform: `translateY(${start}px)` }}
              >
                <div
                  className={joinClassNames('mx-auto max-w-205 px-5', step.id === targetMessageId && 'bg-warning-soft')}
                >
                  <MessageRow step={step} isLast={index === branch.length - 1} actions={actions} />
                </div>
              </div>
            )
          })}
        </div>
      </div>
      {isAtEnd ? null : (
        <div className="absolute bottom-2.5 left-1/2 -translate-x-1/2 rounded-md shadow-float">
          <Button size="sm" icon={ArrowDown} onClick={() => log.scrollToEnd()}>
            {t('chat.toEnd')}
          </Button>
        </div>
      )}
      <Announcer messageId={branch.at(-1)?.id} />
      {menu}
      {removed === undefined ? null : (
        <ConfirmDialog
          title={t('chat.removeTitle')}
          description={t('chat.removeText')}
          confirmLabel={t('chat.remove')}
          danger
          onClose={() => setRemoved(undefined)}
          onConfirm={() => {
            chat.remove(removed)
            setRemoved(undefined)
          }}
        />
      )}
      {inspected ? (
        <RunInspector key={inspected.runId + inspected.face} {...inspected} onClose={() => setInspected(undefined)} />
      ) : null}
    </div>
  )
}

/** Maximum characters that a screen reader announces. */
const maxAnnouncedLength = 1500

/** Announces an answer to screen readers once it is complete, not while it streams. */
function Announcer({ messageId }: { readonly messageId: string | undefined }) {
  const { t } = useTranslation('playground')
  const storedRun = useMessageBody(messageId)?.run
  const liveRun = useRunHead(storedRun && isRunActive(storedRun) ? storedRun.id : undefined)
  const wasRunning = useRef(false)
  const [announcement, setAnnouncement] = useState('')
  useEffect(() => {
    if (!liveRun) return
    if (isRunActive(liveRun)) {
      wasRunning.current = true
      setAnnouncement('')
    } else if (wasRunning.current) {
      wasRunning.current = false
      const text = useRunsStore.getState().entries[liveRun.id]?.live?.answer.text ?? ''
      setAnnouncement(
        liveRun.state === 'failed' ? t('chat.failed') : `${t('chat.finished')} ${text.slice(0, maxAnnouncedLength)}`,
      )
    }
  }, [liveRun, t])
  return (
    <div className="sr-only" role="status">
      {announcement}
    </div>
  )
}

interface MessageRowProps {
  readonly step: BranchStep
  readonly isLast: boolean
  readonly actions: LogActions
}

function UserMessage(props: Omit<MessageRowProps, 'isLast'> & { readonly message: PlaygroundMessage }) {
  const { message, step, actions } = props
  const { t } = useTranslation('playground')
  return (
    <article className="group flex flex-row-reverse items-end gap-1.5 pt-2.5 pb-1.5" aria-label={t('chat.you')}>
      <div
        className={joinClassNames(
          'flex min-w-0 max-w-[min(86%,640px)] flex-col gap-2 rounded-xl px-3 py-2',
          'bg-[light-dark(#eef0f5,#23262e)]',
        )}
      >
        {message.attachments.length > 0 ? <AttachmentList ids={message.attachments} /> : null}
        <ToolResults message={message} />
        {message.text === '' ? null : <p className="whitespace-pre-wrap wrap-anywhere">{message.text}</p>}
      </div>
      <MessageTools step={step} onChoose={actions.choose} className="pb-1">
        <RowButton icon={Pencil} label={t('chat.edit')} onPress={() => actions.beginEdit(message.id)} />
        <RowButton icon={Copy} label={t('chat.copy')} onPress={() => actions.copy(message.text)} />
        <RowButton icon={GitBranchPlus} label={t('chat.branchOff')} onPress={() => actions.branchOff(message.id)} />
        <RowButton icon={Trash2} label={t('chat.remove')} onPress={() => actions.remove(message.id)} />
      </MessageTools>
    </article>
  )
}

/** A message of the conversation. Renders a placeholder until the message is loaded. */
const MessageRow = memo(({ step, isLast, actions }: MessageRowProps) => {
  const message = useMessageBody(step.id)
  const isEdited = useChatView(({ editing }) => editing === step.id)
  if (!message) {
    return (
      <div
        className={joinClassNames('flex flex-col gap-2.5 pt-3 pb-4', step.role === 'user' ? 'min-h-19' : 'min-h-75')}
      >
        <Skeleton width="72%" />
        {step.role === 'user' ? null : <Skeleton width="88%" />}
      </div>
    )
  }
  return (
    <ErrorBoundary
      fallback={() => <p className="whitespace-pre-wrap wrap-anywhere">{withVisibleControls(message.text)}</p>}
    >
      {isEdited ? (
        <EditMessage
          message={message}
          onCancel={() => actions.beginEdit(undefined)}
          onSend={(draft) =>
            message.role === 'user' ? actions.edit(message.id, draft) : actions.editAnswer(message.id, draft.text)
          }
        />
      ) : message.role === 'user' ? (
        <UserMessage message={message} step={step} actions={actions} />
      ) : (
        <AnswerMessage message={message} step={step} isLast={isLast} actions={actions} />
      )}
    </ErrorBoundary>
  )
})

/**
 * Form to edit a message. Sending creates a new branch, and the original message stays. Each tool result has a
 * separate field.
 */
function EditMessage(props: {
  readonly message: PlaygroundMessage
  readonly onSend: (draft: PlaygroundDraft) => void
  readonly onCancel: () => void
}) {
  const { message, onSend, onCancel } = props
  const { t } = useTranslation(['playground', 'common'])
  const { attachments, toolResults = [], role } = message
  const [texts, setTexts] = useState(toolResults.length > 0 ? toolResults.map(({ text }) => text) : [message.text])
  const isEmpty = texts.some((text) => text.trim() === '') && attachments.length === 0
  const send = (): void => {
    if (isEmpty) return
    const results = toolResults.map(({ callId }, index) => ({ callId, text: texts[index] ?? '' }))
    if (results.length > 0) onSend({ text: message.text, attachments, toolResults: results })
    else onSend({ text: texts[0] ?? '', attachments })
  }
  const handleKeyDown = (event: KeyboardEvent): void => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Escape') onCancel()
    else if (event.key === 'Enter' && !event.shiftKey && role === 'user') send()
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    <div className="flex flex-col gap-1.5 py-2.5">
      {attachments.length > 0 ? <AttachmentList ids={attachments} /> : null}
      {texts.map((text, index) => (
        <textarea
          key={toolResults[index]?.callId ?? 'text'}
          className={joinClassNames(
            'field-sizing-content block max-h-[50vh] w-full resize-none rounded-xl border border-focus',
            'bg-surface px-3 py-2 leading-5 outline-none',
          )}
          aria-label={t('chat.editing')}
          value={text}
          // Focus the first field because the user pressed Edit.
          ref={(element) => {
            if (element && index === 0 && element.dataset.focused === undefined) {
              element.dataset.focused = ''
              element.focus({ preventScroll: true })
            }
          }}
          onFocus={({ target }) => target.setSelectionRange(target.value.length, target.value.length)}
          onChange={(event) => setTexts(texts.with(index, event.target.value))}
          onKeyDown={handleKeyDown}
        />
      ))}
      <div className="flex items-center gap-1.5">
        <Hint className="min-w-0 flex-1">{t('chat.editHint')}</Hint>
        <Button size="sm" variant="ghost" onClick={onCancel}>
          {t('common:cancel')}
        </Button>
        <Button size="sm" variant="primary" disabled={isEmpty} onClick={send}>
          {role === 'user' ? t('chat.sendEdited') : t('common:save')}
        </Button>
      </div>
    </div>
  )
}
