import { readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type EventPayload, events } from '@shared/contract'
import { minuteMs } from '@shared/durations'
import { app, BrowserWindow, ClipboardItem, clipboard, dialog, nativeImage, nativeTheme } from 'electron'
import ElectronStore from 'electron-store'
import { type Confirm, queueConfirmations } from '../core/consent/consent'
import { questionText } from '../core/consent/question-text'
import { type Locale, translator } from '../core/i18n'
import { lazy } from '../core/lazy'
import { createLog } from '../core/log'
import type { ClipboardPort, Log } from '../core/ports'
import type { Secret } from '../core/secret'
import { openSettingsFile, type SettingsFile } from '../core/settings/settings-file'
import { createWindowSettings, resolveLocale } from '../core/settings/window-settings'
import { createKeyCopier, createPendingKeys } from '../plans/key-clipboard'
import { answerCall } from './bridge'
import {
  type AppCore,
  type AppPaths,
  createAppCore,
  createRelayNotifier,
  dependentNames,
  type SendEvent,
} from './compose-app'
import {
  createSwitchNotifier,
  findLocale,
  relaySwitchNotifier,
  runAfter,
  startReminderServices,
  systemFileDialogs,
} from './desktop-services'
import { FileWatch } from './file-watch'
import { createHandlers } from './handlers'
import { createAppMenu } from './menu'
import { sandboxProcess } from './processes'
import { keepSandboxConnection, keepSandboxPlan, openControl, Sandbox } from './sandbox'
import { createAppTray } from './tray'
import { areUpdatesForbidden, Updates, updateInstaller, updateSource, watchReplacement } from './updates'
import { isOwnPage, saveWindowBoundsOn, showMessageBox, type WindowBounds } from './window'

export type Shell = Awaited<ReturnType<typeof startShell>>

interface ShellOptions extends AppPaths {
  /** Address of the app's page. Events are sent to no other page. */
  readonly pageUrl: string
  readonly window: () => BrowserWindow | undefined
  readonly showWindow: () => void
  /** Path of the key file that the system opened with the app, once. */
  readonly takeOpenedKeyFile: () => string | undefined
}

/** Domains whose data is stored in the settings file. */
const settingsDomains: EventPayload<'data.changed'>['domains'] = [
  'connections',
  'handouts',
  'mcp',
  'operations',
  'plans',
  'profiles',
  'register',
  'resources',
  'rotation',
  'settings',
  'team',
  'tools',
  'usage',
]

/** Creates the app's features while the window loads. */
export async function startShell(options: ShellOptions) {
  const { dataDir, outDir, window, showWindow, pageUrl, takeOpenedKeyFile } = options
  const log = createLog(dataDir)
  const store = openSettingsFile({
    dataDir,
    onSetAside: (path) => {
      log.info('settings.setAside', { path })
      // In the system's language, because the chosen one was lost.
      const message = translator(resolveLocale('system', app.getPreferredSystemLanguages()))('settingsReset')
      void dialog.showMessageBox({ type: 'warning', message, detail: path })
    },
  })
  const sendEvent = createEventSender(window, pageUrl, log)
  const sendChanged = (...domains: EventPayload<'data.changed'>['domains']): void =>
    sendEvent('data.changed', { domains })
  const onChanged: typeof sendChanged = (...domains) => {
    sendChanged(...domains)
    if (domains.includes('usage')) reminderServices.checkSoon()
    if (domains.includes('team')) void notifySwitches()
  }
  const notifyRelayed = createRelayNotifier(() => onChanged('usage'))
  const confirm = consentDialog(window, () => findLocale(core))
  const core = await createAppCore(options, {
    store,
    log,
    confirm,
    sendEvent,
    onChanged,
    onQuotaListed: () => tray.show(),
    onRelayChanged: (view) => {
      sendEvent('relay.changed', view)
      tray.show()
      notifyRelayed(view)
      notifyOverload(view)
    },
  })
  const { relay, network } = core
  const open = (path?: string): void => {
    showWindow()
    if (path !== undefined) sendEvent('window.navigate', { path })
  }
  const notifySwitches = createSwitchNotifier(core, open)
  const notifyOverload = relaySwitchNotifier(core, open)
  const reminderServices = startReminderServices(core, open, () => sendChanged('usage'))
  const tray = createAppTray(core, { outDir, open })
  const copier = createKeyCopier(systemClipboard, runAfter)
  const sandbox = new Sandbox({
    host: sandboxProcess(join(outDir, 'main/sandbox.cjs'), join(dataDir, 'sandbox.json')),
    settings: core.settings,
    createControl: (ready) => openControl(ready, network.send),
    keepPlan: async (ready, knownId) => {
      await keepSandboxConnection(core, ready)
      return keepSandboxPlan(core, ready, knownId)
    },
    onChanged: (view) => sendEvent('sandbox.changed', view),
  })
  const settings = createWindowSettings({
    settings: core.settings,
    version: app.getVersion(),
    systemLanguages: () => app.getPreferredSystemLanguages(),
    applyTheme: (theme) => {
      nativeTheme.themeSource = theme
    },
    applyZoom: (percent) => window()?.webContents.setZoomFactor(percent / 100),
  })
  const menu = createAppMenu(core, settings, open, sendEvent)
  const updates = new Updates({
    version: app.getVersion(),
    system: process,
    source: updateSource(),
    isForbidden: areUpdatesForbidden(),
    installer: updateInstaller(network.send),
    isReplaced: watchReplacement(process.execPath),
    send: network.send,
    settings: core.settings,
    clock: () => new Date(),
    log,
    onChanged: (view) => sendEvent('updates.changed', view),
    quit: () => app.quit(),
  })
  const loadHandlers = createHandlers({
    core,
    copier,
    confirm,
    clipboard: systemClipboard,
    copyImage,
    pending: createPendingKeys({
      clipboard: systemClipboard,
      clock: () => new Date(),
      hasCopied: (secret) => copier.hasCopied(secret),
      confirm,
    }),
    settings,
    dialogs: systemFileDialogs(window),
    confirmOpenedKit: async () => {
      const path = takeOpenedKeyFile()
      return path !== undefined && (await confirm({ kind: 'openKeyFile', path })) ? path : undefined
    },
    showPassphrase: (passphrase) => showPassphrase(passphrase, findLocale(core), window()),
    printPassphrases: (passphrases) => printText(translator(findLocale(core))('passphrase.list'), passphrases),
    sandbox,
    alerts: reminderServices.alerts,
    checkAlerts: reminderServices.check,
    updates,
    locale: () => findLocale(core),
  })
  const changeFollower = watchChanges(core, { store, tray, menu, sendEvent })
  // Tools may use the sandbox, so restart it if it was running. The sandbox page shows a failure.
  if (core.settings.read().sandbox.wanted) void sandbox.open().catch(() => undefined)
  // Roll back interrupted writes of tool settings. Startup changes tool settings for no other reason. The window lists
  // the restored files.
  void core.tools.recover().catch((error: unknown) => log.error('tools.recover', error))
  const startDelayedTasks = (): void => {
    tray.refresh()
    void deleteTemporaries(dataDir, new Date())
    void core.sweepNewItems().catch((error: unknown) => log.error('vault.sweep', error))
    core.operations.resume()
    core.account.purchases.resume()
    core.rotation.engine.follow()
    core.relay.follow()
    followTeam(core)
  }
  const timer = setTimeout(startDelayedTasks, window() ? startDelayMs : 0)
  const stopUpdateChecks = updates.follow()
  const stop = async (): Promise<void> => {
    clearTimeout(timer)
    stopUpdateChecks()
    reminderServices.stop()
    tray.end()
    changeFollower.close()
    // Records the playground's usage before the ledger closes.
    await Promise.all([core.playground.end(), copier.flush(), sandbox.end()])
    await Promise.all([core.end(), relay.end(), core.ledger.close()])
    await updates.finish()
  }
  // Not in the settings, so that moving the window does not lock them.
  const boundsFile = new ElectronStore<WindowBounds>({
    cwd: dataDir,
    name: 'window',
    configFileMode: 0o600,
    clearInvalidConfig: true,
  })
  const rememberPlace = (): void => {
    const openedWindow = window()
    if (openedWindow) saveWindowBoundsOn(openedWindow, boundsFile)
  }
  rememberPlace()
  return {
    answer: (name: unknown, input: unknown) => answerCall({ loadHandlers, log }, name, input),
    rememberPlace,
    /** Shows the window, optionally at the page with this path. */
    open,
    /** Names of the tools that fail when the app quits. */
    dependents: (): readonly string[] => dependentNames(core),
    /** Whether the app stays in the tray when its last window is closed. */
    staysInBackground: () => core.settings.read().relay.keepInBackground && relay.isOn(),
    locale: () => findLocale(core),
    end: lazy(stop),
  }
}

/** Delay in ms of startup work that the window's first queries do not need. */
const startDelayMs = 300

interface FollowOptions {
  readonly store: SettingsFile
  readonly tray: ReturnType<typeof createAppTray>
  /** Rebuilds the menu for the current language and shortcuts. */
  readonly menu: { refresh(): void }
  readonly sendEvent: SendEvent
}

/** Reacts to changes by the command line, coding tools and editors. */
function watchChanges(core: AppCore, { store, tray, menu, sendEvent }: FollowOptions): { close(): void } {
  const { dataDir } = core
  store.onChange(() => {
    tray.refresh()
    menu.refresh()
    // Continue to poll operations, rotations and routes that the command line has started or changed.
    core.operations.resume()
    core.rotation.engine.follow()
    core.relay.follow()
    followTeam(core)
    sendEvent('data.changed', { domains: settingsDomains })
  })
  const records = join(dataDir, 'tools')
  const calls = join(dataDir, 'logs/mcp-calls.jsonl')
  const ownPaths = [store.path, records, join(dataDir, 'mcp/tools'), calls]
  const paths = (): string[] => [...ownPaths, ...core.tools.watchedFiles(), ...core.mcpServers.watchedFiles()]
  const fileWatch = new FileWatch({
    paths: paths(),
    onChange: (changed) => {
      if (changed.includes(store.path)) store.lookAgain()
      // The list of watched files depends on the tool records.
      if (changed.includes(records)) fileWatch.setPaths(paths())
      if (changed.every((path) => path === store.path)) return
      tray.refresh()
      core.relay.follow()
      sendEvent('data.changed', { domains: ['mcp', 'plans', 'profiles', 'register', 'tools'] })
    },
  })
  const checkWatchedFiles = (): void => void fileWatch.look()
  app.on('browser-window-focus', checkWatchedFiles)
  return {
    close: () => {
      app.off('browser-window-focus', checkWatchedFiles)
      fileWatch.close()
    },
  }
}

function followTeam({ settings, loadTeam, log }: AppCore): void {
  if (settings.read().team)
    void loadTeam().then(
      (team) => team.follow(),
      (error: unknown) => log.error('team', error),
    )
}

/** Sends an event after strictly parsing its payload. */
function createEventSender(window: ShellOptions['window'], pageUrl: string, log: Log): SendEvent {
  return (name, payload) => {
    const contents = window()?.webContents
    if (!contents || contents.isDestroyed() || !isOwnPage(contents.mainFrame.url, pageUrl)) return
    try {
      contents.send('companion:event', name, events[name].parse(payload))
    } catch (error) {
      log.error(name, error)
    }
  }
}

// Wrapped in async functions, because `clipboard.readText` returns a promise in newer Electron versions.
const systemClipboard: ClipboardPort = {
  readText: async () => clipboard.readText(),
  writeText: async (text) => clipboard.writeText(text),
}

/** Copies an image. Older Electron versions have `clipboard.writeImage`, newer ones `clipboard.write`. */
async function copyImage(png: Buffer): Promise<void> {
  const writeImage: unknown = Reflect.get(clipboard, 'writeImage')
  if (typeof writeImage === 'function') writeImage.call(clipboard, nativeImage.createFromBuffer(png))
  else await clipboard.write([new ClipboardItem({ 'image/png': new Blob([Uint8Array.from(png)]) })])
}

/** Asks for consent in a native dialog, which the page cannot control. Enter and Escape decline. */
function consentDialog(window: ShellOptions['window'], locale: () => Locale): Confirm {
  const showConsentDialog: Confirm = async (question) => {
    const { message, detail, agree, cancel } = questionText(question, locale())
    const buttons = [agree, cancel]
    const options = { type: 'warning', message, detail, buttons, defaultId: 1, cancelId: 1, noLink: true } as const
    return (await showMessageBox(window(), options)) === 0
  }
  return queueConfirmations(showConsentDialog, () => new Date())
}

/** Shows the passphrase of a key file in a native dialog, so that the page never receives it. */
async function showPassphrase(passphrase: Secret, locale: Locale, parent: BrowserWindow | undefined): Promise<void> {
  const t = translator(locale)
  const detail = t('passphrase.detail', { passphrase: passphrase.expose() })
  const buttons = [t('passphrase.close')]
  await showMessageBox(parent, { message: t('passphrase.message'), detail, buttons, noLink: true })
}

/** Failure reason of a cancelled print job. Electron exports no constant for this text. */
const cancelReason = 'Print job canceled'

/** Prints a text with the system's dialog, from a hidden page that runs no script and whose session is in memory. */
async function printText(title: string, text: Secret): Promise<'printed' | 'cancelled' | 'failed'> {
  const webPreferences = { partition: 'print', javascript: false, sandbox: true, spellcheck: false }
  const window = new BrowserWindow({ show: false, webPreferences })
  try {
    const heading = escapeHtml(title)
    const page = `<title>${heading}</title><h1>${heading}</h1><pre style="white-space: pre-wrap">${escapeHtml(text.expose())}</pre>`
    await window.loadURL(`data:text/html;charset=utf-8,${encodeURIComponent(page)}`)
    return await new Promise((resolve) =>
      window.webContents.print({}, (isPrinted, reason) =>
        resolve(isPrinted ? 'printed' : reason === cancelReason ? 'cancelled' : 'failed'),
      ),
    )
  } finally {
    window.destroy()
  }
}

const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`)

/** Folders of the data folder that may contain temporary files of interrupted writes. */
const folders = ['.', 'bin', 'key-files', 'tools', 'tools/backups', 'tools/history']

/** Suffixes of temporary files in this and earlier versions. */
const ownSuffixes = [
  /^settings\.json\.tmp(-\w+)?$/,
  /^\..+\.[0-9a-f]{12}\.companion-tmp$/,
  /^companion(\.cmd)?\.\d+\.tmp$/,
  /^audit\.lock\.[0-9a-f-]{36}$/,
]

/** Age in ms after which a temporary file is abandoned. A write takes milliseconds. */
const startupTimeoutMs = 10 * minuteMs

/** Deletes temporary files of killed writes. Retries failures at the next start. Never fails. */
export async function deleteTemporaries(dataDir: string, currentTime: Date): Promise<void> {
  for (const folder of folders.map((name) => join(dataDir, name))) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((fileName) => ownSuffixes.some((form) => form.test(fileName)))) {
      const path = join(folder, name)
      const stats = await stat(path).catch(() => undefined)
      if (stats?.isFile() && currentTime.getTime() - stats.mtimeMs > startupTimeoutMs)
        await unlink(path).catch(() => undefined)
    }
  }
}
