import { useTranslation } from 'react-i18next'
import styles from './skeleton.module.css'

/** A grey shape in the place of something that is still on its way. Decoration: say "loading" once around it. */
export function Skeleton({
  width = '100%',
  height = 12,
}: {
  readonly width?: number | string
  readonly height?: number
}) {
  return <span className={styles.shape} style={{ width, height }} aria-hidden="true" />
}

/** Rows of a list that is still on its way. */
export function SkeletonRows({ rows = 3 }: { readonly rows?: number }) {
  const { t } = useTranslation('common')
  return (
    <div className={styles.rows} role="status">
      <span className="sr-only">{t('loading')}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={`row-${String(row)}`} className={styles.row}>
          <Skeleton width={28} height={28} />
          <span className={styles.words}>
            <Skeleton width={`${34 - (row % 3) * 6}%`} />
            <Skeleton width={`${58 - (row % 2) * 14}%`} height={10} />
          </span>
        </div>
      ))}
    </div>
  )
}
