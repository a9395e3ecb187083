import type { BranchStep, PlaygroundAnswer, PlaygroundMessage, PlaygroundRun } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { Brain, ChevronRight, Copy, Ellipsis, RefreshCw, SearchCode, Wrench } from 'lucide-react'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Markdown } from '../../ui/markdown/markdown'
import { RowButton } from '../../ui/row-button'
import { BranchSwitcher } from './branch-switcher'
import styles from './log.module.css'
import { prettyJson, RunFacts, RunTrouble } from './run-result'
import { isUnderWay, useRun } from './runs-store'
import type { LogActions } from './use-chat'

interface AnswerMessageProps {
  readonly message: PlaygroundMessage
  readonly step: BranchStep
  readonly isLast: boolean
  readonly actions: LogActions
}

interface Shown {
  readonly run: PlaygroundRun | undefined
  readonly answer: PlaygroundAnswer
}

/** The answer as it was read, or as it comes; of the last one more may be told after its end, such as its share of the allowance. */
function useShown({ text, answer, run }: PlaygroundMessage, isLast: boolean): Shown {
  const live = useRun(run && (isLast || isUnderWay(run)) ? run.id : undefined)
  return live ?? { run, answer: { ...answer, text } }
}

function Tools({
  shown,
  step,
  isLast,
  actions,
  plain,
}: Omit<AnswerMessageProps, 'message'> & { readonly shown: Shown; readonly plain: () => string }) {
  const { t } = useTranslation('playground')
  const { run, answer } = shown
  return (
    <div className={styles.tools} data-stays={isLast || undefined}>
      <BranchSwitcher step={step} onChoose={actions.choose} />
      <span className={styles.quiet}>
        {answer.text === '' ? null : (
          <RowButton
            icon={Copy}
            label={t('chat.copyMarkdown')}
            tabIndex={0}
            onPress={() => actions.copy(answer.text)}
          />
        )}
        <RowButton
          icon={RefreshCw}
          label={t('chat.regenerate')}
          tabIndex={0}
          onPress={() => actions.regenerate(step.id)}
        />
        {run ? (
          <>
            <RowButton
              icon={SearchCode}
              label={t('chat.inspect')}
              tabIndex={0}
              onPress={() => actions.inspect(run.id)}
            />
            <RowButton
              icon={Ellipsis}
              label={t('chat.more')}
              tabIndex={0}
              hasMenu
              onPress={(anchor) => actions.openMenu(anchor, { runId: run.id, markdown: answer.text, plain })}
            />
          </>
        ) : null}
      </span>
    </div>
  )
}

/** What a model said, what it took, and what can be done with it. */
export function AnswerMessage({ message, step, isLast, actions }: AnswerMessageProps) {
  const { t } = useTranslation('playground')
  const text = useRef<HTMLDivElement>(null)
  const shown = useShown(message, isLast)
  const { run, answer } = shown
  const isComing = run !== undefined && isUnderWay(run)
  const model = run?.target.modelCode ?? ''
  const isSilent = run?.state === 'done' && answer.text === '' && !answer.toolCalls?.length
  return (
    <article className={styles.answer} aria-label={t('chat.answerOf', { model })} aria-busy={isComing || undefined}>
      <p className={styles.who}>{model}</p>
      <AnswerParts answer={answer} isComing={isComing} />
      {answer.text === '' ? null : (
        <div ref={text} className={styles.text}>
          <Markdown text={answer.text} isStreaming={isComing} />
        </div>
      )}
      {isComing && answer.text === '' && !answer.thinking ? (
        <p className={styles.pending}>{t('chat.waiting')}</p>
      ) : null}
      {isSilent ? <p className={styles.pending}>{t('chat.noText')}</p> : null}
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
        <Tools {...{ shown, step, isLast, actions }} plain={() => text.current?.innerText ?? answer.text} />
      )}
    </article>
  )
}

interface AnswerPartsProps {
  readonly answer: PlaygroundAnswer
  readonly isComing: boolean
}

/** What an answer holds beside its text, folded: what the model thought aloud, and the calls it asks for. */
function AnswerParts({ answer: { thinking, toolCalls = [], text }, isComing }: AnswerPartsProps) {
  const { t } = useTranslation('playground')
  return (
    <>
      {thinking ? (
        <details className={styles.folded} open={isComing && text === ''}>
          <summary>
            <Brain size={14} strokeWidth={1.8} aria-hidden="true" />
            {t('chat.thinking')}
            <ChevronRight size={13} strokeWidth={2} className={styles.turn} aria-hidden="true" />
          </summary>
          <p className={styles.thinking}>{withVisibleControls(thinking)}</p>
        </details>
      ) : null}
      {toolCalls.map(({ id, name, input }) => (
        <details key={id} className={styles.folded}>
          <summary>
            <Wrench size={14} strokeWidth={1.8} aria-hidden="true" />
            {t('chat.toolCall', { name })}
            <ChevronRight size={13} strokeWidth={2} className={styles.turn} aria-hidden="true" />
          </summary>
          <pre className={styles.json}>{prettyJson(input)}</pre>
        </details>
      ))}
    </>
  )
}
