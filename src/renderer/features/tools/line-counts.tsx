import { useTranslation } from 'react-i18next'
import styles from './line-counts.module.css'

interface LineCountsProps {
  readonly added: number
  readonly removed: number
}

/** How many lines come and go; nothing where none does. */
export function LineCounts({ added, removed }: LineCountsProps) {
  const { t } = useTranslation('tools')
  if (added + removed === 0) return null
  return (
    <span className={styles.counts}>
      <span className="sr-only">{t('diff.counts', { added, removed })}</span>
      {added > 0 ? (
        <span aria-hidden="true" className={styles.added}>
          +{added}
        </span>
      ) : null}
      {removed > 0 ? (
        <span aria-hidden="true" className={styles.removed}>
          −{removed}
        </span>
      ) : null}
    </span>
  )
}
