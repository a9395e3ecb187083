import type { BranchStep, ConversationView, PlaygroundMessage } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { ArrowDown, Copy, Pencil } from 'lucide-react'
import {
  type KeyboardEvent,
  memo,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { ErrorBoundary } from '../../ui/error-boundary'
import { useSharedMenu } from '../../ui/menu'
import { RowButton } from '../../ui/row-button'
import { Skeleton } from '../../ui/skeleton'
import { AnswerMessage } from './answer-message'
import { AttachmentList } from './attachment-list'
import { BranchSwitcher, idsAround } from './branch-switcher'
import { RunInspector } from './inspector'
import styles from './log.module.css'
import { isUnderWay, useRunHead, useRuns } from './runs-store'
import { type Chat, type LogActions, type OpenedInspector, useBody, useLogActions, wantBodies } from './use-chat'
import { useChatView } from './view-store'

/** Messages are read in chunks of so many. */
const chunk = 40
/** Guesses in px for what was not on the screen yet. */
const usual = { user: 76, assistant: 300 } as const
/** So near to the end, in px, counts as being there. */
const nearEnd = 48

type Log = Virtualizer<HTMLDivElement, HTMLDivElement>

function useLog(conversation: ConversationView, scroller: RefObject<HTMLDivElement | null>): Log {
  const { branch } = conversation
  return useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: branch.length,
    getScrollElement: () => scroller.current,
    // The same function as long as the branch is the same: every other one has all places worked out anew.
    getItemKey: useCallback((index: number) => branch[index]?.id ?? index, [branch]),
    estimateSize: (index) => usual[branch[index]?.role ?? 'user'],
    initialOffset: Number.MAX_SAFE_INTEGER,
    anchorTo: 'end',
    followOnAppend: true,
    scrollEndThreshold: nearEnd,
    paddingStart: 20,
    paddingEnd: 24,
    overscan: 3,
    useFlushSync: false,
  })
}

/** Reads the bodies around what is on the screen, as it is scrolled. */
function useBodiesOnScreen(conversation: ConversationView, log: Log): void {
  const { id, branch } = conversation
  const items = log.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0
  useEffect(() => void wantBodies(id, idsAround(branch, [first, last], chunk)), [id, branch, first, last])
  const end = branch.at(-1)?.id
  // Whether an answer is coming is told by the last one, also while it is far from the screen.
  useEffect(() => void wantBodies(id, end === undefined ? [] : [end]), [id, end])
}

/** Where a message stands in the shown branch; nothing when none is looked for, or it is in another branch. */
function placeOf({ branch }: ConversationView, wanted: string | undefined): number | undefined {
  const index = wanted === undefined ? -1 : branch.findIndex(({ id }) => id === wanted)
  return index < 0 ? undefined : index
}

/** Opens at the end, or at the message that is looked for, and says whether the end is on the screen. */
function useEnd(log: Log, place: number | undefined, scroller: RefObject<HTMLDivElement | null>): boolean {
  const [isAtEnd, setAtEnd] = useState(true)
  useLayoutEffect(() => {
    if (place === undefined) log.scrollToEnd()
    else log.scrollToIndex(place, { align: 'center' })
  }, [log, place])
  useEffect(() => {
    const element = scroller.current
    if (!element) return
    let wasAtEnd = true
    const look = (): void => {
      wasAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= nearEnd
      setAtEnd(wasAtEnd)
    }
    // The composer grows, the window shrinks: who was at the end stays there.
    const resized = new ResizeObserver(() => {
      if (wasAtEnd) log.scrollToEnd()
    })
    resized.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      resized.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [log, scroller])
  return isAtEnd
}

interface RowsProps {
  readonly conversation: ConversationView
  readonly log: Log
  readonly actions: LogActions
  readonly wanted: string | undefined
}

function LogRows({ conversation, log, actions, wanted }: RowsProps) {
  const { branch } = conversation
  return (
    <div className={styles.rows} style={{ height: log.getTotalSize() }}>
      {log.getVirtualItems().map(({ key, index, start }) => {
        const step = branch[index]
        if (!step) return null
        return (
          <div
            key={key}
            ref={log.measureElement}
            data-index={index}
            className={styles.place}
            data-wanted={step.id === wanted || undefined}
            style={{ transform: `translateY(${start}px)` }}
          >
            <MessageRow step={step} isLast={index === branch.length - 1} actions={actions} />
          </div>
        )
      })}
    </div>
  )
}

interface MessageLogProps {
  readonly conversation: ConversationView
  readonly chat: Chat
  /** Looked for: shown in the middle instead of the end. */
  readonly wanted: string | undefined
  readonly onChooseModel: () => void
}

/** The shown branch from its first message to its last. Only what is on the screen is drawn; it stays at the end while an answer comes. */
export function MessageLog({ conversation, chat, wanted, onChooseModel }: MessageLogProps) {
  const { t } = useTranslation('playground')
  const scroller = useRef<HTMLDivElement>(null)
  const log = useLog(conversation, scroller)
  const isAtEnd = useEnd(log, placeOf(conversation, wanted), scroller)
  const { open, menu } = useSharedMenu()
  const [inspected, setInspected] = useState<OpenedInspector>()
  const actions = useLogActions({ chat, open, inspect: setInspected, onChooseModel })
  useBodiesOnScreen(conversation, log)
  useLayoutEffect(() => {
    // What was asked just now is to be seen, wherever one had scrolled to.
    if (chat.activeRun !== undefined) log.scrollToEnd()
  }, [log, chat.activeRun])
  const lastId = useMemo(() => conversation.branch.at(-1)?.id, [conversation.branch])
  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        className={styles.scroller}
        role="log"
        aria-live="off"
        aria-label={t('chat.log')}
        tabIndex={-1}
      >
        <LogRows {...{ conversation, log, actions, wanted }} />
      </div>
      {isAtEnd ? null : (
        <Button size="sm" icon={ArrowDown} className={styles.toEnd ?? ''} onClick={() => log.scrollToEnd()}>
          {t('chat.toEnd')}
        </Button>
      )}
      <Announcer messageId={lastId} />
      {menu}
      {inspected ? (
        <RunInspector
          key={inspected.runId + inspected.face}
          runId={inspected.runId}
          face={inspected.face}
          open
          onOpenChange={() => setInspected(undefined)}
        />
      ) : null}
    </div>
  )
}

/** So much of an answer is read out, in characters. */
const longestSaid = 1500

/** Tells a screen reader once that an answer is there, with its beginning; never while it comes. */
function Announcer({ messageId }: { readonly messageId: string | undefined }) {
  const { t } = useTranslation('playground')
  const body = useBody(messageId)
  const told = body?.run
  const live = useRunHead(told && isUnderWay(told) ? told.id : undefined)
  const wasUnderWay = useRef(false)
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (!live) return
    if (isUnderWay(live)) {
      wasUnderWay.current = true
      setSaid('')
    } else if (wasUnderWay.current) {
      wasUnderWay.current = false
      const text = useRuns.getState().entries[live.id]?.live?.answer.text ?? ''
      setSaid(live.state === 'failed' ? t('chat.failed') : `${t('chat.finished')} ${text.slice(0, longestSaid)}`)
    }
  }, [live, t])
  return (
    <div className="sr-only" role="status">
      {said}
    </div>
  )
}

interface UserMessageProps {
  readonly message: PlaygroundMessage
  readonly step: BranchStep
  readonly actions: LogActions
}

/** What a person asked, with what was attached; edited in place, which begins a branch. */
function UserMessage({ message, step, actions }: UserMessageProps) {
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

interface MessageRowProps {
  readonly step: BranchStep
  readonly isLast: boolean
  readonly actions: LogActions
}

/** One message of the branch; a grey shape until its body is there. */
const MessageRow = memo(({ step, isLast, actions }: MessageRowProps) => {
  const message = useBody(step.id)
  if (!message) {
    return (
      <div className={styles[step.role === 'user' ? 'waitingUser' : 'waitingAnswer']}>
        <Skeleton width="72%" />
        {step.role === 'user' ? null : <Skeleton width="88%" />}
      </div>
    )
  }
  return (
    <ErrorBoundary fallback={() => <p className={styles.userText}>{withVisibleControls(message.text)}</p>}>
      {message.role === 'user' ? (
        <UserMessage message={message} step={step} actions={actions} />
      ) : (
        <AnswerMessage message={message} step={step} isLast={isLast} actions={actions} />
      )}
    </ErrorBoundary>
  )
})

interface EditMessageProps {
  readonly message: PlaygroundMessage
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
}

/** A message that is written anew; what was there stays as a branch of its own. */
function EditMessage({ message, onSend, onCancel }: EditMessageProps) {
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
