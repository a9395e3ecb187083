import type { PlanView, ProfileView } from '@shared/contract'
import { Menu, nativeImage, Tray } from 'electron'
import type { Log } from '../core/ports'
import type { Notice } from '../plans/account/notification-text'
import type { Switched } from '../tools/profiles/profiles'
import type { WrittenSetup } from '../tools/setups/setup-views'
import {
  type ModelSwitch,
  modelSwitchNotice,
  modelSwitchPath,
  switchPath,
  type TrayActs,
  type TrayState,
  trayTemplate,
  trayTitle,
} from './tray-menu'

export interface TrayPorts {
  /** The app's picture. */
  readonly icon: string
  readonly platform: NodeJS.Platform
  readonly log: Log
  readonly locale: () => 'en' | 'vi'
  readonly profiles: () => Promise<readonly ProfileView[]>
  readonly setups: () => Promise<readonly WrittenSetup[]>
  readonly plans: () => readonly PlanView[]
  /** What is left of each plan as it was looked up last. */
  readonly quotas: () => TrayState['quotas']
  /** The relay, while it is wanted. */
  readonly relay: () => TrayState['relay']
  readonly pauseRelay: (paused: boolean) => void
  readonly switchTo: (profileId: string) => Promise<Switched>
  readonly switchModel: (wanted: ModelSwitch) => Promise<Switched>
  readonly notify: (notice: Notice) => void
  /** Shows the window, at a place of it when one is given. */
  readonly open: (path?: string) => void
  readonly quit: () => void
}

/** The app's sign among the system's. */
export interface AppTray {
  /** Reads profiles and tools again, soon. */
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

/** Shows the app's sign in the tray once it is told to refresh, with its menu, or (where the system has none) logs that it cannot and does nothing. */
export function createTray(ports: TrayPorts): AppTray {
  /** None where the system has none. */
  let tray: Tray | 'none' | undefined
  const { locale, relay, quotas, plans, open, quit, pauseRelay } = ports
  let read: Pick<TrayState, 'profiles' | 'setups'> = { profiles: [], setups: [] }
  let switchingTo: TrayState['switchingTo']
  let timer: NodeJS.Timeout | undefined
  let shownAs: string | undefined
  const show = (): void => {
    if (!tray || tray === 'none' || tray.isDestroyed()) return
    const state = { ...read, locale: locale(), plans: plans(), quotas: quotas(), switchingTo, relay: relay() }
    const template = trayTemplate(state, acts)
    const text = JSON.stringify(template)
    // A menu that is open closes when another takes its place.
    if (text === shownAs) return
    shownAs = text
    tray.setContextMenu(Menu.buildFromTemplate(template))
    tray.setToolTip(trayTitle(read))
  }
  const readAgain = async (): Promise<void> => {
    try {
      const [profiles, setups] = await Promise.all([ports.profiles(), ports.setups()])
      read = { profiles, setups }
    } catch (error) {
      ports.log.error('tray.read', error)
    }
    show()
  }
  const switching = async (to: string | ModelSwitch, run: () => Promise<Switched>): Promise<Switched> => {
    switchingTo = to
    // Not while the old menu still handles its press: Electron takes it badly when that one goes away.
    setImmediate(show)
    try {
      return await run()
    } finally {
      switchingTo = undefined
      // The press changed the mark of its line, whatever came of it.
      shownAs = undefined
      await readAgain()
    }
  }
  const use = async (id: string): Promise<void> => {
    const switched = await switching(id, () => ports.switchTo(id))
    if (switched.outcome === 'asks') open(switchPath(id))
    if (switched.outcome === 'failed') open(switchPath(id, switched.code))
  }
  const switchModel = async (wanted: ModelSwitch): Promise<void> => {
    const { outcome } = await switching(wanted, () => ports.switchModel(wanted))
    if (outcome === 'asks') return open(modelSwitchPath(wanted))
    const notice = modelSwitchNotice(wanted, outcome, locale())
    if (notice) ports.notify(notice)
  }
  const acts: TrayActs = {
    ...{ open, quit, pauseRelay },
    use: (id) => void use(id),
    switchModel: (wanted) => void switchModel(wanted),
  }
  const refresh = (): void => {
    tray ??= makeTray(ports) ?? 'none'
    if (tray === 'none') return
    clearTimeout(timer)
    timer = setTimeout(() => void readAgain(), settleMs)
  }
  const end = (): void => {
    clearTimeout(timer)
    if (tray !== 'none') tray?.destroy()
    tray = 'none'
  }
  return { refresh, show, end }
}

function makeTray({ icon, platform, log, open }: TrayPorts): Tray | undefined {
  try {
    const image = nativeImage.createFromPath(icon)
    const tray = new Tray(image.resize({ height: heights[platform] ?? otherHeight }))
    // On a Mac a press opens the menu.
    if (platform !== 'darwin') tray.on('click', () => open())
    return tray
  } catch (error) {
    log.error('tray.unavailable', error)
    return undefined
  }
}
