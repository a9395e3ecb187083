import type { Site } from '@shared/contract'
import { describe, expect, it } from 'vitest'
import { buildExpectedRequest, findOwnHelper } from '../../../../../src/main/tools/setups/setup-request'
import { createToolsHarness } from '../support/tools-harness'

describe('the key command', () => {
  const settings = { toolId: 'claude-code', modelCode: 'large', delivery: 'helper' } as const

  async function createBuilder(site: Site, platform: NodeJS.Platform) {
    const { relay, plan } = await createToolsHarness()
    const end = `key print --plan ${plan.id} --key ${plan.defaultKeyId}`
    const build = (path: string) =>
      buildExpectedRequest(plan, { ...settings, site }, { relay, launcher: { path }, platform })
    return { build, end }
  }

  it.each([
    ['linux', '/home/an me/bin/companion', "'/home/an me/bin/companion'"],
    ['win32', 'C:\\Users\\An Me\\companion.cmd', '"C:\\Users\\An Me\\companion.cmd"'],
  ] as const)('is quoted for the shell of %s', async (platform, path, quotedPath) => {
    const { build, end } = await createBuilder({ kind: 'user' }, platform)
    expect(build(path).helperCommand).toBe(`${quotedPath} ${end}`)
  })

  it('uses cmd.exe from inside a WSL distribution, unless no shell there can quote the path', async () => {
    const site = { kind: 'wsl', distribution: 'Ubuntu' } as const
    const { build } = await createBuilder(site, 'win32')
    const path = 'C:\\Data\\bin\\companion.cmd'
    expect(build(path).helperArgv?.slice(0, 4)).toEqual(['/mnt/c/Windows/System32/cmd.exe', '/d', '/c', path])
    expect(findOwnHelper(site, { launcher: { path }, platform: 'win32' })).toBe('')
    expect(build('C:\\A & B\\companion.cmd')).toMatchObject({ helperArgv: undefined, helperCommand: undefined })
  })

  it('is recognized by its prefix', () => {
    const launcher = { path: "/it's/companion" }
    expect(findOwnHelper({ kind: 'user' }, { launcher, platform: 'linux' })).toBe("'/it'\\''s/companion' key print")
  })
})
