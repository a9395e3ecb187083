import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  commandArguments,
  findDeepLink,
  findKeyFile,
  limitArguments,
  readDeepLink,
} from '../../../../../src/main/core/launcher/command-arguments'
import { createLauncher, programPath } from '../../../../../src/main/core/launcher/launcher'
import { makeFolder } from '../../../support/folders'

const options = { platform: 'linux', execPath: process.execPath, kind: 'node' } as const

function ensurePath(launcherOptions: Parameters<typeof createLauncher>[0]): string {
  const launcher = createLauncher(launcherOptions)
  launcher.ensure()
  return launcher.path
}

it('runs the command line with the data folder, through paths with spaces, quotes and dollars', () => {
  const dataDir = join(makeFolder(), `it's $HOME "here"`)
  mkdirSync(dataDir)
  const cliPath = join(dataDir, 'cli.cjs')
  writeFileSync(cliPath, 'console.log(JSON.stringify(process.argv.slice(2)))')
  const path = ensurePath({ ...options, dataDir, cliPath })
  const args = ['key', 'print', '--plan', 'a b']
  expect(JSON.parse(execFileSync(path, args, { encoding: 'utf8' }))).toEqual(['--data-dir', dataDir, ...args])
  expect(statSync(path).mode & 0o777).toBe(0o700)
})

it('is rewritten only when it must change', () => {
  const dataDir = makeFolder()
  const path = ensurePath({ ...options, dataDir, cliPath: '/one/cli.cjs' })
  const firstInode = statSync(path).ino
  ensurePath({ ...options, dataDir, cliPath: '/one/cli.cjs' })
  expect(statSync(path).ino).toBe(firstInode)
  ensurePath({ ...options, dataDir, cliPath: '/two/cli.cjs' })
  expect(statSync(path).ino).not.toBe(firstInode)
})

it('previews its content only when it is missing', () => {
  const dataDir = makeFolder()
  const launcher = createLauncher({ ...options, dataDir, cliPath: '/one/cli.cjs' })
  const text = launcher.lost()
  launcher.ensure()
  expect(readFileSync(launcher.path, 'utf8')).toBe(text)
  expect(launcher.lost()).toBeUndefined()
})

it('explains a removed app and how to go on without it', () => {
  const dataDir = makeFolder()
  const path = ensurePath({ ...options, dataDir, cliPath: join(dataDir, "it's gone.cjs") })
  const { status, stdout, stderr } = spawnSync(path, ['key', 'print'], { encoding: 'utf8' })
  expect({ status, stdout }).toEqual({ status: 127, stdout: '' })
  expect(stderr).toBe(
    `Platform Companion is not installed any more (${dataDir}/it's gone.cjs is missing), so this tool gets no key.\n` +
      `Install it again, or remove the settings of this tool that contain ${path}.\n`,
  )
})

it('makes Electron run as Node, on Windows too', () => {
  const paths = { execPath: 'C:\\App\\app.exe', cliPath: 'C:\\100%\\cli.cjs', dataDir: 'C:\\d' }
  const windows = createLauncher({ ...paths, platform: 'win32', kind: 'electron' }).lost()
  expect(windows).toMatch(/^@echo off\r\nif exist "C:\\100%%\\cli\.cjs" goto run\r\necho /)
  expect(windows).toMatch(
    /\r\n:run\r\nset ELECTRON_RUN_AS_NODE=1\r\n"C:\\App\\app\.exe" "C:\\100%%\\cli\.cjs" "--data-dir" "C:\\d" %\*\r\n$/,
  )
})

it('starts the installed app without a display, and passes arguments that Chromium does not parse as switches', () => {
  const program = '/opt/platform-companion/platform-companion'
  const app = { platform: 'linux', execPath: program, kind: 'app', cliPath: '/unused', dataDir: '/d' } as const
  const text = createLauncher(app).lost()
  expect(text).toContain(
    `exec '${program}' '--ozone-platform=headless' '--no-sandbox' '--no-zygote' '--log-level=3' '--disable-gpu' '--cli' '--' '--data-dir' '/d' "$@"\n`,
  )
  const args = ['--data-dir', '/d', 'plan', '--', '--cli']
  expect(commandArguments([program, '--disable-gpu', '--cli', '--', ...args])).toEqual(args)
})

it.each([
  [['app']],
  [['app', '--cli']],
  [['app', '--cli', 'plan', '--']],
  [['app', 'platform-companion://open/home', '--hidden']],
  [['app', '--', '--cli', '--']],
])('recognizes %j as a start of the window', (argv) => {
  expect(commandArguments(argv)).toBeUndefined()
})

it('points to the AppImage file, whose content is mounted elsewhere at each start', () => {
  const env = { APPIMAGE: '/home/a/Platform.AppImage', APPDIR: '/tmp/.mount_Plat1' }
  expect(programPath({ execPath: '/tmp/.mount_Plat1/platform-companion', env })).toBe('/home/a/Platform.AppImage')
})

it('points to the program itself in a terminal within another AppImage', () => {
  const env = { APPIMAGE: '/home/a/Editor.AppImage', APPDIR: '/tmp/.mount_Plat1' }
  for (const execPath of ['/opt/platform-companion/platform-companion', '/usr/bin/node', '/tmp/.mount_Plat1x/app'])
    expect(programPath({ execPath, env })).toBe(execPath)
})

/** Creates a launcher with a cached status line. The program that it starts prints its arguments. */
function runWithCachedLine({ until = Date.now() / 1000 + 60, words: text = 'statusline --tool claude-code' } = {}) {
  const dataDir = join(makeFolder(), `it's "here"`)
  mkdirSync(join(dataDir, 'tools'), { recursive: true })
  const cliPath = join(dataDir, 'cli.cjs')
  writeFileSync(cliPath, `console.log('program: ' + process.env.COMPANION_STATUS_INPUT?.trim())`)
  const path = ensurePath({ ...options, dataDir, cliPath })
  const writeCacheFile = (name: string, text: string, ageS: number): void => {
    writeFileSync(join(dataDir, name), text)
    utimesSync(join(dataDir, name), Date.now() / 1000 - ageS, Date.now() / 1000 - ageS)
  }
  const expectedRequests = [`${text}|{"id":"m","display_name":"Ä %s \\\\n"`, `${text}|{"id":"other"`]
  const entries = expectedRequests.map((expectedRequest, index) =>
    [Math.floor(until), expectedRequest, `kept ${index} %s`, '{}', ''].join('\n'),
  )
  writeCacheFile('statusline.json', '{}', 60)
  writeCacheFile('tools/claude-code.json', '{}', 60)
  writeCacheFile('statusline.lines', entries.join(''), 30)
  const runLauncher = (input: string, args = text.split(' ')) =>
    execFileSync(path, args, { encoding: 'utf8', input }).trim()
  return { path, write: writeCacheFile, say: runLauncher }
}

/** The shell launcher answers from the cache. The Windows launcher does not. */
const posixIt = it.skipIf(process.platform === 'win32')

const statusInput = '{"cwd":"/x","model":{"id":"m","display_name":"Ä %s \\\\n"},"model":1}'

posixIt('repeats the cached status line of this model without the program', () => {
  const { say } = runWithCachedLine()
  expect(say(statusInput)).toBe('kept 0 %s')
  expect(say('{"model":{"id":"other"}}')).toBe('kept 1 %s')
})

posixIt.each([
  { what: 'another model', input: '{"model":{"id":"m2"}}' },
  { what: 'no input', input: '' },
  { what: 'several lines', input: '{\n  "model": {\n    "id": "m"\n  }\n}' },
  { what: 'other words', input: statusInput, args: ['statusline', '--tool', 'claude-code', '--template', 'a\nb'] },
])('passes $what to the program unchanged', ({ input, args }) => {
  expect(runWithCachedLine().say(input, args)).toBe(`program: ${input}`.trim())
})

posixIt.each([
  { what: 'figures are newer', name: 'statusline.json', text: '{}' },
  { what: 'the setup is newer', name: 'tools/claude-code.json', text: '{}' },
  { what: 'the lines are cut off', name: 'statusline.lines', text: '1\n2' },
  { what: 'the lines make no sense', name: 'statusline.lines', text: `x\nstatusline --tool claude-code|{"id":"m"\n` },
])('runs the program when $what', ({ name, text }) => {
  const { say, write } = runWithCachedLine()
  write(name, text, 0)
  expect(say(statusInput)).toBe(`program: ${statusInput}`)
})

posixIt('runs the program for an expired line', () => {
  expect(runWithCachedLine({ until: Date.now() / 1000 - 1 }).say(statusInput)).toBe(`program: ${statusInput}`)
})

posixIt('does not wait for input after the closing brace when a tool keeps its pipe open', async () => {
  const { path } = runWithCachedLine()
  const child = spawn(path, ['statusline', '--tool', 'claude-code'])
  child.stdin.write(statusInput)
  const [line] = await once(child.stdout, 'data')
  expect(String(line)).toBe('kept 0 %s\n')
  child.stdin.end()
})

posixIt('starts the program when a tool writes nothing and keeps its pipe open', async () => {
  const { path } = runWithCachedLine()
  const child = spawn(path, ['statusline', '--tool', 'claude-code'])
  const [line] = await once(child.stdout, 'data')
  expect(String(line)).toBe('program: \n')
  child.stdin.end()
})

posixIt('passes a long input to the program, which searches it in linear time', () => {
  const input = `{"cwd":"${'x'.repeat(60_000)}","model":{"id":"other"}}`
  expect(runWithCachedLine().say(input)).toBe(`program: ${input}`)
})

it('drops arguments that are too long for a running app to receive', () => {
  const link = `platform-companion://import/${'x'.repeat(33_000)}`
  expect(limitArguments(['--hidden', link, '--data-dir', '/data'])).toEqual(['--hidden', '--data-dir', '/data'])
  expect(limitArguments(Array(100).fill('y'.repeat(1000)))).toHaveLength(8)
  // Empty arguments count too, because each one has a terminator in the message.
  expect(limitArguments(Array(40_000).fill('')).length).toBeLessThan(10_000)
})

describe('a deep link', () => {
  it.each([
    'platform-companion://import',
    'platform-companion://import/',
    'platform-companion:import',
    'PLATFORM-COMPANION://IMPORT',
  ])('%s opens the page that receives keys', (url) => expect(readDeepLink(url)).toBe('/handout/open'))

  it.each([
    'platform-companion://import?key=sk-0123456789abcdef',
    'platform-companion://import#sk-0123456789abcdef',
    'platform-companion://import/sk-0123456789abcdef',
    'platform-companion://sk-0123456789abcdef@import',
    'platform-companion://import:80/',
    'platform-companion://constructor',
    'platform-companion://',
    'platform-companion://import\nhttps://example.com',
    'https://import',
    '--import',
    '',
  ])('%j is not a deep link', (url) => expect(readDeepLink(url)).toBeUndefined())

  it('is found among the command-line arguments', () => {
    expect(findDeepLink(['/opt/app', '--flag', 'platform-companion://import'])).toBe('/handout/open')
    expect(findDeepLink(['/opt/app', 'platform-companion://import?x=1'])).toBeUndefined()
  })
})

describe('a key file among the arguments', () => {
  it.each([
    [['/opt/app', '/tmp/an.kit.age'], '/tmp/an.kit.age'],
    [['--flag', 'AN.AGE', '/tmp/other.age'], 'AN.AGE'],
    [['file:///tmp/for%20an.kit.age'], '/tmp/for an.kit.age'],
    [['--profile=/tmp/an.age', '/tmp/age', 'platform-companion://import', 'https://example.com/an.age.txt'], undefined],
  ])('%j: %j', (args, path) => expect(findKeyFile(args)).toBe(path))

  it.runIf(process.platform !== 'win32')('is on this computer', () => {
    expect(findKeyFile(['file://server/share/an.age'])).toBeUndefined()
  })
})
