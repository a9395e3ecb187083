import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingsView } from '@shared/contract'
import { describe, expect, it, vi } from 'vitest'
import { createSettings } from '../../../../../src/main/core/settings/settings'
import { openSettingsFile } from '../../../../../src/main/core/settings/settings-file'
import { createWindowSettings, readWindowStart } from '../../../../../src/main/core/settings/window-settings'
import { memorySettings } from '../../../../support/memory-settings'
import { makeFolder } from '../../../support/folders'

function createHarness(languages: string[], settings = memorySettings()) {
  const [applyTheme, applyZoom] = [vi.fn(), vi.fn()]
  const parts = { settings, version: '1.2.0', systemLanguages: () => languages, applyTheme, applyZoom }
  return { window: createWindowSettings(parts), applyTheme, settings }
}

it.each([
  [['vi-VN', 'en-US'], 'vi'],
  [['fr-FR', 'vi'], 'vi'],
  [['en-GB'], 'en'],
  [['de-DE'], 'en'],
  [[], 'en'],
] as const)('maps the locale %j to %s until a language is chosen', (languages, locale) => {
  const { window } = createHarness([...languages])
  expect(window.get().locale).toBe(locale)
  expect(window.update({ language: 'vi' }).locale).toBe('vi')
})

it('saves each day of a reminder once, in the order of the reminders', () => {
  const { window } = createHarness([])
  expect(window.getReminders()).toEqual({ enabled: true, days: [7, 3, 1], keyDays: [90] })
  const savedReminders = { enabled: false, days: [14, 7], keyDays: [30, 90] }
  expect(window.setReminders({ enabled: false, days: [7, 14, 7], keyDays: [90, 30, 90] })).toEqual(savedReminders)
  expect(window.getReminders()).toEqual(savedReminders)
})

it('applies a theme immediately, and changes only given settings', () => {
  const { window, applyTheme, settings } = createHarness([])
  window.update({ theme: 'dark', railCollapsed: undefined })
  expect(applyTheme).toHaveBeenCalledExactlyOnceWith('dark')
  window.update({ railCollapsed: true })
  expect(applyTheme).toHaveBeenCalledOnce()
  expect(settings.read()).toMatchObject({ theme: 'dark', railCollapsed: true })
})

it('counts the first version as seen, and a later one after the user’s answer', () => {
  const { window } = createHarness([])
  expect(window.get().newsSeen).toBeUndefined()
  expect(window.update({ welcomed: true }).newsSeen).toBe('1.2.0')
  expect(window.update({ newsSeen: '1.3.0' }).newsSeen).toBe('1.3.0')
})

function createFolderWithSettings(text: string | undefined): string {
  const folder = makeFolder()
  if (text !== undefined) writeFileSync(join(folder, 'settings.json'), text)
  return folder
}

describe('readWindowStart', () => {
  it.each([undefined, '', '{', '[]', 'null', '"x"', '{"theme": 7, "window": "wide", "language": []}'])(
    'starts with defaults for %j',
    (text) => {
      expect(readWindowStart(createFolderWithSettings(text), ['vi-VN'])).toEqual({
        view: {
          theme: 'system',
          language: 'system',
          locale: 'vi',
          railCollapsed: false,
          zoomPercent: 100,
          welcomed: false,
        },
        plans: 0,
        connections: 0,
      })
    },
  )

  it.each([
    { width: 10, height: 700 },
    { width: 1e9, height: 700 },
    { width: Number.NaN, height: 700 },
    { width: 800.5, height: 700 },
  ])('opens no window of %j', (bounds) => {
    const folder = createFolderWithSettings(undefined)
    writeFileSync(join(folder, 'window.json'), JSON.stringify({ ...bounds, maximized: false }))
    expect(readWindowStart(folder, []).place).toBeUndefined()
  })

  it('gives the page the same view as the settings do later', () => {
    const folder = createFolderWithSettings(undefined)
    const settings = createSettings(openSettingsFile({ dataDir: folder }))
    const windowState = { x: 10, y: 20, width: 1100, height: 700, maximized: true }
    settings.update({ theme: 'dark', language: 'vi', railCollapsed: true, welcomed: true })
    writeFileSync(join(folder, 'window.json'), JSON.stringify(windowState))
    const start = readWindowStart(folder, ['en'])
    const { window } = createHarness(['en'], settings)
    expect(start).toEqual({ view: window.get(), plans: 0, connections: 0, place: windowState })
    expect(SettingsView.parse(start.view)).toEqual(start.view)
  })
})
