import { Play, Square } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Page, PageHeader } from '../../ui/page'
import { ExplainedFailure } from '../failures/explained-failure'
import { changeDraft, useDraft } from '../playground/drafts'
import { PlaygroundTabs } from '../playground/playground-tabs'
import { TargetSelect } from '../playground/target-select'
import { EmbeddedView } from './embedded-view'
import { useEmbeddings } from './embeddings-store'
import styles from './inference.module.css'
import { draftOfInputs, filled, inputsOf } from './inputs'
import { InputsList } from './inputs-list'
import { places, TargetNotice } from './target-notice'

const draftKey = 'embeddings'
const targetButton = 'embeddings-target'

/** Asks for the vectors of what is typed. */
function useEmbedding() {
  const { target, set } = useEmbeddings()
  const inputs = inputsOf(useDraft(draftKey).text)
  const [callId, setCallId] = useState<string>()
  const asking = useAction('playground.embed')
  const sent = filled(inputs)
  const mayRun = target !== undefined && sent.length > 0 && !asking.isPending
  const run = (): void => {
    if (!mayRun) return
    const id = crypto.randomUUID()
    setCallId(id)
    asking.mutate(
      { callId: id, target, inputs: [...sent] },
      { onSuccess: (embedded) => set({ shown: { ...embedded, inputs: sent } }) },
    )
  }
  const stop = (): void => {
    if (callId !== undefined) void call('calls.cancel', { callId }).catch(() => undefined)
  }
  return { inputs, sent, asking, mayRun, run, stop }
}

/** Texts as vectors, and how alike they are. */
export function EmbeddingsPage() {
  const { t } = useTranslation('inference')
  const { target, shown, set } = useEmbeddings()
  const { inputs, sent, asking, mayRun, run, stop } = useEmbedding()
  const choose = (): void => document.getElementById(targetButton)?.focus()
  const isOld = shown !== undefined && draftOfInputs(shown.inputs) !== draftOfInputs(sent)
  return (
    <Page width="wide">
      <PageHeader title={t('embeddings.title')} state={t('embeddings.state')} actions={<PlaygroundTabs />} />
      <div className={styles.main}>
        <div className={styles.target}>
          <TargetSelect
            label={t('target')}
            value={target}
            onChange={(chosen) => set({ target: chosen })}
            kinds={places}
            standards={['chat-completions']}
            buttonId={targetButton}
          />
          <TargetNotice target={target} />
        </div>
        <InputsList
          inputs={inputs}
          onChange={(changed) => changeDraft(draftKey, (draft) => ({ ...draft, text: draftOfInputs(changed) }))}
        />
        <div className={styles.bar}>
          {asking.isPending ? (
            <Button icon={Square} onClick={stop}>
              {t('embeddings.stop')}
            </Button>
          ) : (
            <Button variant="primary" icon={Play} disabled={!mayRun} onClick={run}>
              {t('embeddings.run', { count: sent.length })}
            </Button>
          )}
        </div>
        {asking.error ? (
          <ExplainedFailure
            failure={asking.error.failure}
            handlers={{ tryAgain: run, chooseModel: choose, choosePlan: choose }}
          />
        ) : null}
        {shown ? <EmbeddedView embedded={shown} isOld={isOld} onAgain={run} onChooseModel={choose} /> : null}
      </div>
    </Page>
  )
}
