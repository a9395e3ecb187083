import clsx from 'clsx'
import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import styles from './badge.module.css'

/** The meaning of a state's colour. Colour never stands alone: a word or an icon goes with it. */
export type Tone = 'neutral' | 'accent' | 'success' | 'warning' | 'danger'

/** A word in a small soft frame. */
export function Badge({
  tone = 'neutral',
  icon: Icon,
  children,
}: {
  readonly tone?: Tone
  readonly icon?: LucideIcon
  readonly children: ReactNode
}) {
  return (
    <span className={clsx(styles.badge, styles[tone])}>
      {Icon ? <Icon size={12} strokeWidth={2} aria-hidden="true" /> : null}
      {children}
    </span>
  )
}

/** A dot and the word for the state it shows. `pulse` while it is changing. */
export function StatusDot({
  tone,
  label,
  pulse = false,
}: {
  readonly tone: Tone
  readonly label: ReactNode
  readonly pulse?: boolean
}) {
  return (
    <span className={styles.status}>
      <span className={clsx(styles.dot, styles[tone], pulse && styles.pulse)} aria-hidden="true" />
      <span className={styles.word}>{label}</span>
    </span>
  )
}
