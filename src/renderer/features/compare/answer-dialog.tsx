import type { ComparisonCell } from '@shared/contract'
import { RotateCw, SearchCode, Square } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { isUnderWay } from '../playground/run-entries'
import { RunFacts } from '../playground/run-facts'
import { RunTrouble } from '../playground/run-trouble'
import { useRun } from '../playground/runs-store'
import { WholeAnswer } from './answer-text'
import styles from './page.module.css'

interface AnswerDialogProps {
  readonly name: string
  readonly cell: ComparisonCell
  readonly onClose: () => void
  readonly onAgain: () => void
  readonly onStop: () => void
  readonly onInspect: () => void
  readonly onUseModel: (modelCode: string) => void
  readonly onChooseModel: () => void
}

/** One answer in full, with all that is known of its run. */
export function AnswerDialog(props: AnswerDialogProps) {
  const { t } = useTranslation('compare')
  const { name, cell, onClose, onAgain, onStop, onInspect, onUseModel, onChooseModel } = props
  const live = useRun(cell.run.id)
  const run = live?.run ?? cell.run
  const isStreaming = isUnderWay(run)
  return (
    <Dialog
      open
      size="lg"
      onOpenChange={onClose}
      title={name}
      footer={
        <>
          {live ? <CopyText size="md" text={live.answer.text} label={t('cell.copy')} /> : null}
          <Button icon={SearchCode} onClick={onInspect}>
            {t('cell.inspect')}
          </Button>
          {isStreaming ? (
            <Button icon={Square} onClick={onStop}>
              {t('cell.stopShort')}
            </Button>
          ) : (
            <Button icon={RotateCw} onClick={onAgain}>
              {t('cell.againShort')}
            </Button>
          )}
        </>
      }
    >
      <div className={styles.whole}>
        <RunFacts run={run} />
        <RunTrouble run={run} onAgain={onAgain} onUseModel={onUseModel} onChooseModel={onChooseModel} />
        {live ? <WholeAnswer answer={live.answer} isStreaming={isStreaming} /> : null}
      </div>
    </Dialog>
  )
}
