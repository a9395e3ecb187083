import type { ReactNode } from 'react'
import styles from './control-row.module.css'

/** One thing that can be changed: its name and what it means at the left, the control at the right, more of it below. */
export function ControlRow({
  label,
  hint,
  control,
  children,
}: {
  readonly label: string
  readonly hint: ReactNode
  readonly control: ReactNode
  readonly children?: ReactNode
}) {
  return (
    <div className={styles.row}>
      <div className={styles.words}>
        <p className={styles.label}>{label}</p>
        <p className={styles.hint}>{hint}</p>
      </div>
      <div className={styles.control}>{control}</div>
      {children ? <div className={styles.below}>{children}</div> : null}
    </div>
  )
}
