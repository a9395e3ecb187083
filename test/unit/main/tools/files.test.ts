import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Content, hashOf } from '../../../../src/main/tools/content'
import { realDisk } from '../../../../src/main/tools/disk'
import {
  missingFolders,
  readSnapshot,
  resolveLinks,
  sweepTemporaries,
  textOf,
  writeFile,
} from '../../../../src/main/tools/files'
import { refusing } from './support/failing-disk'

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'companion-files-'))
  path = join(folder, 'file.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('writes through the real disk, whatever the umask', async () => {
  const umask = process.umask(0o077)
  try {
    await writeFile({ path, content: new Content('new'), mode: 0o664, expect: null }, realDisk)
  } finally {
    process.umask(umask)
  }
  expect(readFileSync(path, 'utf8')).toBe('new')
  expect(statSync(path).mode & 0o777).toBe(0o664)
  expect(readdirSync(folder)).toEqual(['file.json'])
})

test('keeps the owner of the file it replaces', async () => {
  writeFileSync(path, 'old')
  const { uid, gid } = statSync(path)
  await writeFile({ path, content: new Content('new'), mode: 0o600 }, realDisk)
  expect(statSync(path)).toMatchObject({ uid, gid })
})

test.each([
  ['another content', hashOf('else')],
  ['no file', null],
])('leaves a file that should have been %s', async (_name, expected) => {
  writeFileSync(path, 'old')
  await expect(
    writeFile({ path, content: new Content('new'), mode: 0o600, expect: expected }, realDisk),
  ).rejects.toMatchObject({
    failure: { code: 'file.changed' },
  })
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['file.json'])
})

test('leaves no half-written file when the disk is full', async () => {
  const disk = refusing('ENOSPC', (what) => what === 'writeFile')
  await expect(writeFile({ path, content: new Content('new content'), mode: 0o600 }, disk)).rejects.toMatchObject({
    failure: { code: 'file.unwritable', message: expect.stringContaining('the disk is full') },
  })
  expect(readdirSync(folder)).toEqual([])
})

test('sweeps what a killed write left beside this file and nothing else', async () => {
  const names = [
    '.file.json.0123456789ab.companion-tmp',
    '.file.json.bak',
    '.other.json.0123456789ab.companion-tmp',
    'file.json',
  ]
  for (const name of names) writeFileSync(join(folder, name), '')
  await sweepTemporaries(path, realDisk)
  expect(readdirSync(folder).sort()).toEqual(names.slice(1).sort())
})

test('follows links to where a file would be', async () => {
  mkdirSync(join(folder, 'real'))
  symlinkSync('real', join(folder, 'link'))
  symlinkSync('../link/missing/deep.json', join(folder, 'real/dangling'))
  expect(await resolveLinks(join(folder, 'link/dangling'), realDisk)).toBe(join(folder, 'real/missing/deep.json'))
  expect(await missingFolders(join(folder, 'real/missing/deeper/x.json'), realDisk)).toEqual([
    join(folder, 'real/missing'),
    join(folder, 'real/missing/deeper'),
  ])
})

test('refuses text that is not UTF-8, and keeps a byte order mark', async () => {
  writeFileSync(path, Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]))
  expect(textOf(await readSnapshot(path, realDisk))).toBe('\uFEFF{}')
  writeFileSync(path, Buffer.from([0xff, 0xfe, 0x7b, 0x00]))
  const utf16 = await readSnapshot(path, realDisk)
  expect(() => textOf(utf16)).toThrow(/not UTF-8/)
})

test('content cannot be printed or serialised', () => {
  const content = new Content('the-key-itself')
  expect(
    `${inspect({ content }, { depth: 9, showHidden: true })} ${JSON.stringify({ content })} ${String(content)}`,
  ).not.toContain('the-key')
})
