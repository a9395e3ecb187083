import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { extractZip } from '../../../scripts/electron/zip.mjs'
import { makeZip } from './make-zip'

const text = 'The quick brown fox jumps over the lazy dog. '.repeat(500)
let folder = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'zip-test-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function writeZip(bytes: Buffer): string {
  const path = join(folder, 'archive.zip')
  writeFileSync(path, bytes)
  return path
}

async function extractAll(path: string): Promise<Record<string, string>> {
  const outFolder = join(folder, 'out')
  await extractZip(path, outFolder)
  const names = readdirSync(outFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(outFolder, name)).isFile(),
  )
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(outFolder, name), 'utf8')]))
}

test('reads stored, deflated and empty entries back', async () => {
  const path = writeZip(
    makeZip([
      { name: 'stored.txt', content: text },
      { name: 'deep/er/deflated.txt', content: text, deflated: true },
      { name: 'empty.txt', content: '' },
      { name: 'umlaut-ä.txt', content: 'ä', deflated: true },
    ]),
  )
  expect(await extractAll(path)).toEqual({
    'stored.txt': text,
    'deep/er/deflated.txt': text,
    'empty.txt': '',
    'umlaut-ä.txt': 'ä',
  })
})

test('keeps a program executable', async () => {
  const path = writeZip(makeZip([{ name: 'run', content: 'x', mode: 0o100755 }]))
  await extractAll(path)
  expect(statSync(join(folder, 'out/run')).mode & 0o111).toBe(0o111)
})

test('finds the central directory before a long comment', async () => {
  const zipBytes = makeZip([{ name: 'a', content: 'x' }])
  zipBytes.writeUInt16LE(5000, zipBytes.length - 2)
  expect(await extractAll(writeZip(Buffer.concat([zipBytes, Buffer.alloc(5000, '-')])))).toEqual({ a: 'x' })
})

test('refuses a compressed entry with one wrong byte', async () => {
  const zipBytes = makeZip([{ name: 'a', content: text, deflated: true }])
  zipBytes[60] = (zipBytes[60] ?? 0) ^ 0xff
  await expect(extractAll(writeZip(zipBytes))).rejects.toThrow()
})

test('refuses a path that leaves the folder', async () => {
  await expect(extractAll(writeZip(makeZip([{ name: '../a', content: text }])))).rejects.toThrow('relative path')
})

test('writes the wanted files to the wanted paths', async () => {
  const path = writeZip(makeZip(['top/a', 'top/b', 'other'].map((name) => ({ name, content: name }))))
  const toPath = (name: string) => (name === 'top/a' ? 'a' : undefined)
  await extractZip(path, join(folder, 'out'), { toPath })
  expect(readdirSync(join(folder, 'out'))).toEqual(['a'])
})

test.each([
  ['cut in the middle', (zip: Buffer) => zip.subarray(0, zip.length / 2)],
  ['without its last bytes', (zip: Buffer) => zip.subarray(0, -8)],
  ['without its first bytes', (zip: Buffer) => zip.subarray(30)],
  ['empty', () => Buffer.alloc(0)],
  ['another kind of file', () => Buffer.from(text)],
])('refuses a file that is %s', async (_name, damage) => {
  const zipBytes = makeZip([{ name: 'a', content: text, deflated: true }])
  await expect(extractAll(writeZip(Buffer.from(damage(zipBytes))))).rejects.toThrow()
})

test('refuses a symbolic link', async () => {
  const path = writeZip(makeZip([{ name: 'link', content: '/etc/passwd', mode: 0o120777 }]))
  await expect(extractAll(path)).rejects.toThrow('symbolic link')
})
