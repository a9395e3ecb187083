import type { Forecast, Gauge, ModelQuota, PlanQuota } from '@shared/contract'
import { isExhausted } from '@shared/model-quota'
import i18next from 'i18next'
import { CircleCheck, CircleDashed, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatCount, formatDayMonth, formatPercent, getLocale, type Locale } from '../../../format'
import { joinClassNames } from '../../../ui/cn'
import { type ExpectedRange, Meter } from '../../../ui/meter'
import { Tooltip } from '../../../ui/tooltip'
import {
  type Allowance,
  type AllowanceKind,
  AllowanceLines,
  allowanceKinds,
  allowanceTexts,
  buildAllowance,
} from '../../connections/account'

const t = i18next.getFixedT(null, ['quota', 'plans'])

const icons: Readonly<Record<ForecastTexts['tone'], LucideIcon>> = {
  quiet: CircleDashed,
  good: CircleCheck,
  warning: TriangleAlert,
  danger: CircleX,
}

const tones = { warning: 'text-warning', danger: 'text-danger' } as const
const levelClasses = { ample: '', low: 'text-warning', out: 'text-danger' } as const

function ForecastLine({ texts }: { readonly texts: ForecastTexts }) {
  const Icon = icons[texts.tone]
  return (
    <p
      className={joinClassNames(
        'mt-1.5 flex gap-1.5 text-pretty text-sm',
        (texts.tone === 'warning' || texts.tone === 'danger') && tones[texts.tone],
        texts.tone === 'quiet' && 'text-muted',
      )}
    >
      <Icon
        size={13}
        strokeWidth={2}
        aria-hidden="true"
        className={joinClassNames('mt-0.75', texts.tone === 'good' && 'text-success')}
      />
      <span>
        <span className={joinClassNames(texts.tone !== 'quiet' && 'font-strong')}>{texts.headline}</span>
        {texts.detail === undefined ? null : <span className="text-muted">, {texts.detail}</span>}
      </span>
    </p>
  )
}

interface AllowanceGaugeProps {
  readonly allowance: Allowance
  readonly model: string
  /** Share of the quota that even usage would have used by now, 0 to 1. Undefined for a plan that is not running. */
  readonly pace: number | undefined
  readonly forecast?: Forecast | undefined
  /** Whether the plan has another cycle after the current one. */
  readonly renews: boolean
  /** Text shown in place of a forecast. */
  readonly remark?: string | undefined
  /** Whether the quota is used faster than evenly. Only set if there is no forecast. */
  readonly isFast?: boolean
}

/** Name and amount of a quota above its bar. */
function GaugeFrame(props: {
  readonly tooltip: readonly (string | undefined)[]
  readonly name: string
  readonly note: string
  readonly amount: ReactNode
  readonly className?: string | undefined
  readonly children: ReactNode
}) {
  const { tooltip, name, note, amount, className, children } = props
  const lines = tooltip.map((line) => (line === undefined ? null : <span key={line}>{line}</span>))
  return (
    <Tooltip content={<span className="flex flex-col tabular-nums">{lines}</span>}>
      <div className="min-w-0 tabular-nums">
        <div className="flex items-baseline justify-between gap-2 text-muted text-sm">
          <span>{name}</span>
          <span>{note}</span>
        </div>
        <p className={joinClassNames('mt-px mb-1.75 font-semibold text-xl leading-7 tracking-tight', className)}>
          {amount}
        </p>
        {children}
      </div>
    </Tooltip>
  )
}

export function AllowanceGauge(props: AllowanceGaugeProps) {
  const { allowance, model, pace, forecast, renews, remark, isFast = false } = props
  const forecastTexts = forecast && formatForecast(forecast, renews)
  const paceText =
    pace === undefined ? undefined : t('plans:account.allowance.pace', { share: allowanceTexts.share(pace) })
  const exactTexts = allowanceTexts.exact(allowance)
  const tone = isFast ? 'warning' : chooseTone(allowance.level, forecast)
  const hasForecast = forecast !== undefined && forecast.kind !== 'notEnough'
  return (
    <GaugeFrame
      tooltip={[exactTexts, paceText, hasForecast ? t('quota:forecast.how') : undefined]}
      name={allowanceTexts.kind(allowance)}
      note={allowanceTexts.usedShare(allowance)}
      amount={allowanceTexts.left(allowance)}
      className={levelClasses[allowance.level]}
    >
      <Meter
        label={allowanceTexts.of(allowance, model)}
        value={1 - allowance.leftShare}
        text={[exactTexts, paceText, forecastTexts && formatForecastLine(forecastTexts)].filter(Boolean).join('. ')}
        tone={tone}
        mark={pace}
        expected={toExpectedRange(forecast)}
      />
      {forecastTexts ? <ForecastLine texts={forecastTexts} /> : null}
      {!forecastTexts && remark ? (
        <p className={joinClassNames('mt-1.5 text-sm', tone !== 'neutral' && tones[tone])}>{remark}</p>
      ) : null}
    </GaugeFrame>
  )
}

/** Gauge of a quota of a model, or its usage if the quota is unknown. */
export function QuotaGauge({
  model,
  kind,
  renews,
}: { readonly model: ModelQuota; readonly kind: AllowanceKind } & Pick<AllowanceGaugeProps, 'renews'>) {
  const { used, evenPace, forecast } = model[kind]
  const allowance = toAllowance(model[kind], kind)
  if (allowance)
    return <AllowanceGauge {...{ allowance, forecast, renews }} model={model.displayName} pace={evenPace} />
  const { short, exact } = formatCount(used)
  const exactText = t('exactUsed', { amount: exact })
  return (
    <GaugeFrame
      tooltip={[exactText]}
      name={t(kind)}
      note={t('unknownAllowance')}
      amount={
        <>
          {t('used', { amount: short })}
          <span className="sr-only">. {exactText}</span>
        </>
      }
    >
      <div className="h-2 rounded-full border border-border-strong border-dashed" aria-hidden="true" />
    </GaugeFrame>
  )
}

type GaugeTone = 'neutral' | 'warning' | 'danger'

/** A gauge as the allowance that texts are made of. Undefined if the quota is unknown. */
export const toAllowance = (gauge: Gauge, kind: AllowanceKind): Allowance | undefined =>
  gauge.quota === undefined ? undefined : buildAllowance({ kind, quota: gauge.quota, used: gauge.used })

function chooseTone(level: Allowance['level'], forecast: Forecast | undefined): GaugeTone {
  if (level === 'out' || forecast?.kind === 'exhausted') return 'danger'
  return level === 'low' || forecast?.kind === 'runsOut' ? 'warning' : 'neutral'
}

function toExpectedRange(forecast: Forecast | undefined): ExpectedRange | undefined {
  if (forecast?.kind === 'lasts') return { low: Math.min(forecast.low, forecast.high), high: forecast.high }
  return forecast?.kind === 'runsOut' ? { low: 1, high: 1 } : undefined
}

/** Sort key of an allowance: used up first, then by forecast time of running out, then by remaining share. */
function urgency(gauge: Gauge, kind: AllowanceKind): readonly [rank: number, at: number] {
  const { forecast } = gauge
  const allowance = toAllowance(gauge, kind)
  if (!allowance) return [3, 0]
  if (allowance.level === 'out') return [0, 0]
  if (forecast.kind === 'runsOut') return [1, Date.parse(forecast.at)]
  return [2, allowance.leftShare]
}

const startsBefore = (a: readonly [number, number], b: readonly [number, number]): boolean =>
  (a[0] - b[0] || a[1] - b[1]) < 0

/** The allowance of a model (tokens or requests) that is used up first. */
export const tightestKind = ({ tokens, requests }: ModelQuota): AllowanceKind =>
  startsBefore(urgency(requests, 'requests'), urgency(tokens, 'tokens')) ? 'requests' : 'tokens'

/** The model with quota left whose allowance is used up first. Undefined if no quota is known. */
export function findTightestModel({ models }: Pick<PlanQuota, 'models'>): ModelQuota | undefined {
  const knownModels = models.filter((model) => allowanceKinds.some((kind) => model[kind].quota !== undefined))
  const usableModels = knownModels.filter((model) => !isExhausted(model))
  return (usableModels.length > 0 ? usableModels : knownModels).reduce<ModelQuota | undefined>((tightest, model) => {
    if (!tightest) return model
    const [kind, ownKind] = [tightestKind(tightest), tightestKind(model)]
    return startsBefore(urgency(model[ownKind], ownKind), urgency(tightest[kind], kind)) ? model : tightest
  }, undefined)
}

interface ForecastTexts {
  readonly headline: string
  /** Second part of the forecast text: the range of dates, or what happens when the quota is used up. */
  readonly detail?: string | undefined
  readonly tone: 'quiet' | 'good' | 'warning' | 'danger'
}

/** If a range is within one month, which of its two dates includes the month, by language. */
const monthPosition: Readonly<Record<Locale, 'first' | 'last'>> = { en: 'first', vi: 'last' }

/** Remaining time in days, in hours on the last day, or `soon` in the last hour. */
function toTimeDistance(days: number): { readonly unit: 'days' | 'hours' | 'soon'; readonly count: number } {
  if (days >= 0.96) return { unit: 'days', count: Math.round(days) }
  const hours = Math.round(days * 24)
  return hours >= 1 ? { unit: 'hours', count: hours } : { unit: 'soon', count: 0 }
}

/** The forecast texts as one line, for screen readers and compact views. */
export const formatForecastLine = ({ headline, detail }: ForecastTexts): string =>
  detail === undefined ? headline : `${headline}, ${detail}`

const formatShare = (share: number): string => formatPercent(Math.min(1, share))

/** Date range of a forecast, as short as possible. Undefined if it is a single day. */
function formatDayRange(earliest: string, latest: string): string | undefined {
  const [earliestDate, latestDate] = [new Date(earliest), new Date(latest)]
  const isSameMonth =
    earliestDate.getMonth() === latestDate.getMonth() && earliestDate.getFullYear() === latestDate.getFullYear()
  if (isSameMonth && earliestDate.getDate() === latestDate.getDate()) return undefined
  const isMonthFirst = isSameMonth && monthPosition[getLocale()] === 'first'
  return t('forecast.between', {
    from: isSameMonth && !isMonthFirst ? String(earliestDate.getDate()) : formatDayMonth(earliest),
    to: isMonthFirst ? String(latestDate.getDate()) : formatDayMonth(latest),
  })
}

/**
 * Formats a forecast as a sentence, for example "Likely runs out November 27, between November 24 and 29". `renews`:
 * whether the plan has another cycle. Otherwise it ends with the current one.
 */
export function formatForecast(forecast: Forecast, renews: boolean): ForecastTexts {
  const cycleEndKind = renews ? 'renewal' : 'end'
  switch (forecast.kind) {
    case 'runsOut': {
      const { at, earliest, latest } = forecast
      const detail =
        latest === undefined
          ? t(`forecast.from.${cycleEndKind}`, { day: formatDayMonth(earliest) })
          : formatDayRange(earliest, latest)
      return { headline: t('forecast.runsOut', { day: formatDayMonth(at) }), tone: 'warning', detail }
    }
    case 'lasts': {
      const [low, high] = [formatShare(forecast.low), formatShare(forecast.high)]
      const headline =
        low === high
          ? t(`forecast.lastsAt.${cycleEndKind}`, { share: high })
          : t(`forecast.lasts.${cycleEndKind}`, { low: low.replace(/\s?%$/, ''), high })
      return { headline, tone: 'good' }
    }
    case 'exhausted': {
      const { since } = forecast
      const headline =
        since === undefined ? t('forecast.exhausted') : t('forecast.exhaustedSince', { day: formatDayMonth(since) })
      return { headline, detail: t('forecast.paused'), tone: 'danger' }
    }
    case 'notEnough':
      return { headline: t(`forecast.notEnough.${forecast.reason}`), tone: 'quiet' }
  }
}

/** Short text about when a quota is used up. Undefined if it lasts or no forecast is possible. */
function formatForecastSummary(forecast: Forecast): string | undefined {
  if (forecast.kind !== 'runsOut') return undefined
  const { unit, count } = toTimeDistance(forecast.daysBeforeRenewal)
  return t(`forecast.short.${unit}`, { count })
}

/** Short text about when a model's quota is used up. Renders nothing if it lasts. */
export function renderForecastSummary(model: ModelQuota | undefined): ReactNode {
  const text = model && formatForecastSummary(model[tightestKind(model)].forecast)
  return text === undefined ? null : (
    <span key="forecast" className="text-warning">
      {text}
    </span>
  )
}

export function CompactGauges({ model }: { readonly model: ModelQuota }) {
  const lines = allowanceKinds.flatMap((kind) => {
    const { forecast, evenPace } = model[kind]
    const allowance = toAllowance(model[kind], kind)
    if (!allowance) return []
    const tone = chooseTone(allowance.level, forecast)
    return [
      { allowance, tone, mark: evenPace, expected: toExpectedRange(forecast), more: formatForecastSummary(forecast) },
    ]
  })
  return <AllowanceLines model={model.displayName} lines={lines} />
}
