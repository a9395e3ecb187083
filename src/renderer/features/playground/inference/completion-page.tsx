import type { PlaygroundParameters, PlaygroundTarget } from '@shared/contract'
import { withVisibleControls } from '@shared/hidden-characters'
import { CornerDownRight, FileSearch, Play, Square } from 'lucide-react'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { create } from 'zustand'
import { CopyText } from '../../../copy-text'
import { ExplainedFailure } from '../../../failures'
import { useAction } from '../../../ipc'
import { Button } from '../../../ui/button'
import { Field, TextArea } from '../../../ui/field'
import { Page, PageHeader } from '../../../ui/page'
import { Hint } from '../../../ui/text'
import {
  changeDraft,
  isRunActive,
  type LiveRun,
  ParametersFields,
  PlaygroundTabs,
  places,
  RunDetails,
  RunInspector,
  RunProblem,
  stopRuns,
  TargetNotice,
  TargetSelect,
  useDraft,
  useRun,
} from '..'

const draftKey = 'completion'
const targetButton = 'completion-target'

function useRunningCompletion() {
  const { target, parameters, shown, set } = useCompletion()
  const prompt = useDraft(draftKey).text
  const liveRun = useRun(shown?.runId)
  const completeText = useAction('playground.complete')
  const isRunning = completeText.isPending || (liveRun !== undefined && isRunActive(liveRun.run))
  const canRun = target !== undefined && prompt !== '' && !isRunning
  const run = (): void => {
    if (!canRun) return
    completeText.mutate(
      { target, prompt, parameters },
      { onSuccess: ({ id }) => set({ shown: { runId: id, prompt } }) },
    )
  }
  const stop = (): void => {
    if (shown) void stopRuns([shown.runId]).catch(() => undefined)
  }
  return { prompt, live: liveRun, asking: completeText, isRunning, mayRun: canRun, run, stop }
}

type CompletionState = ReturnType<typeof useRunningCompletion>

function Prompt({ running }: { readonly running: CompletionState }) {
  const { t } = useTranslation('inference')
  const { prompt, isRunning, mayRun, run, stop } = running
  return (
    <>
      <Field label={t('completion.prompt')}>
        <TextArea
          className="min-h-30"
          rows={6}
          value={prompt}
          placeholder={t('completion.placeholder')}
          onChange={({ target }) => changeDraft(draftKey, (draft) => ({ ...draft, text: target.value }))}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run()
          }}
        />
      </Field>
      <div className="flex items-center gap-3">
        {isRunning ? (
          <Button icon={Square} onClick={stop}>
            {t('completion.stop')}
          </Button>
        ) : (
          <Button variant="primary" icon={Play} disabled={!mayRun} onClick={run}>
            {t('completion.run')}
          </Button>
        )}
        <Hint as="span">{t('completion.promptHint')}</Hint>
      </div>
    </>
  )
}

/** Page for text completions, without roles or messages. */
export function CompletionPage() {
  const { t } = useTranslation('inference')
  const { target, parameters, shown, set } = useCompletion()
  const runCompletion = useRunningCompletion()
  const focusTarget = (): void => document.getElementById(targetButton)?.focus()
  const { asking: completeText, live, run } = runCompletion
  return (
    <Page width="wide">
      <PageHeader title={t('completion.title')} state={t('completion.state')} actions={<PlaygroundTabs />} />
      <div className="grid grid-cols-[minmax(0,1fr)_280px] items-start gap-6">
        <div className="flex min-w-0 flex-col gap-4">
          <Prompt running={runCompletion} />
          {completeText.error ? (
            <ExplainedFailure
              failure={completeText.error.failure}
              handlers={{ tryAgain: run, chooseModel: focusTarget, choosePlan: focusTarget }}
            />
          ) : null}
          {live && shown ? (
            <CompletionResult
              live={live}
              prompt={shown.prompt}
              onAgain={run}
              onChooseModel={focusTarget}
              draftKey={draftKey}
            />
          ) : null}
        </div>
        <aside className="flex min-w-0 flex-col gap-4 border-l pl-6" aria-label={t('setup')}>
          <TargetSelect
            label={t('target')}
            value={target}
            onChange={(chosen) => set({ target: chosen })}
            targetKinds={places}
            standards={['chat-completions']}
            buttonId={targetButton}
          />
          <TargetNotice target={target} />
          <ParametersFields
            value={parameters}
            onChange={(changed) => set({ parameters: changed })}
            standard="chat-completions"
            isChat={false}
          />
        </aside>
      </div>
    </Page>
  )
}

interface CompletionStore {
  readonly target: PlaygroundTarget | undefined
  readonly parameters: PlaygroundParameters
  readonly shown: { readonly runId: string; readonly prompt: string } | undefined
  readonly set: (change: Partial<Omit<CompletionStore, 'set'>>) => void
}

export const useCompletion = create<CompletionStore>((set) => ({
  target: undefined,
  parameters: {},
  shown: undefined,
  set,
}))

const pieceLength = 4_000

const TextPiece = memo(({ text }: { readonly text: string }) => <span>{withVisibleControls(text)}</span>)

/** Renders a streaming text in chunks, so that finished chunks do not re-render. */
function StreamingText({ text }: { readonly text: string }) {
  const count = Math.ceil(text.length / pieceLength)
  return Array.from({ length: count }, (_, index) => index * pieceLength).map((start) => (
    <TextPiece key={start} text={text.slice(start, start + pieceLength)} />
  ))
}

interface CompletedProps {
  readonly live: LiveRun
  readonly prompt: string
  readonly draftKey: string
  readonly onAgain: () => void
  readonly onChooseModel: () => void
}

function CompletionResult({ live, prompt, draftKey, onAgain, onChooseModel }: CompletedProps) {
  const { t } = useTranslation('inference')
  const [isInspected, setInspected] = useState(false)
  const { run, answer } = live
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
          <StreamingText text={answer.text} />
        </ins>
      </p>
      <RunProblem run={run} onAgain={onAgain} onChooseModel={onChooseModel} />
      <footer className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <RunDetails run={run} />
        <div className="ml-auto flex items-center gap-1">
          {answer.text === '' || isRunActive(run) ? null : (
            <>
              <CopyText text={answer.text} label={t('completion.copy')} />
              <Button size="sm" variant="ghost" icon={CornerDownRight} onClick={continueFromText}>
                {t('completion.goOn')}
              </Button>
            </>
          )}
          <Button size="sm" variant="ghost" icon={FileSearch} onClick={() => setInspected(true)}>
            {t('inspect')}
          </Button>
        </div>
      </footer>
      <RunInspector runId={run.id} open={isInspected} onClose={() => setInspected(false)} />
    </section>
  )
}
