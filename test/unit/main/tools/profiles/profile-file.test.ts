import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProfileFile } from '@shared/contract'
import { describe, expect, it, test } from 'vitest'
import { realDisk } from '../../../../../src/main/core/files/disk'
import { createProfileFiles } from '../../../../../src/main/tools/profiles/profile-file'
import { makeSharedFolder } from '../../../support/folders'

const folder = makeSharedFolder()

const file: ProfileFile = { name: 'work', plans: [], tools: [], notes: [] }

/** A user who chooses this path in every dialog, or closes it if undefined. */
function createWithChosenFile(path: string | undefined, name = 'work') {
  const suggestedNames: string[] = []
  const texts: string[] = []
  const files = createProfileFiles({
    disk: realDisk,
    dialogs: {
      open: async () => path,
      save: async (suggestedName) => {
        suggestedNames.push(suggestedName)
        return path
      },
    },
    profiles: {
      exportText: () => ({ name, text: '{ "name": "work" }\n' }),
      read: async (text) => {
        texts.push(text)
        return { importId: 'i1', file }
      },
    },
  })
  return { files, suggested: suggestedNames, texts }
}

function writeTestFile(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

describe('profile files', () => {
  it('are written where the user chose, under a name that is valid on every system', async () => {
    const path = join(folder, 'out.json')
    const { files, suggested } = createWithChosenFile(path, 'Khách / A')
    expect(await files.export('x')).toEqual({ path })
    expect(suggested).toEqual(['Khách-A.profile.json'])
    expect(readFileSync(path, 'utf8')).toBe('{ "name": "work" }\n')
  })

  it('are read from the chosen path', async () => {
    const { files, texts } = createWithChosenFile(writeTestFile('in.json', '{ "name": "Đội" }'))
    expect(await files.read()).toEqual({ importId: 'i1', file })
    expect(texts).toEqual(['{ "name": "Đội" }'])
  })

  it('are neither written nor read when the dialog was closed', async () => {
    const { files } = createWithChosenFile(undefined)
    expect(await files.export('x')).toEqual({})
    expect(await files.read()).toEqual({})
  })

  test.each([
    ['is not there', join(folder, 'none.json'), 'file.unreadable'],
    ['is a folder', folder, 'file.unreadable'],
    ['is far too long', writeTestFile('long.json', 'x'.repeat(256_001)), 'profile.unreadable'],
    ['is no text', writeTestFile('bytes.json', new Uint8Array([0xff, 0xfe, 0x80])), 'profile.unreadable'],
  ])('are refused when the file %s', async (_, path, code) => {
    await expect(createWithChosenFile(path).files.read()).rejects.toMatchObject({ failure: { code } })
  })

  it('may be as long as the limit', async () => {
    const { files, texts } = createWithChosenFile(writeTestFile('longest.json', 'x'.repeat(256_000)))
    await files.read()
    expect(texts[0]).toHaveLength(256_000)
  })
})
