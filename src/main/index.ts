import { accessSync, constants, mkdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { setImmediate, setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { app, type BrowserWindow, dialog, Menu, session } from 'electron'
import type { Shell } from './app/desktop-app'
import { drawFirstScreen } from './app/first-screen'
import { forceExitAfter } from './app/force-exit'
import { guardQuitting, maxEndMs } from './app/quit-guard'
import {
  builtPageUrl,
  lockContents,
  lockSession,
  openWindow,
  registerPageScheme,
  serveCalls,
  servePage,
} from './app/window'
import { cacheDir, defaultDataDir } from './core/data-dir'
import { onFatalError } from './core/fatal-errors'
import {
  commandArguments,
  deepLinkIn,
  limitArguments,
  linkScheme,
  readDeepLink,
} from './core/launcher/command-arguments'
import { readWindowStart, type WindowStart } from './core/settings/window-settings'

const { values } = parseArgs({
  args: process.argv.slice(1),
  options: { 'data-dir': { type: 'string' }, hidden: { type: 'boolean' } },
  strict: false,
})
const place = { platform: process.platform, home: homedir(), vars: process.env }
const dataDir = typeof values['data-dir'] === 'string' ? values['data-dir'] : defaultDataDir(place)
const startArguments = typeof values['data-dir'] === 'string' ? ['--data-dir', resolve(dataDir)] : []
// This file is an entry of the build; other modules may end up in any chunk and cannot say where they are.
const outDir = join(__dirname, '..')
const pageUrl = (!app.isPackaged && process.env.ELECTRON_RENDERER_URL) || builtPageUrl

const maxPageWaitMs = 2000

let window: BrowserWindow | undefined
let shell: Promise<Shell> | undefined
let loaded: Shell | undefined
/** Where a link leads that started the app. */
let linked = deepLinkIn(process.argv)

const command = commandArguments(process.argv)
// What replaced an older AppImage is started once by it, only to be there.
if (process.env.APPIMAGE_EXIT_AFTER_INSTALL) app.exit(0)
else if (command === undefined) startWindow()
else void runCommand(command)

/** Runs `companion` in this program and ends it; there is no window. */
async function runCommand(args: readonly string[]): Promise<void> {
  app.setPath('userData', cacheDir(place))
  app.dock?.hide()
  void app.whenReady().then(takeSignalsBack)
  const path = join(__dirname, 'cli.cjs')
  const { runHere }: typeof import('./cli') = createRequire(path)(path)
  await runHere(args)
  app.exit(Number(process.exitCode ?? 0))
}

/** By the time it is ready Electron has taken these signals, to quit at once; a command that listens for them ends by itself. */
function takeSignalsBack(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const listeners = process.rawListeners(signal)
    process.removeAllListeners(signal)
    for (const listener of listeners) process.on(signal, (...given) => listener.apply(process, given))
  }
}

function startWindow(): void {
  onFatalError((error) => void endAfter(error))
  const args = process.argv.slice(1)
  const accepted = limitArguments(args)
  if (accepted.length < args.length) {
    app.relaunch({ args: [...accepted] })
    app.exit(0)
    return
  }
  // Chromium's own files in a folder of their own, next to the app's few.
  const chromiumDir = join(dataDir, 'window')
  try {
    mkdirSync(chromiumDir, { recursive: true })
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    // Linux shows dialogs only after the ready event, and Chromium needs a folder for that.
    app.setPath('userData', cacheDir(place))
    void app.whenReady().then(() => giveUp(new Error(`The app can't write to its folder ${dataDir}.\n${error}`)))
    return
  }
  app.setPath('userData', chromiumDir)
  registerPageScheme()
  lockContents(pageUrl)
  if (!app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  app.on('second-instance', (_event, args) => follow(deepLinkIn(args)))
  app.on('open-url', (event, url) => {
    event.preventDefault()
    follow(readDeepLink(url))
  })
  app.on('activate', show)
  guardQuitting({
    dependents: () => loaded?.dependents() ?? [],
    staysInBackground: () => loaded?.staysInBackground() ?? false,
    locale: () => loaded?.locale() ?? 'en',
    window: () => window,
    open: (path) => (path === undefined ? show() : loaded?.open(path)),
  })
  app.on('will-quit', (event) => {
    if (!shell) return
    event.preventDefault()
    forceExitAfter(maxEndMs)
    void shell.then((running) => running.end()).finally(() => app.exit())
  })
  // A run from sources would leave the system with a link to a runtime without an app.
  if (app.isPackaged) app.setAsDefaultProtocolClient(linkScheme)
  void app.whenReady().then(start)
}

/** The window first, unless the app was started with the session. What stands behind it is loaded once its page is drawn. */
function start(): void {
  lockSession(session.defaultSession, pageUrl)
  servePage(session.defaultSession, join(outDir, 'renderer'), drawStart)
  // Electron's own menu is not shown meanwhile; what carries the editing keys of a Mac comes with the shell.
  if (process.platform !== 'darwin') Menu.setApplicationMenu(null)
  if (!startsHidden()) {
    window = open(linked)
    linked = undefined
  }
  const loading = window ? whenDrawn(window).then(load) : load()
  serveCalls({
    pageUrl,
    window: () => window?.webContents,
    answer: async (name, input) => (await loading).answer(name, input),
  })
}

/** A Mac gives a login item no arguments. */
function startsHidden(): boolean {
  const isOpenedAtLogin = process.platform === 'darwin' && app.getLoginItemSettings().wasOpenedAtLogin
  return linked === undefined && (values.hidden === true || isOpenedAtLogin)
}

/** At a place of it where a link led to one. */
function open(path?: string): BrowserWindow {
  const opened = openWindow({ pageUrl, outDir, path, start: windowStart() })
  // A closed one takes no words any more: everything asked of it fails, while the relay goes on telling.
  opened.once('closed', () => {
    if (window === opened) window = undefined
  })
  return opened
}

const windowStart = (): WindowStart => readWindowStart(dataDir, app.getPreferredSystemLanguages())

/** Draws the page for where the window is now, and as it is chosen now: a page may be loaded again. */
async function drawStart(page: string): Promise<string> {
  const { place: _, ...start } = windowStart()
  const [width = 0] = window?.getContentSize() ?? []
  return drawFirstScreen(page, {
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
  window = open()
  void shell?.then((running) => running.rememberPlace())
}

/** Shows the window, at the place that a link leads to; a link holds nothing else. */
function follow(path: string | undefined): void {
  if (!shell) linked = path
  else if (path === undefined) show()
  else void shell.then((running) => running.open(path))
}

/** A page that never comes is not waited for. */
async function whenDrawn(opened: BrowserWindow): Promise<void> {
  const drawn = new Promise<void>((resolve) => opened.once('ready-to-show', () => resolve()))
  await Promise.race([drawn, wait(maxPageWaitMs)])
}

/** What stands behind the window, in parts of 10 to 30 ms: between two of them this thread serves the window, whose first paint needs it. */
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

function load(): Promise<Shell> {
  shell = loadShell().then(({ startShell }) =>
    startShell({ dataDir, outDir, pageUrl, window: () => window, showWindow: show, startArguments }),
  )
  shell.then(begin).catch(giveUp)
  return shell
}

async function loadShell(): Promise<typeof import('./app/desktop-app')> {
  for (const part of parts) {
    await setImmediate()
    await part()
  }
  return import('./app/desktop-app')
}

function begin(running: Shell): void {
  loaded = running
  if (linked !== undefined) running.open(linked)
}

function giveUp(error: unknown): void {
  dialog.showErrorBox('Platform Companion could not start', error instanceof Error ? error.message : String(error))
  app.exit(1)
}

/** After an error that nothing handles: logs it, closes what is open, says so, and exits. */
async function endAfter(error: unknown): Promise<void> {
  const { createLog } = await import('./core/log')
  createLog(dataDir).error('app', error)
  await Promise.race([loaded?.end(), wait(maxEndMs)]).catch(() => undefined)
  const { translator } = await import('./core/i18n')
  const sentence = translator(windowStart().view.locale)('stopped', { logs: join(dataDir, 'logs') })
  dialog.showErrorBox('Platform Companion', sentence)
  app.exit(1)
}
