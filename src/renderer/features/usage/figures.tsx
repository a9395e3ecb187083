import type { UsageCounts, UsageSeries } from '@shared/contract'
import { ArrowDown, ArrowUp, Equal, Info } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useFormats } from '../../format'
import { Tooltip } from '../../ui/tooltip'
import { type Point, sumValues, type UsageMeasure, usageMeasures } from './points'
import type { Usage } from './use-usage'

interface FiguresProps {
  readonly usage: Usage
  readonly series: UsageSeries
  readonly points: readonly Point[]
}

const percent = (share: number, locale: string): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: share < 0.1 ? 1 : 0 }).format(share)

interface ChangeProps {
  readonly current: number
  readonly before: number | undefined
  readonly usage: Usage
  /** Whether the period has not ended. It is then compared with the same part of the previous period. */
  readonly isUnderWay: boolean
}

function ChangeLine({ current, before, usage, isUnderWay }: ChangeProps) {
  const { t } = useTranslation('usage')
  const { locale, number } = useFormats()
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
    <Tooltip content={t('figures.exactBefore', { amount: number(before) })}>
      <p className="flex w-fit items-baseline gap-1 text-muted text-sm">
        <Icon size={12} strokeWidth={2.2} className="mt-1 self-start" aria-hidden="true" />
        <span>
          <b className="font-strong text-text">{t(`figures.${kind}`, { share: percent(Math.abs(ratio), locale) })}</b>{' '}
          {kind === 'same' ? equalText : differenceText}
        </span>
      </p>
    </Tooltip>
  )
}

function useTotalsText(scope: Usage['scope']): (id: UsageMeasure['id'], totals: UsageCounts) => string {
  const { t } = useTranslation('usage')
  const { count, locale } = useFormats()
  return (id, totals) => {
    const { requests, errors } = totals
    if (id === 'tokens') {
      return usageMeasures.tokens.parts
        .map(
          ({ id: part, of }) =>
            `${count(of(totals)).short}\u00a0${part === 'requests' || part === 'errors' ? '' : t(`figures.parts.${part}`)}`,
        )
        .join(' · ')
    }
    // The console does not say whether its requests include failed ones.
    if (requests === 0 || (id === 'errors' && scope === 'console')) return ' '
    if (id === 'errors') return t('figures.errorShare', { share: percent(errors / requests, locale) })
    return t('figures.perRequest', { amount: count(Math.round(usageMeasures.tokens.total(totals) / requests)).short })
  }
}

function UsageMetric({ measure, ...rest }: FiguresProps & { readonly measure: UsageMeasure }) {
  const { t } = useTranslation('usage')
  const { count } = useFormats()
  const { usage, series, points } = rest
  const listParts = useTotalsText(usage.scope)
  const { id, total } = measure
  const isConsoleCount = usage.scope === 'console' && id !== 'tokens'
  const name = t(isConsoleCount ? `figures.console.${id}` : `figures.${id}`)
  const value = count(total(series.totals))
  const formula = t(isConsoleCount ? `figures.console.formula.${id}` : `figures.formula.${id}`)
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
      <p className="whitespace-pre-wrap text-muted text-sm">{listParts(id, series.totals)}</p>
      <ChangeLine
        current={total(series.totals)}
        before={getComparableTotal(series, points, total)}
        usage={usage}
        isUnderWay={points.some(({ state }) => state === 'future')}
      />
    </li>
  )
}

export function UsageMetrics(props: FiguresProps) {
  const { t } = useTranslation('usage')
  return (
    <ul className="grid grid-cols-3 rounded-lg border bg-surface tabular-nums" aria-label={t('figures.label')}>
      {Object.values(usageMeasures).map((measure) => (
        <UsageMetric key={measure.id} measure={measure} {...props} />
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
  total: UsageMeasure['total'],
): number | undefined {
  if (!previous || previous.totals.requests + totals.requests === 0) return undefined
  if (knownFrom !== undefined && Date.parse(knownFrom) > Date.parse(previous.from)) return undefined
  const pastPoints = points.filter(({ state }) => state !== 'future')
  if (pastPoints.length === points.length) return total(previous.totals)
  return sumValues(pastPoints.map((point) => point.previous && total(point.previous)))
}
