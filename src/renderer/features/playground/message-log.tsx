import type { ConversationView } from '@shared/contract'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { useSharedMenu } from '../../ui/shared-menu'
import { Announcer } from './announcer'
import { wantBodies } from './bodies'
import { idsAround } from './branch'
import { RunInspector } from './inspector'
import styles from './log.module.css'
import { MessageRow } from './message-row'
import type { Chat } from './use-chat'
import { type LogActions, type OpenedInspector, useLogActions } from './use-log-actions'

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
