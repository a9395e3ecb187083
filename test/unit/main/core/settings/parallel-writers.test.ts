import { mkdtempSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openSettingsFile } from '../../../../../src/main/core/settings/settings-file'
import { buildWriter, findLosses, noLosses, startWriter } from '../../../../support/state-writers'
import { folderBesideModules } from '../../../support/folders'

let programs = ''
let program = ''
let folder = ''

beforeAll(async () => {
  programs = await folderBesideModules('state-writer')
  program = await buildWriter(programs)
})
afterAll(() => rm(programs, { recursive: true, force: true }))

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'companion-writers-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const getFolders = () => ({ dataDir: join(folder, 'data'), keychainDir: join(folder, 'keychain') })

describe('concurrent writers', () => {
  it('lose nothing that was confirmed, leave no key without a record, and are noticed by a process that reads again', async () => {
    const eventCounts = { heard: 0 }
    const watcher = openSettingsFile({ dataDir: getFolders().dataDir })
    watcher.onChange(() => {
      eventCounts.heard += 1
    })
    const names = ['a', 'b', 'c', 'd']
    const ends = await Promise.all(
      names.map((name) => startWriter(program, { ...getFolders(), name, writes: 14, isRemoving: true }).ended),
    )
    expect(ends.map(({ code, err }) => [code, err])).toEqual(names.map(() => [0, '']))
    const confirmedWrites = ends.flatMap((end) => end.confirmed)
    expect(confirmedWrites).toHaveLength(names.length * 14)
    expect(await findLosses(confirmedWrites, getFolders())).toEqual(noLosses)
    watcher.lookAgain()
    expect(eventCounts.heard).toBe(1)
  })

  it('that are killed keep everything that was confirmed and leave no key without a record', async () => {
    const { child, ended } = startWriter(program, { ...getFolders(), name: 'k', writes: 10_000, isRemoving: true })
    let lines = 0
    child.stdout.on('data', (text: Buffer) => {
      lines += text.toString().split('\n').length - 1
      if (lines > 30) child.kill('SIGKILL')
    })
    const { signal, confirmed: confirmedWrites, going } = await ended
    expect([signal, confirmedWrites.length > 20]).toEqual(['SIGKILL', true])
    expect(await findLosses(confirmedWrites, getFolders(), going)).toEqual(noLosses)
  })
})
