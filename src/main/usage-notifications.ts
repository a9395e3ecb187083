import type { Core } from './core'
import { Alerts, type AlertsDeps } from './features/alerts'
import { notifier } from './notifications'
import { alertsWords, alertWords } from './quota/alert-words'
import type { Alert } from './quota/find-alerts'

type Parts = Pick<AlertsDeps, 'quota' | 'ledger' | 'log'> & {
  readonly open: (path: string) => void
  /** There are more to list. */
  readonly onAlert: () => void
}

const ofAlerts = {
  one: (alert: Alert, locale: 'en' | 'vi') => ({ ...alertWords(alert, locale), path: alert.path }),
  all: (alerts: readonly Alert[], locale: 'en' | 'vi') => ({ ...alertsWords(alerts, locale), path: '/usage/alerts' }),
}

/** Alerts of allowances and failing requests by notifications of the system, from now on; `open` shows a place of the window. */
export function startAlerts(
  core: Pick<Core, 'connections' | 'plans' | 'settings'>,
  { open, onAlert, ...parts }: Parts,
): Alerts {
  const { connections, plans, settings } = core
  const tell = notifier(core, ofAlerts, open)
  const alerts = new Alerts({
    ...parts,
    settings,
    plans,
    platformOf: (id) => connections.list().find((one) => one.id === id)?.addresses.consoleUrl,
    clock: () => new Date(),
    notify: (found) => {
      tell(found)
      onAlert()
    },
    repeat: (run, ms) => {
      const timer = setInterval(run, ms)
      return () => clearInterval(timer)
    },
    after: (run, ms) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  })
  alerts.start()
  return alerts
}
