import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSettingsFile } from '../../../../../src/main/core/settings/settings-file'
import { buildWriter, emptyLosses, findLostWrites, startWriter } from '../../../../support/state-writers'
import { makeFolder, makeProgramFolder } from '../../../support/folders'

const programs = makeProgramFolder()
let program = ''
let folder = ''

beforeAll(async () => {
  program = await buildWriter(programs)
})

beforeEach(() => {
  folder = makeFolder()
})

const getFolders = () => ({ dataDir: join(folder, 'data'), keychainDir: join(folder, 'keychain') })

describe('concurrent writers', () => {
  it('lose nothing that was confirmed, leave no key without a record, and are noticed by a process that reads again', async () => {
    const watcher = openSettingsFile({ dataDir: getFolders().dataDir })
    const onChange = vi.fn()
    watcher.onChange(onChange)
    const names = ['a', 'b', 'c', 'd']
    const writerResults = await Promise.all(
      names.map((name) => startWriter(program, { ...getFolders(), name, writes: 14, isRemoving: true }).ended),
    )
    expect(writerResults.map(({ code, err }) => [code, err])).toEqual(names.map(() => [0, '']))
    const confirmedWrites = writerResults.flatMap((end) => end.confirmed)
    expect(confirmedWrites).toHaveLength(names.length * 14)
    expect(await findLostWrites(confirmedWrites, getFolders())).toEqual(emptyLosses)
    watcher.lookAgain()
    expect(onChange).toHaveBeenCalledOnce()
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
    expect(await findLostWrites(confirmedWrites, getFolders(), going)).toEqual(emptyLosses)
  })
})
