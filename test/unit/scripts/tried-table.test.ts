import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeTriedTable } from '../../tools/tried-table.mjs'

const emptyPage =
  '# Tools\n\n<!-- versions tried: written by npm run test:tools -->\n<!-- end of versions tried -->\n\nMore.\n'
const pi = {
  id: 'pi',
  version: '1.0.0',
  request: 'POST /v1/chat/completions',
  headers: ['authorization'],
  delivery: 'helper',
}
const claude = { ...pi, id: 'claude-code', request: 'POST /v1/messages', headers: ['authorization', 'x-api-key'] }

let folder: string
let page: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'companion-tried-'))
  page = join(folder, 'tools.md')
  writeFileSync(page, emptyPage)
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const rows = (): string[] =>
  readFileSync(page, 'utf8')
    .split('\n')
    .filter((line) => /^\| [a-z]/.test(line))

test('writes a row for each tool by name, and keeps the rest of the page', () => {
  writeTriedTable(page, [pi, claude], '2026-11-21')
  expect(rows()).toEqual([
    '| claude-code | 1.0.0 | messages | `POST /v1/messages` | authorization, x-api-key | helper | 2026-11-21 |',
    '| pi | 1.0.0 | chat-completions | `POST /v1/chat/completions` | authorization | helper | 2026-11-21 |',
  ])
  const text = readFileSync(page, 'utf8')
  expect(text.startsWith('# Tools\n\n<!-- versions tried')).toBe(true)
  expect(text.endsWith('<!-- end of versions tried -->\n\nMore.\n')).toBe(true)
})

test('keeps the day of an unchanged row, and the rows of untested tools', () => {
  writeTriedTable(page, [pi, claude], '2026-11-21')
  const pageBefore = readFileSync(page, 'utf8')
  writeTriedTable(page, [pi], '2026-12-01')
  expect(readFileSync(page, 'utf8')).toBe(pageBefore)
})

test('gives a new version its own day', () => {
  writeTriedTable(page, [pi, claude], '2026-11-21')
  writeTriedTable(page, [{ ...pi, version: '1.1.0' }], '2026-12-01')
  expect(rows().map((row) => row.split(' | ').at(-1))).toEqual(['2026-11-21 |', '2026-12-01 |'])
})

test('refuses a page without a marker for the table', () => {
  writeFileSync(page, '# Tools\n')
  expect(() => writeTriedTable(page, [pi], '2026-11-21')).toThrow('no markers')
})
