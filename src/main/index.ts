import { accessSync, constants } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { app, type BrowserWindow, dialog, Menu, session } from 'electron'
import type { Shell } from './app/desktop-app'
import { insertFirstScreen } from './app/first-screen'
import { scheduleForcedExit } from './app/force-exit'
import { confirmBeforeQuit, maxEndMs } from './app/quit-guard'
import {
  builtPageUrl,
  handleIpcCalls,
  handlePageRequests,
  lockContents,
  openWindow,
  registerPageScheme,
  restrictSession,
} from './app/window'
import { cacheDir, createFolder, defaultDataDir } from './core/data-dir'
import { onFatalError } from './core/fatal-errors'
import {
  commandArguments,
  findDeepLink,
  findKeyFile,
  limitArguments,
  linkScheme,
  openedKeyFilePath,
  readDeepLink,
} from './core/launcher/command-arguments'
import { readWindowStart, type WindowStart } from './core/settings/window-settings'

const { values } = parseArgs({
  args: process.argv.slice(1),
  options: { 'data-dir': { type: 'string' }, hidden: { type: 'boolean' } },
  strict: false,
})
const dataDirContext = { platform: process.platform, home: homedir(), vars: process.env }
const dataDir = typeof values['data-dir'] === 'string' ? values['data-dir'] : defaultDataDir(dataDirContext)
const startArguments = typeof values['data-dir'] === 'string' ? ['--data-dir', resolve(dataDir)] : []
// Paths are known only in this file, because it is a build entry. The bundler may move other modules into any file.
const outDir = join(__dirname, '..')
const pageUrl = (!app.isPackaged && process.env.ELECTRON_RENDERER_URL) || builtPageUrl

const maxPageWaitMs = 2000

let window: BrowserWindow | undefined
let shell: Promise<Shell> | undefined
let loadedShell: Shell | undefined
/** Key file that the system opened with the app, until the window asks for it. */
let openedKeyFile: string | undefined
/** Window path of the link or key file that started the app. */
let initialLink = readSystemRequest(process.argv.slice(1), process.cwd())

const command = commandArguments(process.argv)
// When an older AppImage updates itself, it starts the new version once with this variable and expects this process to
// exit.
if (process.env.APPIMAGE_EXIT_AFTER_INSTALL) app.exit(0)
else if (command === undefined) startWindow()
else void runCommand(command)

/** Runs a `companion` command in this process without a window and exits. */
async function runCommand(args: readonly string[]): Promise<void> {
  app.setPath('userData', cacheDir(dataDirContext))
  app.dock?.hide()
  void app.whenReady().then(() => {
    // Electron's handlers of SIGINT and SIGTERM quit immediately. A command handles these signals itself.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const listeners = process.rawListeners(signal)
      process.removeAllListeners(signal)
      for (const listener of listeners) process.on(signal, (...listenerArgs) => listener.apply(process, listenerArgs))
    }
  })
  const path = join(__dirname, 'cli.cjs')
  const { runCommandHere }: typeof import('./cli') = createRequire(path)(path)
  await runCommandHere(args)
  app.exit(Number(process.exitCode ?? 0))
}

function startWindow(): void {
  onFatalError((error) => void logAndExit(error))
  const args = process.argv.slice(1)
  const acceptedArguments = limitArguments(args)
  if (acceptedArguments.length < args.length) {
    app.relaunch({ args: [...acceptedArguments] })
    app.exit(0)
    return
  }
  // Folder for Chromium's many files, separate from the app's files.
  const chromiumDir = join(dataDir, 'window')
  try {
    createFolder(chromiumDir)
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    // Linux shows dialogs only after the ready event, for which Chromium needs a folder.
    app.setPath('userData', cacheDir(dataDirContext))
    void app
      .whenReady()
      .then(() => showStartFailure(new Error(`The app can't write to its folder ${dataDir}.\n${error}`)))
    return
  }
  app.setPath('userData', chromiumDir)
  registerPageScheme()
  lockContents(pageUrl)
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  app.on('second-instance', (_event, args, folder) => openDeepLink(readSystemRequest(args.slice(1), folder)))
  app.on('open-file', (event, path) => {
    event.preventDefault()
    openDeepLink(readSystemRequest([path], '/'))
  })
  app.on('open-url', (event, url) => {
    event.preventDefault()
    openDeepLink(readDeepLink(url))
  })
  app.on('activate', show)
  confirmBeforeQuit({
    dependents: () => loadedShell?.dependents() ?? [],
    staysInBackground: () => loadedShell?.staysInBackground() ?? false,
    locale: () => loadedShell?.locale() ?? 'en',
    window: () => window,
    open: (path) => (path === undefined ? show() : loadedShell?.open(path)),
  })
  app.on('will-quit', (event) => {
    if (!shell) return
    event.preventDefault()
    scheduleForcedExit(maxEndMs)
    void shell.then((running) => running.end()).finally(() => app.exit())
  })
  // A run from sources would register a link to Electron without an app.
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme)
  void app.whenReady().then(startApp)
}

/** Opens the window first, unless started at login. Loads the other features when the window has drawn its page. */
function startApp(): void {
  restrictSession(session.defaultSession, pageUrl)
  handlePageRequests(session.defaultSession, join(outDir, 'renderer'), renderStartPage)
  // Hides Electron's menu. On macOS it has the editing shortcuts until the shell sets ours.
  if (process.platform !== 'darwin') Menu.setApplicationMenu(null)
  // macOS passes no arguments to a login item.
  const isOpenedAtLogin = process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin
  if (initialLink !== undefined || (values.hidden !== true && !isOpenedAtLogin)) {
    window = openMainWindow(initialLink)
    initialLink = undefined
  }
  const loadPromise = window ? waitForFirstPaint(window).then(loadShellModules) : loadShellModules()
  handleIpcCalls({
    pageUrl,
    window: () => window?.webContents,
    answer: async (name, input) => (await loadPromise).answer(name, input),
  })
}

function openMainWindow(path?: string): BrowserWindow {
  const openedWindow = openWindow({ pageUrl, outDir, path, start: windowStart() })
  // Stop sending when the window is closed, because it fails on every call.
  openedWindow.once('closed', () => {
    if (window === openedWindow) window = undefined
  })
  return openedWindow
}

const windowStart = (): WindowStart => readWindowStart(dataDir, app.getPreferredSystemLanguages())

/** Draws the page for the window's current path and settings, also on reload. */
async function renderStartPage(page: string): Promise<string> {
  const { place: _, ...start } = windowStart()
  const [width = 0] = window?.getContentSize() ?? []
  return insertFirstScreen(page, {
    start,
    path: window?.webContents.getURL().split('#')[1] || '/',
    width: (width * 100) / start.view.zoomPercent,
    read: (name) => readFile(join(outDir, `renderer/screens/${name}.html`), 'utf8'),
  })
}

function show(): void {
  if (window) {
    if (window.isMinimized()) window.restore()
    window.focus()
    return
  }
  window = openMainWindow()
  void shell?.then((running) => running.rememberPlace())
}

/** Window path for the arguments from the system. Keeps the key file among them, because the page gets no path. */
function readSystemRequest(args: readonly string[], folder: string): string | undefined {
  const file = findKeyFile(args)
  if (file === undefined) return findDeepLink(args)
  openedKeyFile = resolve(folder, file)
  return openedKeyFilePath
}

/** Shows the window at a link's path. A link contains nothing else. */
function openDeepLink(path: string | undefined): void {
  if (!shell) initialLink = path
  else if (path === undefined) show()
  else void shell.then((running) => running.open(path))
}

/** Resolves after a timeout if the page does not load. */
async function waitForFirstPaint(openedWindow: BrowserWindow): Promise<void> {
  const readyToShowPromise = new Promise<void>((resolve) => openedWindow.once('ready-to-show', () => resolve()))
  await Promise.race([readyToShowPromise, wait(maxPageWaitMs)])
}

/** Startup parts of 10 to 30 ms each. In between, this thread serves the window's first paint. */
const parts = [
  () => import('@shared/failure'),
  () => import('@shared/contract/plans'),
  () => import('@shared/contract/register'),
  () => import('@shared/contract/tools'),
  () => import('./core/files/files'),
  () => import('./core/settings/settings'),
  () => import('./compose/usage'),
  () => import('./compose/tools'),
]

function loadShellModules(): Promise<Shell> {
  shell = loadShell().then(({ startShell }) =>
    startShell({
      dataDir,
      outDir,
      pageUrl,
      startArguments,
      takeOpenedKeyFile() {
        const path = openedKeyFile
        openedKeyFile = undefined
        return path
      },
      window: () => window,
      showWindow: show,
    }),
  )
  shell
    .then((running) => {
      loadedShell = running
      if (initialLink !== undefined) running.open(initialLink)
    })
    .catch(showStartFailure)
  return shell
}

async function loadShell(): Promise<typeof import('./app/desktop-app')> {
  for (const loadPart of parts) {
    await setImmediate()
    await loadPart()
  }
  return import('./app/desktop-app')
}

function showStartFailure(error: unknown): void {
  dialog.showErrorBox('Platform Companion could not start', error instanceof Error ? error.message : String(error))
  app.exit(1)
}

/** After an unhandled error: logs it, closes everything, shows a message, and exits. */
async function logAndExit(error: unknown): Promise<void> {
  const { createLog } = await import('./core/log')
  createLog(dataDir).error('app', error)
  await Promise.race([loadedShell?.end(), wait(maxEndMs)]).catch(() => undefined)
  const { translator } = await import('./core/i18n')
  const quitMessage = translator(windowStart().view.locale)('stopped', { logs: join(dataDir, 'logs') })
  dialog.showErrorBox('Platform Companion', quitMessage)
  app.exit(1)
}
