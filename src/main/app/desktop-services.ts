import { dirname, join } from 'node:path'
import type { RegisterEntry, RelayView, RotationSchedule } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { app, type BrowserWindow, dialog, type FileFilter, Notification, type OpenDialogOptions } from 'electron'
import { AlertWatch } from '../compose/alert-watch'
import type { Core } from '../compose/compose'
import { type Locale, translator } from '../core/i18n'
import { type GroupedNotice, type Notice, summarize } from '../core/notices'
import type { FileDialogs, FileType } from '../core/ports'
import { resolveLocale } from '../core/settings/window-settings'
import { groupBy } from '../plans/plan-directory'
import { Alerts, alertIntervalMs } from '../usage/quota/alerts'
import { type AppCore, debounced } from './compose-app'

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

/** Shows notifications, or a summary of several. */
function notifier(core: Pick<Core, 'connections' | 'settings'>, open: OpenPath) {
  const show = showNotice(core, open)
  return (notices: readonly GroupedNotice[]): void => {
    for (const group of groupBy(notices, (notice) => notice.group)) {
      if (group.length > maxSingleNotifications) show(summarize(group[0].group, group, findLocale(core)))
      else for (const notice of group) show(notice)
    }
  }
}

/** The window's language, used for menus, tray and notifications. */
export const findLocale = ({ settings }: Pick<Core, 'settings'>): Locale =>
  resolveLocale(settings.read().language, app.getPreferredSystemLanguages())

/** Returns a listener that notifies once when the relay switches a tool to another plan because of overload. */
export function relaySwitchNotifier(core: AppCore, open: OpenPath): (view: RelayView) => void {
  const shown = new Set<string>()
  const notify = notifier(core, open)
  return ({ tools }) => {
    const locale = findLocale(core)
    const t = translator(locale)
    const times = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
    const notices = tools.flatMap(({ toolId, toolName: name, lastSwitch }): GroupedNotice[] => {
      const mark = `${toolId} ${lastSwitch?.at}`
      if (!lastSwitch || shown.has(mark)) return []
      shown.add(mark)
      const { from, to, until } = lastSwitch
      const values = { from, tool: name, to, time: times.format(new Date(until)) }
      const texts = { title: t('relaySwitch.title', values), body: t('relaySwitch.body', values) }
      return [{ ...texts, path: '/relay', name, group: 'relaySwitches' }]
    })
    notify(notices)
  }
}

/** Delay in ms of periodic checks, which would take a tenth of startup CPU. */
const firstCheckDelayMs = 1000

/** Minimum time in ms between the last check and one after new usage. */
const checkPauseMs = 15_000

/**
 * Starts all periodic checks and notifications. `onAlert` is called when there are new alerts. Every minute, imports
 * logs of tools. Every five minutes, checks for alerts, deletes the keys of holders who left, disables keys after their
 * end date, and starts scheduled rotations.
 */
export function startReminderServices(core: AppCore, open: OpenPath, onAlert: () => void) {
  const { log, quota, ledger, budgets, settings, register, rotation } = core
  const clock = (): Date => new Date()
  const alerts = new Alerts({ settings, clock })
  const notify = notifier(core, open)
  let isStopped = false
  const watch = new AlertWatch(core, {
    quota,
    ledger,
    budgets,
    log,
    clock,
    locale: () => findLocale(core),
    omittedKind: 'rotation',
    deliver: (find) => {
      if (isStopped) return
      const found = find(alerts.memory())
      notify(found.notices)
      alerts.record(found)
      if (found.notices.some(({ alert }) => alert)) onAlert()
    },
  })
  let checkedAtMs = Number.NEGATIVE_INFINITY
  const check = (): void => {
    checkedAtMs = performance.now()
    if (!isStopped) void watch.check().catch((error: unknown) => log.error('alerts.check', error))
  }
  const carryOutDue = (): void => {
    const locale = findLocale(core)
    void register.deleteDue().catch((error: unknown) => log.error('keys.delete', error))
    void register.disableDue().then(
      (keys) => notify(keys.map((key) => describeEndedKey(key, locale))),
      (error: unknown) => log.error('keys.end', error),
    )
    void rotation.schedules.startDue().then(
      (schedules) => notify(schedules.map((schedule) => describeSchedule(schedule, locale))),
      (error: unknown) => log.error('rotation.due', error),
    )
  }
  const look = (): void => {
    check()
    carryOutDue()
    // Sends messages that were not delivered before.
    if (core.webhook.isOn()) void core.webhook.flush()
  }
  const readUsage = (): void => void core.usage.look()
  const timers: NodeJS.Timeout[] = []
  const timer = setTimeout(() => {
    look()
    readUsage()
    timers.push(setInterval(look, alertIntervalMs), setInterval(readUsage, minuteMs))
  }, firstCheckDelayMs)
  const stop = (): void => {
    isStopped = true
    clearTimeout(timer)
    timers.forEach(clearInterval)
  }
  return {
    alerts,
    check,
    checkSoon: debounced(check, () => Math.max(0, checkedAtMs + checkPauseMs - performance.now())),
    stop,
  }
}

/** Like `setTimeout`. Returns a cancel function. */
export function runAfter(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

function describeEndedKey({ keyName, planName: plan, holder }: RegisterEntry, locale: Locale): GroupedNotice {
  const t = translator(locale)
  return {
    title: t('keyEnded.title', { key: keyName }),
    body: t(holder ? 'keyEnded.bodyHolder' : 'keyEnded.body', { plan, holder: holder?.name ?? '' }),
    path: '/register',
    name: keyName,
    group: 'endedKeys',
  }
}

function describeSchedule({ keyName, planName: plan, failure }: RotationSchedule, locale: Locale): GroupedNotice {
  const t = translator(locale)
  return {
    title: t(failure ? 'scheduledRotation.failed' : 'scheduledRotation.started', { key: keyName }),
    body: failure ? `${plan}: ${failure.message}` : t('scheduledRotation.body', { plan }),
    path: '/register/rotations',
    name: keyName,
    group: 'rotations',
  }
}

/** Notifies once per key that another computer has rotated and that this computer's tools failed to switch to. */
export function createSwitchNotifier(core: AppCore, open: OpenPath): () => Promise<void> {
  const notify = notifier(core, open)
  const notifiedIds = new Set<string>()
  return async () => {
    if (core.settings.read().team === undefined) return
    const view = await (await core.loadTeam()).get()
    const rotations = view.state === 'joined' ? view.rotations : []
    const t = translator(findLocale(core))
    const notices = rotations.flatMap(({ id, keyName: name, planName, switchHere }): GroupedNotice[] => {
      if (!switchHere?.failure || notifiedIds.has(id)) return []
      notifiedIds.add(id)
      const texts = { title: t('keySwitch.one', { key: name }), body: `${planName}: ${switchHere.failure.message}` }
      return [{ ...texts, path: '/team', name, group: 'keySwitches' }]
    })
    notify(notices)
  }
}
