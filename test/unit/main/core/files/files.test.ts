import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { AppError } from '@shared/failure'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Disk, realDisk } from '../../../../../src/main/core/files/disk'
import {
  Content,
  computeHash,
  decodeText,
  deleteTemporaries,
  isHalfWritten,
  isReplaced,
  missingFolders,
  readChosenFile,
  readSnapshot,
  resolveLinks,
  writeFile,
} from '../../../../../src/main/core/files/files'
import { readAttributes, writeWithAttributes } from '../../../../support/file-attributes'
import { expectFailure } from '../../../support/failures'
import { makeFolder } from '../../../support/folders'
import { createFailingDisk } from '../../tools/support/failing-disk'

const diskFull = { code: 'file.unwritable', message: expect.stringContaining('the disk is full') }
const createTooLargeError = (): AppError => new AppError('file.unparsable', 'too large')

let folder: string
let path: string
beforeEach(() => {
  folder = makeFolder()
  path = join(folder, 'file.json')
})

test('writes through the real disk, for any umask', async () => {
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

describe('a file whose metadata must be kept', () => {
  const writeTestFile = (text: string, { mode = 0o640, disk = realDisk }: { mode?: number; disk?: Disk } = {}) =>
    writeFile({ path, content: new Content(text), mode, preserve: true }, disk)

  test('keeps all its hard links', async () => {
    writeFileSync(path, 'old and longer', { mode: 0o640 })
    linkSync(path, join(folder, 'other-name'))
    const { ino } = statSync(path)
    await writeTestFile('new')
    expect(statSync(path)).toMatchObject({ ino, nlink: 2, size: 3 })
    expect(readFileSync(join(folder, 'other-name'), 'utf8')).toBe('new')
    await writeTestFile('new, and longer than the old one was')
    expect(readFileSync(join(folder, 'other-name'), 'utf8')).toBe('new, and longer than the old one was')
    expect(readdirSync(folder).sort()).toEqual(['file.json', 'other-name'])
  })

  test('keeps its extended attributes and access control list', async () => {
    writeWithAttributes(path, Buffer.from('old'))
    const attributesBefore = readAttributes(path)
    await writeTestFile('key', { mode: 0o600 })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    await writeTestFile('new')
    expect(readFileSync(path, 'utf8')).toBe('new')
    expect(readAttributes(path)).toBe(attributesBefore)
  })

  test('is written in place when its attributes cannot be copied or its group cannot be set', async () => {
    const failingDisks: Partial<Disk>[] = [
      { copyAttributes: () => Promise.reject(new Error('there is no such program')) },
      {
        lstat: async (filePath) =>
          Object.assign(await realDisk.lstat(filePath), filePath === path ? {} : { gid: 54_321 }),
      },
    ]
    for (const failingDisk of failingDisks) {
      writeFileSync(path, 'old')
      const { ino } = statSync(path)
      await writeTestFile('new', { disk: { ...realDisk, ...failingDisk } })
      expect(statSync(path).ino).toBe(ino)
      expect(readFileSync(path, 'utf8')).toBe('new')
      expect(readdirSync(folder)).toEqual(['file.json'])
    }
  })

  test('gets its old content and mode back when a write in place fails', async () => {
    writeFileSync(path, 'the old content', { mode: 0o644 })
    linkSync(path, join(folder, 'other-name'))
    chmodSync(path, 0o644)
    let freeBytes = 1
    const disk = createFailingDisk(
      'ENOSPC',
      (operation, filePath) => operation === 'writeFile' && filePath === path && freeBytes-- > 0,
    )
    await expectFailure(writeTestFile('new and longer than the old', { mode: 0o600, disk }), diskFull)
    expect(readFileSync(path, 'utf8')).toBe('the old content')
    expect(statSync(path).mode & 0o777).toBe(0o644)
    expect(readdirSync(folder).sort()).toEqual(['file.json', 'other-name'])
  })

  test('becomes private before it contains a key, and readable only after the key is gone', async () => {
    writeFileSync(path, 'old')
    chmodSync(path, 0o644)
    linkSync(path, join(folder, 'other-name'))
    const modes: string[] = []
    const disk: Disk = {
      ...realDisk,
      open: async (filePath) => {
        const file = await realDisk.open(filePath)
        const overwriteFile = async (bytes: Uint8Array): Promise<void> => {
          await file.overwrite(bytes)
          if (filePath === path)
            modes.push(`${(statSync(path).mode & 0o777).toString(8)} ${readFileSync(path, 'utf8')}`)
        }
        return { ...file, overwrite: overwriteFile }
      },
    }
    await writeTestFile('key', { mode: 0o600, disk })
    await writeTestFile('old', { mode: 0o644, disk })
    expect(modes).toEqual(['600 key', '600 old'])
    expect(statSync(path).mode & 0o777).toBe(0o644)
  })

  test('is reported as replaced only when another user owns it and it cannot be written or made private', async () => {
    writeFileSync(path, 'old')
    chmodSync(path, 0o644)
    const { uid } = statSync(path)
    const isReplacedForUser = (user: number | undefined, mode: number, isWritable: boolean): Promise<boolean> =>
      isReplaced(path, mode, { ...realDisk, user, isWritable: async () => isWritable })
    const otherUid = uid + 1
    expect(await isReplacedForUser(otherUid, 0o644, false)).toBe(true)
    expect(await isReplacedForUser(otherUid, 0o600, true)).toBe(true)
    expect(await isReplacedForUser(otherUid, 0o644, true)).toBe(false)
    for (const fileMode of [0, undefined]) expect(await isReplacedForUser(fileMode, 0o600, false)).toBe(false)
    expect(await isReplaced(join(folder, 'no-file'), 0o600, { ...realDisk, user: otherUid })).toBe(false)
  })
})

test.each([
  ['nothing of it', 'old', true],
  ['its beginning', 'NEW4', true],
  ['some of it', 'oEd', true],
  ['all but what was to be cut off', 'NEW456', true],
  ['zeros for the rest', 'NEW\0\0\0', true],
  ['another text', 'OLD', false],
  ['a longer text', 'NEW4567', false],
  ['a shorter one', 'ol', false],
])('%s written is distinguished from others’ writes', (_name, fileText, expected) => {
  expect(isHalfWritten(Buffer.from(fileText), Buffer.from('old'), Buffer.from('NEW456'))).toBe(expected)
})

test.each([
  ['another content', computeHash('else')],
  ['no file', null],
])('leaves a file unchanged that should have been %s', async (_name, expected) => {
  writeFileSync(path, 'old')
  const write = writeFile({ path, content: new Content('new'), mode: 0o600, expect: expected }, realDisk)
  await expectFailure(write, 'file.changed')
  expect(readFileSync(path, 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['file.json'])
})

test('leaves no half-written file when the disk is full', async () => {
  const disk = createFailingDisk('ENOSPC', (operation) => operation === 'writeFile')
  await expectFailure(writeFile({ path, content: new Content('new content'), mode: 0o600 }, disk), diskFull)
  expect(readdirSync(folder)).toEqual([])
})

test('removes the temporary file of a killed write next to this file, and nothing else', async () => {
  const names = [
    '.file.json.0123456789ab.companion-tmp',
    '.file.json.bak',
    '.other.json.0123456789ab.companion-tmp',
    'file.json',
  ]
  for (const name of names) writeFileSync(join(folder, name), '')
  await deleteTemporaries(path, realDisk)
  expect(readdirSync(folder).sort()).toEqual(names.slice(1).sort())
})

test('resolves links to a missing file', async () => {
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
  expect(decodeText(await readSnapshot(path, realDisk))).toBe('\uFEFF{}')
  writeFileSync(path, Buffer.from([0xff, 0xfe, 0x7b, 0x00]))
  const encodeUtf16 = await readSnapshot(path, realDisk)
  expect(() => decodeText(encodeUtf16)).toThrow(/not UTF-8/)
})

test.skipIf(process.platform === 'win32').each([
  ['a folder', () => mkdirSync(path)],
  ['a pipe without a writer', () => execFileSync('mkfifo', [path])],
  ['a link to a pipe', () => execFileSync('sh', ['-c', 'mkfifo "$1.pipe" && ln -s "$1.pipe" "$1"', 'sh', path])],
  ['an endless device', () => symlinkSync('/dev/zero', path)],
  ['a link to itself', () => symlinkSync(path, path)],
  ['a missing file', () => undefined],
])('refuses %s that the user chose', async (_, make) => {
  make()
  await expectFailure(readChosenFile(path, 9, createTooLargeError), 'file.unreadable')
})

test('reads a chosen file up to its limit', async () => {
  writeFileSync(path, 'nine byte')
  expect(String(await readChosenFile(path, 9, createTooLargeError))).toBe('nine byte')
  truncateSync(path, 2 ** 40)
  await expect(readChosenFile(path, 9, createTooLargeError)).rejects.toThrow('too large')
})

test('refuses a settings file that would fill the memory', async () => {
  writeFileSync(path, '{}')
  truncateSync(path, 1.9e9)
  const message = `${path} cannot be read: it is larger than 64 MB.`
  await expectFailure(readSnapshot(path, realDisk), { code: 'file.unreadable', message })
})

test('content cannot be printed or serialized', () => {
  const content = new Content('the-key-itself')
  const texts = [inspect({ content }, { depth: 9, showHidden: true }), JSON.stringify({ content }), String(content)]
  expect(texts.join(' ')).not.toContain('the-key')
})
