import type { PlaygroundAnswer } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { cn } from '../../ui/cn'
import { type GrowingProps, Markdown, PlainText } from '../../ui/markdown/markdown'
import { useCompareLook } from './editing'

const excerpt = 'min-h-0 flex-1 select-text overflow-hidden text-sm leading-4.5'

interface AnswerProps {
  readonly answer: PlaygroundAnswer
  readonly isStreaming: boolean
}

function Text(props: GrowingProps) {
  const { t } = useTranslation('compare')
  const isMarkdown = useCompareLook((look) => look.isMarkdown)
  const Shown = isMarkdown ? Markdown : PlainText
  // As in a chat, a line that a model ends is ended.
  return (
    <div className="contents [&_br]:hidden [&_p]:whitespace-pre-line">
      <Shown {...props} earlier={t('answer.earlier')} />
    </div>
  )
}

function ToolCalls({ answer }: Pick<AnswerProps, 'answer'>) {
  const { t } = useTranslation('compare')
  const { toolCalls = [] } = answer
  if (toolCalls.length === 0) return null
  return (
    <ul className="mt-2 flex flex-col gap-1" aria-label={t('answer.toolCalls')}>
      {toolCalls.map(({ id, name, input }) => (
        <li key={id}>
          <code className="wrap-anywhere block whitespace-pre-wrap rounded-md bg-well px-2 py-1.5">
            {name}({input})
          </code>
        </li>
      ))}
    </ul>
  )
}

/** As much of an answer as a cell of many shows: its end while it comes, its beginning once it is there. */
export function AnswerExcerpt({ answer, isStreaming }: AnswerProps) {
  const { text, thinking = '' } = answer
  const hasCome = useRef(false)
  hasCome.current ||= isStreaming
  if (isStreaming) {
    const isThinking = text === '' && thinking !== ''
    return (
      <div className={cn(excerpt, 'flex flex-col justify-end')}>
        <p className={cn('whitespace-pre-wrap wrap-anywhere', isThinking && 'text-faint italic')}>
          {withVisibleControls(endOf(isThinking ? thinking : text))}
        </p>
      </div>
    )
  }
  return (
    <div className={cn(excerpt, isLong(text) && '[mask-image:linear-gradient(#000_calc(100%-36px),transparent)]')}>
      {/* When several end at once, what can wait of each has a frame of its own. */}
      <Text text={cutBeginning(text)} isStreaming={false} isFromEnd={hasCome.current} />
      <ToolCalls answer={answer} />
    </div>
  )
}

const nearEndPx = 40

/** Keeps the end of what grows in sight, unless one has scrolled away from it. Sizes are told after they are laid out, so that nothing is laid out twice. */
function useFollowing(isStreaming: boolean) {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(false)
  useEffect(() => {
    if (isStreaming) isAtEnd.current = true
  }, [isStreaming])
  useEffect(() => {
    const [outer, inner] = [scroller.current, content.current]
    if (!outer || !inner) return
    const look = (): void => {
      isAtEnd.current = outer.scrollHeight - outer.scrollTop - outer.clientHeight < nearEndPx
    }
    const watch = new ResizeObserver(() => {
      if (isAtEnd.current) outer.scrollTop = outer.scrollHeight
    })
    watch.observe(inner)
    outer.addEventListener('scroll', look, { passive: true })
    return () => {
      watch.disconnect()
      outer.removeEventListener('scroll', look)
    }
  }, [])
  return { scroller, content }
}

interface WholeAnswerProps extends AnswerProps {
  /** Its end is what one looks at; of a long one that is still coming nothing else is drawn. */
  readonly isFromEnd?: boolean
}

/** Thinking, text and tool calls in their order. */
export function WholeAnswer({ answer, isStreaming, isFromEnd = false }: WholeAnswerProps) {
  const { t } = useTranslation('compare')
  const { text, thinking = '' } = answer
  return (
    <>
      {thinking === '' ? null : (
        <details className="mb-2" open={text === '' && isStreaming}>
          <summary className="text-muted text-sm">{t('answer.thinking')}</summary>
          <p className="wrap-anywhere mt-1 whitespace-pre-wrap border-l-2 pl-2.5 text-faint italic">
            {withVisibleControls(isFromEnd && isStreaming ? endOf(thinking) : thinking)}
          </p>
        </details>
      )}
      {text === '' ? null : <Text text={text} isStreaming={isStreaming} isFromEnd={isFromEnd} />}
      <ToolCalls answer={answer} />
    </>
  )
}

/** What scrolls has to be reached by the keyboard, though nothing in it may be. */
const scrolledByKeys = { tabIndex: 0 }

/** A whole answer in a cell of its own height, which scrolls along while it comes. */
export function FollowedAnswer({ answer, isStreaming }: AnswerProps) {
  const { t } = useTranslation('compare')
  const { scroller, content } = useFollowing(isStreaming)
  const hasCome = useRef(false)
  hasCome.current ||= isStreaming
  return (
    <section
      ref={scroller}
      className="min-h-0 flex-1 select-text overflow-auto overscroll-contain"
      aria-label={t('answer.label')}
      {...scrolledByKeys}
    >
      <div ref={content}>
        <WholeAnswer answer={answer} isStreaming={isStreaming} isFromEnd={hasCome.current} />
      </div>
    </section>
  )
}

/** How much of an answer a cell of many draws. */
const mostShown = 2400
const longEnoughToFade = 420
const linesToFade = 8

/** The beginning of an answer, cut at the end of a line where there is one near. */
export function cutBeginning(text: string): string {
  if (text.length <= mostShown) return text
  const cut = text.slice(0, mostShown)
  const line = cut.lastIndexOf('\n')
  return line > mostShown / 2 ? cut.slice(0, line) : cut
}

/** The end of an answer that is still coming. */
const endOf = (text: string): string => (text.length <= mostShown ? text : text.slice(-mostShown))

/** Whether an answer is too long for a cell of many, so that its end fades out. */
const isLong = (text: string): boolean =>
  text.length > longEnoughToFade || text.split('\n', linesToFade + 1).length > linesToFade
