import { app, type Session, type WebContents } from 'electron'
import { isOwnPage } from './own-page'

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
export function keepOnPage(contents: WebContents, address: string): void {
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
