import type { ProfileView, RelayView } from '@shared/contract'

type Locale = 'en' | 'vi'

/** One line of the tray's menu, as Electron's menus take it. */
export type TrayItem =
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
export interface TrayActs {
  readonly open: (path?: string) => void
  readonly use: (profileId: string) => void
  readonly pauseRelay: (paused: boolean) => void
  readonly quit: () => void
}

interface Words {
  readonly open: string
  readonly heading: string
  readonly none: string
  readonly quit: string
  readonly pause: string
  readonly resume: string
  readonly relay: Readonly<Record<RelayView['state'], string>>
}

const words: Record<Locale, Words> = {
  en: {
    open: 'Open Platform Companion',
    heading: 'Profiles',
    none: 'Make a profile…',
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
    heading: 'Hồ sơ',
    none: 'Tạo hồ sơ…',
    quit: 'Thoát',
    pause: 'Tạm dừng relay',
    resume: 'Tiếp tục relay',
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
