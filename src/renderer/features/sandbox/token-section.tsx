import type { SandboxRequestView } from '@shared/contract'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Card, Section } from '../../ui/page'
import { Skeleton } from '../../ui/skeleton'
import styles from './sandbox.module.css'
import { tokenBars } from './token-bars'

const TokenChart = lazy(async () => ({ default: (await import('./token-chart')).TokenChart }))

const mostBars = 30

/** The chart of tokens with its legend and, for those who do not see it, its sum in words. */
export function TokenSection({ requests }: { requests: readonly SandboxRequestView[] }) {
  const { t } = useTranslation('sandbox')
  const formats = useFormats()
  const bars = tokenBars(requests, mostBars)
  if (bars.length === 0) return null
  const sum = (of: 'input' | 'output'): string => formats.number(bars.reduce((total, bar) => total + bar[of], 0))
  const totals = { input: sum('input'), output: sum('output'), count: bars.length }
  return (
    <Section
      title={t('chart.title')}
      actions={
        <p className={styles.legend} aria-hidden="true">
          <span className={styles.input}>{t('chart.input')}</span>
          <span className={styles.output}>{t('chart.output')}</span>
        </p>
      }
    >
      <Card>
        <div role="img" aria-label={t('chart.summary', totals)}>
          <Suspense fallback={<Skeleton height={120} />}>
            <TokenChart bars={bars} formats={formats} />
          </Suspense>
        </div>
      </Card>
    </Section>
  )
}
