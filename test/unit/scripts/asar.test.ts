import { expect, test } from 'vitest'
import { asar } from '../../../scripts/electron/asar.mjs'
import { defaultApp } from '../../../scripts/electron/default-app.mjs'

/** Reads an archive as Electron does: two pickles, the directory, then the files behind it. */
function read(archive: Buffer): Record<string, string> {
  const headerSize = archive.readUInt32LE(4)
  const json = archive.toString('utf8', 16, 16 + archive.readUInt32LE(12))
  const directory: { files: Record<string, { size: number; offset: string }> } = JSON.parse(json)
  const start = 8 + headerSize
  const rows = Object.entries(directory.files).map(([name, { size, offset }]) => {
    const at = start + Number(offset)
    return [name, archive.toString('utf8', at, at + size)]
  })
  return Object.fromEntries(rows)
}

test.each([
  [{ a: 'x' }],
  [{ 'a.js': 'ä', 'b.json': '', c: 'third' }],
  [{ 'package.json': '{}', 'main.mjs': 'await 1\n' }],
])('gives every file back, whatever the length of the directory', (files) => expect(read(asar(files))).toEqual(files))

test('pads the directory to four bytes and says its sizes twice', () => {
  const archive = asar({ abc: 'content' })
  const headerSize = archive.readUInt32LE(4)
  expect(headerSize % 4).toBe(0)
  expect(archive.readUInt32LE(0)).toBe(4)
  expect(archive.readUInt32LE(8)).toBe(headerSize - 4)
})

test('holds a default app that Electron loads as an ES module', () => {
  const manifest = JSON.parse(defaultApp['package.json'])
  expect(manifest).toMatchObject({ type: 'module', main: 'main.js' })
  expect(defaultApp['main.js']).toMatch(/^ {2}await load\(/m)
})
