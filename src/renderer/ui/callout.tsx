import clsx from 'clsx'
import { CircleAlert, CircleCheck, Info, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import styles from './callout.module.css'

export type CalloutTone = 'info' | 'success' | 'warning' | 'danger'

const icons: Record<CalloutTone, LucideIcon> = {
  info: Info,
  success: CircleCheck,
  warning: TriangleAlert,
  danger: CircleAlert,
}

export interface CalloutProps {
  readonly tone: CalloutTone
  /** What happened or what to know, in one line. */
  readonly title: ReactNode
  /** What to do about it. */
  readonly children?: ReactNode
  /** Buttons that do it (size `sm`). */
  readonly actions?: ReactNode
  /** Codes, addresses, request ids: folded away. */
  readonly details?: ReactNode
  readonly detailsLabel?: string
}

/** A notice in its place: what happened, what to do, the button that does it, and the details folded. */
export function Callout({ tone, title, children, actions, details, detailsLabel }: CalloutProps) {
  const { t } = useTranslation('common')
  const Icon = icons[tone]
  return (
    <div className={clsx(styles.callout, styles[tone])} role={tone === 'danger' ? 'alert' : undefined}>
      <Icon size={16} strokeWidth={1.9} className={styles.icon} aria-hidden="true" />
      <div className={styles.words}>
        <p className={styles.title}>{title}</p>
        {children ? <div className={styles.text}>{children}</div> : null}
        {details ? (
          <details className={styles.details}>
            <summary>{detailsLabel ?? t('details')}</summary>
            <div className={styles.folded}>{details}</div>
          </details>
        ) : null}
      </div>
      {actions ? <div className={styles.actions}>{actions}</div> : null}
    </div>
  )
}
