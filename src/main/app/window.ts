import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import type { Bridge } from '@shared/contract'
import type { Failure, Result } from '@shared/failure'
import {
  app,
  BrowserWindow,
  dialog,
  type IpcMainInvokeEvent,
  ipcMain,
  type MessageBoxOptions,
  nativeTheme,
  type ProtocolResponse,
  protocol,
  type Session,
  screen,
  type WebContents,
} from 'electron'
import type { WindowStart } from '../core/settings/window-settings'

interface WindowOptions {
  readonly pageUrl: string
  readonly outDir: string
  readonly start: WindowStart
  /** Initial path of the page. Default: Home. */
  readonly path: string | undefined
}

/** Opens the app's window at its last position, if that is still on a screen. */
export function openWindow({ pageUrl, outDir, path, start: { view, place } }: WindowOptions): BrowserWindow {
  nativeTheme.themeSource = view.theme
  const window = new BrowserWindow({
    ...(place ? clampToScreen(place) : { width: 1280, height: 800 }),
    minWidth: 880,
    minHeight: 560,
    useContentSize: true,
    show: false,
    title: 'Platform Companion',
    icon: join(outDir, '../resources/icon.png'),
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#131418' : '#fbfbfd',
    autoHideMenuBar: true,
    webPreferences: {
      preload: join(outDir, 'preload/index.cjs'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
      // Date inputs use the page's language instead of Chromium's.
      enableBlinkFeatures: 'LangAttributeAwareFormControlUI',
      zoomFactor: view.zoomPercent / 100,
    },
  })
  if (place?.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  blockNavigation(window.webContents, pageUrl)
  void window.loadURL(path === undefined ? pageUrl : `${pageUrl}#${path}`)
  return window
}

export type WindowBounds = NonNullable<WindowStart['place']>

/** The saved window bounds, or only the size if the position is off-screen. */
function clampToScreen({ x, y, width, height }: WindowBounds) {
  if (x === undefined || y === undefined) return { width, height }
  const { workArea } = screen.getDisplayMatching({ x, y, width, height })
  const isReachable =
    x + width > workArea.x + 100 &&
    x < workArea.x + workArea.width - 100 &&
    y >= workArea.y - 10 &&
    y < workArea.y + workArea.height - 60
  return isReachable ? { x, y, width, height } : { width, height }
}

/** Last bounds of the window, empty at first. */
interface BoundsFile {
  get store(): Partial<WindowBounds>
  set store(bounds: WindowBounds)
}

/** Saves the window's bounds on change. Ignores a full disk or read-only folder, which the settings file reports too. */
export function saveWindowBoundsOn(window: BrowserWindow, file: BoundsFile): void {
  let timer: NodeJS.Timeout | undefined
  const save = (): void => {
    clearTimeout(timer)
    if (window.isDestroyed() || window.isMinimized()) return
    const { x, y } = window.getNormalBounds()
    const [width = 1280, height = 800] = window.getContentSize()
    const windowSize = window.isMaximized() ? file.store : { width, height }
    const bounds = { width: 1280, height: 800, ...windowSize, x, y, maximized: window.isMaximized() }
    try {
      file.store = bounds
    } catch {}
  }
  const scheduleSave = (): void => {
    clearTimeout(timer)
    timer = setTimeout(save, 400)
  }
  window.on('resize', scheduleSave)
  window.on('move', scheduleSave)
  window.on('close', save)
}

/** Shows a message box, in front of the window if it is visible. Returns the index of the pressed button. */
export async function showMessageBox(window: BrowserWindow | undefined, options: MessageBoxOptions): Promise<number> {
  const isVisible = window !== undefined && !window.isDestroyed() && window.isVisible()
  const { response } = await (isVisible ? dialog.showMessageBox(window, options) : dialog.showMessageBox(options))
  return response
}

/** A proxy that never exists: the limited broadcast address accepts no connections, so nothing is sent. */
const unreachableProxy = { proxyRules: 'http://255.255.255.255:1', proxyBypassRules: '<-loopback>' }

/** Denies permissions, downloads and requests except for the page's own files. */
export function restrictSession(session: Session, pageUrl: string): void {
  const page = new URL(pageUrl)
  // Allowed URL schemes: the page's own files, developer tools, and data that the page creates itself.
  const allowedProtocols = new Set([page.protocol, 'devtools:', 'data:', 'blob:'])
  const isDev = page.protocol === 'http:'
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event) => event.preventDefault())
  // Traffic that triggers no permission check and no request event, such as TURN over TCP, would go through this
  // unreachable proxy.
  if (!isDev) void session.setProxy(unreachableProxy)
  session.webRequest.onBeforeRequest((details, callback) => {
    const url = new URL(details.url)
    const cancel = isDev
      ? url.host !== page.host && !['devtools:', 'data:'].includes(url.protocol)
      : !allowedProtocols.has(url.protocol)
    callback({ cancel })
  })
}

/** Denies navigation, new windows and embedded views in all pages. */
export function lockContents(pageUrl: string): void {
  app.on('web-contents-created', (_event, contents) => {
    contents.setWindowOpenHandler(() => ({ action: 'deny' }))
    contents.on('will-attach-webview', (event) => event.preventDefault())
    contents.on('will-frame-navigate', (event) => event.preventDefault())
    contents.on('will-navigate', (event) => {
      const isPageReload = isOwnPage(event.url, pageUrl) && new URL(event.url).pathname === new URL(pageUrl).pathname
      if (!isPageReload) event.preventDefault()
    })
    contents.on('will-redirect', (event) => event.preventDefault())
    // WebRTC needs no permission and ignores the content security policy. Without a UDP proxy, it can send no packet.
    contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
  })
}

/** Returns to the page after a navigation to `about:`, which Chromium allows without events. */
function blockNavigation(contents: WebContents, address: string): void {
  const returnToOwnPage = (url: string): void => {
    if (!isOwnPage(url, address)) void contents.loadURL(address).catch(() => undefined)
  }
  contents.on('did-navigate', (_event, url) => returnToOwnPage(url))
  contents.on('did-fail-load', (_event, ...[code, , url, isMainFrame]) => {
    if (isMainFrame && code !== wasStopped) returnToOwnPage(url)
  })
}

/** Chromium's error code for an aborted load. The previous page stays. */
const wasStopped = -3

/** Compares scheme and host, because Node returns "null" as the origin of unknown schemes and `data:`. */
export function isOwnPage(address: string, pageUrl: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host } = new URL(address)
  const ownUrl = new URL(pageUrl)
  return protocol === ownUrl.protocol && host === ownUrl.host
}

const callChannel = 'companion:call'

interface CallService {
  /** Address of the app's page. Calls from any other page are rejected. */
  readonly pageUrl: string
  readonly window: () => WebContents | undefined
  /** Handles a call of the page. Resolves to a `Result` and never rejects. */
  readonly answer: (name: unknown, input: unknown) => Promise<Result<unknown, Failure>>
}

/** Handles calls from the app's own page only. */
export function handleIpcCalls({ pageUrl, window, answer }: CallService): void {
  ipcMain.handle(callChannel, async (event, name: unknown, input: unknown): ReturnType<Bridge['call']> => {
    if (!isSentByPage(event, window(), pageUrl)) {
      return { ok: false, error: { code: 'bridge.denied', message: 'This page may not call the app.' } }
    }
    const callResult = await answer(name, input)
    return callResult.ok ? { ok: true, value: JSON.stringify(callResult.value) } : callResult
  })
}

function isSentByPage(event: IpcMainInvokeEvent, ownContents: WebContents | undefined, pageUrl: string): boolean {
  const senderFrame = event.senderFrame
  if (!senderFrame || !ownContents || event.sender !== ownContents || senderFrame !== ownContents.mainFrame)
    return false
  return isOwnPage(senderFrame.url, pageUrl)
}

const scheme = 'app'

/** Page address when served from built files. */
export const builtPageUrl = `${scheme}://companion/index.html`

/** The page may load and run only its own files. Positioned menus and charts need inline style attributes. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
}

const types: Readonly<Record<string, Pick<ProtocolResponse, 'mimeType' | 'charset'>>> = {
  '.html': { mimeType: 'text/html', charset: 'utf-8' },
  '.js': { mimeType: 'text/javascript', charset: 'utf-8' },
  '.css': { mimeType: 'text/css', charset: 'utf-8' },
  '.woff2': { mimeType: 'font/woff2' },
  '.svg': { mimeType: 'image/svg+xml' },
  '.png': { mimeType: 'image/png' },
}

/** Registers the scheme of the app's page. Must be called before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/** Serves `folder` at `app://companion/`. Web streams of `protocol.handle` take 12 MB and a tenth of the startup. */
export function handlePageRequests(session: Session, folder: string, draw: (page: string) => Promise<string>): void {
  const serveFile = async (address: string): Promise<ProtocolResponse> => {
    const url = new URL(address)
    const path = normalize(join(folder, decodeURIComponent(url.pathname)))
    const type = types[extname(path)]
    if (url.host !== 'companion' || !path.startsWith(folder + sep) || !type) throw new Error('There is no such file.')
    const file = await readFile(path)
    const isPage = path === join(folder, 'index.html')
    return { ...type, headers, data: isPage ? Buffer.from(await draw(file.toString('utf8'))) : file }
  }
  const notFoundResponse = { statusCode: 404, data: Buffer.alloc(0) }
  session.protocol.registerBufferProtocol(scheme, ({ url }, answer) => {
    void serveFile(url)
      .catch(() => notFoundResponse)
      .then(answer)
  })
}
