import { describe, expect, it, test } from 'vitest'
import {
  buildExpectedRequest,
  buildToolRequest,
  findOwnHelper,
  loadKey,
} from '../../../../../src/main/tools/setups/setup-request'
import { writtenTarget } from '../../../../../src/main/tools/targets'
import { createHarness, plan } from './bench'

const claude = writtenTarget('claude-code')
const choice = { toolId: 'claude-code', planId: 'p1', modelCode: 'large' }

test.each(['helper', 'env'] as const)('a request for %s needs a keychain', async (delivery) => {
  const { deps } = createHarness({ isLocked: true })
  await expect(buildToolRequest(claude, { ...choice, delivery }, deps)).rejects.toMatchObject({
    failure: { code: 'vault.unavailable', field: 'delivery', message: expect.stringContaining('Install a keyring.') },
  })
  expect((await buildToolRequest(claude, { ...choice, delivery: 'inTool' }, deps)).key).toBeUndefined()
})

describe('the key of a plan', () => {
  it('is reported missing with the plan’s name', () => {
    expect(() => loadKey(plan({ keys: [] }), undefined)).toThrow('The plan team has no key.')
    expect(() => loadKey(plan(), 'k9')).toThrow('The plan team no longer has this key.')
  })
})

describe('the key command', () => {
  const settings = { toolId: 'claude-code', modelCode: 'large', delivery: 'helper' } as const

  it('is quoted for the system’s shell', () => {
    const { relay } = createHarness().deps
    const helperCommand = (path: string, platform: NodeJS.Platform) =>
      buildExpectedRequest(plan(), settings, { relay, launcher: { path }, platform }).helperCommand
    expect(helperCommand('/home/an me/bin/companion', 'linux')).toBe(
      "'/home/an me/bin/companion' key print --plan p1 --key k1",
    )
    expect(helperCommand('C:\\Users\\An Me\\companion.cmd', 'win32')).toBe(
      '"C:\\Users\\An Me\\companion.cmd" key print --plan p1 --key k1',
    )
  })

  it('uses cmd.exe from inside a WSL distribution, unless no shell there can quote the path', () => {
    const site = { kind: 'wsl', distribution: 'Ubuntu' } as const
    const { relay } = createHarness().deps
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
