import type { RotationView } from '@shared/contract'
import { X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ButtonLink } from '../../ui/button'
import { IconButton } from '../../ui/icon-button'
import { Facts } from '../../ui/rows'
import { rotationPath } from '../rotation/paths'
import { isEnded, placeOf } from '../rotation/progress'
import { useRotationActions } from '../rotation/use-rotation-actions'
import { useStepWords } from '../rotation/use-step-words'
import { StateMark } from './operation-row'
import styles from './operations.module.css'
import { stateOfRotation, useRotationWords } from './rotation-state'

/** One rotation among the operations: how far it is, and the way to its page. */
export function RotationRow({ rotation }: { readonly rotation: RotationView }) {
  const { t } = useTranslation(['operations', 'rotation'])
  const what = useRotationWords()(rotation)
  const stepWords = useStepWords()
  const { dismiss, isDismissing } = useRotationActions(rotation)
  const { at, count, step } = placeOf(rotation)
  return (
    <li className={styles.row}>
      <div className={styles.line}>
        <span className={styles.mark}>
          <StateMark state={stateOfRotation(rotation) ?? 'succeeded'} />
        </span>
        <div className={styles.words}>
          <p className={styles.what}>{what}</p>
          <div className={styles.facts}>
            <Facts
              items={[
                t('rotation:ofPlan', { plan: rotation.planName }),
                !isEnded(rotation) && step && t('rotation:view.progress', { at, count, step: stepWords(step) }),
              ]}
            />
          </div>
        </div>
        <ButtonLink size="sm" to={rotationPath(rotation.id)} aria-label={t('operations:lookNamed', { what })}>
          {t('operations:look')}
        </ButtonLink>
        {isEnded(rotation) ? (
          <IconButton
            icon={X}
            size="sm"
            label={t('operations:dismiss', { what })}
            busy={isDismissing}
            onClick={dismiss}
          />
        ) : null}
      </div>
    </li>
  )
}
