import {
  type FirstScreenData,
  frameName,
  homeName,
  narrowWidth,
  pageGap,
  startMetaName,
  welcomeName,
} from '@shared/first-screen'

interface FirstScreenOptions {
  readonly start: FirstScreenData
  readonly path: string
  /** Width of the page in CSS px. */
  readonly width: number
  /** Loads a first screen by name. */
  readonly read: (name: string) => Promise<string>
}

/** Inserts a static first screen, painted before scripts run: the welcome page, empty Home, or the frame only. */
export async function insertFirstScreen(
  page: string,
  { start, path, width, read }: FirstScreenOptions,
): Promise<string> {
  const { locale, theme } = start.view
  const themeAttribute = theme === 'system' ? '' : ` data-theme="${theme}"`
  // Without the static first screen, the page still works but paints later.
  const screen = await readFirstScreen({ start, path, width, read }).catch(() => '')
  const startData = JSON.stringify(start).replace(/[&"<]/g, (sign) => entities[sign] ?? sign)
  return page
    .replace('<html lang="en">', () => `<html lang="${locale}"${themeAttribute}>`)
    .replace('</title>', () => `</title>\n    <meta name="${startMetaName}" content="${startData}" />`)
    .replace(/id="first-screen"[^>]*>/, (tag) => `${tag}${screen}`)
}

async function readFirstScreen({ start, path, width, read }: FirstScreenOptions): Promise<string> {
  const { locale, welcomed, railCollapsed, shortcuts } = start.view
  if (path === '/welcome' || (path === '/' && !welcomed)) return read(welcomeName(locale))
  // The sidebar shows the search shortcut, and the static first screen only has the default one.
  if (shortcuts?.palette !== undefined) return ''
  const rail = width <= narrowWidth ? 'narrow' : railCollapsed ? 'collapsed' : 'wide'
  const [frame, home] = await Promise.all([
    read(frameName(locale, rail, start.connections > 0)),
    path === '/' ? read(homeName(locale, start)) : '',
  ])
  return frame.replace(pageGap, () => home)
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '"': '&quot;', '<': '&lt;' }
