import { describe, expect, it } from 'vitest'
import { buildExpectedRequest, findOwnHelper } from '../../../../../src/main/tools/setups/setup-request'
import { createToolsHarness } from '../support/tools-harness'
import { plan } from './bench'

describe('the key command', () => {
  const settings = { toolId: 'claude-code', modelCode: 'large', delivery: 'helper' } as const

  it('is quoted for the system’s shell', async () => {
    const { relay } = await createToolsHarness()
    const helperCommand = (path: string, platform: NodeJS.Platform) =>
      buildExpectedRequest(plan(), settings, { relay, launcher: { path }, platform }).helperCommand
    expect(helperCommand('/home/an me/bin/companion', 'linux')).toBe(
      "'/home/an me/bin/companion' key print --plan p1 --key k1",
    )
    expect(helperCommand('C:\\Users\\An Me\\companion.cmd', 'win32')).toBe(
      '"C:\\Users\\An Me\\companion.cmd" key print --plan p1 --key k1',
    )
  })

  it('uses cmd.exe from inside a WSL distribution, unless no shell there can quote the path', async () => {
    const { relay } = await createToolsHarness()
    const site = { kind: 'wsl', distribution: 'Ubuntu' } as const
    const request = (path: string) =>
      buildExpectedRequest(plan(), { ...settings, site }, { relay, launcher: { path }, platform: 'win32' })
    const path = 'C:\\Data\\bin\\companion.cmd'
    expect(request(path).helperArgv?.slice(0, 4)).toEqual(['/mnt/c/Windows/System32/cmd.exe', '/d', '/c', path])
    expect(findOwnHelper(site, { launcher: { path }, platform: 'win32' })).toBe('')
    expect(request('C:\\A & B\\companion.cmd')).toMatchObject({ helperArgv: undefined, helperCommand: undefined })
  })

  it('is recognized by its prefix', () => {
    const launcher = { path: "/it's/companion" }
    expect(findOwnHelper({ kind: 'user' }, { launcher, platform: 'linux' })).toBe("'/it'\\''s/companion' key print")
  })
})
