import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { app } from 'electron'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startAtLogin } from '../../../../src/main/app/start-at-login'
import { makeFolder } from '../../support/folders'

let home: string
beforeEach(() => {
  home = makeFolder()
  vi.spyOn(app, 'isPackaged', 'get').mockReturnValue(true)
  vi.spyOn(process, 'platform', 'get').mockReturnValue('linux')
  vi.spyOn(process, 'execPath', 'get').mockReturnValue('/opt/Platform Companion/app')
  vi.stubEnv('HOME', home)
  vi.stubEnv('XDG_CONFIG_HOME', '')
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

const file = 'autostart/platform-companion.desktop'

it('adds an autostart entry and removes it, keeping the folder’s other files', () => {
  const login = startAtLogin([])
  const path = join(home, '.config', file)
  for (const isOn of [true, true]) login.set(isOn)
  expect(readFileSync(path, 'utf8')).toBe(
    '[Desktop Entry]\nType=Application\nName=Platform Companion\nExec="/opt/Platform Companion/app" "--hidden"\nTerminal=false\n',
  )
  expect(login.get()).toBe(true)
  for (const isOn of [false, false]) login.set(isOn)
  expect([existsSync(join(path, '..')), login.get()]).toEqual([true, false])
})

it.each([
  ['an absolute path', () => join(home, 'configs'), 'configs'],
  ['a relative path', () => 'relative', '.config'],
])('follows XDG_CONFIG_HOME with %s as the specification says', (_, getConfigHome, folder) => {
  vi.stubEnv('XDG_CONFIG_HOME', getConfigHome())
  startAtLogin([]).set(true)
  expect(existsSync(join(home, folder, file))).toBe(true)
})

it.each([
  ['/opt/50% "off"/$app', '"/opt/50%% \\\\"off\\\\"/\\\\$app"'],
  ['/opt/a\\b`c', '"/opt/a\\\\\\\\b\\\\`c"'],
])('quotes %s for a desktop entry', (path, quoted) => {
  startAtLogin([path]).set(true)
  expect(readFileSync(join(home, '.config', file), 'utf8')).toContain(` ${quoted}\n`)
})
