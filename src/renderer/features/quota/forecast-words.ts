import type { Forecast } from '@shared/contract'
import type { TFunction } from 'i18next'
import type { Locale } from '../../format'

/** A forecast as one reads it: what comes, how sure that is, and how it is meant. */
export interface ForecastWords {
  readonly headline: string
  /** The band, or what follows from it. */
  readonly detail?: string
  readonly tone: 'quiet' | 'good' | 'warning' | 'danger'
}

interface Speaking {
  readonly t: TFunction<'quota'>
  readonly locale: Locale
  /** The cycle is followed by another; otherwise the plan ends with it. */
  readonly renews: boolean
}

type RunsOut = Extract<Forecast, { kind: 'runsOut' }>

const percent = (share: number, locale: Locale): string =>
  new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 }).format(Math.min(1, share))

/** `November 24`, `24 tháng 11`, by the calendar of this machine. */
function dayMonth(at: Date, { t, locale }: Speaking): string {
  const month = new Intl.DateTimeFormat(locale, { month: 'long' }).format(at)
  // A month that stands alone gets a capital in Vietnamese; within a sentence it has none.
  return t('forecast.dayMonth', { day: at.getDate(), month: locale === 'vi' ? month.toLocaleLowerCase(locale) : month })
}

/** With two days of one month, the one that has its name. */
const monthStands: Readonly<Record<Locale, 'first' | 'last'>> = { en: 'first', vi: 'last' }

/** The days between which it happens, as short as they can be said. */
function band({ earliest, latest }: RunsOut, speaking: Speaking): string {
  const { t, locale, renews } = speaking
  const from = new Date(earliest)
  if (latest === undefined) {
    return t(renews ? 'forecast.earliest.renewal' : 'forecast.earliest.end', { day: dayMonth(from, speaking) })
  }
  const to = new Date(latest)
  const isSameMonth = from.getMonth() === to.getMonth() && from.getFullYear() === to.getFullYear()
  if (isSameMonth && from.getDate() === to.getDate()) return t('forecast.on', { day: dayMonth(to, speaking) })
  const monthLeads = isSameMonth && monthStands[locale] === 'first'
  const first = isSameMonth && !monthLeads ? String(from.getDate()) : dayMonth(from, speaking)
  return t('forecast.between', { from: first, to: monthLeads ? String(to.getDate()) : dayMonth(to, speaking) })
}

/** So many days; hours within the last day; `soon` within the last hour. */
function distance(days: number): { readonly unit: 'days' | 'hours' | 'soon'; readonly count: number } {
  if (days >= 0.96) return { unit: 'days', count: Math.round(days) }
  const hours = Math.round(days * 24)
  return hours >= 1 ? { unit: 'hours', count: hours } : { unit: 'soon', count: 0 }
}

function runsOutWords(forecast: RunsOut, speaking: Speaking): ForecastWords {
  const { t, renews } = speaking
  const { unit, count } = distance(forecast.daysBeforeRenewal)
  const headline = t(`forecast.runsOut.${renews ? 'renewal' : 'end'}.${unit}`, { count })
  return { headline, detail: band(forecast, speaking), tone: 'warning' }
}

function lastsWords({ low, high }: Extract<Forecast, { kind: 'lasts' }>, speaking: Speaking): ForecastWords {
  const { t, locale, renews } = speaking
  const [from, to] = [percent(low, locale), percent(high, locale)]
  const way = renews ? 'renewal' : 'end'
  const headline =
    from === to
      ? t(`forecast.lastsAt.${way}`, { share: to })
      : t(`forecast.lasts.${way}`, { low: from.replace(/\s?%$/, ''), high: to })
  return { headline, tone: 'good' }
}

/** A forecast in words: "Runs out 2 days before renewal, between 24 and 29 November". */
export function forecastWords(forecast: Forecast, speaking: Speaking): ForecastWords {
  const { t } = speaking
  switch (forecast.kind) {
    case 'runsOut':
      return runsOutWords(forecast, speaking)
    case 'lasts':
      return lastsWords(forecast, speaking)
    case 'exhausted': {
      const { since } = forecast
      const headline =
        since === undefined
          ? t('forecast.exhausted')
          : t('forecast.exhaustedSince', { day: dayMonth(new Date(since), speaking) })
      return { headline, detail: t('forecast.paused'), tone: 'danger' }
    }
    case 'notEnough':
      return { headline: t(`forecast.notEnough.${forecast.reason}`), tone: 'quiet' }
  }
}

/** The same in one breath, for a screen reader and for where there is one line only. */
export const inOneBreath = ({ headline, detail }: ForecastWords): string =>
  detail === undefined ? headline : `${headline}, ${detail}`

/** What is worth a word at a glance: that it will not last. */
export function glanceWords(forecast: Forecast, { t }: Pick<Speaking, 't'>): string | undefined {
  if (forecast.kind !== 'runsOut') return undefined
  const { unit, count } = distance(forecast.daysBeforeRenewal)
  return t(`forecast.short.${unit}`, { count })
}
