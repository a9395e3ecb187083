import type { ComparisonColumn, ComparisonSetup } from '@shared/contract'
import i18next from 'i18next'
import { Star, Trophy } from 'lucide-react'
import { useState } from 'react'
import { formatCount, formatDuration, formatNumber, numberFormat } from '../../../format'
import { Badge } from '../../../ui/badge'
import { joinClassNames } from '../../../ui/cn'
import { IconButton } from '../../../ui/icon-button'
import { Section } from '../../../ui/page'
import { SegmentedControl } from '../../../ui/radio-cards'
import { type Column, Table } from '../../../ui/table'
import { Hint } from '../../../ui/text'
import { isRunActive, shareText } from '..'
import { useEditing, useSetup } from './editing'
import { type CellMap, columnName, columnNumber, countRated, withWinner } from './setup'

const t = i18next.getFixedT(null, 'compare')

const groupings = ['column', 'model', 'prompt'] as const
type Grouping = (typeof groupings)[number]

const sumValues = (values: readonly (number | undefined)[]): number | undefined => {
  const definedValues = values.filter((value) => value !== undefined)
  return definedValues.length === 0 ? undefined : definedValues.reduce((sum, value) => sum + value, 0)
}

const maxPromptNameLength = 120

function groupColumns(setup: ComparisonSetup, grouping: Grouping) {
  const groups = new Map<string, { readonly name: string | undefined; readonly columns: ComparisonColumn[] }>()
  for (const column of setup.columns) {
    const { id, target, system, prompt = setup.prompt } = column
    const [key, name] = {
      column: [id, columnName(column)],
      model: [target?.modelCode ?? '', target?.modelCode],
      prompt: [JSON.stringify([prompt, system]), (prompt.trim() || system.trim()).slice(0, maxPromptNameLength)],
    }[grouping]
    const group = groups.get(key ?? '')
    if (group) group.columns.push(column)
    else groups.set(key ?? '', { name, columns: [column] })
  }
  return [...groups.values()]
}

/** Totals of each column, or of the columns with the same model or prompt. Times are in ms. Servers count the tokens. */
function computeTotals(setup: ComparisonSetup, cells: CellMap, grouping: Grouping = 'column') {
  return groupColumns(setup, grouping).map(({ name, columns }) => {
    const [firstColumn] = columns
    const groupCells = [...cells.values()].filter(({ columnId }) => columns.some(({ id }) => id === columnId))
    const endedRuns = groupCells.map(({ run }) => run).filter((run) => !isRunActive(run))
    const answeredRuns = endedRuns.filter(({ state }) => state !== 'failed')
    const durationMs = sumValues(answeredRuns.map((run) => run.durationMs))
    const timedCount = answeredRuns.filter((run) => run.durationMs !== undefined).length
    const ratings = groupCells.flatMap(({ rating }) => rating ?? [])
    const checks = groupCells.flatMap(({ check }) => check ?? [])
    const ratingSum = sumValues(ratings)
    return {
      /** Id of the group's first column. */
      columnId: firstColumn?.id ?? '',
      name,
      number: firstColumn ? columnNumber(setup, firstColumn.id) : 0,
      answers: answeredRuns.length,
      failed: endedRuns.length - answeredRuns.length,
      durationMs,
      averageMs: durationMs === undefined ? undefined : durationMs / timedCount,
      tokens: sumValues(
        answeredRuns.flatMap((run) => [run.inputTokens, run.outputTokens, run.cacheReadTokens, run.cacheWriteTokens]),
      ),
      /** Share of the model's remaining tokens, 0 to 1. Only for plans with a known quota. */
      share: sumValues(answeredRuns.map((run) => run.allowanceShare)),
      /** Average rating of the answers, or the column's rating by an earlier version. */
      rating: ratingSum === undefined ? firstColumn?.rating : ratingSum / ratings.length,
      rated: ratings.length,
      checked: checks.length,
      passed: checks.filter(({ isPassed }) => isPassed).length,
      isWinner: setup.winner === firstColumn?.id,
    }
  })
}

type GroupTotals = ReturnType<typeof computeTotals>[number]

/** Ids of the columns with the smallest value. Empty if fewer than two columns have a value. */
function findMinTotal(
  totals: readonly GroupTotals[],
  getValue: (groupTotals: GroupTotals) => number | undefined,
): ReadonlySet<string> {
  const values = totals.flatMap((group) => (group.answers > 0 ? (getValue(group) ?? []) : []))
  const minValue = Math.min(...values)
  if (values.length < 2 || values.every((value) => value === minValue)) return new Set()
  const best = totals.filter((group) => group.answers > 0 && getValue(group) === minValue)
  return new Set(best.map(({ columnId }) => columnId))
}

/** CSS classes that move a badge to a second line if the column is narrow. */
const wrapClass = 'flex min-w-0 flex-wrap items-center gap-x-2 gap-y-0.5 py-1 whitespace-normal wrap-anywhere'

const wrapEndClass = joinClassNames(wrapClass, 'justify-end')

function useTotalsColumns(totals: readonly GroupTotals[], grouping: Grouping): readonly Column<GroupTotals>[] {
  const { edit } = useEditing()
  const fastestIds = findMinTotal(totals, ({ averageMs }) => averageMs)
  const cheapestIds = findMinTotal(totals, ({ tokens, answers }) => tokens && tokens / answers)
  const percent = numberFormat({ style: 'percent', maximumSignificantDigits: 2 })
  const ratingFormat = numberFormat({ maximumFractionDigits: 1 })
  const getName = (group: GroupTotals): string => group.name ?? t('column.numbered', { number: group.number })
  const rightColumn = (id: 'answers' | 'failed' | 'passed' | 'time' | 'tokens' | 'share' | 'rating', width: string) =>
    ({ id, header: t(`totals.${id}`), width, align: 'right' }) as const
  const failedColumn: Column<GroupTotals> = {
    ...rightColumn('failed', '60px'),
    cell: ({ failed }) => formatNumber(failed),
  }
  const passedColumn: Column<GroupTotals> = {
    ...rightColumn('passed', '72px'),
    cell: ({ passed, checked }) =>
      checked === 0 ? (
        '–'
      ) : (
        <span title={percent.format(passed / checked)}>{t('totals.passedOf', { passed, count: checked })}</span>
      ),
  }
  const winnerColumn: Column<GroupTotals> = {
    id: 'winner',
    header: t('totals.winner'),
    width: '64px',
    cell: (group) => (
      <IconButton
        size="sm"
        icon={Trophy}
        label={t('totals.choose', { column: getName(group) })}
        aria-pressed={group.isWinner}
        className={group.isWinner ? 'text-accent-text' : undefined}
        onClick={() => edit((setup) => withWinner(setup, group.isWinner ? undefined : group.columnId))}
      />
    ),
  }
  return [
    {
      id: 'name',
      header: t(`totals.groups.${grouping}`),
      cell: (group) => (
        <span className={wrapClass}>
          {getName(group)}
          {grouping === 'column' && group.isWinner ? <Badge tone="accent">{t('totals.winner')}</Badge> : null}
        </span>
      ),
    },
    { ...rightColumn('answers', '80px'), cell: ({ answers }) => formatNumber(answers) },
    ...(totals.some(({ failed }) => failed > 0) ? [failedColumn] : []),
    ...(totals.some(({ checked }) => checked > 0) ? [passedColumn] : []),
    {
      ...rightColumn('time', '15%'),
      cell: ({ columnId, durationMs, averageMs }) =>
        durationMs === undefined || averageMs === undefined ? (
          '–'
        ) : (
          <span title={t('totals.average', { time: formatDuration(averageMs) })} className={wrapEndClass}>
            {fastestIds.has(columnId) ? <Badge tone="success">{t('totals.fastest')}</Badge> : null}
            {formatDuration(durationMs)}
          </span>
        ),
    },
    {
      ...rightColumn('tokens', '15%'),
      cell: ({ columnId, tokens }) =>
        tokens === undefined ? (
          '–'
        ) : (
          <span title={formatNumber(tokens)} className={wrapEndClass}>
            {cheapestIds.has(columnId) ? <Badge tone="success">{t('totals.fewest')}</Badge> : null}
            {formatCount(tokens).short}
          </span>
        ),
    },
    {
      ...rightColumn('share', '92px'),
      cell: ({ share }) => (share === undefined ? '–' : <span title={percent.format(share)}>{shareText(share)}</span>),
    },
    {
      ...rightColumn('rating', '72px'),
      cell: ({ rating, rated }) =>
        rating === undefined ? (
          '–'
        ) : (
          <span
            className="inline-flex items-center gap-1"
            title={t('totals.rated', { count: rated })}
            role="img"
            aria-label={t('totals.averageRating', { rating: ratingFormat.format(rating) })}
          >
            {ratingFormat.format(rating)}
            <Star size={13} className="fill-current text-warning" aria-hidden="true" />
          </span>
        ),
    },
    ...(grouping === 'column' ? [winnerColumn] : []),
  ]
}

export function ComparisonTotals({ cells }: { readonly cells: CellMap }) {
  const setup = useSetup((currentSetup) => currentSetup)
  const [grouping, setGrouping] = useState<Grouping>('column')
  const totals = computeTotals(setup, cells, grouping)
  const columns = useTotalsColumns(totals, grouping)
  if (totals.every(({ answers, failed }) => answers + failed === 0)) return null
  const { rated, total } = countRated(cells.values())
  const isHidden = setup.isBlind && rated < total
  const groupingControl = (
    <SegmentedControl
      label={t('totals.groupBy')}
      value={grouping}
      onValueChange={setGrouping}
      segments={groupings.map((value) => ({ value, label: t(`totals.groups.${value}`) }))}
    />
  )
  return (
    <div className="sticky left-0 w-[100cqi] px-5 pt-5 pb-8 contain-inline-size">
      <Section title={t('totals.title')} actions={setup.columns.length > 1 && !isHidden ? groupingControl : undefined}>
        {isHidden ? (
          <Hint>{t('blind.totals')}</Hint>
        ) : (
          <Table caption={t('totals.title')} columns={columns} rows={totals} rowKey={({ columnId }) => columnId} />
        )}
      </Section>
    </div>
  )
}
