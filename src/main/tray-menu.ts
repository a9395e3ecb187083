import type { ProfileView } from '@shared/contract'

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
}

/** What its lines do. */
export interface TrayActs {
  readonly open: (path?: string) => void
  readonly use: (profileId: string) => void
  readonly quit: () => void
}

const words: Record<Locale, { open: string; heading: string; none: string; quit: string }> = {
  en: {
    open: 'Open Platform Companion',
    heading: 'Profiles',
    none: 'Make a profile…',
    quit: 'Quit',
  },
  vi: {
    open: 'Mở Platform Companion',
    heading: 'Hồ sơ',
    none: 'Tạo hồ sơ…',
    quit: 'Thoát',
  },
}

/** A menu takes `&` for the mark of an access key; two stand for one. */
const shown = (name: string): string => name.replaceAll('&', '&&')

/** The tray's menu: open, the profiles with the one in use marked, quit. While one is switched to, none can be chosen. */
export function trayTemplate({ locale, profiles, switchingTo }: TrayState, acts: TrayActs): readonly TrayItem[] {
  const { open, heading, none, quit } = words[locale]
  const choose = (id: string) => (): void => {
    if (switchingTo === undefined) acts.use(id)
  }
  return [
    { type: 'normal', label: open, click: () => acts.open() },
    { type: 'separator' },
    { type: 'normal', label: heading, enabled: false },
    ...(profiles.length === 0
      ? [{ type: 'normal', label: none, click: () => acts.open('/profiles') } as const]
      : profiles.map(({ id, name, isActive }): TrayItem => {
          const checked = switchingTo === undefined ? isActive : id === switchingTo
          return { type: 'radio', label: shown(name), checked, click: choose(id) }
        })),
    { type: 'separator' },
    { type: 'normal', label: quit, click: acts.quit },
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
