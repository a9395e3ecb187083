import type { EventPayload } from '@shared/contract'
import { defaultShortcuts, nextZoom, type ShortcutId, type Shortcuts } from '@shared/shortcuts'
import { app, Menu, type MenuItemConstructorOptions } from 'electron'
import type en from '../../renderer/locales/en/system.json'
import { type Locale, translator } from '../core/i18n'
import type { WindowSettings } from '../core/settings/window-settings'
import type { AppCore, SendEvent } from './compose-app'
import { findLocale } from './desktop-services'

type WindowCommand = EventPayload<'window.command'>['command']

interface MenuHandlers {
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

/** Sidebar pages with shortcuts, in order, as in `features/shell/rail.tsx`. */
const menuPages = [
  ...(['home', 'tools', 'profiles', 'plans', 'usage', 'playground', 'register', 'sandbox', 'connections'] as const),
]

type MenuKey = keyof typeof en.menu
type Item = MenuItemConstructorOptions

const separator: Item = { type: 'separator' }

/** The app's menu in the window's language: standard roles and our commands. */
function menuTemplate({ locale, platform, appName, shortcuts }: MenuState, acts: MenuHandlers): readonly Item[] {
  const isMac = platform === 'darwin'
  const t = translator(locale)
  const translateMenu = (word: MenuKey): string => t(`menu.${word}`)
  const createRoleItem = (word: MenuKey, itemRole: NonNullable<Item['role']>): Item => ({
    label: translateMenu(word),
    role: itemRole,
  })
  // The menu only displays these shortcuts. The page itself handles them.
  const createMenuItem = (word: MenuKey, click: () => void, accelerator?: string): Item => ({
    label: translateMenu(word),
    click,
    ...(accelerator === undefined ? {} : { accelerator, registerAccelerator: false }),
  })
  const toAccelerator = (id: ShortcutId): string => shortcuts[id].replace('Mod', 'CmdOrCtrl')
  const createOpenHandler = (path: string) => (): void => acts.open(path)
  const settings = createMenuItem('settings', createOpenHandler('/settings'), toAccelerator('settings'))
  const aboutItem = createMenuItem('about', createOpenHandler('/settings?about=1'))
  return [
    ...(isMac ? [macAppMenu(appName, [aboutItem, settings])] : []),
    {
      label: translateMenu('file'),
      submenu: [
        createMenuItem('newChat', createOpenHandler('/playground'), toAccelerator('newChat')),
        createMenuItem('addPlan', createOpenHandler('/plans/new')),
        createMenuItem('importKey', createOpenHandler('/handout/open')),
        separator,
        ...(isMac ? [createRoleItem('close', 'close')] : [settings, separator, createRoleItem('quit', 'quit')]),
      ],
    },
    {
      label: translateMenu('edit'),
      submenu: [
        createRoleItem('undo', 'undo'),
        createRoleItem('redo', 'redo'),
        separator,
        createRoleItem('cut', 'cut'),
        createRoleItem('copy', 'copy'),
        createRoleItem('paste', 'paste'),
        createRoleItem('selectAll', 'selectAll'),
      ],
    },
    {
      label: translateMenu('view'),
      submenu: [
        createMenuItem('palette', () => acts.run('palette'), toAccelerator('palette')),
        createMenuItem('sidebar', () => acts.run('sidebar'), toAccelerator('rail')),
        separator,
        createMenuItem('zoomIn', () => acts.zoom('in'), 'CmdOrCtrl+Plus'),
        createMenuItem('zoomOut', () => acts.zoom('out'), 'CmdOrCtrl+-'),
        createMenuItem('zoomReset', () => acts.zoom('reset'), 'CmdOrCtrl+0'),
        separator,
        createRoleItem('fullScreen', 'togglefullscreen'),
      ],
    },
    {
      label: translateMenu('go'),
      submenu: menuPages.map((page) =>
        createMenuItem(page, createOpenHandler(page === 'home' ? '/' : `/${page}`), toAccelerator(page)),
      ),
    },
    {
      label: translateMenu('window'),
      role: 'window',
      submenu: [createRoleItem('minimize', 'minimize'), createRoleItem('close', 'close')],
    },
    {
      label: translateMenu('help'),
      role: 'help',
      submenu: [
        createMenuItem('pageHelp', () => acts.run('help')),
        createMenuItem('shortcuts', createOpenHandler('/help/shortcuts')),
        createMenuItem('news', createOpenHandler('/help/news')),
        separator,
        createMenuItem('diagnose', createOpenHandler('/doctor?run=1')),
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

/** Shows the app's menu. Returns a function that refreshes it for another language or shortcuts. */
export function createAppMenu(
  core: Pick<AppCore, 'settings'>,
  settings: Pick<WindowSettings, 'get' | 'update'>,
  open: (path?: string) => void,
  sendEvent: SendEvent,
): { refresh(): void } {
  let lastMenuJson: string | undefined
  const changeZoom = (step: Parameters<typeof nextZoom>[1]): void => {
    settings.update({ zoomPercent: nextZoom(settings.get().zoomPercent, step) })
    sendEvent('data.changed', { domains: ['settings'] })
  }
  const run = (command: WindowCommand): void => {
    open()
    sendEvent('window.command', { command })
  }
  const refresh = (): void => {
    const locale = findLocale(core)
    const shortcuts = { ...defaultShortcuts, ...core.settings.read().shortcuts }
    const menuStateJson = JSON.stringify([locale, shortcuts])
    if (menuStateJson === lastMenuJson) return
    lastMenuJson = menuStateJson
    const state = { locale, platform: process.platform, appName: app.name, shortcuts }
    Menu.setApplicationMenu(Menu.buildFromTemplate([...menuTemplate(state, { open, run, zoom: changeZoom })]))
  }
  refresh()
  return { refresh }
}
