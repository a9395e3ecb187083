import type { Recovery } from '@shared/contract'
import { AppError } from '@shared/failure'
import { expect, it } from 'vitest'
import type { CommandContext } from '../../../../src/main/cli/context'
import { loadRecoveredTools, previewAndWrite } from '../../../../src/main/cli/tool-changes'
import { memoryOutput } from './desk'

const fileChangedError = new AppError('file.changed', 'It changed since the preview.')

/** A change whose first writes fail with these errors. */
function createFailingChange(...failures: readonly Error[]) {
  const writtenIds: string[] = []
  let previews = 0
  const preview = async () => ({ previewId: `preview ${++previews}` })
  const applyTool = async (id: string) => {
    writtenIds.push(id)
    const failure = failures[writtenIds.length - 1]
    if (failure) throw failure
  }
  return { written: writtenIds, preview, write: applyTool }
}

it('a change is previewed and written again when a file changed in between', async () => {
  const { written, preview, write } = createFailingChange(fileChangedError)
  expect(await previewAndWrite(preview, write, {})).toEqual({ previewId: 'preview 2' })
  expect(written).toEqual(['preview 1', 'preview 2'])
})

it('a file that keeps changing is reported, and any other failure immediately', async () => {
  const diskFullError = new AppError('file.unwritable', 'The disk is full.')
  for (const errors of [Array(3).fill(fileChangedError), [diskFullError]]) {
    const { written, preview, write } = createFailingChange(...errors)
    await expect(previewAndWrite(preview, write, {})).rejects.toBe(errors[0])
    expect(written).toHaveLength(errors.length)
  }
})

async function runRecovery(recovery: Recovery): Promise<string> {
  const output = memoryOutput()
  const core = { loadTools: async () => ({ tools: { tellRecovery: async () => recovery } }) }
  await loadRecoveredTools({ core, output } as unknown as CommandContext)
  expect(output.stdout()).toBe('')
  return output.stderr()
}

const site = { kind: 'user' } as const
const undoneAt = '2026-11-21T10:00:00.000Z'

it('names each tool once and every skipped file, without control characters', async () => {
  const undone = ['claude-code', 'crush', 'claude-code'].map((toolId) => ({ toolId, site, at: undoneAt }))
  const text = await runRecovery({ undone, left: ['/home/an/.x\u001B[2J', '/y'] })
  expect(text.split('\n')).toEqual([
    'companion: The last change was interrupted and rolled back: claude-code, crush.',
    'companion: Changed by another program since then, not rolled back: /home/an/.x[2J',
    'companion: Changed by another program since then, not rolled back: /y',
    '',
  ])
})

it('names the files that wait for the keychain', async () => {
  expect(await runRecovery({ undone: [], left: [], waiting: ['/home/an/.x'] })).toBe(
    'companion: Not restored yet, because its key is in the locked keychain. Unlock the keychain and run this again: /home/an/.x\n',
  )
})
