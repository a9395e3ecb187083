import { dirname, join } from 'node:path'
import type { RegisterEntry, RelayTool, RelayView, RotationSchedule, TeamRotation } from '@shared/contract'
import { hourMs, minuteMs } from '@shared/durations'
import { app, type BrowserWindow, dialog, type FileFilter, Notification, type OpenDialogOptions } from 'electron'
import { AlertWatch } from '../compose/alert-watch'
import type { Core } from '../compose/compose'
import { type Locale, translator } from '../core/i18n'
import type { FileDialogs, FileType } from '../core/ports'
import { resolveLocale } from '../core/settings/window-settings'
import {
  type AgedKey,
  findAgedKeys,
  formatKeyReminder,
  formatKeyReminders,
  localKeyAges,
  remoteKeyAges,
  unconfirmedKeyAges,
  updateShownReminders,
} from '../keys/rotation/stale-keys'
import {
  createReminders,
  formatReminder,
  formatReminders,
  joinNames,
  type Notice,
  type Reminder,
  reminderPlans,
} from '../plans/account/reminders'
import { type Alert, Alerts, alertIntervalMs, formatAlert, formatAlerts } from '../usage/quota/alerts'
import type { AppCore } from './compose-app'

const anyFile = { name: '*', extensions: ['*'] }

const fileFilters: Readonly<Record<FileType, FileFilter[]>> = {
  json: [{ name: 'JSON', extensions: ['json'] }],
  csv: [{ name: 'CSV', extensions: ['csv'] }],
  markdown: [{ name: 'Markdown', extensions: ['md'] }],
  text: [{ name: 'TXT, LOG', extensions: ['txt', 'log'] }, anyFile],
  png: [{ name: 'PNG', extensions: ['png'] }],
  svg: [{ name: 'SVG', extensions: ['svg'] }],
  certificates: [{ name: 'PEM, CRT, CER, DER', extensions: ['pem', 'crt', 'cer', 'der'] }, anyFile],
  keyFile: [{ name: 'age', extensions: ['age'] }, anyFile],
}

export function systemFileDialogs(window: () => BrowserWindow | undefined): FileDialogs {
  // Since version 43, Electron opens each file dialog in the Downloads folder. Open it in the last used folder instead.
  let lastFolder: string | undefined
  const rememberFolder = (path: string | undefined): void => {
    if (path) lastFolder = dirname(path)
  }
  const choosePaths = async (options: OpenDialogOptions): Promise<readonly string[]> => {
    const parentWindow = window()
    const dialogOptions = lastFolder === undefined ? options : { ...options, defaultPath: lastFolder }
    const { filePaths } = await (parentWindow
      ? dialog.showOpenDialog(parentWindow, dialogOptions)
      : dialog.showOpenDialog(dialogOptions))
    rememberFolder(filePaths[0])
    return filePaths
  }
  return {
    open: async (type) => (await choosePaths({ filters: fileFilters[type], properties: ['openFile'] }))[0],
    openMany: (type) => choosePaths({ filters: fileFilters[type], properties: ['openFile', 'multiSelections'] }),
    chooseFolder: async () => (await choosePaths({ properties: ['openDirectory', 'createDirectory'] }))[0],
    async save(name, type) {
      // The name may come from the page and must not choose the dialog's folder.
      const fileName = name.replace(/[\\/:\p{Cc}\p{Cf}]+/gu, '-').replace(/^\.+/, '')
      const options = { defaultPath: join(lastFolder ?? '', fileName), filters: fileFilters[type] }
      const parentWindow = window()
      const { filePath } = await (parentWindow
        ? dialog.showSaveDialog(parentWindow, options)
        : dialog.showSaveDialog(options))
      rememberFolder(filePath)
      return filePath || undefined
    },
  }
}

type OpenPath = (path: string) => void

/** Notification texts: one per item, or a summary of several items. */
interface NotificationTexts<T> {
  readonly one: (item: T, locale: Locale) => Notice
  readonly all: (reminded: readonly T[], locale: Locale) => Notice
}

/** A notification of several items: their count and first names. */
const summarize =
  <T>(
    getName: (item: T) => string,
    title: 'relaySwitch.several' | 'keyEnded.several' | 'scheduledRotation.several',
    path: string,
  ) =>
  (items: readonly T[], locale: Locale): Notice => ({
    title: translator(locale)(title, { count: items.length }),
    body: joinNames(items.map(getName), locale),
    path,
  })

/** References to shown notifications. A garbage-collected notification does not report clicks. */
const shownNotifications = new Set<Notification>()

/** Shows a notification. A click makes its connection the active one and opens its page in the window. */
export function showNotice({ connections }: Pick<Core, 'connections'>, open: OpenPath): (notice: Notice) => void {
  return ({ path, ...texts }) => {
    const notification = new Notification(texts)
    const removeNotification = (): void => void shownNotifications.delete(notification)
    notification.on('click', () => {
      removeNotification()
      const id = new URL(path, 'app://window').searchParams.get('connection')
      if (connections.list().some((item) => item.id === id && !item.isActive)) connections.use(id ?? '')
      open(path)
    })
    notification.on('close', removeNotification)
    shownNotifications.add(notification)
    notification.show()
  }
}

/** Maximum number of notifications at a time. More items get one summary, because each takes the system a while. */
const maxSingleNotifications = 4

/** Shows notifications in the window's language. */
function notifier<T>(
  core: Pick<Core, 'connections' | 'settings'>,
  { one, all }: NotificationTexts<T>,
  open: OpenPath,
): (items: readonly T[]) => void {
  const show = showNotice(core, open)
  return (items) => {
    const locale = findLocale(core)
    if (items.length > maxSingleNotifications) show(all(items, locale))
    else for (const item of items) show(one(item, locale))
  }
}

/** The window's language, used for menus, tray and notifications. */
export const findLocale = ({ settings }: Pick<Core, 'settings'>): Locale =>
  resolveLocale(settings.read().language, app.getPreferredSystemLanguages())

/** Returns a listener that notifies once when the relay switches a tool to another plan because of overload. */
export function relaySwitchNotifier(core: AppCore, open: OpenPath): (view: RelayView) => void {
  const shown = new Set<string>()
  const toNotice = ({ toolName: tool, lastSwitch }: RelayTool, locale: Locale): Notice => {
    const { from = '', to = '', until = '' } = lastSwitch ?? {}
    const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(until))
    const t = translator(locale)
    return {
      title: t('relaySwitch.title', { from }),
      body: t('relaySwitch.body', { tool, to, time }),
      path: '/relay',
    }
  }
  const all = summarize(({ toolName }: RelayTool) => toolName, 'relaySwitch.several', '/relay')
  const notify = notifier(core, { one: toNotice, all }, open)
  return ({ tools }) => {
    const toMark = ({ toolId, lastSwitch }: RelayTool): string => `${toolId} ${lastSwitch?.at}`
    const switchedTools = tools.filter((tool) => tool.lastSwitch && !shown.has(toMark(tool)))
    for (const tool of switchedTools) shown.add(toMark(tool))
    notify(switchedTools)
  }
}

/** Delay in ms of periodic checks, which would take a tenth of startup CPU. */
const firstCheckDelayMs = 1000

/** Refresh interval of the tray's quotas. */
const quotaIntervalMs = 5 * minuteMs

/** Starts all periodic checks and notifications. `onAlert` is called when there are new alerts. */
export function startReminderServices(core: AppCore, open: OpenPath, onAlert: () => void) {
  const { log, account, connections, plans, quota, ledger, budgets, settings } = core
  const clock = (): Date => new Date()
  const watch = new AlertWatch(core, { quota, ledger, budgets, log, clock, locale: () => findLocale(core) })
  const checkWebhook = (): void => {
    if (core.webhook.isOn()) void watch.check().catch((error: unknown) => log.error('webhook.check', error))
  }
  const refreshQuotas = (): void => void quota.list().catch((error: unknown) => log.error('tray.quota', error))
  const notifyAlerts = notifier(core, alertNotices, open)
  const alerts = new Alerts({
    quota,
    ledger,
    budgets,
    log,
    settings,
    plans,
    getPlatformAddress: (id) => connections.list().find((connection) => connection.id === id)?.addresses.consoleUrl,
    clock,
    notify: (newAlerts) => {
      notifyAlerts(newAlerts)
      onAlert()
      checkWebhook()
    },
  })
  const reminders = createReminders({
    clock,
    settings,
    log,
    plans: () => reminderPlans({ plans, account, connectionIds: () => connections.consoleIds(), getPath: toPlanPath }),
    notify: notifier(core, reminderTexts, open),
    later: runAfter,
  })
  const services: { stop(): void }[] = [alerts, core.usage, reminders]
  const timer = setTimeout(() => {
    alerts.start()
    reminders.start()
    core.usage.follow()
    services.push({ stop: startInterval(refreshQuotas, quotaIntervalMs) }, startKeyReminders(core, open), {
      stop: startInterval(checkWebhook, alertIntervalMs),
    })
    refreshQuotas()
    checkWebhook()
  }, firstCheckDelayMs)
  const stop = (): void => {
    clearTimeout(timer)
    for (const item of services) item.stop()
  }
  return { alerts, checkWebhook, stop }
}

const alertNotices = {
  one: (alert: Alert, locale: Locale) => ({ ...formatAlert(alert, locale), path: alert.path }),
  all: (alerts: readonly Alert[], locale: Locale) => ({ ...formatAlerts(alerts, locale), path: '/usage/alerts' }),
}

/** Like `setTimeout`. Returns a cancel function. */
export function runAfter(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

/** Like `setInterval`. Returns a cancel function. */
function startInterval(run: () => void, ms: number): () => void {
  const timer = setInterval(run, ms)
  return () => clearInterval(timer)
}

function toPlanPath(planId: string, connectionId?: string): string {
  const path = `/plans/${encodeURIComponent(planId)}`
  return connectionId === undefined ? path : `${path}?connection=${encodeURIComponent(connectionId)}`
}

const reminderTexts: NotificationTexts<Reminder> = {
  one: (reminder, locale) => ({ ...formatReminder(reminder, locale), path: reminder.path }),
  all: (reminders, locale) => ({ ...formatReminders(reminders, locale), path: '/plans' }),
}

const staleKeyTexts: NotificationTexts<AgedKey> = {
  one(key, locale) {
    const { planId, keyId, canRotate, holder } = key
    const query = new URLSearchParams({ plan: planId, key: keyId })
    const planPath = canRotate ? `/rotate?${query}` : `/plans/${encodeURIComponent(planId)}`
    return { ...formatKeyReminder(key, locale), path: holder === undefined ? planPath : '/register' }
  },
  all: (keys, locale) => ({ ...formatKeyReminders(keys, locale), path: '/register' }),
}

/**
 * Every hour, reminds of old and unconfirmed keys, for a lead also of keys of the team. Every five minutes, deletes the
 * keys of holders who left, disables keys after their end date, and starts scheduled rotations.
 */
function startKeyReminders(core: AppCore, open: OpenPath) {
  const { log, plans, register, rotation, settings } = core
  const notify = notifier(core, staleKeyTexts, open)
  const notifyEnded = notifier(core, endedKeyTexts, open)
  const notifyScheduled = notifier(core, scheduledRotationTexts, open)
  const sendKeyReminders = async (): Promise<void> => {
    const { team, register: notes } = settings.read()
    const isTeamLead = team !== undefined
    const isWaiting = notes.some((note) => note.handedOutAt && !note.acknowledgedAt)
    // Another lead may have entered the confirmation code, so send no reminder while the team database is unreachable.
    const syncTeam = async (): Promise<boolean> =>
      (await core.loadTeam()).sync().then(
        () => true,
        () => false,
      )
    const isCurrent = !isTeamLead || !isWaiting || (await syncTeam())
    const entries = isTeamLead || isWaiting ? await register.list() : []
    const { keyReminders, shownKeyReminders: shown, handouts } = settings.read()
    const remoteKeys = isTeamLead ? remoteKeyAges(entries) : []
    const keys = [...localKeyAges(plans.list()), ...remoteKeys, ...unconfirmedKeyAges(entries, handouts)]
    const dueKeys = findAgedKeys(keys, keyReminders.days, { currentTime: new Date(), shown })
    const dueReminders = isCurrent ? dueKeys : dueKeys.filter((key) => !key.isUnconfirmed)
    if (dueReminders.length === 0) return
    notify(dueReminders.filter((key) => !key.isUnconfirmed))
    notify(dueReminders.filter((key) => key.isUnconfirmed))
    settings.update((current) => ({
      shownKeyReminders: updateShownReminders(current.shownKeyReminders, dueReminders, keys),
    }))
  }
  const remindUser = (): void => {
    void sendKeyReminders().catch((error: unknown) => log.error('keys.remind', error))
  }
  const carryOutDue = (): void => {
    void register.deleteDue().catch((error: unknown) => log.error('keys.delete', error))
    void register.disableDue().then(notifyEnded, (error: unknown) => log.error('keys.end', error))
    void rotation.schedules.startDue().then(notifyScheduled, (error: unknown) => log.error('rotation.due', error))
  }
  remindUser()
  carryOutDue()
  const timers = [setInterval(remindUser, hourMs), setInterval(carryOutDue, alertIntervalMs)]
  return { stop: () => timers.forEach(clearInterval) }
}

const endedKeyTexts: NotificationTexts<RegisterEntry> = {
  one: ({ keyName: key, planName: plan, holder }, locale) => ({
    title: translator(locale)('keyEnded.title', { key }),
    body: translator(locale)(holder ? 'keyEnded.bodyHolder' : 'keyEnded.body', { plan, holder: holder?.name ?? '' }),
    path: '/register',
  }),
  all: summarize(({ keyName }) => keyName, 'keyEnded.several', '/register'),
}

const scheduledRotationTexts: NotificationTexts<RotationSchedule> = {
  one: ({ keyName: key, planName: plan, failure }, locale) => ({
    title: translator(locale)(failure ? 'scheduledRotation.failed' : 'scheduledRotation.started', { key }),
    body: failure ? `${plan}: ${failure.message}` : translator(locale)('scheduledRotation.body', { plan }),
    path: '/register/rotations',
  }),
  all: summarize(({ keyName }) => keyName, 'scheduledRotation.several', '/register/rotations'),
}

const keySwitchTexts: NotificationTexts<TeamRotation> = {
  one: ({ keyName, planName, switchHere }, locale) => ({
    title: translator(locale)('keySwitch.one', { key: keyName }),
    body: `${planName}: ${switchHere?.failure?.message ?? ''}`,
    path: '/team',
  }),
  all: (keySwitches, locale) => ({
    title: translator(locale)('keySwitch.several', { total: keySwitches.length }),
    body: keySwitches.map(({ keyName }) => keyName).join(', '),
    path: '/team',
  }),
}

/** Notifies once per key that another computer has rotated and that this computer's tools failed to switch to. */
export function createSwitchNotifier(core: AppCore, open: OpenPath): () => Promise<void> {
  const notify = notifier(core, keySwitchTexts, open)
  const notifiedIds = new Set<string>()
  return async () => {
    if (core.settings.read().team === undefined) return
    const view = await (await core.loadTeam()).get()
    const failedSwitches = view.state === 'joined' ? view.rotations.filter(({ switchHere }) => switchHere?.failure) : []
    notify(failedSwitches.filter(({ id }) => !notifiedIds.has(id)))
    for (const { id } of failedSwitches) notifiedIds.add(id)
  }
}
