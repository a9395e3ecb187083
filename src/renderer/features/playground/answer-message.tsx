import type { BranchStep, PlaygroundAnswer, PlaygroundMessage, PlaygroundRun } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { withoutThinkTags } from '@shared/thinking'
import { Brain, ChevronRight, Copy, Ellipsis, type LucideIcon, RefreshCw, SearchCode, Wrench } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { RowButton } from '../../ui/button'
import { Markdown } from '../../ui/markdown/markdown'
import { Hint } from '../../ui/text'
import { MessageTools } from './message-parts'
import { prettyJson, RunFacts, RunTrouble } from './run-result'
import { isUnderWay, useRun } from './runs-store'
import type { LogActions } from './use-chat'

interface AnswerMessageProps {
  readonly message: PlaygroundMessage
  readonly step: BranchStep
  readonly isLast: boolean
  readonly actions: LogActions
}

interface AnswerView {
  readonly run: PlaygroundRun | undefined
  readonly answer: PlaygroundAnswer
}

/** More may arrive after the answer ended, such as its share of the allowance. */
function useShown({ text, answer, run }: PlaygroundMessage, isLast: boolean): AnswerView {
  const live = useRun(run && (isLast || isUnderWay(run)) ? run.id : undefined)
  return { run: live?.run ?? run, answer: withoutThinkTags(live?.answer ?? { ...answer, text }) }
}

function Tools({
  shown,
  step,
  isLast,
  actions,
  getPlainText,
}: Omit<AnswerMessageProps, 'message'> & { readonly shown: AnswerView; readonly getPlainText: () => string }) {
  const { t } = useTranslation('playground')
  const { run, answer } = shown
  return (
    <MessageTools step={step} onChoose={actions.choose} stays={isLast} className="-ml-1.25">
      {answer.text === '' ? null : (
        <RowButton icon={Copy} label={t('chat.copyMarkdown')} tabIndex={0} onPress={() => actions.copy(answer.text)} />
      )}
      <RowButton
        icon={RefreshCw}
        label={t('chat.regenerate')}
        tabIndex={0}
        onPress={() => actions.regenerate(step.id)}
      />
      {run ? (
        <>
          <RowButton icon={SearchCode} label={t('chat.inspect')} tabIndex={0} onPress={() => actions.inspect(run.id)} />
          <RowButton
            icon={Ellipsis}
            label={t('chat.more')}
            tabIndex={0}
            hasMenu
            onPress={(anchor) => actions.openMenu(anchor, { runId: run.id, markdown: answer.text, getPlainText })}
          />
        </>
      ) : null}
    </MessageTools>
  )
}

export function AnswerMessage({ message, step, isLast, actions }: AnswerMessageProps) {
  const { t } = useTranslation('playground')
  const text = useRef<HTMLDivElement>(null)
  const shown = useShown(message, isLast)
  const { run, answer } = shown
  const isComing = run !== undefined && isUnderWay(run)
  const model = run?.target.modelCode ?? ''
  const isSilent = run?.state === 'done' && answer.text === '' && !answer.toolCalls?.length
  return (
    <article
      className="group flex flex-col gap-2 py-2"
      aria-label={t('chat.answerOf', { model })}
      aria-busy={isComing || undefined}
    >
      <Hint className="font-medium">{model}</Hint>
      <AnswerParts answer={answer} isComing={isComing} />
      {answer.text === '' ? null : (
        <div ref={text} className="min-w-0 select-text [&_br]:hidden [&_p]:whitespace-pre-line">
          <Markdown text={answer.text} isStreaming={isComing} />
        </div>
      )}
      {isComing && answer.text === '' && !answer.thinking ? <p className="text-muted">{t('chat.waiting')}</p> : null}
      {isSilent ? <p className="text-muted">{t('chat.noText')}</p> : null}
      {run ? (
        <RunTrouble
          run={run}
          onAgain={() => actions.regenerate(step.id)}
          onUse={(change) => actions.regenerate(step.id, change)}
          onChooseModel={actions.chooseModel}
        />
      ) : null}
      {run ? <RunFacts run={run} /> : null}
      {isComing ? null : (
        <Tools {...{ shown, step, isLast, actions }} getPlainText={() => text.current?.innerText ?? answer.text} />
      )}
    </article>
  )
}

const folded = 'wrap-anywhere max-h-80 overflow-auto whitespace-pre-wrap px-3 pt-0.5 pb-2.5'

function Folded(props: {
  readonly icon: LucideIcon
  readonly label: string
  readonly open?: boolean
  readonly children: ReactNode
}) {
  const { icon: Icon, label, open, children } = props
  return (
    <details className="group/fold rounded-md border text-muted" open={open}>
      <summary className="flex items-center gap-2 rounded-[inherit] px-2.5 py-1.25 text-sm hover:text-text">
        <Icon size={14} strokeWidth={1.8} aria-hidden="true" />
        {label}
        <ChevronRight
          size={13}
          strokeWidth={2}
          className="ml-auto transition-transform group-open/fold:rotate-90"
          aria-hidden="true"
        />
      </summary>
      {children}
    </details>
  )
}

interface AnswerPartsProps {
  readonly answer: PlaygroundAnswer
  readonly isComing: boolean
}

function AnswerParts({ answer: { thinking, toolCalls = [], text }, isComing }: AnswerPartsProps) {
  const { t } = useTranslation('playground')
  return (
    <>
      {thinking ? (
        <Folded icon={Brain} label={t('chat.thinking')} open={isComing && text === ''}>
          <p className={folded}>{withVisibleControls(thinking)}</p>
        </Folded>
      ) : null}
      {toolCalls.map(({ id, name, input }) => (
        <Folded key={id} icon={Wrench} label={t('chat.toolCall', { name })}>
          <pre className={folded}>{prettyJson(input)}</pre>
        </Folded>
      ))}
    </>
  )
}
