import type { PlaygroundParameters, PlaygroundTarget } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { CornerDownRight, Play, Square } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { create } from 'zustand'
import { CopyText } from '../../../copy-text'
import { useAction } from '../../../ipc'
import { Button } from '../../../ui/button'
import { TextAreaField } from '../../../ui/field'
import { Page, PageHeader } from '../../../ui/page'
import { Hint } from '../../../ui/text'
import {
  changeDraft,
  isRunActive,
  type LiveRun,
  ParametersFields,
  PlaygroundTabs,
  RunProblem,
  stopRuns,
  useDraft,
  useRun,
} from '..'
import { focusTarget, InferenceTarget, RunFooter, StartFailure } from './parts'

const draftKey = 'completion'

/** Page for text completions, without roles or messages. */
export function CompletionPage() {
  const { t } = useTranslation('inference')
  const { target, parameters, shown } = useCompletion()
  const prompt = useDraft(draftKey).text
  const live = useRun(shown?.runId)
  const completeText = useAction('playground.complete')
  const isRunning = completeText.isPending || (live !== undefined && isRunActive(live.run))
  const canRun = target !== undefined && prompt !== '' && !isRunning
  const run = (): void => {
    if (!canRun) return
    completeText.mutate(
      { target, prompt, parameters },
      { onSuccess: ({ id }) => useCompletion.setState({ shown: { runId: id, prompt } }) },
    )
  }
  const stop = (): void => {
    if (shown) void stopRuns([shown.runId]).catch(() => undefined)
  }
  return (
    <Page width="wide">
      <PageHeader title={t('completion.title')} state={t('completion.state')} actions={<PlaygroundTabs />} />
      <div className="grid grid-cols-[minmax(0,1fr)_280px] items-start gap-6">
        <div className="flex min-w-0 flex-col gap-4">
          <TextAreaField
            label={t('completion.prompt')}
            className="min-h-30"
            rows={6}
            value={prompt}
            placeholder={t('completion.placeholder')}
            onChange={(text) => changeDraft(draftKey, (draft) => ({ ...draft, text }))}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run()
            }}
          />
          <div className="flex items-center gap-3">
            {isRunning ? (
              <Button icon={Square} onClick={stop}>
                {t('completion.stop')}
              </Button>
            ) : (
              <Button variant="primary" icon={Play} disabled={!canRun} onClick={run}>
                {t('completion.run')}
              </Button>
            )}
            <Hint as="span">{t('completion.promptHint')}</Hint>
          </div>
          <StartFailure failure={completeText.error?.failure} onAgain={run} />
          {live && shown ? <CompletionResult live={live} prompt={shown.prompt} onAgain={run} /> : null}
        </div>
        <aside className="flex min-w-0 flex-col gap-4 border-l pl-6" aria-label={t('setup')}>
          <InferenceTarget value={target} onChange={(chosen) => useCompletion.setState({ target: chosen })} />
          <ParametersFields
            value={parameters}
            onChange={(changed) => useCompletion.setState({ parameters: changed })}
            standard="chat-completions"
            isChat={false}
          />
        </aside>
      </div>
    </Page>
  )
}

export const useCompletion = create<{
  readonly target: PlaygroundTarget | undefined
  readonly parameters: PlaygroundParameters
  readonly shown: { readonly runId: string; readonly prompt: string } | undefined
}>(() => ({ target: undefined, parameters: {}, shown: undefined }))

function CompletionResult(props: { readonly live: LiveRun; readonly prompt: string; readonly onAgain: () => void }) {
  const { t } = useTranslation('inference')
  const { prompt, onAgain } = props
  const { run, answer } = props.live
  const fullText = prompt + answer.text
  const continueFromText = (): void => changeDraft(draftKey, (draft) => ({ ...draft, text: fullText }))
  return (
    <section
      className="flex flex-col gap-3 rounded-xl border bg-surface p-4"
      aria-label={t('completion.result')}
      aria-busy={isRunActive(run)}
    >
      <p className="select-text whitespace-pre-wrap wrap-anywhere leading-5">
        <span className="text-muted">{withVisibleControls(prompt)}</span>
        <ins className="rounded-xs bg-accent-soft box-decoration-clone no-underline">
          {withVisibleControls(answer.text)}
        </ins>
      </p>
      <RunProblem run={run} onAgain={onAgain} onChooseModel={focusTarget} />
      <RunFooter run={run}>
        {answer.text === '' || isRunActive(run) ? null : (
          <>
            <CopyText text={answer.text} label={t('completion.copy')} />
            <Button size="sm" variant="ghost" icon={CornerDownRight} onClick={continueFromText}>
              {t('completion.goOn')}
            </Button>
          </>
        )}
      </RunFooter>
    </section>
  )
}
