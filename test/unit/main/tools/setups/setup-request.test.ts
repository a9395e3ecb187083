import { describe, expect, it, test } from 'vitest'
import { buildExpectedRequest, buildToolRequest, loadKey } from '../../../../../src/main/tools/setups/setup-request'
import { findOwnHelper } from '../../../../../src/main/tools/setups/verify'
import { writtenTarget } from '../../../../../src/main/tools/targets'
import { createHarness, key, plan } from './bench'

const claude = writtenTarget('claude-code')
const choice = { toolId: 'claude-code', planId: 'p1', modelCode: 'large' }

describe('a request', () => {
  it('uses the plan’s first key and the tool’s best delivery, without containing the key', async () => {
    const { deps } = createHarness()
    const request = await buildToolRequest(claude, choice, deps)
    expect(request).toMatchObject({
      planId: 'p1',
      keyId: 'k1',
      gatewayUrl: 'https://gw.example.com',
      models: ['large', 'small'],
      contextTokens: 128_000,
      delivery: 'helper',
      helperCommand: '/data/bin/companion key print --plan p1 --key k1',
    })
    expect(request.key).toBeUndefined()
  })

  test.each(['file', 'envFile', 'plain'] as const)('contains the key when the tool gets it by %s', async (delivery) => {
    const { deps } = createHarness({ isLocked: true })
    const request = await buildToolRequest(claude, { ...choice, keyId: 'k2', delivery }, deps)
    expect(request.key?.expose()).toBe(key.expose())
    expect(request.keyId).toBe('k2')
  })

  test.each(['helper', 'env'] as const)('cannot be made for %s without a keychain', async (delivery) => {
    const { deps } = createHarness({ isLocked: true })
    await expect(buildToolRequest(claude, { ...choice, delivery }, deps)).rejects.toMatchObject({
      failure: { code: 'vault.unavailable', field: 'delivery', message: expect.stringContaining('Install a keyring.') },
    })
  })

  it('for a tool with manual key entry needs no keychain', async () => {
    const { deps } = createHarness({ isLocked: true })
    expect((await buildToolRequest(claude, { ...choice, delivery: 'inTool' }, deps)).key).toBeUndefined()
  })

  it('keeps the user’s decisions about single settings', async () => {
    const { deps } = createHarness()
    const decisions = { keep: ['env.X'], settingsToRemove: ['model'], moveCommentsToCopy: true }
    expect(await buildToolRequest(claude, { ...choice, ...decisions }, deps)).toMatchObject(decisions)
  })

  test.each([
    ['a plan that is gone', { planId: 'none' }, 'plan.notFound'],
    ['a key that is gone', { keyId: 'k9' }, 'key.notFound'],
  ])('fails for %s', async (_name, overrides, code) => {
    const { deps } = createHarness()
    await expect(buildToolRequest(claude, { ...choice, ...overrides }, deps)).rejects.toMatchObject({
      failure: { code },
    })
  })
})

describe('the key of a plan', () => {
  it('is the first by default', () => {
    expect([loadKey(plan(), undefined).id, loadKey(plan(), 'k2').id]).toEqual(['k1', 'k2'])
  })

  it('is reported missing with the plan’s name', () => {
    expect(() => loadKey(plan({ keys: [] }), undefined)).toThrow('The plan team has no key.')
    expect(() => loadKey(plan(), 'k9')).toThrow('The plan team no longer has this key.')
  })
})

describe('the key command', () => {
  const settings = { toolId: 'claude-code', modelCode: 'large', delivery: 'helper' } as const

  it('is quoted for the system’s shell', () => {
    const homeLauncher = { path: '/home/an me/bin/companion' }
    expect(
      buildExpectedRequest(plan(), settings, {
        relay: createHarness().deps.relay,
        launcher: homeLauncher,
        platform: 'linux',
      }).helperCommand,
    ).toBe("'/home/an me/bin/companion' key print --plan p1 --key k1")
    const windowsFile = { path: 'C:\\Users\\An Me\\companion.cmd' }
    expect(
      buildExpectedRequest(plan(), settings, {
        relay: createHarness().deps.relay,
        launcher: windowsFile,
        platform: 'win32',
      }).helperCommand,
    ).toBe('"C:\\Users\\An Me\\companion.cmd" key print --plan p1 --key k1')
  })

  it('uses cmd.exe from inside a WSL distribution', () => {
    const site = { kind: 'wsl', distribution: 'Ubuntu' } as const
    const launcher = { path: 'C:\\Data\\bin\\companion.cmd' }
    const { helperArgv } = buildExpectedRequest(
      plan(),
      { ...settings, site },
      { relay: createHarness().deps.relay, launcher, platform: 'win32' },
    )
    expect(helperArgv?.slice(0, 4)).toEqual(['/mnt/c/Windows/System32/cmd.exe', '/d', '/c', launcher.path])
    expect(findOwnHelper(site, { launcher, platform: 'win32' })).toBe('')
  })

  it('is omitted for a path that no shell there can quote', () => {
    const site = { kind: 'wsl', distribution: 'Ubuntu' } as const
    const launcher = { path: 'C:\\A & B\\companion.cmd' }
    expect(
      buildExpectedRequest(
        plan(),
        { ...settings, site },
        { relay: createHarness().deps.relay, launcher, platform: 'win32' },
      ),
    ).toMatchObject({
      helperArgv: undefined,
      helperCommand: undefined,
    })
  })

  it('is recognized by its prefix', () => {
    const launcher = { path: "/it's/companion" }
    expect(findOwnHelper({ kind: 'user' }, { launcher, platform: 'linux' })).toBe("'/it'\\''s/companion' key print")
  })
})
