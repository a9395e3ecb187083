import { expect, it } from 'vitest'
import { cacheDir, defaultDataDir } from '../../../../src/main/core/data-dir'

it.each([
  [
    'linux',
    { XDG_CONFIG_HOME: '/x/config', XDG_CACHE_HOME: '/x/cache' },
    '/x/config/platform-companion',
    '/x/cache/platform-companion',
  ],
  [
    'linux',
    { XDG_CONFIG_HOME: 'no', XDG_CACHE_HOME: 'no' },
    '/h/.config/platform-companion',
    '/h/.cache/platform-companion',
  ],
  ['darwin', {}, '/h/Library/Application Support/Platform Companion', '/h/Library/Caches/Platform Companion'],
  ['win32', { APPDATA: '/r', LOCALAPPDATA: '/l' }, '/r/Platform Companion', '/l/Platform Companion/Cache'],
] as const)('on %s with %j', (platform, vars, data, cache) => {
  const dataDirContext = { platform, vars, home: '/h' }
  expect([defaultDataDir(dataDirContext), cacheDir(dataDirContext)]).toEqual([data, cache])
})
