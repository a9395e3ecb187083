import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../ui/dialog'
import { useTargetWords } from '../playground/targets'
import { type CellPlace, sharesOf } from './cells'
import { useSetup } from './editing'
import styles from './page.module.css'

interface BigRunDialogProps {
  readonly places: readonly CellPlace[]
  readonly onClose: () => void
  readonly onConfirm: () => void
}

/** Says how many requests go where before many are sent. */
export function BigRunDialog({ places, onClose, onConfirm }: BigRunDialogProps) {
  const { t } = useTranslation('compare')
  const words = useTargetWords()
  const setup = useSetup((all) => all)
  return (
    <ConfirmDialog
      open
      onOpenChange={onClose}
      title={t('big.title', { count: places.length })}
      description={t('big.text')}
      confirmLabel={t('big.confirm', { count: places.length })}
      onConfirm={onConfirm}
    >
      <ul className={styles.shares} aria-label={t('big.shares')}>
        {sharesOf(setup, places).map(({ target, requests }) => (
          <li key={`${target.kind} ${words(target).where}`}>
            <span>{words(target).where}</span>
            <span>{t('big.requests', { count: requests })}</span>
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  )
}
