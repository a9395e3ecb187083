import { join } from 'node:path'
import { BrowserWindow, nativeTheme, screen } from 'electron'
import { keepOnPage } from './lockdown'
import type { WindowPlaceStore } from './settings/window-place'
import type { WindowStart } from './settings/window-start'

export interface WindowOptions {
  readonly pageUrl: string
  /** The folder of the built files. */
  readonly outDir: string
  readonly start: WindowStart
}

/** Opens the app's one window where it was last time, on a screen that is there now. */
export function openWindow({ pageUrl, outDir, start: { view, place } }: WindowOptions): BrowserWindow {
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
    },
  })
  if (place?.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  // With its settings in the address the page need not wait for the main process before its first paint.
  const address = `${pageUrl}?settings=${encodeURIComponent(JSON.stringify(view))}`
  keepOnPage(window.webContents, address)
  void window.loadURL(address)
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
export function rememberPlaceOf(window: BrowserWindow, store: WindowPlaceStore): void {
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
