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

type MenuKey = keyof typeof en.menu
type Item = MenuItemConstructorOptions

const separator: Item = { type: 'separator' }

/** The app's menu in the window's language: standard roles and our commands. */
export function menuTemplate({ locale, platform, appName, shortcuts }: MenuState, acts: MenuActs): readonly Item[] {
  const isMac = platform === 'darwin'
  const t = translator(locale)
  const translateMenu = (word: MenuKey): string => t(`menu.${word}`)
  const role = (word: MenuKey, itemRole: NonNullable<Item['role']>): Item => ({
    label: translateMenu(word),
    role: itemRole,
  })
  // The menu only displays these shortcuts. The page itself handles them.
  const command = (word: MenuKey, click: () => void, accelerator?: string): Item => ({
    label: translateMenu(word),
    click,
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
  })
  const toAccelerator = (id: ShortcutId): string => shortcuts[id].replace('Mod', 'CmdOrCtrl')
  const go = (path: string) => (): void => acts.open(path)
  const settings = command('settings', go('/settings'), toAccelerator('settings'))
  const aboutItem = command('about', go('/settings?about=1'))
  return [
    ...(isMac ? [macAppMenu(appName, [aboutItem, settings])] : []),
    {
      label: translateMenu('file'),
      submenu: [
        command('newChat', go('/playground'), toAccelerator('newChat')),
        command('addPlan', go('/plans/new')),
        command('importKey', go('/handout/open')),
        separator,
        ...(isMac ? [role('close', 'close')] : [settings, separator, role('quit', 'quit')]),
      ],
    },
    {
      label: translateMenu('edit'),
      submenu: [
        ...[role('undo', 'undo'), role('redo', 'redo'), separator],
        ...[role('cut', 'cut'), role('copy', 'copy'), role('paste', 'paste'), role('selectAll', 'selectAll')],
      ],
    },
    {
      label: translateMenu('view'),
      submenu: [
        command('palette', () => acts.run('palette'), toAccelerator('palette')),
        command('sidebar', () => acts.run('sidebar'), toAccelerator('rail')),
        separator,
        command('zoomIn', () => acts.zoom('in'), 'CmdOrCtrl+Plus'),
        command('zoomOut', () => acts.zoom('out'), 'CmdOrCtrl+-'),
        command('zoomReset', () => acts.zoom('reset'), 'CmdOrCtrl+0'),
        separator,
        role('fullScreen', 'togglefullscreen'),
      ],
    },
    {
      label: translateMenu('go'),
      submenu: menuPlaces.map((page) => command(page, go(page === 'home' ? '/' : `/${page}`), toAccelerator(page))),
    },
    { label: translateMenu('window'), role: 'window', submenu: [role('minimize', 'minimize'), role('close', 'close')] },
    {
      label: translateMenu('help'),
      role: 'help',
      submenu: [
        command('pageHelp', () => acts.run('help')),
        command('shortcuts', go('/help/shortcuts')),
        command('news', go('/help/news')),
        separator,
        command('diagnose', go('/doctor?run=1')),
        ...(isMac ? [] : [separator, aboutItem]),
      ],
    },
  ]
}

const macAppMenu = (appName: string, [aboutItem, settings]: readonly [Item, Item]): Item => ({
  label: appName,
  submenu: [
    ...([aboutItem, separator, settings, separator, { role: 'services' }, separator] satisfies Item[]),
    ...([{ role: 'hide' }, { role: 'hideOthers' }, { role: 'unhide' }, separator, { role: 'quit' }] satisfies Item[]),
  ],
})

/** Updates the menu if language or commands have changed. */
export function showMenu(state: MenuState, acts: MenuActs): void {
  Menu.setApplicationMenu(Menu.buildFromTemplate([...menuTemplate(state, acts)]))
}
