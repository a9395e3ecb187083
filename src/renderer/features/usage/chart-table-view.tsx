import type { UsageStep } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useFormats } from '../../format'
import { type Column, Table } from '../../ui/table'
import styles from './chart.module.css'
import { type ChartColumn, type ChartRow, chartColumns, chartRows } from './chart-table'
import type { Measure } from './measures'
import { requestsPath } from './paths'
import type { Point } from './points'
import { useAxisWords } from './use-span-words'
import type { Usage } from './use-usage'

interface ChartTableProps {
  readonly caption: string
  readonly usage: Usage
  readonly measure: Measure
  readonly points: readonly Point[]
  readonly step: UsageStep
}

/** The step of a row, which leads to its requests where there are any to see. */
function When({ row, usage, measure, step }: { row: ChartRow } & Pick<ChartTableProps, 'usage' | 'measure' | 'step'>) {
  const words = useAxisWords()
  const { start, end, counts } = row.point
  const text = words.inFull(step, row.point)
  if (usage.scope === 'console' || !counts || measure.total(counts) === 0) return text
  const stretch = { since: start.toISOString(), until: end.toISOString(), onlyErrors: measure.id === 'errors' }
  return <Link to={requestsPath({ ...usage.wanted, ...stretch })}>{text}</Link>
}

/** The figures behind a chart as a table: exact, what is not known as such. */
export function ChartTable({ caption, usage, measure, points, step }: ChartTableProps) {
  const { t } = useTranslation('usage')
  const { number } = useFormats()
  const isCompared = usage.wanted.compare
  const headers = (column: ChartColumn): string =>
    column === 'total' || column === 'previous' ? t(`charts.${column}`) : t(`charts.parts.${column}`)
  const held = chartColumns(measure, isCompared)
  const columns: readonly Column<ChartRow>[] = [
    {
      id: 'when',
      header: t('charts.when'),
      cell: (row) => <When row={row} usage={usage} measure={measure} step={step} />,
    },
    ...held.map(
      (column, at): Column<ChartRow> => ({
        id: column,
        header: headers(column),
        align: 'right',
        width: `${Math.min(24, 70 / held.length)}%`,
        cell: ({ values }) => {
          const value = values[at]
          return value === undefined ? <span className={styles.faint}>{t('charts.unknown')}</span> : number(value)
        },
      }),
    ),
  ]
  return (
    <div className={styles.table}>
      <Table
        caption={caption}
        columns={columns}
        rows={chartRows(measure, points, isCompared).toReversed()}
        rowKey={({ key }) => key}
      />
    </div>
  )
}
