import { Menu, type MenuItemConstructorOptions } from 'electron'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createAppMenu } from '../../../../src/main/app/menu'
import type { WindowSettings } from '../../../../src/main/core/settings/window-settings'
import { memorySettings } from '../../../support/memory-settings'

afterEach(() => void vi.restoreAllMocks())

function createMenu(platform: NodeJS.Platform = 'linux', language: 'en' | 'vi' = 'en') {
  const actions: string[] = []
  const record = (action: string): void => void actions.push(action)
  vi.spyOn(process, 'platform', 'get').mockReturnValue(platform)
  const shown = vi.spyOn(Menu, 'buildFromTemplate')
  createAppMenu(
    { settings: memorySettings({ language, shortcuts: { usage: 'Mod+Shift+U' } }) },
    {
      get: () => ({ zoomPercent: 100 }) as ReturnType<WindowSettings['get']>,
      update: ({ zoomPercent }) => {
        record(`zoom ${zoomPercent}`)
        return {} as ReturnType<WindowSettings['update']>
      },
    },
    (path = 'the window') => record(`open ${path}`),
    (name, payload) => 'command' in payload && record(`${name} ${payload.command}`),
  )
  const menu = shown.mock.lastCall?.[0] as MenuItemConstructorOptions[]
  const items = menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
  const clickMenuItem = (item: MenuItemConstructorOptions | undefined): unknown =>
    item?.click && Reflect.apply(item.click, undefined, [])
  return { menu, items, done: actions, press: clickMenuItem }
}

describe('the menu of the app', () => {
  it('shows custom shortcuts', () => {
    expect(createMenu().items.find(({ label }) => label === 'Usage')?.accelerator).toBe('CmdOrCtrl+Shift+U')
  })

  it.each([
    ['New chat', 'open /playground'],
    ['Usage', 'open /usage'],
    ['Zoom in', 'zoom 110'],
    ['Actual size', 'zoom 100'],
    ['Help for this page', 'open the window', 'window.command help'],
    ['What’s new', 'open /help/news'],
    ['About Platform Companion', 'open /settings?about=1'],
  ])('%s performs its action', (label, ...actions) => {
    const { items, done, press } = createMenu()
    press(items.find((item) => item.label === label))
    expect(done).toEqual(actions)
  })

  it('leaves its shortcuts to the page', () => {
    const shortcuts = createMenu().items.filter(({ accelerator }) => accelerator)
    expect(shortcuts.filter(({ registerAccelerator }) => registerAccelerator !== false)).toEqual([])
  })

  it.each(['linux', 'win32', 'darwin'] as const)('has the standard roles on %s', (platform) => {
    const roles = createMenu(platform).items.flatMap(({ role }) => role ?? [])
    const standardRoles = ['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll', 'quit', 'minimize']
    expect(roles).toEqual(expect.arrayContaining(standardRoles))
  })

  it('uses the language of the window', () => {
    const labels = createMenu('linux', 'vi').menu.map(({ label }) => label)
    expect(labels).toEqual(['Tệp', 'Sửa', 'Hiển thị', 'Đi đến', 'Cửa sổ', 'Trợ giúp'])
  })
})
