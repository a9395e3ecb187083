import { withVisibleControls } from '@shared/hidden-characters'
import { CornerDownRight, FileSearch } from 'lucide-react'
import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Button } from '../../ui/button'
import { changeDraft } from '../playground/drafts'
import { RunInspector } from '../playground/inspector'
import { isUnderWay } from '../playground/run-entries'
import { RunFacts } from '../playground/run-facts'
import { RunTrouble } from '../playground/run-trouble'
import type { LiveRun } from '../playground/runs-store'
import styles from './inference.module.css'

const pieceLength = 4_000

const Piece = memo(({ text }: { readonly text: string }) => <span>{withVisibleControls(text)}</span>)

/** A text that grows, in pieces that are drawn once. */
function Growing({ text }: { readonly text: string }) {
  const count = Math.ceil(text.length / pieceLength)
  return Array.from({ length: count }, (_, index) => index * pieceLength).map((at) => (
    <Piece key={at} text={text.slice(at, at + pieceLength)} />
  ))
}

interface CompletedProps {
  readonly live: LiveRun
  readonly prompt: string
  readonly draftKey: string
  readonly onAgain: () => void
  readonly onChooseModel: () => void
}

/** A prompt with what the model made of it, told apart, and what is known of the run. */
export function Completed({ live, prompt, draftKey, onAgain, onChooseModel }: CompletedProps) {
  const { t } = useTranslation('inference')
  const [isInspected, setInspected] = useState(false)
  const { run, answer } = live
  const whole = prompt + answer.text
  const goOn = (): void => changeDraft(draftKey, (draft) => ({ ...draft, text: whole }))
  return (
    <section className={styles.result} aria-label={t('completion.result')} aria-busy={isUnderWay(run)}>
      <p className={styles.text}>
        <span className={styles.given}>{withVisibleControls(prompt)}</span>
        <ins className={styles.made}>
          <Growing text={answer.text} />
        </ins>
      </p>
      <RunTrouble run={run} onAgain={onAgain} onChooseModel={onChooseModel} />
      <footer className={styles.foot}>
        <RunFacts run={run} />
        <div className={styles.tools}>
          {answer.text === '' || isUnderWay(run) ? null : (
            <>
              <CopyText text={answer.text} label={t('completion.copy')} />
              <Button size="sm" variant="ghost" icon={CornerDownRight} onClick={goOn}>
                {t('completion.goOn')}
              </Button>
            </>
          )}
          <Button size="sm" variant="ghost" icon={FileSearch} onClick={() => setInspected(true)}>
            {t('inspect')}
          </Button>
        </div>
      </footer>
      <RunInspector runId={run.id} open={isInspected} onOpenChange={setInspected} />
    </section>
  )
}
