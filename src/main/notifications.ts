import { app, Notification } from 'electron'
import { reminderPlans } from './account/reminder-plans'
import { reminderWords } from './account/reminder-words'
import type { Core } from './core'
import { createReminders, type Reminder, type Reminders } from './features/reminders'
import type { Log } from './ports'
import { localeFor } from './settings/locale'

/** Where the window shows a plan of this machine, or of the account behind a connection, which has to be in use. */
function pathOf(planId: string, connectionId?: string): string {
  const path = `/plans/${encodeURIComponent(planId)}`
  return connectionId === undefined ? path : `${path}?connection=${encodeURIComponent(connectionId)}`
}

/** Reminds of plans that end, from now on, by notifications of the system; `open` shows a place of the window. */
export function startReminders(
  { account, connections, plans, settings }: Core,
  { log, open }: { readonly log: Log; readonly open: (path: string) => void },
): Reminders {
  const connectionIds = () => connections.list().flatMap(({ id, addresses }) => (addresses.consoleUrl ? [id] : []))
  const notify = (reminder: Reminder): void => {
    const locale = localeFor(settings.read().language, app.getPreferredSystemLanguages())
    const notification = new Notification(reminderWords(reminder, locale))
    notification.on('click', () => {
      const id = new URL(reminder.path, 'app://window').searchParams.get('connection')
      if (connections.list().some((one) => one.id === id && !one.isActive)) connections.use(id ?? '')
      open(reminder.path)
    })
    notification.show()
  }
  const reminders = createReminders({
    clock: () => new Date(),
    settings,
    log,
    plans: () => reminderPlans({ plans, account, connectionIds, pathOf }),
    notify,
    repeat: (run, ms) => {
      const timer = setInterval(run, ms)
      return () => clearInterval(timer)
    },
  })
  reminders.start()
  return reminders
}
