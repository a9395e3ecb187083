import type { Recovery } from '@shared/contract'
import { expect, it } from 'vitest'
import type { CommandContext } from '../../../../../src/main/cli/output'
import { recoverBeforeChanges } from '../../../../../src/main/cli/tool-changes'
import { memoryOutput } from '../memory-output'

async function runRecovery(recovery: Recovery): Promise<string> {
  const output = memoryOutput()
  const core = { loadTools: async () => ({ tools: { tellRecovery: async () => recovery } }) }
  await recoverBeforeChanges({ core, output } as unknown as CommandContext)
  expect(output.stdout()).toBe('')
  return output.stderr()
}

const site = { kind: 'user' } as const
const undoneAt = '2026-11-21T10:00:00.000Z'

it('prints nothing without an interrupted write', async () => {
  expect(await runRecovery({ undone: [], left: [] })).toBe('')
})

it('names each tool once and every skipped file, without control characters', async () => {
  const undoneTools = ['claude-code', 'crush', 'claude-code'].map((toolId) => ({ toolId, site, at: undoneAt }))
  expect(await runRecovery({ undone: undoneTools, left: ['/home/an/.x\u001B[2J', '/y'] })).toBe(
    [
      'companion: The last change was interrupted and rolled back: claude-code, crush.',
      'companion: Changed by another program since then, not rolled back: /home/an/.x[2J',
      'companion: Changed by another program since then, not rolled back: /y',
      '',
    ].join('\n'),
  )
})

it('names the files that wait for the keychain', async () => {
  expect(await runRecovery({ undone: [], left: [], waiting: ['/home/an/.x'] })).toBe(
    'companion: Not restored yet, because its key is in the locked keychain. Unlock the keychain and run this again: /home/an/.x\n',
  )
})
