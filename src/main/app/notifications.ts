import { app, Notification } from 'electron'
import { batchNotifications, type Notice } from '../account/notification-text'
import type { Core } from '../compose'
import { localeFor } from '../settings/window-settings'

/** Shows a place of the window. */
export type Open = (path: string) => void

/** What is told by the system: of each, or of all in one. */
export interface Speaker<T> {
  readonly one: (each: T, locale: 'en' | 'vi') => Notice
  readonly all: (told: readonly T[], locale: 'en' | 'vi') => Notice
}

/** What is shown: the garbage collector takes a notification that nobody holds, and a click on it is heard by nobody. */
const shownNotifications = new Set<Notification>()

/** Systems that never tell that one is closed would have them all held. */
const mostShown = 50

/** Shows a notification of the system; a click on it shows its place in the window, with its connection in use. */
export function showNotice({ connections }: Pick<Core, 'connections'>, open: Open): (notice: Notice) => void {
  return ({ path, ...words }) => {
    const notification = new Notification(words)
    const forget = (): void => void shownNotifications.delete(notification)
    notification.on('click', () => {
      forget()
      const id = new URL(path, 'app://window').searchParams.get('connection')
      if (connections.list().some((each) => each.id === id && !each.isActive)) connections.use(id ?? '')
      open(path)
    })
    notification.on('close', forget)
    shownNotifications.add(notification)
    for (const oldest of [...shownNotifications].slice(0, -mostShown)) shownNotifications.delete(oldest)
    notification.show()
  }
}

/** Tells by notifications of the system, in the window's language. */
export function notifier<T>(
  core: Pick<Core, 'connections' | 'settings'>,
  { one, all }: Speaker<T>,
  open: Open,
): (told: readonly T[]) => void {
  const show = showNotice(core, open)
  return (told) => {
    const locale = localeFor(core.settings.read().language, app.getPreferredSystemLanguages())
    const ways = { one: (each: T) => one(each, locale), all: (many: readonly T[]) => all(many, locale) }
    for (const notice of batchNotifications(told, ways)) show(notice)
  }
}
