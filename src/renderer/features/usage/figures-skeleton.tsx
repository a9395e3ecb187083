import { useTranslation } from 'react-i18next'
import { Skeleton } from '../../ui/skeleton'
import chart from './chart.module.css'
import styles from './usage.module.css'

/** Bars of a chart that is still on its way. */
export function BarsSkeleton({ count }: { readonly count: number }) {
  return (
    <div className={styles.bars} aria-hidden="true">
      {Array.from({ length: count }, (_, at) => (
        <Skeleton key={`bar-${String(at)}`} width="100%" height={36 + ((at * 53) % 97)} />
      ))}
    </div>
  )
}

/** Figures and charts that are still on their way. */
export function FiguresSkeleton() {
  const { t } = useTranslation('common')
  return (
    <div className={styles.body} role="status">
      <span className="sr-only">{t('loading')}</span>
      <div className={styles.figures}>
        {[0, 1, 2].map((at) => (
          <div key={at} className={styles.figure}>
            <Skeleton width={110} />
            <span className={styles.waiting}>
              <Skeleton width={90} height={22} />
            </span>
            <Skeleton width="70%" height={10} />
          </div>
        ))}
      </div>
      <div className={chart.card}>
        <Skeleton width={140} />
        <BarsSkeleton count={14} />
      </div>
      <div className={styles.two}>
        {[0, 1].map((at) => (
          <div key={at} className={chart.card}>
            <Skeleton width={120} />
            <BarsSkeleton count={7} />
          </div>
        ))}
      </div>
    </div>
  )
}
