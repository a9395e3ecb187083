import type { BranchStep } from '@shared/contract'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { placeAmong } from './branch'
import styles from './log.module.css'

interface BranchSwitcherProps {
  readonly step: BranchStep
  readonly onChoose: (messageId: string) => void
}

/** Goes through the messages that stand beside this one; nothing when it stands alone. */
export function BranchSwitcher({ step, onChoose }: BranchSwitcherProps) {
  const { t } = useTranslation('playground')
  const place = placeAmong(step)
  if (!place) return null
  const { at, count, earlier, later } = place
  const button = (id: string | undefined, label: string, Icon: typeof ChevronLeft) => (
    <button
      type="button"
      className={styles.step}
      aria-label={label}
      title={label}
      disabled={id === undefined}
      onClick={() => id !== undefined && onChoose(id)}
    >
      <Icon size={14} strokeWidth={1.8} aria-hidden="true" />
    </button>
  )
  return (
    <span className={styles.branch}>
      {button(earlier, t('chat.earlier'), ChevronLeft)}
      <span aria-hidden="true">
        {at}/{count}
      </span>
      <span className="sr-only">{t('chat.branch', { at, count })}</span>
      {button(later, t('chat.later'), ChevronRight)}
    </span>
  )
}
