import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type EventName, type EventPayload, events } from '@shared/contract'
import { app, type BrowserWindow, clipboard, dialog, ipcMain, nativeTheme, session, shell as system } from 'electron'
import { answerCall } from './bridge'
import { type Core, type CoreOptions, createCore } from './core'
import { createKeyCopier, type KeyCopier } from './features/copy-key'
import { createPendingKeys } from './features/pending-keys'
import { Sandbox } from './features/sandbox'
import { createWindowSettings } from './features/settings'
import { switchProfile } from './features/switch-profile'
import { systemFileDialogs } from './file-dialogs'
import { createHandlers } from './handlers'
import { keepSandboxConnection } from './keep-sandbox-connection'
import { keepSandboxPlan } from './keep-sandbox-plan'
import { launcherOf } from './launcher'
import { createLog } from './log'
import { type ProxyFor, readProxyList } from './net/proxy'
import { startKeyReminders, startReminders } from './notifications'
import { showPassphrase } from './passphrase-dialog'
import type { ClipboardPort, Log } from './ports'
import { controlOf } from './sandbox/control'
import { sandboxProcess } from './sandbox-process'
import type { Secret } from './secret'
import { openElectronStore } from './settings/electron-settings'
import { localeFor } from './settings/locale'
import type { ToolFeatures } from './tool-features'
import { type ToolWatch, watchTools } from './tools/watch'
import { type AppTray, createTray } from './tray'
import { keychainAdvice, osKeychain } from './vault/keychain'
import { createVault } from './vault/vault'
import { rememberPlaceOf } from './window'

/** What stands behind the window. */
export interface Shell {
  /** Answers a call of the contract. */
  answer(name: unknown, input: unknown): Promise<unknown>
  /** Remembers where the window is, from now on. */
  rememberPlace(): void
  /** Shows the window, at a place of it when one is given. */
  open(path?: string): void
  /** Takes a copied key off the clipboard, closes the connections and ends the sandbox. */
  end(): Promise<unknown>
}

export interface ShellOptions {
  readonly dataDir: string
  /** The folder of the built files. */
  readonly outDir: string
  readonly window: () => BrowserWindow | undefined
  /** Brings the window to the front, or opens it anew. */
  readonly showWindow: () => void
}

/** What the settings hold parts of. */
const inSettings: EventPayload<'data.changed'>['domains'] = [
  'connections',
  'operations',
  'plans',
  'profiles',
  'register',
  'rotation',
  'settings',
  'tools',
]

/** Builds the app's features for Electron behind a window that may be loading already. */
export async function startShell({ dataDir, outDir, window, showWindow }: ShellOptions): Promise<Shell> {
  const log = createLog(dataDir)
  const store = openElectronStore({ cwd: dataDir, name: 'settings' }, (path) => {
    log.info('settings.setAside', { path })
    tellSetAside(path)
  })
  // electron-store adds a channel of its own for windows that use it; ours does not, and has one channel only.
  ipcMain.removeAllListeners('electron-store-get-data')
  const tell = teller(window)
  const onAccountChanged = (): void => tell('data.changed', { domains: ['account', 'plans', 'register', 'tools'] })
  const core = await createAppCore({ dataDir, outDir }, { store, log, onAccountChanged })
  const copier = createKeyCopier(systemClipboard, after)
  const sandbox = createSandbox(core, { dataDir, outDir }, (view) => tell('sandbox.changed', view))
  const handlers = createHandlers({ ...windowParts(core, copier, window), sandbox })
  const open = (path?: string): void => {
    showWindow()
    if (path !== undefined) tell('window.navigate', { path })
  }
  const tray = createAppTray(core, { log, outDir, open })
  store.onChange(() => {
    tray.refresh()
    // The command line may have begun something that goes on.
    core.operations.resume()
    core.rotation.follow()
    tell('data.changed', { domains: inSettings })
  })
  const watching = watchAppTools(core, dataDir, () => {
    tray.refresh()
    tell('data.changed', { domains: ['plans', 'profiles', 'register', 'tools'] })
  })
  // Tools may point at the sandbox: it comes up with the app when it was left running. Its view tells a failure.
  if (core.settings.read().sandbox.wanted) void sandbox.open().catch(() => undefined)

  goOn(core, log)
  const reminders = [startReminders(core, { log, open }), startKeyReminders(core, open)]

  const rememberPlace = (): void => {
    const opened = window()
    if (opened) rememberPlaceOf(opened, core.settings)
  }
  rememberPlace()
  let ending: Promise<unknown> | undefined
  return {
    answer: (name, input) => answerCall({ handlers, log }, name, input),
    rememberPlace,
    open,
    end: () => {
      for (const each of reminders) each.stop()
      tray.end()
      ending ??= Promise.all([copier.flush(), core.end(), sandbox.end(), watching.close()])
      return ending
    },
  }
}

/** Takes up what was under way when the app ended. */
function goOn(core: AppCore, log: Log): void {
  // What a kill cut off is the one thing that a start may write; the window tells what was taken back.
  void core.tools.recover().catch((error: unknown) => log.error('tools.recover', error))
  void core.newItems.sweep().catch((error: unknown) => log.error('vault.sweep', error))
  core.operations.resume()
  core.account.resume()
  core.rotation.follow()
}

/** Watches the tools' files and our records of them, whoever writes them. */
function watchAppTools(core: AppCore, dataDir: string, onChange: () => void): ToolWatch {
  const records = join(dataDir, 'tools')
  const watching = watchTools({
    paths: core.tools.watchedFiles(),
    folders: [records],
    onChange: (changed) => {
      // Which files there are to watch follows from the records.
      if (changed.some((path) => path.startsWith(records))) watching.setPaths(core.tools.watchedFiles())
      onChange()
    },
  })
  return watching
}

function createAppTray(
  core: AppCore,
  { log, outDir, open }: { log: Log; outDir: string; open: (path?: string) => void },
): AppTray {
  const ports = {
    previewUse: (id: string) => core.profiles.previewUse(id),
    applyMany: (previewId: string) => core.tools.carryOutMany(previewId),
  }
  return createTray({
    icon: join(outDir, '../resources/icon.png'),
    platform: process.platform,
    log,
    locale: () => localeFor(core.settings.read().language, app.getPreferredSystemLanguages()),
    profiles: () => core.profiles.list(),
    switchTo: (id) => switchProfile(ports, id),
    open,
    quit: () => app.quit(),
  })
}

/** The window cannot tell this in its own words: the language it would use is among what was lost. */
function tellSetAside(path: string): void {
  const isVietnamese = localeFor('system', app.getPreferredSystemLanguages()) === 'vi'
  const message = isVietnamese
    ? 'Không đọc được toàn bộ cài đặt, nên ứng dụng dùng giá trị mặc định. Bản cũ vẫn được giữ lại.'
    : 'The settings could not be read in full, so defaults stand in. What they were is kept.'
  void dialog.showMessageBox({ type: 'warning', message, detail: path })
}

/** What the system's settings say, for each address anew: they may change while the app runs. */
const systemProxy: ProxyFor = async (url) => readProxyList(await session.defaultSession.resolveProxy(url))

type AppCore = Core & ToolFeatures

async function createAppCore(
  { dataDir, outDir }: Pick<ShellOptions, 'dataDir' | 'outDir'>,
  parts: Pick<CoreOptions, 'store' | 'log' | 'onAccountChanged'>,
): Promise<AppCore> {
  const { platform, execPath } = process
  const vault = createVault({ keychain: osKeychain(), install: keychainAdvice(platform), sessionAllowed: true })
  const cliPath = join(outDir, 'main/cli.cjs')
  const launcher = launcherOf({ dataDir, platform, execPath, isElectron: true, cliPath })
  // Tools that were configured before must find this version of the app, wherever it is now.
  if (existsSync(launcher.path)) launcher.ensure()
  const core = createCore({
    version: app.getVersion(),
    by: 'window',
    dataDir,
    vault,
    launcher,
    proxyFor: systemProxy,
    ...parts,
  })
  return { ...core, ...(await core.loadTools()) }
}

/** Tells the window something unasked; the payload is parsed strictly first. */
function teller(window: ShellOptions['window']) {
  return <N extends EventName>(name: N, payload: EventPayload<N>): void => {
    const contents = window()?.webContents
    if (contents && !contents.isDestroyed()) contents.send('companion:event', name, events[name].parse(payload))
  }
}

// Older runtimes answer at once, newer ones with a promise.
const systemClipboard: ClipboardPort = {
  readText: async () => clipboard.readText(),
  writeText: async (text) => clipboard.writeText(text),
}

function after(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms)
  return () => clearTimeout(timer)
}

function windowParts(core: AppCore, copier: KeyCopier, window: ShellOptions['window']) {
  const locale = () => localeFor(core.settings.read().language, app.getPreferredSystemLanguages())
  return {
    core,
    copier,
    clipboard: systemClipboard,
    pending: createPendingKeys({ clipboard: systemClipboard, clock: () => new Date() }),
    settings: createWindowSettings({
      settings: core.settings,
      systemLanguages: () => app.getPreferredSystemLanguages(),
      applyTheme: (theme) => {
        nativeTheme.themeSource = theme
      },
    }),
    dialogs: systemFileDialogs(window),
    showPassphrase: (passphrase: Secret) => showPassphrase(passphrase, locale(), window()),
    showFile: (path: string) => system.showItemInFolder(path),
  }
}

function createSandbox(
  core: Core,
  { dataDir, outDir }: Pick<ShellOptions, 'dataDir' | 'outDir'>,
  tell: (view: EventPayload<'sandbox.changed'>) => void,
): Sandbox {
  return new Sandbox({
    host: sandboxProcess(join(outDir, 'main/sandbox.cjs'), join(dataDir, 'sandbox.json')),
    settings: core.settings,
    controlOf,
    keepPlan: async (ready, knownId) => {
      await keepSandboxConnection(core, ready)
      return keepSandboxPlan(core, ready, knownId)
    },
    tell,
  })
}
