import type { UsageCounts, UsageSeries, UsageShare, UsageSource, UsageSplit } from '@shared/contract'
import { usageErrorKinds } from '@shared/usage-words'
import i18next from 'i18next'
import { ArrowDown, ArrowUp, Equal, Info } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatCount, formatNumber, numberFormat } from '../../format'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { holderPath, requestsPath } from '../../paths'
import { Button } from '../../ui/button'
import { MutedCard, Section } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { type Column, Table } from '../../ui/table'
import { Tooltip } from '../../ui/tooltip'
import { useModelColour } from '../connections/account'
import {
  getTotal,
  hasRequests,
  listSplits,
  type Point,
  sumTokens,
  sumValues,
  type UsageMeasure,
  type UsageQuery,
  usageMeasures,
} from './usage-query'
import type { Usage } from './use-usage'

const t = i18next.getFixedT(null, 'usage')

interface FiguresProps {
  readonly usage: Usage
  readonly series: UsageSeries
  readonly points: readonly Point[]
}

const measures = ['tokens', 'requests', 'errors'] as const satisfies readonly UsageMeasure[]

const percent = (share: number): string =>
  numberFormat({ style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share)

function ChangeLine(props: {
  readonly current: number
  readonly before: number | undefined
  readonly usage: Usage
  /** Whether the period has not ended. It is then compared with the same part of the previous period. */
  readonly isUnderWay: boolean
}) {
  const { current, before, usage, isUnderWay } = props
  const { span } = usage.query
  if (before === undefined)
    return <p className="flex w-fit items-baseline gap-1 text-muted text-sm">{t('figures.none')}</p>
  const ratio = before === 0 ? Number.POSITIVE_INFINITY : current / before - 1
  const kind = current === before ? 'same' : before === 0 ? 'new' : ratio > 0 ? 'more' : 'less'
  const isPartial = isUnderWay && span !== 'today'
  const differenceText = isPartial ? t('beforeByNow') : t(`before.${span}`)
  const equalText = isPartial ? t('figures.sameByNow') : t(`figures.sameThan.${span}`)
  const Icon = kind === 'same' ? Equal : kind === 'less' ? ArrowDown : ArrowUp
  return (
    <Tooltip content={t('figures.exactBefore', { amount: formatNumber(before) })}>
      <p className="flex w-fit items-baseline gap-1 text-muted text-sm">
        <Icon size={12} strokeWidth={2.2} className="mt-1 self-start" aria-hidden="true" />
        <span>
          <b className="font-strong text-text">{t(`figures.${kind}`, { share: percent(Math.abs(ratio)) })}</b>{' '}
          {kind === 'same' ? equalText : differenceText}
        </span>
      </p>
    </Tooltip>
  )
}

function formatTotals(scope: Usage['scope'], measure: UsageMeasure, totals: UsageCounts): string {
  const { requests, errors } = totals
  if (measure === 'tokens') {
    return usageMeasures.tokens
      .map(({ id, field }) => `${formatCount(totals[field]).short}\u00a0${t(`figures.parts.${id}`)}`)
      .join(' · ')
  }
  // The console does not say whether its requests include failed ones.
  if (requests === 0 || (measure === 'errors' && scope === 'console')) return ' '
  if (measure === 'errors') return t('figures.errorShare', { share: percent(errors / requests) })
  return t('figures.perRequest', { amount: formatCount(Math.round(sumTokens(totals) / requests)).short })
}

function UsageMetric({ measure, usage, series, points }: FiguresProps & { readonly measure: UsageMeasure }) {
  const isConsoleCount = usage.scope === 'console' && measure !== 'tokens'
  const name = t(isConsoleCount ? `figures.console.${measure}` : `figures.${measure}`)
  const total = getTotal(measure, series.totals)
  const value = formatCount(total)
  const formula = t(isConsoleCount ? `figures.console.formula.${measure}` : `figures.formula.${measure}`)
  const metricNotes = [formula, t(`sourceOf.${usage.scope}`)]
  return (
    <li className="min-w-0 px-4 py-3 not-first:border-l">
      <p className="flex items-center gap-0.5 text-muted text-sm">
        {name}
        <Tooltip
          content={
            <span className="flex flex-col gap-1">
              {metricNotes.map((line) => (
                <span key={line}>{line}</span>
              ))}
            </span>
          }
        >
          <button
            type="button"
            className="-my-0.75 inline-flex size-6 items-center justify-center rounded-[5px] text-faint hover:text-text"
            aria-label={t('figures.about', { figure: name })}
          >
            <Info size={13} strokeWidth={1.9} aria-hidden="true" />
          </button>
        </Tooltip>
      </p>
      <Tooltip content={value.exact}>
        <p className="w-max max-w-full font-heading text-2xl leading-8.5 tracking-tighter">
          <span aria-hidden="true">{value.short}</span>
          <span className="sr-only">
            {value.exact}. {metricNotes.join(' ')}
          </span>
        </p>
      </Tooltip>
      <p className="whitespace-pre-wrap text-muted text-sm">{formatTotals(usage.scope, measure, series.totals)}</p>
      <ChangeLine
        current={total}
        before={getComparableTotal(series, points, measure)}
        usage={usage}
        isUnderWay={points.some(({ state }) => state === 'future')}
      />
    </li>
  )
}

export function UsageMetrics(props: FiguresProps) {
  return (
    <ul className="grid grid-cols-3 rounded-lg border bg-surface tabular-nums" aria-label={t('figures.label')}>
      {measures.map((measure) => (
        <UsageMetric key={measure} measure={measure} {...props} />
      ))}
    </ul>
  )
}

/**
 * A figure of the previous period, up to the same point. Undefined if both periods are empty, or if the previous one is
 * only partly known, which would look like an increase.
 */
function getComparableTotal(
  { previous, knownFrom, totals }: UsageSeries,
  points: readonly Point[],
  measure: UsageMeasure,
): number | undefined {
  if (!previous || previous.totals.requests + totals.requests === 0) return undefined
  if (knownFrom !== undefined && Date.parse(knownFrom) > Date.parse(previous.from)) return undefined
  const pastPoints = points.filter(({ state }) => state !== 'future')
  if (pastPoints.length === points.length) return getTotal(measure, previous.totals)
  return sumValues(pastPoints.map((point) => point.previous && getTotal(measure, point.previous)))
}

/** Number format with fixed digits, so that the column aligns. */
const percentFormat = { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 } as const
/** Number of rows before "show more". */
const firstRows = 8

interface RowsProps {
  readonly usage: Usage
  readonly by: UsageSplit
  readonly shares: readonly UsageShare[]
}

/** Path of a row: the holder's page, or the requests of the row if they can be filtered by it. */
function getSharePath(usage: Usage, by: UsageSplit, share: UsageShare): string | undefined {
  if (share.id === '') return undefined
  if (by === 'holder') return holderPath(share.id)
  const query = hasRequests(usage.scope) ? toQuery[by](share.id) : undefined
  return query && requestsPath({ ...usage.query, ...query })
}

function NameCell({ usage, by, share }: Omit<RowsProps, 'shares'> & { readonly share: UsageShare }) {
  const name = getShareName(by, share)
  const path = getSharePath(usage, by, share)
  if (path === undefined) return <span title={name}>{name}</span>
  return (
    <Link to={path} title={t(by === 'holder' ? 'shares.openHolder' : 'shares.open', { name })} className="text-text">
      {name}
    </Link>
  )
}

function Rows({ usage, by, shares }: RowsProps) {
  const getColour = useModelColour()
  const [isComplete, setIsWhole] = useState(false)
  const total = shares.reduce((sum, share) => sum + getAmount(by, share), 0)
  const percent = numberFormat(percentFormat)
  const toShare = (share: UsageShare): number => (total === 0 ? 0 : getAmount(by, share) / total)
  const barColour = by === 'error' ? 'var(--color-chart-errors)' : 'var(--color-series-1)'
  const sortedShares = shares.toSorted((a, b) => getAmount(by, b) - getAmount(by, a))
  const shownShares = isComplete ? sortedShares : sortedShares.slice(0, firstRows)
  if (shares.length === 0) return <MutedCard>{t('shares.none')}</MutedCard>
  return (
    <>
      <Table
        caption={`${t('shares.by')}: ${t(`shares.splits.${by}`)}`}
        rows={shownShares}
        rowKey={({ id }) => id}
        columns={[
          {
            id: 'name',
            header: t(`shares.splits.${by}`),
            width: '28%',
            cell: (share) => <NameCell usage={usage} by={by} share={share} />,
          },
          {
            id: 'share',
            header: t(by === 'error' ? 'shares.ofErrors' : 'shares.ofTokens'),
            cell: (share) => (
              <>
                <span className="inline-block h-2.5 w-[calc(100%-56px)] align-middle" aria-hidden="true">
                  <span
                    className="block h-full rounded-[2px]"
                    style={{
                      width: `${toShare(share) > 0 ? Math.max(toShare(share) * 100, 0.6) : 0}%`,
                      background: by === 'model' ? getColour(share.id) : barColour,
                    }}
                  />
                </span>
                <span className="inline-block w-14 text-right text-muted text-sm">
                  {percent.format(toShare(share))}
                </span>
              </>
            ),
          },
          ...measures.map(
            (measure): Column<UsageShare> => ({
              id: measure,
              header: t(`shares.${measure}`),
              width: '11%',
              align: 'right',
              cell: (share) => {
                const { short, exact } = formatCount(getTotal(measure, share))
                return (
                  <span title={exact}>
                    <span aria-hidden="true">{short}</span>
                    <span className="sr-only">{exact}</span>
                  </span>
                )
              },
            }),
          ),
        ]}
      />
      {shares.length > shownShares.length ? (
        <Button variant="ghost" size="sm" className="self-start" onClick={() => setIsWhole(true)}>
          {t('shares.all', { count: shares.length - shownShares.length })}
        </Button>
      ) : null}
    </>
  )
}

export function SharesSection({ usage }: { readonly usage: Usage }) {
  const { query: usageQuery, change, filter, scope, cannotAsk: blockedReason } = usage
  const isConsole = scope === 'console'
  const splits = listSplits(scope)
  const selectedSplit = splits.find((candidate) => candidate === usageQuery.by) ?? splits[0] ?? 'model'
  const query = useCall('usage.shares', { filter, by: selectedSplit }, { enabled: blockedReason === undefined })
  return (
    <Section
      title={t('shares.title')}
      description={
        isConsole
          ? t(selectedSplit === 'holder' ? 'shares.holderHint' : 'shares.onlyModel')
          : selectedSplit === 'project'
            ? t('shares.projectHint')
            : undefined
      }
      actions={
        <SegmentedControl
          label={t('shares.by')}
          value={selectedSplit}
          onValueChange={(split) => change({ by: split })}
          segments={splits.map((value) => ({ value, label: t(`shares.splits.${value}`) }))}
        />
      }
    >
      <Loaded query={query} rows={3}>
        {(shares) => <Rows key={selectedSplit} usage={usage} by={selectedSplit} shares={shares} />}
      </Loaded>
    </Section>
  )
}

/** Amount by which rows are compared: tokens, or failed requests for a split by error. */
const getAmount = (by: UsageSplit, share: UsageShare): number => getTotal(by === 'error' ? 'errors' : 'tokens', share)

/** Filter that selects only a row's usage, by split. Undefined if the usage cannot be filtered by it. */
const toQuery: Readonly<Record<Exclude<UsageSplit, 'holder'>, (id: string) => Partial<UsageQuery> | undefined>> = {
  model: (modelCode) => ({ modelCode }),
  tool: (toolId) => ({ toolId }),
  key: (keyId) => ({ keyId }),
  plan: (planId) => ({ planId }),
  project: (projectId) => ({ projectId }),
  source: (id) => (id === 'relay' || id === 'toolLog' || id === 'app' ? { scope: id } : undefined),
  error: () => ({ onlyErrors: true }),
}

const sources = ['console', 'relay', 'toolLog', 'app'] as const satisfies readonly UsageSource[]

/** Name of a row: a translated text for errors and sources, else its name, else its id. */
export function getShareName(by: UsageSplit, { id, name }: Pick<UsageShare, 'id' | 'name'>): string {
  const errorKind = by === 'error' ? usageErrorKinds.find((kind) => kind === id) : undefined
  if (errorKind) return t(`errorKinds.${errorKind}`)
  const source = by === 'source' ? sources.find((candidate) => candidate === id) : undefined
  if (source) return t(`requests.sources.${source}`)
  return name ?? (id === '' ? t(`shares.unnamed.${by}`) : id)
}
