import { app, type Session, type WebContents } from 'electron'

/** Denies every permission, and every request that is not for the page's own files. */
export function lockSession(session: Session, pageUrl: string): void {
  const page = new URL(pageUrl)
  // The page's own files, developer tools, and (in development) the dev server with its socket.
  const allowed = new Set([page.protocol, 'devtools:', 'data:', 'blob:'])
  const isDev = page.protocol === 'http:'
  session.setPermissionRequestHandler((_contents, _permission, callback) => callback(false))
  session.setPermissionCheckHandler(() => false)
  session.setDevicePermissionHandler(() => false)
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
    const isReload =
      new URL(event.url).origin === new URL(pageUrl).origin && new URL(event.url).pathname === new URL(pageUrl).pathname
    if (!isReload) event.preventDefault()
  })
  contents.on('will-redirect', (event) => event.preventDefault())
}
