import { Play, Square } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Field } from '../../ui/field'
import { Page, PageHeader } from '../../ui/page'
import { TextArea } from '../../ui/text-area'
import { ExplainedFailure } from '../failures/explained-failure'
import { changeDraft, useDraft } from '../playground/drafts'
import { ParametersFields } from '../playground/parameters-fields'
import { PlaygroundTabs } from '../playground/playground-tabs'
import { isUnderWay } from '../playground/run-entries'
import { stopRuns, useRun } from '../playground/runs-store'
import { TargetSelect } from '../playground/target-select'
import { Completed } from './completed'
import { useCompletion } from './completion-store'
import styles from './inference.module.css'
import { places, TargetNotice } from './target-notice'

const draftKey = 'completion'
const targetButton = 'completion-target'

/** Asks for a completion of what is typed, and follows it. */
function useRunning() {
  const { target, parameters, shown, set } = useCompletion()
  const prompt = useDraft(draftKey).text
  const live = useRun(shown?.runId)
  const asking = useAction('playground.complete')
  const isRunning = asking.isPending || (live !== undefined && isUnderWay(live.run))
  const mayRun = target !== undefined && prompt !== '' && !isRunning
  const run = (): void => {
    if (!mayRun) return
    asking.mutate({ target, prompt, parameters }, { onSuccess: ({ id }) => set({ shown: { runId: id, prompt } }) })
  }
  const stop = (): void => {
    if (shown) void stopRuns([shown.runId]).catch(() => undefined)
  }
  return { prompt, live, asking, isRunning, mayRun, run, stop }
}

type Running = ReturnType<typeof useRunning>

function Prompt({ running }: { readonly running: Running }) {
  const { t } = useTranslation('inference')
  const { prompt, isRunning, mayRun, run, stop } = running
  return (
    <>
      <Field label={t('completion.prompt')}>
        <TextArea
          className={styles.prompt}
          rows={6}
          value={prompt}
          placeholder={t('completion.placeholder')}
          onChange={({ target }) => changeDraft(draftKey, (draft) => ({ ...draft, text: target.value }))}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run()
          }}
        />
      </Field>
      <div className={styles.bar}>
        {isRunning ? (
          <Button icon={Square} onClick={stop}>
            {t('completion.stop')}
          </Button>
        ) : (
          <Button variant="primary" icon={Play} disabled={!mayRun} onClick={run}>
            {t('completion.run')}
          </Button>
        )}
        <span className={styles.note}>{t('completion.promptHint')}</span>
      </div>
    </>
  )
}

/** A text goes on where the prompt ends: no roles, no messages. */
export function CompletionPage() {
  const { t } = useTranslation('inference')
  const { target, parameters, shown, set } = useCompletion()
  const running = useRunning()
  const choose = (): void => document.getElementById(targetButton)?.focus()
  const { asking, live, run } = running
  return (
    <Page width="wide">
      <PageHeader title={t('completion.title')} state={t('completion.state')} actions={<PlaygroundTabs />} />
      <div className={styles.sides}>
        <div className={styles.main}>
          <Prompt running={running} />
          {asking.error ? (
            <ExplainedFailure
              failure={asking.error.failure}
              handlers={{ tryAgain: run, chooseModel: choose, choosePlan: choose }}
            />
          ) : null}
          {live && shown ? (
            <Completed live={live} prompt={shown.prompt} onAgain={run} onChooseModel={choose} draftKey={draftKey} />
          ) : null}
        </div>
        <aside className={styles.aside} aria-label={t('setup')}>
          <TargetSelect
            label={t('target')}
            value={target}
            onChange={(chosen) => set({ target: chosen })}
            kinds={places}
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
