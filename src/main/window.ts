import { join } from 'node:path'
import { BrowserWindow, nativeTheme, screen } from 'electron'
import type { SettingsStore, WindowPlace } from './settings/settings'

export interface WindowOptions {
  readonly pageUrl: string
  readonly settings: SettingsStore
}

/** Opens the app's one window where it was last time, on a screen that is there now. */
export function openWindow({ pageUrl, settings }: WindowOptions): BrowserWindow {
  const { theme, window: place } = settings.read()
  nativeTheme.themeSource = theme
  const window = new BrowserWindow({
    ...(place ? visiblePlace(place) : { width: 1280, height: 800 }),
    minWidth: 880,
    minHeight: 560,
    useContentSize: true,
    show: false,
    title: 'Platform Companion',
    icon: join(__dirname, '../../resources/icon.png'),
    backgroundColor: nativeTheme.shouldUseDarkColors ? '#131418' : '#fbfbfd',
    autoHideMenuBar: true,
    webPreferences: {
      preload: join(__dirname, '../preload/index.cjs'),
      contextIsolation: true,
      sandbox: true,
      nodeIntegration: false,
      webviewTag: false,
      spellcheck: false,
    },
  })
  if (place?.maximized) window.maximize()
  window.once('ready-to-show', () => window.show())
  rememberPlace(window, settings)
  void window.loadURL(pageUrl)
  return window
}

/** The remembered place, or only its size when that place is on no screen any more. */
function visiblePlace(place: WindowPlace): { x?: number; y?: number; width: number; height: number } {
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

function rememberPlace(window: BrowserWindow, settings: SettingsStore): void {
  let timer: NodeJS.Timeout | undefined
  const save = (): void => {
    clearTimeout(timer)
    if (window.isDestroyed() || window.isMinimized()) return
    const { x, y } = window.getNormalBounds()
    const [width = 1280, height = 800] = window.getContentSize()
    const kept = window.isMaximized() ? settings.read().window : { width, height }
    settings.update({ window: { width: 1280, height: 800, ...kept, x, y, maximized: window.isMaximized() } })
  }
  const saveSoon = (): void => {
    clearTimeout(timer)
    timer = setTimeout(save, 400)
  }
  window.on('resize', saveSoon)
  window.on('move', saveSoon)
  window.on('close', save)
}
