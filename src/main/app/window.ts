import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import type { Bridge } from '@shared/contract'
import type { Failure, Result } from '@shared/failure'
import {
  app,
  BrowserWindow,
  type IpcMainInvokeEvent,
  ipcMain,
  nativeTheme,
  type ProtocolResponse,
  protocol,
  type Session,
  screen,
  type WebContents,
} from 'electron'
import type { WindowPlaceStore } from '../core/settings/window-place'
import type { WindowStart } from '../core/settings/window-settings'

interface WindowOptions {
  readonly pageUrl: string
  /** The folder of the built files. */
  readonly outDir: string
  readonly start: WindowStart
  /** Where in the page to begin; home without. */
  readonly path: string | undefined
}

/** Opens the app's one window where it was last time, on a screen that is there now. */
export function openWindow({ pageUrl, outDir, path, start: { view, place } }: WindowOptions): BrowserWindow {
  nativeTheme.themeSource = view.theme
  const window = new BrowserWindow({
    ...(place ? visiblePlace(place) : { width: 1280, height: 800 }),
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
      // Date fields are drawn in the language of the page, not in Chromium's own.
      enableBlinkFeatures: 'LangAttributeAwareFormControlUI',
      zoomFactor: view.zoomPercent / 100,
    },
  })
  if (place?.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  keepOnPage(window.webContents, pageUrl)
  void window.loadURL(path === undefined ? pageUrl : `${pageUrl}#${path}`)
  return window
}

/** The remembered place, or only its size when that place is on no screen any more. */
function visiblePlace(place: NonNullable<WindowStart['place']>): {
  x?: number
  y?: number
  width: number
  height: number
} {
  const { x, y, width, height } = place
  if (x === undefined || y === undefined) return { width, height }
  const { workArea } = screen.getDisplayMatching({ x, y, width, height })
  const isReachable =
    x + width > workArea.x + 100 &&
    x < workArea.x + workArea.width - 100 &&
    y >= workArea.y - 10 &&
    y < workArea.y + workArea.height - 60
  return isReachable ? { x, y, width, height } : { width, height }
}

/** Keeps the window's size and place whenever they change. */
export function rememberWindowPlace(window: BrowserWindow, store: WindowPlaceStore): void {
  let timer: NodeJS.Timeout | undefined
  const save = (): void => {
    clearTimeout(timer)
    if (window.isDestroyed() || window.isMinimized()) return
    const { x, y } = window.getNormalBounds()
    const [width = 1280, height = 800] = window.getContentSize()
    const kept = window.isMaximized() ? store.read() : { width, height }
    store.write({ width: 1280, height: 800, ...kept, x, y, maximized: window.isMaximized() })
  }
  const saveSoon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(save, 400)
  }
  window.on('resize', saveSoon)
  window.on('move', saveSoon)
  window.on('close', save)
}

/** A proxy that is never there: the limited broadcast address takes no connections, so that nothing is sent anywhere. */
const nowhere = { proxyRules: 'http://255.255.255.255:1', proxyBypassRules: '<-loopback>' }

/** Denies every permission, every download, and every request that is not for the page's own files. */
export function lockSession(session: Session, pageUrl: string): void {
  const page = new URL(pageUrl)
  // The page's own files, developer tools, and (in development) the dev server with its socket.
  const allowed = new Set([page.protocol, 'devtools:', 'data:', 'blob:'])
  const isDev = page.protocol === 'http:'
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
  session.on('will-download', (event) => event.preventDefault())
  // What asks no permission and makes no request that could be denied, such as TURN over TCP, goes by the proxy.
  if (!isDev) void session.setProxy(nowhere)
  session.webRequest.onBeforeRequest((details, callback) => {
    const url = new URL(details.url)
    const cancel = isDev
      ? url.host !== page.host && !['devtools:', 'data:'].includes(url.protocol)
      : !allowed.has(url.protocol)
    callback({ cancel })
  })
}

/** Denies navigation, new windows and embedded views in every page there is or will be. */
export function lockContents(pageUrl: string): void {
  app.on('web-contents-created', (_event, contents) => lock(contents, pageUrl))
}

function lock(contents: WebContents, pageUrl: string): void {
  contents.setWindowOpenHandler(() => ({ action: 'deny' }))
  contents.on('will-attach-webview', (event) => event.preventDefault())
  contents.on('will-frame-navigate', (event) => event.preventDefault())
  contents.on('will-navigate', (event) => {
    const isReload = isOwnPage(event.url, pageUrl) && new URL(event.url).pathname === new URL(pageUrl).pathname
    if (!isReload) event.preventDefault()
  })
  contents.on('will-redirect', (event) => event.preventDefault())
  // WebRTC asks no permission and heeds no content security policy: without a proxy that speaks UDP no packet of it leaves.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp')
}

/** Brings a window back to the page when it shows anything else: Chromium asks nobody before it shows `about:` addresses. */
function keepOnPage(contents: WebContents, address: string): void {
  const back = (url: string): void => {
    if (!isOwnPage(url, address)) void contents.loadURL(address).catch(() => undefined)
  }
  contents.on('did-navigate', (_event, url) => back(url))
  contents.on('did-fail-load', (_event, ...[code, , url, isMainFrame]) => {
    if (isMainFrame && code !== wasStopped) back(url)
  })
}

/** Chromium's number for a load that was stopped: what was there before is still shown. */
const wasStopped = -3

/**
 * Whether an address is one of the app's page: the same scheme and host. They are compared part by part, because Node calls the origin
 * of every scheme that it does not know "null", and `data:`, `file:` and `about:blank` as well.
 */
export function isOwnPage(address: string, pageUrl: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, host } = new URL(address)
  const own = new URL(pageUrl)
  return protocol === own.protocol && host === own.host
}

const callChannel = 'companion:call'

interface CallService {
  /** The page the app shows; calls from any other are refused. */
  readonly pageUrl: string
  readonly window: () => WebContents | undefined
  /** Answers a call from the page with a `Result`; never rejects. */
  readonly answer: (name: unknown, input: unknown) => Promise<Result<unknown, Failure>>
}

/** Serves the app's own page, and no other, on one channel. */
export function serveCalls({ pageUrl, window, answer }: CallService): void {
  ipcMain.handle(callChannel, async (event, name: unknown, input: unknown): ReturnType<Bridge['call']> => {
    if (!isFromPage(event, window(), pageUrl)) {
      return { ok: false, error: { code: 'bridge.denied', message: 'This page may not call the app.' } }
    }
    const answered = await answer(name, input)
    return answered.ok ? { ok: true, value: JSON.stringify(answered.value) } : answered
  })
}

function isFromPage(event: IpcMainInvokeEvent, own: WebContents | undefined, pageUrl: string): boolean {
  const frame = event.senderFrame
  if (!frame || !own || event.sender !== own || frame !== own.mainFrame) return false
  return isOwnPage(frame.url, pageUrl)
}

const scheme = 'app'

/** Address of the window's page when it is served from the built files. */
export const builtPageUrl = `${scheme}://companion/index.html`

/** What the page may load and run: its own files only. Inline style attributes are needed by positioned menus and charts. */
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

/** Must run before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/**
 * Serves the files of `folder` at `app://companion/`, and nothing outside of it. `draw` completes the page itself each time that it is loaded.
 * `protocol.handle` would make requests, answers and streams of the web of each file, which takes 12 MB and a tenth of a start.
 */
export function servePage(session: Session, folder: string, draw: (page: string) => Promise<string>): void {
  const read = async (address: string): Promise<ProtocolResponse> => {
    const url = new URL(address)
    const path = normalize(join(folder, decodeURIComponent(url.pathname)))
    const type = types[extname(path)]
    if (url.host !== 'companion' || !path.startsWith(folder + sep) || !type) throw new Error('There is no such file.')
    const file = await readFile(path)
    const isPage = path === join(folder, 'index.html')
    return { ...type, headers, data: isPage ? Buffer.from(await draw(file.toString('utf8'))) : file }
  }
  const notFound = { statusCode: 404, data: Buffer.alloc(0) }
  session.protocol.registerBufferProtocol(scheme, ({ url }, answer) => {
    void read(url)
      .catch(() => notFound)
      .then(answer)
  })
}
