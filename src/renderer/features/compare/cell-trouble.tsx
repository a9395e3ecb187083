import type { PlaygroundRun } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { useFailureWords } from '../../i18n/failures'
import { Button } from '../../ui/button'
import { useTargetWords } from '../playground/targets'
import { useCellActions } from './cell-actions'
import type { CellPlace } from './cells'
import styles from './grid.module.css'

/** Why a cell of many has no answer, in two lines; all that helps is where the whole answer is shown. */
export function CellTrouble({ run, place }: { readonly run: PlaygroundRun; readonly place: CellPlace }) {
  const { t } = useTranslation('compare')
  const { open } = useCellActions()
  const words = useFailureWords()
  const { where } = useTargetWords()(run.target)
  if (!run.failure) return null
  const { title, explanation } = words(run.failure, {
    plan: run.target.kind === 'plan' ? where : undefined,
    modelCode: run.target.modelCode,
    requestAddress: run.requestAddress,
    status: run.status,
  })
  return (
    <div className={styles.failure}>
      <p className={styles.failureTitle}>{title}</p>
      <p className={styles.failureText}>{explanation}</p>
      <Button size="sm" onClick={() => open(place)}>
        {t('cell.whatHelps')}
      </Button>
    </div>
  )
}
