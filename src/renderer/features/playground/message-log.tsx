import type { ConversationView } from '@shared/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual'
import i18next from 'i18next'
import { ArrowDown } from 'lucide-react'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button'
import { joinClassNames } from '../../ui/cn'
import { ConfirmDialog } from '../../ui/dialog'
import { useSharedMenu } from '../../ui/menu'
import { type LogActions, MessageRow } from './message-row'
import { RunInspector } from './run-result'
import { getCachedRun, isRunActive } from './runs-store'
import type { Chat } from './use-chat'

const t = i18next.getFixedT(null, 'playground')

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
  const scroller = useRef<HTMLDivElement>(null)
  const log = useMessageLog(conversation, scroller)
  const { branch } = conversation
  const requestedIndex = branch.findIndex(({ id }) => id === targetMessageId)
  const isAtEnd = useScrollEnd(log, requestedIndex, scroller)
  const { open, menu } = useSharedMenu()
  const [inspected, setInspected] = useState<Parameters<LogActions['inspect']>[0]>()
  const [removed, setRemoved] = useState<string>()
  const latest = { ...chat, openMenu: open, inspect: setInspected, chooseModel: onChooseModel, askRemoval: setRemoved }
  // The same object on every render, with the newest functions. Rows that get it do not re-render.
  const actions = Object.assign(useRef<LogActions>(latest).current, latest)
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
      <Announcer activeRun={chat.activeRun} />
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
function Announcer({ activeRun }: Pick<Chat, 'activeRun'>) {
  const queries = useQueryClient()
  const lastRun = useRef<string>(undefined)
  const [announcement, setAnnouncement] = useState('')
  useEffect(() => {
    const endedRun = activeRun === undefined ? getCachedRun(queries, lastRun.current) : undefined
    lastRun.current = activeRun
    if (activeRun !== undefined) setAnnouncement('')
    if (!endedRun || isRunActive(endedRun.run)) return
    const text = endedRun.answer.text.slice(0, maxAnnouncedLength)
    setAnnouncement(endedRun.run.state === 'failed' ? t('chat.failed') : `${t('chat.finished')} ${text}`)
  }, [activeRun, queries])
  return (
    <div className="sr-only" role="status">
      {announcement}
    </div>
  )
}
