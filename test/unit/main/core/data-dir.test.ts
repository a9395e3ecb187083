import { execFileSync } from 'node:child_process'
import { mkdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cacheDir, createFolder, defaultDataDir, readRegularFile } from '../../../../src/main/core/data-dir'
import { makeFolder } from '../../support/folders'

const xdgFolders = (config: string, cache: string) => ({ XDG_CONFIG_HOME: config, XDG_CACHE_HOME: cache })

it.each([
  ['linux', xdgFolders('/x/config', '/x/cache'), '/x/config/platform-companion', '/x/cache/platform-companion'],
  ['linux', xdgFolders('no', 'no'), '/h/.config/platform-companion', '/h/.cache/platform-companion'],
  ['darwin', {}, '/h/Library/Application Support/Platform Companion', '/h/Library/Caches/Platform Companion'],
  ['win32', { APPDATA: '/r', LOCALAPPDATA: '/l' }, '/r/Platform Companion', '/l/Platform Companion/Cache'],
] as const)('on %s with %j', (platform, vars, data, cache) => {
  const dataDirContext = { platform, vars, home: '/h' }
  expect([defaultDataDir(dataDirContext), cacheDir(dataDirContext)]).toEqual([data, cache])
})

it('creates a folder with its parents, and fails instead of blocking where none can be created', () => {
  const folder = makeFolder()
  const path = join(folder, 'a', 'b')
  createFolder(path)
  createFolder(path)
  expect(statSync(path).isDirectory()).toBe(true)
  writeFileSync(join(folder, 'file'), '')
  expect(() => createFolder(join(folder, 'file'))).toThrow('EEXIST')
  expect(() => createFolder(join(folder, 'file', 'c'))).toThrow()
  if (process.platform === 'linux') expect(() => createFolder('/proc/companion/x')).toThrow('ENOENT')
})

const unusableSettings: Record<string, (path: string) => void> = {
  'a folder': (path) => void mkdirSync(path),
  'a file of 3 GB': (path) => {
    writeFileSync(path, '')
    truncateSync(path, 3 * 2 ** 30)
  },
}
if (process.platform !== 'win32') unusableSettings['a pipe'] = (path) => void execFileSync('mkfifo', [path])

it.each(Object.entries(unusableSettings))('refuses settings that are %s', (_, create) => {
  const path = join(makeFolder(), 'settings.json')
  create(path)
  expect(() => readRegularFile(path)).toThrow(`${path} is not a file of at most 64 MB`)
})
