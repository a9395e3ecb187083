import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { builderConfig } from '../../../scripts/package/builder-config.mjs'
import { getUnbuildableReason } from '../../../scripts/package/targets.mjs'

const root = join(import.meta.dirname, '../../..')
const loadConfigForPlatform = (platform: NodeJS.Platform) => {
  vi.spyOn(process, 'platform', 'get').mockReturnValue(platform)
  return builderConfig({ electronVersion: '1.2.3', output: '/out' })
}

const workflow = readFileSync(join(root, '.github/workflows/release.yml'), 'utf8')

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('a target that cannot be built here', () => {
  const mockPlatform = (platform: NodeJS.Platform) => vi.spyOn(process, 'platform', 'get').mockReturnValue(platform)

  it.each([
    ['linux', 'nsis', 'Windows'],
    ['linux', 'dmg', 'macOS'],
    ['win32', 'deb', 'Linux'],
    ['darwin', 'appimage', 'Linux'],
  ] as const)('on %s: %s, because it is built on %s', (platform, target, hostSystem) => {
    mockPlatform(platform)
    expect(getUnbuildableReason(target, { isNamed: true })).toContain(`built on ${hostSystem}`)
  })

  it('is reported with the package that provides the missing program', () => {
    mockPlatform('linux')
    vi.stubEnv('PATH', '/nowhere')
    expect(getUnbuildableReason('rpm', { isNamed: true })).toContain('sudo apt-get install rpm')
    expect(getUnbuildableReason('dir', { isNamed: false })).toBeUndefined()
  })

  it('downloads nothing for an AppImage unless it is requested by name', () => {
    mockPlatform('linux')
    vi.stubEnv('APPIMAGE_TOOLS_PATH', '')
    expect(getUnbuildableReason('appimage', { isNamed: false })).toContain('--target appimage')
    expect(getUnbuildableReason('appimage', { isNamed: true })).toBeUndefined()
    vi.stubEnv('APPIMAGE_TOOLS_PATH', '/tools')
    expect(getUnbuildableReason('appimage', { isNamed: false })).toBeUndefined()
  })
})

describe('the release workflow', () => {
  it('builds each kind of package on its system', () => {
    const jobs = [...workflow.matchAll(/os: (\w+)-latest, targets: '?([\w,]+)/g)]
    const targets = Object.fromEntries(jobs.map(([, system, names = '']) => [system, names.split(',').sort()]))
    expect(targets).toEqual({ ubuntu: ['appimage', 'deb', 'rpm', 'tar'], macos: ['dmg'], windows: ['nsis'] })
  })

  it('sets exactly the variables that packages need', () => {
    const sources = ['../package.mjs', 'builder-config.mjs'].map((name) =>
      readFileSync(join(root, 'scripts/package', name), 'utf8'),
    )
    const readVariables = new Set(sources.join().match(/\b(?:UPDATE|APPLE)_[A-Z_]+/g))
    const electronBuilders = ['CSC_LINK', 'CSC_KEY_PASSWORD', 'WIN_CSC_LINK', 'WIN_CSC_KEY_PASSWORD']
    const set = [...workflow.matchAll(/^ {10}((?!GH_)[A-Z_]+): /gm)].map(([, name]) => name)
    expect(set.sort()).toEqual([...readVariables, ...electronBuilders].sort())
  })
})

it('an AppImage keeps Chromium’s sandbox, and has a distinct name with another runtime', () => {
  const { toolsets, linux } = loadConfigForPlatform('linux')
  expect(toolsets?.appimage).toBe('1.0.3')
  expect(linux?.artifactName).toMatch(/^platform-companion-\$\{version\}-electron1\.2\.3-\$\{arch\}\.\$\{ext\}$/)
})

it('no path of the installed app on Linux has a space, which would break sandbox and links', () => {
  const { productName, linux } = loadConfigForPlatform('linux')
  expect([productName, linux?.executableName].join()).not.toMatch(/\s/)
})

describe.each([
  ['darwin', 'mac', ['darwin-x64', 'darwin-arm64']],
  ['win32', 'win', ['win32-x64']],
] as const)('the output on %s', (platform, system, builds) => {
  it('has the name that the release workflow expects', () => {
    const config = loadConfigForPlatform(platform)
    expect(workflow).toContain('dist/platform-companion*.*')
    const name = { darwin: config.mac?.artifactName, win32: config.nsis?.artifactName }[platform]
    expect(name).toMatch(/^platform-companion-\$\{version\}-[a-z]+\.\$\{ext\}$/)
  })

  it('is for machines for which it includes builds of both native modules', () => {
    const config = loadConfigForPlatform(platform)
    const architectures = [config[system]?.target]
      .flat()
      .flatMap((packageTarget) => (typeof packageTarget === 'object' ? packageTarget?.arch : packageTarget))
    const expectedArchs = system === 'mac' ? ['universal', 'universal'] : ['x64']
    expect(architectures.flat()).toEqual(expectedArchs)
    const { optionalDependencies } = JSON.parse(readFileSync(join(root, 'node_modules/libsql/package.json'), 'utf8'))
    const drivers = Object.keys(optionalDependencies).join()
    // The package must contain only the driver builds of supported platforms.
    const [, keptPattern = ''] = /prebuilds\/!\((.+)\)/.exec([config.files].flat().join('\n')) ?? []
    const matchesKeptPattern = (build: string) => new RegExp(`^${keptPattern.replace('*', '.+')}$`).test(build)
    for (const build of builds) {
      expect(drivers).toContain(`@libsql/${build}`)
      expect(existsSync(join(root, 'node_modules/keytar/prebuilds', build))).toBe(true)
      expect(matchesKeptPattern(build)).toBe(true)
    }
    expect(matchesKeptPattern('linux-x64')).toBe(false)
  })

  it('has existing icons and licenses', () => {
    const { mac, win } = loadConfigForPlatform(platform)
    for (const path of [mac?.icon, win?.icon, mac?.entitlements]) expect(existsSync(String(path))).toBe(true)
  })
})
