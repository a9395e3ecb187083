import type { ProfileView, RelayView } from '@shared/contract'
import { Menu, nativeImage, Tray } from 'electron'
import type { Switched } from './features/switch-profile'
import type { Log } from './ports'
import { switchPath, type TrayActs, trayTemplate, trayTitle } from './tray-menu'

export interface TrayPorts {
  /** The app's picture. */
  readonly icon: string
  readonly platform: NodeJS.Platform
  readonly log: Log
  readonly locale: () => 'en' | 'vi'
  readonly profiles: () => Promise<readonly ProfileView[]>
  /** The relay, while it is wanted. */
  readonly relay: () => Pick<RelayView, 'state'> | undefined
  readonly pauseRelay: (paused: boolean) => void
  /** The tightest allowance, in the language of the window. */
  readonly quotaLine?: () => string | undefined
  readonly switchTo: (profileId: string) => Promise<Switched>
  /** Shows the window, at a place of it when one is given. */
  readonly open: (path?: string) => void
  readonly quit: () => void
}

/** The app's sign among the system's. */
export interface AppTray {
  /** Reads the profiles again, soon. */
  refresh(): void
  /** Shows at once what else has changed. */
  show(): void
  end(): void
}

/** Height of a tray's picture, in px. */
const heights: Partial<Record<NodeJS.Platform, number>> = { darwin: 18, win32: 16 }
const otherHeight = 22

/** How long changes may gather before the menu is made anew. */
const settleMs = 250

/** Shows the app's sign in the tray, or (where the system has none) logs that it cannot and does nothing. */
export function createTray(ports: TrayPorts): AppTray {
  const tray = makeTray(ports)
  if (!tray) return { refresh: () => undefined, show: () => undefined, end: () => undefined }
  let profiles: readonly ProfileView[] = []
  let switchingTo: string | undefined
  let timer: NodeJS.Timeout | undefined
  const show = (): void => {
    if (tray.isDestroyed()) return
    const { locale, relay, quotaLine } = ports
    const state = { locale: locale(), profiles, switchingTo, relay: relay(), quotaLine: quotaLine?.() }
    const template = trayTemplate(state, acts)
    tray.setContextMenu(Menu.buildFromTemplate(template.map((item) => ({ ...item }))))
    tray.setToolTip(trayTitle({ profiles }))
  }
  const read = async (): Promise<void> => {
    try {
      profiles = await ports.profiles()
    } catch (error) {
      ports.log.error('tray.profiles', error)
    }
    show()
  }
  const use = async (id: string): Promise<void> => {
    switchingTo = id
    // Not while the old menu still handles its press: Electron takes it badly when that one goes away.
    setImmediate(show)
    const switched = await ports.switchTo(id)
    switchingTo = undefined
    await read()
    if (switched.outcome === 'asks') ports.open(switchPath(id))
    if (switched.outcome === 'failed') ports.open(switchPath(id, switched.code))
  }
  const { open, quit, pauseRelay } = ports
  const acts: TrayActs = { open, quit, pauseRelay, use: (id) => void use(id) }
  const refresh = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => void read(), settleMs)
  }
  show()
  refresh()
  // On a Mac a press opens the menu.
  if (ports.platform !== 'darwin') tray.on('click', () => ports.open())
  const end = (): void => {
    clearTimeout(timer)
    tray.destroy()
  }
  return { refresh, show, end }
}

function makeTray({ icon, platform, log }: TrayPorts): Tray | undefined {
  try {
    const image = nativeImage.createFromPath(icon)
    return new Tray(image.resize({ height: heights[platform] ?? otherHeight }))
  } catch (error) {
    log.error('tray.unavailable', error)
    return undefined
  }
}
