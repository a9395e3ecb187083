import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EventName, EventPayload } from '@shared/contract'
import { app, type BrowserWindow, clipboard, ipcMain, nativeTheme, shell as system } from 'electron'
import { type Core, createCore } from './core'
import { createKeyCopier, type KeyCopier } from './features/copy-key'
import { createPendingKeys } from './features/pending-keys'
import { Sandbox } from './features/sandbox'
import { createWindowSettings } from './features/settings'
import { createHandlers } from './handlers'
import { serveContract, tellWindow } from './ipc'
import { keepSandboxPlan } from './keep-sandbox-plan'
import { launcherOf } from './launcher'
import { createLog } from './log'
import type { ClipboardPort } from './ports'
import { controlOf } from './sandbox/control'
import { sandboxProcess } from './sandbox-process'
import { openElectronStore } from './settings/electron-settings'
import { keychainAdvice, osKeychain } from './vault/keychain'
import { createVault } from './vault/vault'
import { watchFolder } from './watch-folder'
import { openWindow } from './window'

/** The running app: its window and what stands behind it. */
export interface Shell {
  /** Brings the window to the front, or opens it again. */
  show(): void
  /** Takes a copied key off the clipboard and ends the sandbox. */
  end(): Promise<unknown>
}

export interface ShellOptions {
  readonly dataDir: string
  readonly pageUrl: string
}

/** Builds the app's features for Electron and opens the window. */
export function startShell({ dataDir, pageUrl }: ShellOptions): Shell {
  const log = createLog(dataDir)
  const store = openElectronStore({ cwd: dataDir, name: 'settings' })
  // electron-store adds a channel of its own for windows that use it; ours does not, and has one channel only.
  ipcMain.removeAllListeners('electron-store-get-data')
  const vault = createVault({ keychain: osKeychain(), install: keychainAdvice(process.platform), sessionAllowed: true })
  const cliPath = join(__dirname, 'cli.cjs')
  const { platform, execPath } = process
  const launcher = launcherOf({ dataDir, platform, execPath, isElectron: true, cliPath })
  // Tools that were configured before must find this version of the app, wherever it is now.
  if (existsSync(launcher.path)) launcher.ensure()
  const core = createCore({ version: app.getVersion(), dataDir, store, vault, launcher })

  let window: BrowserWindow | undefined
  const tell = <N extends EventName>(name: N, payload: EventPayload<N>): void =>
    tellWindow(window?.webContents, name, payload)
  const copier = createKeyCopier(systemClipboard, after)
  const sandbox = createSandbox(core, dataDir, (view) => tell('sandbox.changed', view))
  const handlers = createHandlers({ ...windowParts(core, copier), sandbox })
  serveContract({ handlers, log, pageUrl, window: () => window?.webContents })
  store.onChange(() => tell('data.changed', { domains: ['connections', 'plans', 'settings', 'tools'] }))
  watchFolder(join(dataDir, 'tools'), () => tell('data.changed', { domains: ['plans', 'tools'] }))

  const show = (): void => {
    if (window && !window.isDestroyed()) {
      if (window.isMinimized()) window.restore()
      window.focus()
      return
    }
    window = openWindow({ pageUrl, settings: core.settings })
  }
  show()
  // Tools may point at the sandbox: it comes up with the app when it was left running. Its view tells a failure.
  if (core.settings.read().sandbox.wanted)
    window?.webContents.once('did-finish-load', () => void sandbox.open().catch(() => undefined))
  let ending: Promise<unknown> | undefined
  return {
    show,
    end: () => {
      ending ??= Promise.all([copier.flush(), sandbox.end()])
      return ending
    },
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

function createSandbox(core: Core, dataDir: string, tell: (view: EventPayload<'sandbox.changed'>) => void): Sandbox {
  return new Sandbox({
    host: sandboxProcess(join(dataDir, 'sandbox.json')),
    settings: core.settings,
    controlOf,
    keepPlan: (ready, knownId) => keepSandboxPlan(core, ready, knownId),
    tell,
  })
}
