import type { ComparisonSetup } from '@shared/contract'
import { Star, Trophy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../../format'
import { Badge } from '../../../ui/badge'
import { joinClassNames } from '../../../ui/cn'
import { IconButton } from '../../../ui/icon-button'
import { Section } from '../../../ui/page'
import { type Column, Table } from '../../../ui/table'
import { isRunActive, shareText } from '..'
import { type CellMap, columnName, type GetRun } from './cells'
import { useEditing, useSetup } from './editing'
import { withRating, withWinner } from './setup'
import type { ComparisonRuns } from './use-comparison-runs'

/** Totals of a column. Times are in ms. Tokens are counted by the servers. */
interface ColumnTotals {
  readonly columnId: string
  readonly name: string | undefined
  readonly number: number
  readonly answers: number
  readonly failed: number
  readonly durationMs: number | undefined
  readonly averageMs: number | undefined
  readonly tokens: number | undefined
  /** Share of the model's remaining tokens, 0 to 1. Only for plans with a known quota. */
  readonly share: number | undefined
  readonly rating: number | undefined
  readonly isWinner: boolean
}

const sumValues = (values: readonly (number | undefined)[]): number | undefined => {
  const definedValues = values.filter((value) => value !== undefined)
  return definedValues.length === 0 ? undefined : definedValues.reduce((sum, value) => sum + value, 0)
}

export function computeTotals(setup: ComparisonSetup, cells: CellMap, getRun: GetRun): readonly ColumnTotals[] {
  return setup.columns.map((column, index) => {
    const runs = [...cells.values()].filter(({ columnId }) => columnId === column.id).map(getRun)
    const endedRuns = runs.filter((run) => !isRunActive(run))
    const answeredRuns = endedRuns.filter(({ state }) => state !== 'failed')
    const durationMs = sumValues(answeredRuns.map((run) => run.durationMs))
    const timedCount = answeredRuns.filter((run) => run.durationMs !== undefined).length
    const countTokens = (run: (typeof answeredRuns)[number]): number | undefined =>
      sumValues([run.inputTokens, run.outputTokens, run.cacheReadTokens, run.cacheWriteTokens])
    return {
      columnId: column.id,
      name: columnName(column),
      number: index + 1,
      answers: answeredRuns.length,
      failed: endedRuns.length - answeredRuns.length,
      durationMs,
      averageMs: durationMs === undefined ? undefined : durationMs / timedCount,
      tokens: sumValues(answeredRuns.map(countTokens)),
      share: sumValues(answeredRuns.map((run) => run.allowanceShare)),
      rating: column.rating,
      isWinner: setup.winner === column.id,
    }
  })
}

/** Ids of the columns with the smallest value. Empty if fewer than two columns have a value. */
export function findMinTotal(
  totals: readonly ColumnTotals[],
  getValue: (columnTotals: ColumnTotals) => number | undefined,
): ReadonlySet<string> {
  const measuredTotals = totals.filter(
    (columnTotals) => columnTotals.answers > 0 && getValue(columnTotals) !== undefined,
  )
  if (measuredTotals.length < 2) return new Set()
  const minValue = Math.min(...measuredTotals.map((columnTotals) => getValue(columnTotals) ?? Number.POSITIVE_INFINITY))
  const bestTotals = measuredTotals.filter((columnTotals) => getValue(columnTotals) === minValue)
  return bestTotals.length === measuredTotals.length ? new Set() : new Set(bestTotals.map(({ columnId }) => columnId))
}

/** CSS classes that move a badge to a second line if the column is narrow. */
const wrapClass = 'flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 py-1 whitespace-normal wrap-anywhere'

const marks = [1, 2, 3, 4, 5] as const

function Rating({ of, name }: { readonly of: ColumnTotals; readonly name: string }) {
  const { t } = useTranslation('compare')
  const { edit } = useEditing()
  return (
    <fieldset className="inline-flex" aria-label={t('totals.rate', { column: name })}>
      {marks.map((mark) => (
        <button
          key={mark}
          type="button"
          className={joinClassNames(
            'inline-flex rounded-sm p-0.75 hover:text-text',
            mark <= (of.rating ?? 0) ? 'text-warning *:fill-current' : 'text-faint',
          )}
          aria-label={t('totals.stars', { count: mark })}
          aria-pressed={of.rating === mark}
          onClick={() => edit((setup) => withRating(setup, of.columnId, of.rating === mark ? undefined : mark))}
        >
          <Star size={15} strokeWidth={1.8} aria-hidden="true" />
        </button>
      ))}
    </fieldset>
  )
}

export function ComparisonTotals({ running }: { readonly running: ComparisonRuns }) {
  const { t } = useTranslation('compare')
  const { duration, count, number, locale } = useFormats()
  const { edit } = useEditing()
  const setup = useSetup((currentSetup) => currentSetup)
  const totals = computeTotals(setup, running.cells, running.getRun)
  if (totals.every(({ answers, failed }) => answers + failed === 0)) return null
  const fastestColumn = findMinTotal(totals, ({ averageMs }) => averageMs)
  const cheapestColumn = findMinTotal(totals, ({ tokens, answers }) => tokens && tokens / answers)
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumSignificantDigits: 2 })
  const getName = (columnTotals: ColumnTotals): string =>
    columnTotals.name ?? t('column.numbered', { number: columnTotals.number })
  const failedColumn: Column<ColumnTotals> = {
    id: 'failed',
    header: t('totals.failed'),
    width: '64px',
    align: 'right',
    cell: (columnTotals) => number(columnTotals.failed),
  }
  const columns: readonly Column<ColumnTotals>[] = [
    {
      id: 'name',
      header: t('totals.column'),
      width: '21%',
      cell: (columnTotals) => (
        <span className={wrapClass}>
          {getName(columnTotals)}
          {columnTotals.isWinner ? <Badge tone="accent">{t('totals.winner')}</Badge> : null}
        </span>
      ),
    },
    {
      id: 'answers',
      header: t('totals.answers'),
      align: 'right',
      width: '88px',
      cell: (columnTotals) => number(columnTotals.answers),
    },
    ...(totals.some(({ failed }) => failed > 0) ? [failedColumn] : []),
    {
      id: 'time',
      header: t('totals.time'),
      align: 'right',
      cell: ({ columnId, durationMs, averageMs }) =>
        durationMs === undefined || averageMs === undefined ? (
          '–'
        ) : (
          <span
            title={t('totals.average', { time: duration(averageMs) })}
            className={joinClassNames(wrapClass, 'justify-end')}
          >
            {fastestColumn.has(columnId) ? <Badge tone="success">{t('totals.fastest')}</Badge> : null}
            {duration(durationMs)}
          </span>
        ),
    },
    {
      id: 'tokens',
      header: t('totals.tokens'),
      align: 'right',
      cell: ({ columnId, tokens }) =>
        tokens === undefined ? (
          '–'
        ) : (
          <span title={number(tokens)} className={joinClassNames(wrapClass, 'justify-end')}>
            {cheapestColumn.has(columnId) ? <Badge tone="success">{t('totals.fewest')}</Badge> : null}
            {count(tokens).short}
          </span>
        ),
    },
    {
      id: 'share',
      header: t('totals.share'),
      align: 'right',
      width: '112px',
      cell: ({ share }) =>
        share === undefined ? '–' : <span title={percent.format(share)}>{shareText(share, locale)}</span>,
    },
    {
      id: 'rating',
      header: t('totals.rating'),
      width: '132px',
      cell: (columnTotals) => <Rating of={columnTotals} name={getName(columnTotals)} />,
    },
    {
      id: 'winner',
      header: t('totals.winner'),
      width: '68px',
      cell: (columnTotals) => (
        <IconButton
          size="sm"
          icon={Trophy}
          label={t('totals.choose', { column: getName(columnTotals) })}
          aria-pressed={columnTotals.isWinner}
          className={columnTotals.isWinner ? 'text-accent-text' : undefined}
          onClick={() =>
            edit((currentSetup) => withWinner(currentSetup, columnTotals.isWinner ? undefined : columnTotals.columnId))
          }
        />
      ),
    },
  ]
  return (
    <div className="sticky left-0 w-[100cqi] px-5 pt-5 pb-8 contain-inline-size">
      <Section title={t('totals.title')}>
        <Table caption={t('totals.title')} columns={columns} rows={totals} rowKey={({ columnId }) => columnId} />
      </Section>
    </div>
  )
}
