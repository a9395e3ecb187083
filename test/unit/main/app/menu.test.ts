import { defaultShortcuts } from '@shared/shortcuts'
import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, it } from 'vitest'
import { menuTemplate } from '../../../../src/main/app/menu'

function createMenu(platform: NodeJS.Platform = 'linux', locale: 'en' | 'vi' = 'en') {
  const actions: string[] = []
  const menu = menuTemplate(
    { locale, platform, appName: 'Platform Companion', shortcuts: { ...defaultShortcuts, usage: 'Mod+Shift+U' } },
    {
      open: (path) => void actions.push(`open ${path}`),
      run: (command) => void actions.push(`run ${command}`),
      zoom: (step) => void actions.push(`zoom ${step}`),
    },
  )
  const items = menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
  const clickMenuItem = (item: MenuItemConstructorOptions | undefined): unknown =>
    item?.click && Reflect.apply(item.click, undefined, [])
  return { menu, items, done: actions, press: clickMenuItem }
}

describe('the menu of the app', () => {
  it('shows custom shortcuts', () => {
    expect(createMenu().items.find(({ label }) => label === 'Usage')?.accelerator).toBe('CmdOrCtrl+Shift+U')
  })

  it('performs its actions, and leaves its shortcuts to the page', () => {
    const { items, done, press } = createMenu()
    for (const label of [
      'New chat',
      'Usage',
      'Zoom in',
      'Actual size',
      'Help for this page',
      'What’s new',
      'About Platform Companion',
    ])
      press(items.find((item) => item.label === label))
    expect(done).toEqual([
      'open /playground',
      'open /usage',
      'zoom in',
      'zoom reset',
      'run help',
      'open /help/news',
      'open /settings?about=1',
    ])
    expect(
      items.filter(({ accelerator, registerAccelerator }) => accelerator && registerAccelerator !== false),
    ).toEqual([])
  })

  it.each(['linux', 'win32', 'darwin'] as const)('has the standard roles on %s', (platform) => {
    const roles = createMenu(platform).items.flatMap(({ role }) => role ?? [])
    expect(roles).toEqual(
      expect.arrayContaining(['undo', 'redo', 'cut', 'copy', 'paste', 'selectAll', 'quit', 'minimize']),
    )
  })

  it('uses the language of the window', () => {
    const labels = createMenu('linux', 'vi').menu.map(({ label }) => label)
    expect(labels).toEqual(['Tệp', 'Sửa', 'Hiển thị', 'Đi đến', 'Cửa sổ', 'Trợ giúp'])
  })
})
