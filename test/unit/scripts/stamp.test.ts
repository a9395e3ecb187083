import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { contentHash } from '../../../scripts/lib/stamp.mjs'
import { makeFolder } from '../support/folders'

let folder = ''

beforeEach(() => {
  folder = makeFolder()
  mkdirSync(join(folder, 'src/deep'), { recursive: true })
  writeFileSync(join(folder, 'src/a.ts'), 'one')
  writeFileSync(join(folder, 'src/deep/b.ts'), 'two')
  writeFileSync(join(folder, 'package.json'), '{}')
})

function hashSources(): string {
  return contentHash(folder, ['src', 'package.json', 'absent'], ['src/.stamp'])
}

test.each([
  ['a file changes', () => writeFileSync(join(folder, 'src/deep/b.ts'), 'TWO')],
  ['a file is added', () => writeFileSync(join(folder, 'src/c.ts'), '')],
  ['a file is removed', () => rmSync(join(folder, 'src/a.ts'))],
  ['a file is renamed', () => renameSync(join(folder, 'src/a.ts'), join(folder, 'src/z.ts'))],
  [
    'bytes move from one file to the next',
    () => {
      writeFileSync(join(folder, 'src/a.ts'), 'onet')
      writeFileSync(join(folder, 'src/deep/b.ts'), 'wo')
    },
  ],
  ['a named file appears', () => writeFileSync(join(folder, 'absent'), '')],
])('the hash changes when %s', (_name, change) => {
  const hashBefore = hashSources()
  change()
  expect(hashSources()).not.toBe(hashBefore)
})

test.each([
  ['files are only touched', () => utimesSync(join(folder, 'src/a.ts'), 1, 1)],
  ['an ignored file is written', () => writeFileSync(join(folder, 'src/.stamp'), 'x')],
  ['another file of the project changes', () => writeFileSync(join(folder, 'README.md'), 'x')],
])('the hash stays when %s', (_name, change) => {
  const hashBefore = hashSources()
  change()
  expect(hashSources()).toBe(hashBefore)
})
