import type { Handlers } from '@shared/contract'
import type { Alerts } from './quota/alerts'
import type { Quota } from './quota/quota'

type Some<P extends string> = Pick<Handlers, Extract<keyof Handlers, `${P}.${string}`>>

/** What is left of the allowances, and what is alerted of. */
export interface QuotaParts {
  readonly core: { readonly quota: Quota }
  readonly alerts: Alerts
}

/** Allowances, forecasts and alerts. */
export function quotaHandlers({ core: { quota }, alerts }: QuotaParts): Some<'quota' | 'alerts'> {
  return {
    'quota.list': () => quota.list(),
    'quota.refresh': () => quota.refresh(),
    'quota.setAllowances': (told) => {
      quota.setAllowances(told)
      return {}
    },
    'quota.allowances': (of) => quota.allowances(of),
    'alerts.settings': () => alerts.settings(),
    'alerts.setSettings': (wish) => alerts.setSettings(wish),
    'alerts.snooze': (wish) => alerts.snooze(wish),
    'alerts.wake': (of) => alerts.wake(of),
    'alerts.list': () => alerts.list(),
  }
}
