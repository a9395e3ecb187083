import type { PlanView, ProfileView } from '@shared/contract'
import { Menu, nativeImage, Tray } from 'electron'
import type { Log } from '../core/ports'
import type { Notice } from '../plans/account/notification-text'
import type { SwitchResult } from '../tools/profiles/profiles'
import type { WrittenSetup } from '../tools/setups/setup-views'
import {
  type ModelSwitch,
  modelSwitchNotice,
  modelSwitchPath,
  switchPath,
  type TrayActions,
  type TrayState,
  trayTemplate,
  trayTitle,
} from './tray-menu'

export interface TrayPorts {
  readonly icon: string
  readonly platform: NodeJS.Platform
  readonly log: Log
  readonly locale: () => 'en' | 'vi'
  readonly profiles: () => Promise<readonly ProfileView[]>
  readonly setups: () => Promise<readonly WrittenSetup[]>
  readonly plans: () => readonly PlanView[]
  readonly quotas: () => TrayState['quotas']
  /** State of the relay. Undefined when the relay is off. */
  readonly relay: () => TrayState['relay']
  readonly pauseRelay: (paused: boolean) => void
  readonly switchTo: (profileId: string) => Promise<SwitchResult>
  readonly switchModel: (modelSwitch: ModelSwitch) => Promise<SwitchResult>
  readonly notify: (notice: Notice) => void
  /** Shows the window, optionally at the page with this path. */
  readonly open: (path?: string) => void
  readonly quit: () => void
}

export interface AppTray {
  /** Reloads profiles and tools, debounced. */
  refresh(): void
  /** Updates the menu immediately without reloading. */
  show(): void
  end(): void
}

/** Icon height in px. */
const heights: Partial<Record<NodeJS.Platform, number>> = { darwin: 18, win32: 16 }
const otherHeight = 22

/** Debounce of menu updates in ms. */
const settleDelayMs = 250

/** The tray icon, shown after the first refresh. Logs an error on systems without a tray. */
export function createTray(ports: TrayPorts): AppTray {
  /** The tray icon. 'none' on systems without a tray. */
  let tray: Tray | 'none' | undefined
  const { locale, relay, quotas, plans, open, quit, pauseRelay } = ports
  let loadedState: Pick<TrayState, 'profiles' | 'setups'> = { profiles: [], setups: [] }
  let pendingModelSwitch: TrayState['switchingTo']
  let timer: NodeJS.Timeout | undefined
  let lastMenuJson: string | undefined
  const show = (): void => {
    if (!tray || tray === 'none' || tray.isDestroyed()) return
    const state = {
      ...loadedState,
      locale: locale(),
      plans: plans(),
      quotas: quotas(),
      switchingTo: pendingModelSwitch,
      relay: relay(),
    }
    const template = trayTemplate(state, trayActions)
    const text = JSON.stringify(template)
    // Keep an unchanged menu, because replacing it would close an open menu.
    if (text === lastMenuJson) return
    lastMenuJson = text
    tray.setContextMenu(Menu.buildFromTemplate(template))
    tray.setToolTip(trayTitle(loadedState))
  }
  const refreshMenu = async (): Promise<void> => {
    try {
      const [profiles, setups] = await Promise.all([ports.profiles(), ports.setups()])
      loadedState = { profiles, setups }
    } catch (error) {
      ports.log.error('tray.read', error)
    }
    show()
  }
  const runSwitch = async (target: string | ModelSwitch, run: () => Promise<SwitchResult>): Promise<SwitchResult> => {
    pendingModelSwitch = target
    // Defer the action of a menu entry, because Electron may crash when a menu is replaced during its click handler.
    setImmediate(show)
    try {
      return await run()
    } finally {
      pendingModelSwitch = undefined
      // Redraw the menu, because the click toggled the check mark even if the switch failed.
      lastMenuJson = undefined
      await refreshMenu()
    }
  }
  const switchToProfile = async (id: string): Promise<void> => {
    const switchResult = await runSwitch(id, () => ports.switchTo(id))
    if (switchResult.outcome === 'asks') open(switchPath(id))
    if (switchResult.outcome === 'failed') open(switchPath(id, switchResult.code))
  }
  const switchModel = async (modelSwitch: ModelSwitch): Promise<void> => {
    const { outcome } = await runSwitch(modelSwitch, () => ports.switchModel(modelSwitch))
    if (outcome === 'asks') return open(modelSwitchPath(modelSwitch))
    const notice = modelSwitchNotice(modelSwitch, outcome, locale())
    if (notice) ports.notify(notice)
  }
  const trayActions: TrayActions = {
    open,
    quit,
    pauseRelay,
    use: (id) => void switchToProfile(id),
    switchModel: (modelSwitch) => void switchModel(modelSwitch),
  }
  const refresh = (): void => {
    tray ??= makeTray(ports) ?? 'none'
    if (tray === 'none') return
    clearTimeout(timer)
    timer = setTimeout(() => void refreshMenu(), settleDelayMs)
  }
  const finishHover = (): void => {
    clearTimeout(timer)
    if (tray !== 'none') tray?.destroy()
    tray = 'none'
  }
  return { refresh, show, end: finishHover }
}

function makeTray({ icon, platform, log, open }: TrayPorts): Tray | undefined {
  try {
    const image = nativeImage.createFromPath(icon)
    const tray = new Tray(image.resize({ height: heights[platform] ?? otherHeight }))
    // On macOS a click opens the menu.
    if (platform !== 'darwin') tray.on('click', () => open())
    return tray
  } catch (error) {
    log.error('tray.unavailable', error)
    return undefined
  }
}
