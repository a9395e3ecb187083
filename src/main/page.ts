import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { protocol, type Session } from 'electron'

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

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
}

/** Must run before the app is ready. */
export function registerPageScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/** Serves the files of `folder` at `app://companion/`, and nothing outside of it. */
export function servePage(session: Session, folder: string): void {
  session.protocol.handle(scheme, async (request) => {
    const url = new URL(request.url)
    const path = normalize(join(folder, decodeURIComponent(url.pathname)))
    const type = types[extname(path)]
    if (url.host !== 'companion' || !path.startsWith(folder + sep) || !type) return new Response(null, { status: 404 })
    try {
      const headers = {
        'content-type': type,
        'content-security-policy': contentSecurityPolicy,
        'x-content-type-options': 'nosniff',
        'x-dns-prefetch-control': 'off',
      }
      return new Response(new Uint8Array(await readFile(path)), { headers })
    } catch {
      return new Response(null, { status: 404 })
    }
  })
}
