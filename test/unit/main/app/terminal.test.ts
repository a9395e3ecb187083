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
    const chosen = programs('xterm', 'x-terminal-emulator')
    expect((await findTerminal('linux', chosen))?.program).toBe(join(chosen, 'x-terminal-emulator'))
    const known = programs('konsole', 'other')
    expect((await findTerminal('linux', known))?.program).toBe(join(known, 'konsole'))
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
    const seen = join(path, 'xterm.seen')
    await vi.waitUntil(() => existsSync(seen) && readFileSync(seen, 'utf8').endsWith('\n'))
    expect(readFileSync(seen, 'utf8').trim()).toBe(realpathSync(folder))
  })

  it('opens only after the user confirmed program and folder', async () => {
    const terminal = { program: '/usr/bin/xterm', args: () => [] }
    const asked: unknown[] = []
    const started: string[] = []
    const open = (isAgreed: boolean) =>
      openTerminal('/home/an', {
        find: async () => terminal,
        start: async (_, folder) => void started.push(folder),
        confirm: async (question) => {
          asked.push(question)
          return isAgreed
        },
      })
    await expect(open(false)).rejects.toMatchObject({ failure: { code: 'input.declined' } })
    expect(started).toEqual([])
    await open(true)
    expect(started).toEqual(['/home/an'])
    expect(asked[0]).toEqual({ kind: 'openTerminal', program: '/usr/bin/xterm', folder: '/home/an' })
  })

  it('fails when it does not start', async () => {
    const gone = { program: join(makeFolder(), 'gone'), args: () => [] }
    await expect(startTerminal(gone, '/')).rejects.toMatchObject({ failure: { code: 'internal.unexpected' } })
  })
})
