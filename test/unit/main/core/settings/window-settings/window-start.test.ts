import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingsView } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { createSettings } from '../../../../../../src/main/core/settings/settings'
import { openSettingsFile } from '../../../../../../src/main/core/settings/settings-file'
import { createWindowSettings, readWindowStart } from '../../../../../../src/main/core/settings/window-settings'
import { makeFolder } from '../../../../support/folders'

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
    const folder = createFolderWithSettings(JSON.stringify({ window: { ...bounds, maximized: false } }))
    expect(readWindowStart(folder, []).place).toBeUndefined()
  })

  it('gives the page the same view as the settings do later', () => {
    const folder = createFolderWithSettings(undefined)
    const settings = createSettings(openSettingsFile({ dataDir: folder }))
    const windowState = { x: 10, y: 20, width: 1100, height: 700, maximized: true }
    settings.update({ theme: 'dark', language: 'vi', railCollapsed: true, welcomed: true })
    writeFileSync(join(folder, 'window.json'), JSON.stringify(windowState))
    const start = readWindowStart(folder, ['en'])
    const reopenedSettings = createWindowSettings({
      settings,
      version: '1.2.0',
      systemLanguages: () => ['en'],
      applyTheme: () => undefined,
      applyZoom: () => undefined,
    })
    expect(start).toEqual({ view: reopenedSettings.get(), plans: 0, connections: 0, place: windowState })
    expect(SettingsView.parse(start.view)).toEqual(start.view)
  })

  it('uses the window position from the settings of an earlier version until the window has its own', () => {
    const previousPlacement = { width: 1000, height: 600, maximized: false }
    const folder = createFolderWithSettings(JSON.stringify({ window: previousPlacement }))
    expect(readWindowStart(folder, []).place).toEqual(previousPlacement)
    const ownPlace = { x: 1, y: 2, width: 1200, height: 700, maximized: true }
    writeFileSync(join(folder, 'window.json'), JSON.stringify(ownPlace))
    expect(readWindowStart(folder, []).place).toEqual(ownPlace)
  })
})
