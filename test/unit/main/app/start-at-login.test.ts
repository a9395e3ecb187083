import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { autostartFolder, autostartText, isAutostarted, setAutostart } from '../../../../src/main/app/start-at-login'

it('is written for the desktop and taken away, leaving the folder of others', () => {
  const home = mkdtempSync(join(tmpdir(), 'companion-autostart-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const folder = autostartFolder(home, undefined)
  const file = { folder, command: ['/opt/Platform Companion/app', '--hidden'] }
  expect([folder, isAutostarted(folder)]).toEqual([join(home, '.config/autostart'), false])
  setAutostart(file, true)
  setAutostart(file, true)
  expect(readFileSync(join(folder, 'platform-companion.desktop'), 'utf8')).toBe(
    '[Desktop Entry]\nType=Application\nName=Platform Companion\nExec="/opt/Platform Companion/app" "--hidden"\nTerminal=false\n',
  )
  setAutostart(file, false)
  setAutostart(file, false)
  expect(isAutostarted(folder)).toBe(false)
})

it.each([
  ['/configs', '/configs/autostart'],
  ['', '/home/lan/.config/autostart'],
  ['relative', '/home/lan/.config/autostart'],
])('is where the desktop looks with XDG_CONFIG_HOME %j', (configHome, folder) => {
  expect(autostartFolder('/home/lan', configHome)).toBe(folder)
})

it.each([
  ['/opt/50% "off"/$app', '"/opt/50%% \\\\"off\\\\"/\\\\$app"'],
  ['/opt/a\\b`c', '"/opt/a\\\\\\\\b\\\\`c"'],
])('quotes %s as the Desktop Entry Specification says', (path, quoted) => {
  expect(autostartText([path])).toContain(`\nExec=${quoted}\n`)
})
