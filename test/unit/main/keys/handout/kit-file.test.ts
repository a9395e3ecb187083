import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { register as contract, type HandoutRequest, type HandoutResult } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { realDisk } from '../../../../../src/main/core/files/disk'
import { createHandoutFiles } from '../../../../../src/main/keys/handout/handouts'
import { makeFolder } from '../../../support/folders'
import { content } from './kits'

const personHolder = { kind: 'person', name: 'Nguyễn / An' } as const
const handoutRequest: HandoutRequest = { planId: 'p', holder: personHolder, toolIds: [], lock: { kind: 'passphrase' } }

function startFiles(chosen: string | undefined) {
  const openArguments: unknown[] = []
  const buildResult = (path: string): HandoutResult => ({
    id: '1',
    holder: personHolder,
    keyName: 'k',
    path,
    state: 'written',
    hasPassphrase: true,
  })
  const files = createHandoutFiles({
    handouts: {
      create: async (_, path) => buildResult(path),
      createMany: async ({ items }, folder) => items.map(({ holder }) => buildResult(join(folder, holder.name))),
      received: {
        choose: async (path) => ({ kitId: '1', path, needs: 'nothing' }),
        open: async (_, passphrase) => {
          openArguments.push(passphrase)
          return content
        },
      },
    },
    register: { csv: async () => 'Plan,Key\r\n' },
    audit: { csv: async ({ text = '' }) => `Number\r\n${text}` },
    dialogs: {
      open: async () => chosen,
      save: async (name) => {
        openArguments.push(name)
        return chosen
      },
      chooseFolder: async () => chosen,
    },
    confirmOpenedKit: async () => chosen && '/opened/an.age',
    clipboard: { readText: async () => ' six words\n', writeText: async () => undefined },
    disk: realDisk,
  })
  return { files, asked: openArguments }
}

describe('hand-out files', () => {
  it('suggests a name that is valid on every file system and writes to the chosen place', async () => {
    const { files, asked } = startFiles('/kits/an.age')
    expect(await files.create(handoutRequest)).toMatchObject({ state: 'written', path: '/kits/an.age' })
    expect(asked).toEqual(['Nguyễn-An.kit.age'])
    const { lock } = handoutRequest
    expect(await files.createMany({ items: [handoutRequest], lock })).toMatchObject([{ state: 'written' }])
    expect(await files.chooseKit({})).toEqual({ kit: { kitId: '1', path: '/kits/an.age', needs: 'nothing' } })
    expect(await files.chooseKit({ isOpened: true })).toMatchObject({ kit: { path: '/opened/an.age' } })
  })

  it('creates nothing when the dialog is closed', async () => {
    const { files } = startFiles(undefined)
    const handoutResult = contract['handouts.create'].output.parse(await files.create(handoutRequest))
    expect(handoutResult).toMatchObject({ holder: personHolder, state: 'cancelled', hasPassphrase: false })
    const { lock } = handoutRequest
    const results = await files.createMany({ items: [handoutRequest, handoutRequest], lock })
    expect(results.map(({ state }) => state)).toEqual(['cancelled', 'cancelled'])
    expect([await files.chooseKit({}), await files.chooseKit({ isOpened: true })]).toEqual([{}, {}])
    expect([await files.exportRegister(), await files.exportAudit({})]).toEqual([{}, {}])
  })

  it('uses the clipboard as passphrase when none was typed', async () => {
    const { files, asked } = startFiles(undefined)
    await files.openKit({ kitId: '1' })
    await files.openKit({ kitId: '1', passphrase: 'typed' })
    expect(asked).toEqual(['six words', 'typed'])
  })

  it('writes the register as UTF-8 for spreadsheets, readable only by the owner', async () => {
    const path = join(makeFolder(), 'keys.csv')
    expect(await startFiles(path).files.exportRegister()).toEqual({ path })
    expect(readFileSync(path, 'utf8')).toBe('\uFEFFPlan,Key\r\n')
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })
})
