import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deleteTemporaries } from '../../../../src/main/app/desktop-app'
import { makeFolder } from '../../support/folders'

const currentTime = new Date('2026-05-04T03:02:01Z')
const hourAgo = new Date(currentTime.getTime() - 3_600_000)

const leftoverFiles = [
  'settings.json.tmp',
  'settings.json.tmp-1763865600000abcdef0123456789',
  '.audit.head.0123456789ab.companion-tmp',
  'audit.lock.123e4567-e89b-42d3-a456-426614174000',
  'bin/companion.4711.tmp',
  'tools/.opencode.json.0123456789ab.companion-tmp',
  'tools/history/.1-2.json.0123456789ab.companion-tmp',
]
const unrelatedFiles = [
  'settings.json',
  'settings.broken-0123456789ab.json',
  'settings.json.tmp.mine',
  'notes.tmp',
  'audit.lock',
  'tools/opencode.json',
  'elsewhere/settings.json.tmp',
]

it('removes temporary files of killed writes from this and earlier versions, but no other or recent files', async () => {
  const folder = makeFolder()
  for (const name of ['bin', 'tools/history', 'elsewhere']) mkdirSync(join(folder, name), { recursive: true })
  for (const name of [...leftoverFiles, ...unrelatedFiles]) {
    writeFileSync(join(folder, name), '')
    utimesSync(join(folder, name), hourAgo, hourAgo)
  }
  const recentFile = 'tools/.pi.json.0123456789ab.companion-tmp'
  writeFileSync(join(folder, recentFile), '')
  utimesSync(join(folder, recentFile), currentTime, currentTime)
  await deleteTemporaries(folder, currentTime)
  const remainingPaths = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const remainingFiles = remainingPaths.filter((path) => statSync(join(folder, path)).isFile())
  expect(remainingFiles.sort()).toEqual([...unrelatedFiles, recentFile].sort())
})

it('does nothing without a data folder', async () => {
  await expect(deleteTemporaries('/nowhere/at/all', currentTime)).resolves.toBeUndefined()
})
