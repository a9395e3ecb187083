import type { ProfileView, RelayView } from '@shared/contract'
import { Menu, nativeImage, Tray } from 'electron'
import type { Log } from '../ports'
import type { Switched } from '../profiles/switch-profile'

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

type Locale = 'en' | 'vi'

/** One line of the tray's menu, as Electron's menus take it. */
type TrayItem =
  | { readonly type: 'separator' }
  | { readonly type: 'normal'; readonly label: string; readonly enabled?: boolean; readonly click?: () => void }
  | { readonly type: 'radio'; readonly label: string; readonly checked: boolean; readonly click: () => void }

/** What the menu shows. */
export interface TrayState {
  readonly locale: Locale
  readonly profiles: readonly Pick<ProfileView, 'id' | 'name' | 'isActive'>[]
  /** The profile that is being switched to. */
  readonly switchingTo?: string | undefined
  /** Absent while the relay is not wanted. */
  readonly relay?: Pick<RelayView, 'state'> | undefined
  /** The tightest allowance, in the language of the window. */
  readonly quotaLine?: string | undefined
}

/** What its lines do. */
interface TrayActs {
  readonly open: (path?: string) => void
  readonly use: (profileId: string) => void
  readonly pauseRelay: (paused: boolean) => void
  readonly quit: () => void
}

interface TrayText {
  readonly open: string
  readonly heading: string
  readonly none: string
  readonly quit: string
  readonly pause: string
  readonly resume: string
  readonly relay: Readonly<Record<RelayView['state'], string>>
}

const words: Record<Locale, TrayText> = {
  en: {
    open: 'Open Platform Companion',
    heading: 'Profiles',
    none: 'Create profile…',
    quit: 'Quit',
    pause: 'Pause relay',
    resume: 'Resume relay',
    relay: {
      off: 'Relay: off',
      starting: 'Relay: starting',
      on: 'Relay: on',
      paused: 'Relay: paused',
      failed: 'Relay: failed',
    },
  },
  vi: {
    open: 'Mở Platform Companion',
    heading: 'Profile',
    none: 'Tạo profile…',
    quit: 'Thoát',
    pause: 'Tạm dừng relay',
    resume: 'Chạy tiếp relay',
    relay: {
      off: 'Relay: tắt',
      starting: 'Relay: đang khởi động',
      on: 'Relay: đang chạy',
      paused: 'Relay: tạm dừng',
      failed: 'Relay: lỗi',
    },
  },
}

/** A menu takes `&` for the mark of an access key; two stand for one. */
const shown = (name: string): string => name.replaceAll('&', '&&')

/** The tray's menu: open, allowance, profiles with the one in use marked, relay, quit. While one is switched to, none can be chosen. */
export function trayTemplate(state: TrayState, acts: TrayActs): readonly TrayItem[] {
  const { locale, profiles, switchingTo, quotaLine } = state
  const { open, heading, none, quit } = words[locale]
  const choose = (id: string) => (): void => {
    if (switchingTo === undefined) acts.use(id)
  }
  return [
    { type: 'normal', label: open, click: () => acts.open() },
    ...(quotaLine === undefined
      ? []
      : [{ type: 'normal', label: shown(quotaLine), click: () => acts.open('/usage/left') } as const]),
    { type: 'separator' },
    { type: 'normal', label: heading, enabled: false },
    ...(profiles.length === 0
      ? [{ type: 'normal', label: none, click: () => acts.open('/profiles') } as const]
      : profiles.map(({ id, name, isActive }): TrayItem => {
          const checked = switchingTo === undefined ? isActive : id === switchingTo
          return { type: 'radio', label: shown(name), checked, click: choose(id) }
        })),
    ...relayItems(state, acts),
    { type: 'separator' },
    { type: 'normal', label: quit, click: acts.quit },
  ]
}

/** How the relay stands, and what can be done about it at once. */
function relayItems({ locale, relay }: TrayState, acts: TrayActs): readonly TrayItem[] {
  if (!relay) return []
  const { state } = relay
  const { pause, resume, relay: states } = words[locale]
  const isPaused = state === 'paused'
  return [
    { type: 'separator' },
    { type: 'normal', label: states[state], click: () => acts.open('/relay') },
    ...(isPaused || state === 'on'
      ? [{ type: 'normal', label: isPaused ? resume : pause, click: () => acts.pauseRelay(!isPaused) } as const]
      : []),
  ]
}

/** What the tray says when the pointer rests on it. */
export function trayTitle({ profiles }: Pick<TrayState, 'profiles'>): string {
  const active = profiles.find(({ isActive }) => isActive)
  return active ? `Platform Companion · ${active.name}` : 'Platform Companion'
}

/** Where the window tells why a profile was not switched to, or asks what has to be asked. */
export function switchPath(profileId: string, failureCode?: string): string {
  const path = `/profiles/${encodeURIComponent(profileId)}/switch`
  return failureCode === undefined ? path : `${path}?failed=${encodeURIComponent(failureCode)}`
}
