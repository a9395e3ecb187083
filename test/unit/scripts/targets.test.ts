import { describe, expect, it, vi } from 'vitest'
import { builderConfig } from '../../../scripts/package/builder-config.mjs'
import { builderMissing } from '../../../scripts/package/targets.mjs'

describe('a target that cannot be made here', () => {
  const on = (platform: NodeJS.Platform) => vi.spyOn(process, 'platform', 'get').mockReturnValue(platform)

  it.each([
    ['linux', 'nsis', 'Windows'],
    ['linux', 'dmg', 'macOS'],
    ['win32', 'deb', 'Linux'],
    ['darwin', 'appimage', 'Linux'],
  ] as const)('on %s: %s, because it is made on %s', (platform, target, where) => {
    on(platform)
    expect(builderMissing(target)).toContain(`built on ${where}`)
  })

  it('is named with the package that brings what is missing', () => {
    on('linux')
    vi.stubEnv('PATH', '/nowhere')
    expect(builderMissing('rpm')).toContain('sudo apt-get install rpm')
    expect(builderMissing('dir')).toBeUndefined()
    vi.unstubAllEnvs()
  })
})

it('no path of the installed app on Linux has a space, with which neither the sandbox nor links work', () => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue('linux')
  const { productName, linux } = builderConfig({ electronVersion: '1.2.3', output: '/out' })
  expect([productName, linux?.executableName].join()).not.toMatch(/\s/)
})
