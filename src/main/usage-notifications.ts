import { app, Notification } from 'electron'
import type { Core } from './core'
import { Alerts, type AlertsDeps } from './features/alerts'
import { alertWords } from './quota/alert-words'
import { localeFor } from './settings/locale'

type Parts = Pick<AlertsDeps, 'quota' | 'ledger' | 'log'> & {
  readonly open: (path: string) => void
  /** There is one more to list. */
  readonly onAlert: () => void
}

/** Alerts of allowances and failing requests by notifications of the system, from now on; `open` shows a place of the window. */
export function startAlerts(
  { connections, plans, settings }: Pick<Core, 'connections' | 'plans' | 'settings'>,
  { open, onAlert, ...parts }: Parts,
): Alerts {
  const notify: AlertsDeps['notify'] = (alert) => {
    const locale = localeFor(settings.read().language, app.getPreferredSystemLanguages())
    const notification = new Notification(alertWords(alert, locale))
    notification.on('click', () => {
      const id = new URL(alert.path, 'app://window').searchParams.get('connection')
      if (connections.list().some((one) => one.id === id && !one.isActive)) connections.use(id ?? '')
      open(alert.path)
    })
    notification.show()
    onAlert()
  }
  const alerts = new Alerts({
    ...parts,
    settings,
    plans,
    platformOf: (id) => connections.list().find((one) => one.id === id)?.addresses.consoleUrl,
    clock: () => new Date(),
    notify,
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
