import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { findTerminal, openTerminal, startTerminal } from '../../../../src/main/app/terminal'
import { makeFolder } from '../../support/folders'

function programs(...names: string[]): string {
  const folder = makeFolder()
  mkdirSync(folder, { recursive: true })
  for (const name of names) {
    writeFileSync(join(folder, name), '#!/bin/sh\npwd > "$0.seen"\n')
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

describe('the terminal of a desktop', () => {
  it('on Linux is the system’s default, or else a known one', async () => {
    const terminals = programs('xterm', 'x-terminal-emulator')
    expect((await findTerminal('linux', terminals))?.program).toBe(join(terminals, 'x-terminal-emulator'))
    const otherTerminals = programs('konsole', 'other')
    expect((await findTerminal('linux', otherTerminals))?.program).toBe(join(otherTerminals, 'konsole'))
  })

  it('is undefined if none is installed', async () => {
    expect(await findTerminal('linux', programs('other'))).toBeUndefined()
    expect(await findTerminal('win32', programs())).toBeUndefined()
  })

  it('on macOS is Terminal, with the folder as argument', async () => {
    expect((await findTerminal('darwin'))?.args('/Users/an/work')).toEqual(['-a', 'Terminal', '/Users/an/work'])
  })

  it('opens in the folder', async () => {
    const path = programs('xterm')
    const terminal = await findTerminal('linux', path)
    const folder = makeFolder()
    mkdirSync(folder, { recursive: true })
    if (terminal) await startTerminal(terminal, folder)
    const argsFile = join(path, 'xterm.seen')
    await vi.waitUntil(() => existsSync(argsFile) && readFileSync(argsFile, 'utf8').endsWith('\n'))
    expect(readFileSync(argsFile, 'utf8').trim()).toBe(realpathSync(folder))
  })

  it('opens only after the user confirmed program and folder', async () => {
    const terminal = { program: '/usr/bin/xterm', args: () => [] }
    const requests: unknown[] = []
    const startedPrograms: string[] = []
    const openTerminalWith = (isAgreed: boolean) =>
      openTerminal('/home/an', {
        find: async () => terminal,
        start: async (_, folder) => void startedPrograms.push(folder),
        confirm: async (question) => {
          requests.push(question)
          return isAgreed
        },
      })
    await expect(openTerminalWith(false)).rejects.toMatchObject({ failure: { code: 'input.declined' } })
    expect(startedPrograms).toEqual([])
    await openTerminalWith(true)
    expect(startedPrograms).toEqual(['/home/an'])
    expect(requests[0]).toEqual({ kind: 'openTerminal', program: '/usr/bin/xterm', folder: '/home/an' })
  })

  it('fails when it does not start', async () => {
    const missingTerminal = { program: join(makeFolder(), 'gone'), args: () => [] }
    await expect(startTerminal(missingTerminal, '/')).rejects.toMatchObject({
      failure: { code: 'internal.unexpected' },
    })
  })
})
