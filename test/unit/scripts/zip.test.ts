import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { beforeEach, expect, test } from 'vitest'
import { extractZip } from '../../../scripts/electron/zip.mjs'
import { makeFolder } from '../support/folders'

interface ZipInput {
  readonly name: string
  readonly content: string
  readonly deflated?: boolean
  readonly mode?: number
}

const words = (...values: readonly number[]): Buffer => Buffer.from(Uint16Array.from(values).buffer)
const doubleWords = (...values: readonly number[]): Buffer => Buffer.from(Uint32Array.from(values).buffer)

/** A complete zip file with these entries, following the specification. */
function makeZip(inputs: readonly ZipInput[]): Buffer {
  const entries: Buffer[] = []
  const records: Buffer[] = []
  let offset = 0
  for (const { name, content, deflated = false, mode = 0o100644 } of inputs) {
    const data = deflated ? deflateRawSync(content) : Buffer.from(content)
    // Both headers contain these fields: flags (UTF-8 names), method, time, date, checksum, sizes and name length.
    const sizes = doubleWords(crc32(content), data.length, Buffer.byteLength(content))
    const fields = [words(0x0800, deflated ? 8 : 0, 0, 0), sizes, words(Buffer.byteLength(name), 0)]
    const entry = Buffer.concat([doubleWords(0x04034b50), words(0), ...fields, Buffer.from(name), data])
    const position = [words(0, 0, 0, 0, mode), doubleWords(offset)]
    records.push(Buffer.concat([doubleWords(0x02014b50), words(0, 0), ...fields, ...position, Buffer.from(name)]))
    entries.push(entry)
    offset += entry.length
  }
  const directory = Buffer.concat(records)
  const counts = words(0, 0, inputs.length, inputs.length)
  const end = Buffer.concat([doubleWords(0x06054b50), counts, doubleWords(directory.length, offset), words(0)])
  return Buffer.concat([...entries, directory, end])
}

const text = 'The quick brown fox jumps over the lazy dog. '.repeat(500)
let folder = ''

beforeEach(() => {
  folder = makeFolder()
})

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
  ['wrong in one byte of an entry', (zip: Buffer) => zip.fill((zip[60] ?? 0) ^ 0xff, 60, 61)],
])('refuses a file that is %s', async (_name, damage) => {
  const zipBytes = makeZip([{ name: 'a', content: text, deflated: true }])
  await expect(extractAll(writeZip(Buffer.from(damage(zipBytes))))).rejects.toThrow()
})

test.each([
  ['symbolic link', { name: 'link', content: '/etc/passwd', mode: 0o120777 }],
  ['relative path', { name: '../a', content: text }],
])('refuses a %s', async (problem, entry) => {
  await expect(extractAll(writeZip(makeZip([entry])))).rejects.toThrow(problem)
})
