import clsx from 'clsx'
import { ChartLine, Table2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { IconButton } from '../../../ui/icon-button'
import { Skeleton } from '../../../ui/skeleton'
import { Table } from '../../../ui/table'
import chart from '../../usage/chart.module.css'
import type { MetricPoint, MetricSeries } from './metrics'
import styles from './metrics.module.css'

const MetricLines = lazy(async () => ({ default: (await import('./metric-lines')).MetricLines }))

/** What scrolls must be reachable by keyboard. */
const reachable = { tabIndex: 0 } as const

const colours = { cpu: 'var(--series-1)', memory: 'var(--series-3)' } as const

function MetricTable({ caption, points }: { readonly caption: string; readonly points: readonly MetricPoint[] }) {
  const { t } = useTranslation('runtimes')
  const { number, dateTime } = useFormats()
  return (
    <Table
      caption={caption}
      columns={[
        { id: 'at', header: t('metrics.at'), cell: ({ at }) => dateTime(new Date(at).toISOString()) },
        { id: 'value', header: t('metrics.value'), align: 'right', width: '30%', cell: ({ value }) => number(value) },
      ]}
      rows={points.toReversed()}
      rowKey={({ at }) => at}
    />
  )
}

/** One measure as a line over time with its latest, lowest and highest value; the figures stand behind it as a table. */
export function MetricCard({ series: { id, points } }: { readonly series: MetricSeries }) {
  const { t } = useTranslation('runtimes')
  const formats = useFormats()
  const [isTable, setIsTable] = useState(false)
  const title = t(`metrics.${id}`)
  const values = points.map(({ value }) => value)
  const last = values.at(-1)
  return (
    <section className={chart.card} aria-label={title}>
      <header className={styles.head}>
        <h2 className={chart.title}>{title}</h2>
        {last === undefined ? null : (
          <span className={styles.facts}>
            {t('metrics.facts', {
              last: formats.number(last),
              least: formats.number(Math.min(...values)),
              most: formats.number(Math.max(...values)),
            })}
          </span>
        )}
        <span className={chart.actions}>
          <IconButton
            icon={isTable ? ChartLine : Table2}
            size="sm"
            label={t(isTable ? 'metrics.asChart' : 'metrics.asTable', { title })}
            onClick={() => setIsTable(!isTable)}
          />
        </span>
      </header>
      {points.length === 0 ? (
        <p className={styles.none}>{t('metrics.noPoints')}</p>
      ) : isTable ? (
        <section className={styles.table} aria-label={t('metrics.figures', { title })} {...reachable}>
          <MetricTable caption={title} points={points} />
        </section>
      ) : (
        <>
          <div className={styles.chart} aria-hidden="true">
            <Suspense fallback={<Skeleton height={180} />}>
              <MetricLines points={points} colour={colours[id]} formats={formats} />
            </Suspense>
          </div>
          <div className={clsx('sr-only', styles.behind)}>
            <MetricTable caption={title} points={points} />
          </div>
        </>
      )}
    </section>
  )
}
