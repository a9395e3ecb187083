import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { findTerminal, openTerminal } from '../../../../src/main/app/terminal'
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

  it('opens in the folder, only after the user confirmed it and the program', async () => {
    const path = programs('xterm')
    const [program, folder] = [join(path, 'xterm'), makeFolder()]
    mkdirSync(folder, { recursive: true })
    const confirm = vi.fn(async () => true).mockResolvedValueOnce(false)
    const open = () => openTerminal(folder, confirm, 'linux', path)
    await expect(open()).rejects.toMatchObject({ failure: { code: 'input.declined' } })
    expect(existsSync(`${program}.seen`)).toBe(false)
    await open()
    await vi.waitUntil(() => existsSync(`${program}.seen`) && readFileSync(`${program}.seen`, 'utf8').endsWith('\n'))
    expect(readFileSync(`${program}.seen`, 'utf8').trim()).toBe(realpathSync(folder))
    expect(confirm).toHaveBeenCalledWith({ kind: 'openTerminal', program, folder })
  })

  it('fails when it does not start', async () => {
    const path = programs('xterm')
    writeFileSync(join(path, 'xterm'), '#!/nowhere/sh\n')
    const failure = { code: 'internal.unexpected' }
    await expect(openTerminal('/', async () => true, 'linux', path)).rejects.toMatchObject({ failure })
  })
})
