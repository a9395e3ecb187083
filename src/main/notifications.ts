import { app, Notification } from 'electron'
import { reminderPlans } from './account/reminder-plans'
import { reminderWords } from './account/reminder-words'
import type { Core } from './core'
import { createReminders, type Reminder, type Reminders } from './features/reminders'
import type { Log } from './ports'
import { type AgedKey, agedKeys, shownAfter } from './rotation/aged-keys'
import { keyAgeWords } from './rotation/key-age-words'
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

const hourMs = 3_600_000

/** Reminds of keys that have grown old, from now on and every hour. */
export function startKeyReminders({ plans, settings }: Core, open: (path: string) => void): Pick<Reminders, 'stop'> {
  const notify = (key: AgedKey): void => {
    const locale = localeFor(settings.read().language, app.getPreferredSystemLanguages())
    const notification = new Notification(keyAgeWords(key, locale))
    const { planId, keyId, canRotate } = key
    const query = new URLSearchParams({ plan: planId, key: keyId })
    notification.on('click', () => open(canRotate ? `/rotate?${query}` : `/plans/${encodeURIComponent(planId)}`))
    notification.show()
  }
  const remind = (): void => {
    const { keyReminders, shownKeyReminders: shown } = settings.read()
    const told = agedKeys(plans.list(), keyReminders.days, { now: new Date(), shown })
    for (const key of told) notify(key)
    if (told.length > 0) settings.update({ shownKeyReminders: shownAfter(shown, told, plans.list()) })
  }
  remind()
  const timer = setInterval(remind, hourMs)
  return { stop: () => clearInterval(timer) }
}
