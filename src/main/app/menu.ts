import type { ShortcutId, Shortcuts } from '@shared/shortcuts'
import { Menu, type MenuItemConstructorOptions } from 'electron'
import type en from '../../renderer/locales/en/system.json'
import { type Locale, translator } from '../core/i18n'

export type WindowCommand = 'palette' | 'help' | 'sidebar'

interface MenuActs {
  readonly open: (path?: string) => void
  readonly run: (command: WindowCommand) => void
  readonly zoom: (step: 'in' | 'out' | 'reset') => void
}

interface MenuState {
  readonly locale: Locale
  readonly platform: NodeJS.Platform
  readonly appName: string
  readonly shortcuts: Shortcuts
}

/** Sidebar pages with shortcuts, in order, as in `features/shell/navigation.ts`. */
const menuPlaces = [
  ...(['home', 'tools', 'profiles', 'plans', 'usage', 'playground', 'register', 'sandbox', 'connections'] as const),
]

type Word = keyof typeof en.menu
type Item = MenuItemConstructorOptions

const separator: Item = { type: 'separator' }

/** The app's menu in the window's language: standard roles and our commands. */
export function menuTemplate({ locale, platform, appName, shortcuts }: MenuState, acts: MenuActs): readonly Item[] {
  const isMac = platform === 'darwin'
  const t = translator(locale)
  const named = (word: Word): string => t(`menu.${word}`)
  const role = (word: Word, of: NonNullable<Item['role']>): Item => ({ label: named(word), role: of })
  // The menu only displays these shortcuts. The page itself handles them.
  const command = (word: Word, click: () => void, accelerator?: string): Item => ({
    label: named(word),
    click,
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
  })
  const keys = (id: ShortcutId): string => shortcuts[id].replace('Mod', 'CmdOrCtrl')
  const go = (path: string) => (): void => acts.open(path)
  const settings = command('settings', go('/settings'), keys('settings'))
  const about = command('about', go('/settings?about=1'))
  return [
    ...(isMac ? [macAppMenu(appName, [about, settings])] : []),
    {
      label: named('file'),
      submenu: [
        command('newChat', go('/playground'), keys('newChat')),
        command('addPlan', go('/plans/new')),
        command('importKey', go('/handout/open')),
        separator,
        ...(isMac ? [role('close', 'close')] : [settings, separator, role('quit', 'quit')]),
      ],
    },
    {
      label: named('edit'),
      submenu: [
        ...[role('undo', 'undo'), role('redo', 'redo'), separator],
        ...[role('cut', 'cut'), role('copy', 'copy'), role('paste', 'paste'), role('selectAll', 'selectAll')],
      ],
    },
    {
      label: named('view'),
      submenu: [
        command('palette', () => acts.run('palette'), keys('palette')),
        command('sidebar', () => acts.run('sidebar'), keys('rail')),
        separator,
        command('zoomIn', () => acts.zoom('in'), 'CmdOrCtrl+Plus'),
        command('zoomOut', () => acts.zoom('out'), 'CmdOrCtrl+-'),
        command('zoomReset', () => acts.zoom('reset'), 'CmdOrCtrl+0'),
        separator,
        role('fullScreen', 'togglefullscreen'),
      ],
    },
    {
      label: named('go'),
      submenu: menuPlaces.map((place) => command(place, go(place === 'home' ? '/' : `/${place}`), keys(place))),
    },
    { label: named('window'), role: 'window', submenu: [role('minimize', 'minimize'), role('close', 'close')] },
    {
      label: named('help'),
      role: 'help',
      submenu: [
        command('pageHelp', () => acts.run('help')),
        command('shortcuts', go('/help/shortcuts')),
        command('news', go('/help/news')),
        separator,
        command('diagnose', go('/doctor?run=1')),
        ...(isMac ? [] : [separator, about]),
      ],
    },
  ]
}

const macAppMenu = (appName: string, [about, settings]: readonly [Item, Item]): Item => ({
  label: appName,
  submenu: [
    ...([about, separator, settings, separator, { role: 'services' }, separator] satisfies Item[]),
    ...([{ role: 'hide' }, { role: 'hideOthers' }, { role: 'unhide' }, separator, { role: 'quit' }] satisfies Item[]),
  ],
})

/** Updates the menu if language or commands have changed. */
export function showMenu(state: MenuState, acts: MenuActs): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate([...menuTemplate(state, acts)]))
}
