import type { ReactNode } from 'react'
import { Button, type ButtonVariant } from '../../ui/button'
import { Kbd } from '../../ui/kbd'
import styles from './apply-bar.module.css'

interface ApplyBarProps {
  /** What will be the case afterwards, at the left. */
  readonly children: ReactNode
  readonly label: string
  readonly variant?: ButtonVariant
  readonly busy: boolean
  readonly disabled: boolean
  readonly onApply: () => void
  /** Said under the button while it cannot be pressed. */
  readonly reason?: string | undefined
}

/** The end of a preview: the outcome and the button that writes it; stays in sight while the diff scrolls. */
export function ApplyBar({ children, label, variant = 'primary', busy, disabled, onApply, reason }: ApplyBarProps) {
  return (
    <div className={styles.bar}>
      <div className={styles.outcome}>{children}</div>
      <div className={styles.act}>
        <Kbd keys={['Mod', 'Enter']} />
        <Button
          variant={variant}
          busy={busy}
          disabled={disabled}
          onClick={onApply}
          aria-keyshortcuts="Control+Enter Meta+Enter"
          aria-describedby={reason === undefined ? undefined : 'apply-reason'}
        >
          {label}
        </Button>
      </div>
      {reason === undefined ? null : (
        <p id="apply-reason" className={styles.reason}>
          {reason}
        </p>
      )}
    </div>
  )
}
