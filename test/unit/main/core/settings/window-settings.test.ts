import { expect, it } from 'vitest'
import { createWindowSettings } from '../../../../../src/main/core/settings/window-settings'
import { memorySettings } from '../../../../support/memory-settings'

function createSettings(languages: string[]) {
  const themes: string[] = []
  const settings = memorySettings()
  const applyTheme = (theme: string): void => void themes.push(theme)
  const zoomLevels: number[] = []
  const applyZoom = (percent: number): void => void zoomLevels.push(percent)
  const parts = { settings, version: '1.2.0', systemLanguages: () => languages, applyTheme, applyZoom }
  return { window: createWindowSettings(parts), themes, zooms: zoomLevels, settings }
}

it.each([
  [['vi-VN', 'en-US'], 'vi'],
  [['fr-FR', 'vi'], 'vi'],
  [['en-GB'], 'en'],
  [['de-DE'], 'en'],
  [[], 'en'],
] as const)('maps the locale %j to %s until a language is chosen', (languages, locale) => {
  const { window } = createSettings([...languages])
  expect(window.get().locale).toBe(locale)
  expect(window.update({ language: 'vi' }).locale).toBe('vi')
})

it('applies a theme immediately, and changes only given settings', () => {
  const { window, themes, settings } = createSettings([])
  window.update({ theme: 'dark', railCollapsed: undefined })
  expect(themes).toEqual(['dark'])
  window.update({ railCollapsed: true })
  expect(themes).toEqual(['dark'])
  expect(settings.read()).toMatchObject({ theme: 'dark', railCollapsed: true })
})

it('counts the first version as seen, and a later one after the user’s answer', () => {
  const { window } = createSettings([])
  expect(window.get().newsSeen).toBeUndefined()
  expect(window.update({ welcomed: true }).newsSeen).toBe('1.2.0')
  expect(window.update({ newsSeen: '1.3.0' }).newsSeen).toBe('1.3.0')
})
