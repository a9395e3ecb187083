import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { autostartFolder, setAutostart } from '../../../../src/main/app/start-at-login'
import { makeFolder } from '../../support/folders'

it('adds an autostart entry and removes it, keeping the folder’s other files', () => {
  const home = makeFolder()
  const folder = autostartFolder(home, undefined)
  const file = { folder, command: ['/opt/Platform Companion/app', '--hidden'] }
  expect(folder).toBe(join(home, '.config/autostart'))
  setAutostart(file, true)
  setAutostart(file, true)
  expect(readFileSync(join(folder, 'platform-companion.desktop'), 'utf8')).toBe(
    '[Desktop Entry]\nType=Application\nName=Platform Companion\nExec="/opt/Platform Companion/app" "--hidden"\nTerminal=false\n',
  )
  setAutostart(file, false)
  setAutostart(file, false)
  expect([existsSync(folder), existsSync(join(folder, 'platform-companion.desktop'))]).toEqual([true, false])
})

it.each([
  ['/configs', '/configs/autostart'],
  ['', '/home/lan/.config/autostart'],
  ['relative', '/home/lan/.config/autostart'],
])('uses the autostart folder for XDG_CONFIG_HOME %j', (configHome, folder) => {
  expect(autostartFolder('/home/lan', configHome)).toBe(folder)
})

it.each([
  ['/opt/50% "off"/$app', '"/opt/50%% \\\\"off\\\\"/\\\\$app"'],
  ['/opt/a\\b`c', '"/opt/a\\\\\\\\b\\\\`c"'],
])('quotes %s for a desktop entry', (path, quoted) => {
  const folder = makeFolder()
  setAutostart({ folder, command: [path] }, true)
  expect(readFileSync(join(folder, 'platform-companion.desktop'), 'utf8')).toContain(`\nExec=${quoted}\n`)
})
