import { frameName, homeName, narrowWidth, type PageStart, pageGap, startMeta, welcomeName } from '@shared/first-screen'

interface Drawing {
  readonly start: PageStart
  /** Where in the page the window is. */
  readonly path: string
  /** Of the page, in CSS px. */
  readonly width: number
  /** Gives the first screen of a name. */
  readonly read: (name: string) => Promise<string>
}

/**
 * The page with its first screen in it, which is painted before a script runs: the welcome, home without its data, or the frame alone
 * where another page will be. Nothing of it can be pressed; the window takes its place.
 */
export async function drawFirstScreen(page: string, { start, path, width, read }: Drawing): Promise<string> {
  const { locale, theme } = start.view
  const chosen = theme === 'system' ? '' : ` data-theme="${theme}"`
  // The window draws all of it itself: without its first screen it comes a little later.
  const screen = await readScreen({ start, path, width, read }).catch(() => '')
  return page
    .replace('<html lang="en">', () => `<html lang="${locale}"${chosen}>`)
    .replace('</title>', () => `</title>\n    <meta name="${startMeta}" content="${escaped(JSON.stringify(start))}" />`)
    .replace(/id="first-screen"[^>]*>/, (tag) => `${tag}${screen}`)
}

async function readScreen({ start, path, width, read }: Drawing): Promise<string> {
  const { locale, welcomed, railCollapsed, shortcuts } = start.view
  if (path === '/welcome' || (path === '/' && !welcomed)) return read(welcomeName(locale))
  // The rail shows the keys of the palette, which are drawn as they usually are.
  if (shortcuts?.palette !== undefined) return ''
  const rail = width <= narrowWidth ? 'narrow' : railCollapsed ? 'collapsed' : 'wide'
  const [frame, home] = await Promise.all([
    read(frameName(locale, rail, start.connections > 0)),
    path === '/' ? read(homeName(locale, start)) : '',
  ])
  return frame.replace(pageGap, () => home)
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;' }
const escaped = (text: string): string => text.replace(/[&"<]/g, (sign) => entities[sign] ?? sign)
