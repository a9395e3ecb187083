import { app, Notification } from 'electron'
import { reminderPlans } from './account/reminder-plans'
import { remindersWords, reminderWords } from './account/reminder-words'
import type { Core } from './core'
import { createReminders, type Reminder, type Reminders } from './features/reminders'
import { type Notice, noticesOf } from './notices'
import type { Log } from './ports'
import { type AgedKey, agedKeys, shownAfter } from './rotation/aged-keys'
import { keyAgeWords, keysAgeWords } from './rotation/key-age-words'
import { localeFor } from './settings/locale'

type Open = (path: string) => void

/** What is told by the system: of each, or of all in one. */
interface Speaker<T> {
  readonly one: (each: T, locale: 'en' | 'vi') => Notice
  readonly all: (told: readonly T[], locale: 'en' | 'vi') => Notice
}

/** Tells by notifications of the system, in the window's language; `open` shows the place of the one that is clicked, with its connection in use. */
export function notifier<T>(
  { connections, settings }: Pick<Core, 'connections' | 'settings'>,
  { one, all }: Speaker<T>,
  open: Open,
): (told: readonly T[]) => void {
  const show = ({ path, ...words }: Notice): void => {
    const notification = new Notification(words)
    notification.on('click', () => {
      const id = new URL(path, 'app://window').searchParams.get('connection')
      if (connections.list().some((each) => each.id === id && !each.isActive)) connections.use(id ?? '')
      open(path)
    })
    notification.show()
  }
  return (told) => {
    const locale = localeFor(settings.read().language, app.getPreferredSystemLanguages())
    const ways = { one: (each: T) => one(each, locale), all: (many: readonly T[]) => all(many, locale) }
    for (const notice of noticesOf(told, ways)) show(notice)
  }
}

/** Where the window shows a plan of this machine, or of the account behind a connection, which has to be in use. */
function pathOf(planId: string, connectionId?: string): string {
  const path = `/plans/${encodeURIComponent(planId)}`
  return connectionId === undefined ? path : `${path}?connection=${encodeURIComponent(connectionId)}`
}

const ofReminders: Speaker<Reminder> = {
  one: (reminder, locale) => ({ ...reminderWords(reminder, locale), path: reminder.path }),
  all: (reminders, locale) => ({ ...remindersWords(reminders, locale), path: '/plans' }),
}

/** Reminds of plans that end, from now on; `open` shows a place of the window. */
export function startReminders(core: Core, { log, open }: { readonly log: Log; readonly open: Open }): Reminders {
  const { account, connections, plans, settings } = core
  const connectionIds = () => connections.list().flatMap(({ id, addresses }) => (addresses.consoleUrl ? [id] : []))
  const reminders = createReminders({
    clock: () => new Date(),
    settings,
    log,
    plans: () => reminderPlans({ plans, account, connectionIds, pathOf }),
    notify: notifier(core, ofReminders, open),
    repeat: (run, ms) => {
      const timer = setInterval(run, ms)
      return () => clearInterval(timer)
    },
  })
  reminders.start()
  return reminders
}

const hourMs = 3_600_000

function keyPath({ planId, keyId, canRotate }: AgedKey): string {
  return canRotate
    ? `/rotate?${new URLSearchParams({ plan: planId, key: keyId })}`
    : `/plans/${encodeURIComponent(planId)}`
}

const ofKeys: Speaker<AgedKey> = {
  one: (key, locale) => ({ ...keyAgeWords(key, locale), path: keyPath(key) }),
  all: (keys, locale) => ({ ...keysAgeWords(keys, locale), path: '/register' }),
}

/** Reminds of keys that have grown old, from now on and every hour. */
export function startKeyReminders(core: Core, open: Open): Pick<Reminders, 'stop'> {
  const { plans, settings } = core
  const notify = notifier(core, ofKeys, open)
  const remind = (): void => {
    const { keyReminders, shownKeyReminders: shown } = settings.read()
    const told = agedKeys(plans.list(), keyReminders.days, { now: new Date(), shown })
    if (told.length === 0) return
    notify(told)
    settings.update((now) => ({ shownKeyReminders: shownAfter(now.shownKeyReminders, told, plans.list()) }))
  }
  remind()
  const timer = setInterval(remind, hourMs)
  return { stop: () => clearInterval(timer) }
}
