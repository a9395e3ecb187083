import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { wslEnvironment } from '../../../../../src/main/tools/wsl'
import { makeFolder } from '../../../support/folders'

type WslAccess = Parameters<typeof wslEnvironment>[1]

const createWslAccess = (printed: string | Error, exists: WslAccess['exists'] = () => false): WslAccess => ({
  mark: 'abc123',
  exists,
  run: async () => {
    if (printed instanceof Error) throw printed
    return Buffer.from(printed)
  },
})

describe('the environment of a distribution', () => {
  it('contains its home and variables, and its files by their Windows paths', async () => {
    const commands: string[] = []
    const recordExistsCheck = (path: string): boolean => commands.push(path) > 0
    const shellOutput = 'welcome\nHOME=/wrong\0\nabc123\nHOME=/home/x\0XDG_CONFIG_HOME=/home/x/c\0ODD=a=b\nc\0'
    const environment = await wslEnvironment('Ubuntu', createWslAccess(shellOutput, recordExistsCheck))
    expect(environment).toMatchObject({
      home: '/home/x',
      platform: 'linux',
      vars: { HOME: '/home/x', XDG_CONFIG_HOME: '/home/x/c', ODD: 'a=b\nc' },
    })
    expect(environment.exists('/home/x/.some')).toBe(true)
    expect(commands).toEqual(['\\\\wsl.localhost\\Ubuntu\\home\\x\\.some'])
  })

  test.each([
    ['it cannot be started', new Error('secret details')],
    ['it prints nothing', ''],
    ['it prints no mark', 'HOME=/home/x\0'],
    ['it has no home', 'abc123\nPATH=/bin\0'],
    ['its home is no path', 'abc123\nHOME=relative\0'],
  ])('is unavailable when %s', async (_case, printed) => {
    const failedEnvironment = wslEnvironment('Ubuntu', createWslAccess(printed))
    await expect(failedEnvironment).rejects.toMatchObject({ failure: { code: 'file.unreadable' } })
    await expect(failedEnvironment).rejects.not.toThrow(/secret/)
  })

  it('is not read for an invalid name', async () => {
    let hasCommandRun = false
    const run = async (): Promise<Uint8Array> => {
      hasCommandRun = true
      return Buffer.from('')
    }
    await expect(wslEnvironment('--shutdown', { ...createWslAccess(''), run })).rejects.toThrow('not the name')
    expect(hasCommandRun).toBe(false)
  })
})

describe('the query', () => {
  it('contains nothing that Windows or a shell in between would interpret', async () => {
    const parts: string[] = []
    const run = async (args: readonly string[]): Promise<Uint8Array> => {
      parts.push(...args)
      return Buffer.from('abc123\nHOME=/home/x\0')
    }
    await wslEnvironment('Ubuntu', { ...createWslAccess(''), run })
    expect(parts.join(' ')).not.toMatch(/["'$\\`%]/)
    expect(parts.slice(0, 3)).toEqual(['--distribution', 'Ubuntu', '--exec'])
  })

  it('is answered by a real sh, whatever its files print', async () => {
    const home = makeFolder()
    writeFileSync(join(home, '.profile'), 'echo noise\nexport RIVAL="a\nb"\n')
    const run = async ([, , , program = '', ...args]: readonly string[]): Promise<Uint8Array> =>
      execFileSync(program, args, { env: { HOME: home, PATH: '/usr/bin:/bin' } })
    const { vars } = await wslEnvironment('Ubuntu', { ...createWslAccess(''), run })
    expect(vars).toMatchObject({ HOME: home, RIVAL: 'a\nb' })
  })
})
