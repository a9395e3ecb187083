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
import { systemFileDialogs } from './file-dialogs'
import { createHandlers } from './handlers'
import { keepSandboxConnection } from './keep-sandbox-connection'
import { keepSandboxPlan } from './keep-sandbox-plan'
import { launcherOf } from './launcher'
import { createLog } from './log'
import { type ProxyFor, readProxyList } from './net/proxy'
import { startReminders } from './notifications'
import type { ClipboardPort } from './ports'
import { controlOf } from './sandbox/control'
import { sandboxProcess } from './sandbox-process'
import { openElectronStore } from './settings/electron-settings'
import { localeFor } from './settings/locale'
import { keychainAdvice, osKeychain } from './vault/keychain'
import { createVault } from './vault/vault'
import { watchFolder } from './watch-folder'
import { rememberPlaceOf } from './window'

/** What stands behind the window. */
export interface Shell {
  /** Answers a call of the contract. */
  answer(name: unknown, input: unknown): Promise<unknown>
  /** Remembers where the window is, from now on. */
  rememberPlace(): void
  /** Takes a copied key off the clipboard, closes the connections and ends the sandbox. */
  end(): Promise<unknown>
}

export interface ShellOptions {
  readonly dataDir: string
  /** The folder of the built files. */
  readonly outDir: string
  readonly window: () => BrowserWindow | undefined
}

/** Builds the app's features for Electron behind a window that may be loading already. */
export function startShell({ dataDir, outDir, window }: ShellOptions): Shell {
  const log = createLog(dataDir)
  const store = openElectronStore({ cwd: dataDir, name: 'settings' }, (path) => {
    log.info('settings.setAside', { path })
    tellSetAside(path)
  })
  // electron-store adds a channel of its own for windows that use it; ours does not, and has one channel only.
  ipcMain.removeAllListeners('electron-store-get-data')
  const tell = teller(window)
  const onAccountChanged = (): void => tell('data.changed', { domains: ['account', 'plans', 'tools'] })
  const core = createAppCore({ dataDir, outDir }, { store, log, onAccountChanged })
  const copier = createKeyCopier(systemClipboard, after)
  const sandbox = createSandbox(core, { dataDir, outDir }, (view) => tell('sandbox.changed', view))
  const handlers = createHandlers({ ...windowParts(core, copier), dialogs: systemFileDialogs(window), sandbox })
  store.onChange(() => {
    // The command line may have begun something that goes on.
    core.operations.resume()
    tell('data.changed', { domains: ['connections', 'operations', 'plans', 'settings', 'tools'] })
  })
  watchFolder(join(dataDir, 'tools'), () => tell('data.changed', { domains: ['plans', 'tools'] }))
  // Tools may point at the sandbox: it comes up with the app when it was left running. Its view tells a failure.
  if (core.settings.read().sandbox.wanted) void sandbox.open().catch(() => undefined)

  core.operations.resume()
  core.account.resume()
  const reminders = startReminders(core, {
    log,
    open: (path) => showPlace(window(), () => tell('window.navigate', { path })),
  })

  const rememberPlace = (): void => {
    const opened = window()
    if (opened) rememberPlaceOf(opened, core.settings)
  }
  rememberPlace()
  let ending: Promise<unknown> | undefined
  return {
    answer: (name, input) => answerCall({ handlers, log }, name, input),
    rememberPlace,
    end: () => {
      reminders.stop()
      ending ??= Promise.all([copier.flush(), core.end(), sandbox.end()])
      return ending
    },
  }
}

function showPlace(opened: BrowserWindow | undefined, go: () => void): void {
  opened?.show()
  opened?.focus()
  go()
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

function createAppCore(
  { dataDir, outDir }: Omit<ShellOptions, 'window'>,
  parts: Pick<CoreOptions, 'store' | 'log' | 'onAccountChanged'>,
): Core {
  const { platform, execPath } = process
  const vault = createVault({ keychain: osKeychain(), install: keychainAdvice(platform), sessionAllowed: true })
  const cliPath = join(outDir, 'main/cli.cjs')
  const launcher = launcherOf({ dataDir, platform, execPath, isElectron: true, cliPath })
  // Tools that were configured before must find this version of the app, wherever it is now.
  if (existsSync(launcher.path)) launcher.ensure()
  return createCore({ version: app.getVersion(), dataDir, vault, launcher, proxyFor: systemProxy, ...parts })
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

function windowParts(core: Core, copier: KeyCopier) {
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
    showFile: (path: string) => system.showItemInFolder(path),
  }
}

function createSandbox(
  core: Core,
  { dataDir, outDir }: Omit<ShellOptions, 'window'>,
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
