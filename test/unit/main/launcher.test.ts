import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { commandArguments } from '../../../src/main/command-arguments'
import { createLauncher, programPath } from '../../../src/main/launcher'
import { makeFolder } from '../support/folders'

const options = { platform: 'linux', execPath: process.execPath, kind: 'node' } as const

function ensured(of: Parameters<typeof createLauncher>[0]): string {
  const launcher = createLauncher(of)
  launcher.ensure()
  return launcher.path
}

it('runs the command line with the data folder, through paths with spaces, quotes and dollars', () => {
  const dataDir = join(makeFolder(), `it's $HOME "here"`)
  mkdirSync(dataDir)
  const cliPath = join(dataDir, 'cli.cjs')
  writeFileSync(cliPath, 'console.log(JSON.stringify(process.argv.slice(2)))')
  const path = ensured({ ...options, dataDir, cliPath })
  expect(JSON.parse(execFileSync(path, ['key', 'print', '--plan', 'a b'], { encoding: 'utf8' }))).toEqual([
    '--data-dir',
    dataDir,
    'key',
    'print',
    '--plan',
    'a b',
  ])
  expect(statSync(path).mode & 0o777).toBe(0o700)
})

it('is written again only when it has to change', () => {
  const dataDir = makeFolder()
  const path = ensured({ ...options, dataDir, cliPath: '/one/cli.cjs' })
  const first = statSync(path).ino
  ensured({ ...options, dataDir, cliPath: '/one/cli.cjs' })
  expect(statSync(path).ino).toBe(first)
  ensured({ ...options, dataDir, cliPath: '/two/cli.cjs' })
  expect(statSync(path).ino).not.toBe(first)
})

it('says what it would write only where there is none', () => {
  const dataDir = makeFolder()
  const launcher = createLauncher({ ...options, dataDir, cliPath: '/one/cli.cjs' })
  const text = launcher.lost()
  launcher.ensure()
  expect(readFileSync(launcher.path, 'utf8')).toBe(text)
  expect(launcher.lost()).toBeUndefined()
})

it('tells Electron to be Node, on Windows too', () => {
  const windows = createLauncher({
    platform: 'win32',
    execPath: 'C:\\App\\app.exe',
    kind: 'electron',
    cliPath: 'C:\\100%\\cli.cjs',
    dataDir: 'C:\\d',
  }).lost()
  expect(windows).toBe(
    '@echo off\r\nset ELECTRON_RUN_AS_NODE=1\r\n"C:\\App\\app.exe" "C:\\100%%\\cli.cjs" "--data-dir" "C:\\d" %*\r\n',
  )
})

it('starts the installed app without a screen, and hands it the arguments where Chromium takes none for a switch', () => {
  const program = '/opt/platform-companion/platform-companion'
  const app = { platform: 'linux', execPath: program, kind: 'app', cliPath: '/unused', dataDir: '/d' } as const
  const text = createLauncher(app).lost()
  expect(text).toBe(
    `#!/bin/sh\nexec '${program}' '--ozone-platform=headless' '--no-sandbox' '--no-zygote' '--log-level=3' '--disable-gpu' '--cli' '--' '--data-dir' '/d' "$@"\n`,
  )
  expect(
    commandArguments([program, '--disable-gpu', '--cli', '--', '--data-dir', '/d', 'plan', '--', '--cli']),
  ).toEqual(['--data-dir', '/d', 'plan', '--', '--cli'])
})

it.each([
  [['app']],
  [['app', '--cli']],
  [['app', '--cli', 'plan', '--']],
  [['app', 'platform-companion://open/home', '--hidden']],
  [['app', '--', '--cli', '--']],
])('takes %j for a start of the window', (argv) => {
  expect(commandArguments(argv)).toBeUndefined()
})

it('points at the file of an AppImage, whose content is somewhere else at each start', () => {
  const env = { APPIMAGE: '/home/a/Platform.AppImage', APPDIR: '/tmp/.mount_Plat1' }
  expect(programPath({ execPath: '/tmp/.mount_Plat1/platform-companion', env })).toBe('/home/a/Platform.AppImage')
})

it.each(['/opt/platform-companion/platform-companion', '/usr/bin/node', '/tmp/.mount_Plat1x/app'])(
  'points at %s itself in a terminal within another AppImage',
  (execPath) => {
    const env = { APPIMAGE: '/home/a/Editor.AppImage', APPDIR: '/tmp/.mount_Plat1' }
    expect(programPath({ execPath, env })).toBe(execPath)
  },
)
