import type { Forecast } from '@shared/contract/quota'

/** A forecast as one English sentence without a full stop, for terminals and coding tools. Times are by UTC. */
export function forecastText(forecast: Forecast): string {
  switch (forecast.kind) {
    case 'notEnough':
      return unknown[forecast.reason]
    case 'lasts':
      return `lasts until the renewal, about ${percent(forecast.used)} used by then`
    case 'runsOut':
      return `runs out around ${minute(forecast.at)} UTC, ${days(forecast.daysBeforeRenewal)} before the renewal`
    case 'exhausted':
      return 'used up until the renewal'
  }
}

const unknown = {
  tooShort: 'no forecast yet: the cycle has just begun',
  noHistory: 'no forecast yet: too little usage is known',
  noCycle: 'no forecast: the cycle is not known',
  noAllowance: 'no forecast: the quota is not known',
} as const

const minute = (moment: string): string => moment.slice(0, 16).replace('T', ' ')
const percent = (part: number): string => `${Math.round(part * 100)}%`
const days = (count: number): string =>
  count < 1.5 ? `${Math.max(1, Math.round(count * 24))} hours` : `${Math.round(count)} days`
