import { type Locale, type TranslateText, translator } from '../../core/i18n'
import { joinNames, type NotificationText } from '../../plans/account/notification-text'
import type { Alert } from './find-alerts'

interface Formats {
  readonly amount: (value: number) => string
  readonly day: (timestamp: string) => string
}

export function formatAlerts(alerts: readonly Alert[], locale: Locale): NotificationText {
  const t = translator(locale)
  const names = alerts.map((alert) => (alert.kind === 'budget' ? alert.budget.name : alert.planName))
  return {
    title: t('alerts.several.title', { total: alerts.length }),
    body: t('alerts.several.body', { names: joinNames(names, locale) }),
  }
}

export function formatAlert(alert: Alert, locale: Locale): NotificationText {
  const t = translator(locale)
  const numbers = new Intl.NumberFormat(locale)
  const days = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'long' })
  const formats: Formats = {
    amount: (value) => numbers.format(value),
    day: (timestamp) => days.format(new Date(timestamp)),
  }
  switch (alert.kind) {
    case 'threshold':
      return threshold(alert, t, formats)
    case 'forecast':
      return forecast(alert, t, formats)
    case 'budget':
      return budget(alert, t, formats)
    case 'errorBurst': {
      const [errors, requests] = [formats.amount(alert.errors), formats.amount(alert.requests)]
      return {
        title: t('alerts.errorBurst.title', { plan: alert.planName, model: alert.modelCode }),
        body: t('alerts.errorBurst.body', { errors, requests, cause: t(`alerts.errors.${alert.mostly}`) }),
      }
    }
  }
}

type AlertByKind<K extends Alert['kind']> = Extract<Alert, { kind: K }>

function threshold(alert: AlertByKind<'threshold'>, t: TranslateText, { amount, day }: Formats): NotificationText {
  const { planName: plan, modelCode: model, allowance, used, quota, cycle } = alert
  const unitText = t(`units.${allowance}`)
  const values = { plan, model, unit: unitText, quota: amount(quota), left: amount(quota - used), until: day(cycle.to) }
  if (used >= quota) return { title: t('alerts.usedUp.title', values), body: t('alerts.usedUp.body', values) }
  const percent = formatPercent(used, quota)
  const body = cycle.autoRenew === false ? 'alerts.threshold.bodyExpires' : 'alerts.threshold.bodyEnds'
  return { title: t('alerts.threshold.title', { ...values, percent }), body: t(body, values) }
}

function forecast(alert: AlertByKind<'forecast'>, t: TranslateText, { amount, day }: Formats): NotificationText {
  const { planName: plan, modelCode: model, allowance, used, quota } = alert
  const { at, earliest, latest, daysBeforeRenewal } = alert.forecast
  const count = Math.floor(daysBeforeRenewal)
  const latestTimeText = count < 1 ? t('alerts.forecast.justBefore') : t('alerts.forecast.before', { count })
  const [earliestDay, latestDay] = [day(earliest), latest && day(latest)]
  const isSameDay = earliestDay === latestDay
  const messageForm = latestDay === undefined ? 'earliest' : isSameDay ? 'onDay' : 'between'
  const dayRangeText =
    isSameDay && earliestDay === day(at)
      ? ''
      : t(`alerts.forecast.${messageForm}`, { first: earliestDay, last: latestDay ?? '' })
  const values = { plan, model, unit: t(`units.${allowance}`), day: day(at), early: latestTimeText, band: dayRangeText }
  return {
    title: t('alerts.forecast.title', values),
    body: t('alerts.forecast.body', { ...values, left: amount(quota - used), quota: amount(quota) }),
  }
}

function budget(
  { budget: state }: AlertByKind<'budget'>,
  t: TranslateText,
  { amount, day }: Formats,
): NotificationText {
  const { name, limit, used, to, action } = state
  const unitText = t(`units.${state.unit}`)
  const values = { name, unit: unitText, limit: amount(limit), left: amount(limit - used), until: day(to) }
  if (used < limit) {
    const percent = formatPercent(used, limit)
    return { title: t('alerts.budget.title', { ...values, percent }), body: t('alerts.budget.body', values) }
  }
  const body = action === 'refuse' ? 'alerts.budget.bodyRefuse' : 'alerts.budget.bodyWarn'
  return { title: t('alerts.budget.usedUp', values), body: t(body, values) }
}

/** Used percentage. Rounds down, so that 100 % is only shown when an allowance is used up. */
const formatPercent = (used: number, quota: number): number => Math.floor((used / quota) * 100)
